import { DeskbellError } from "./errors.ts";
import type { ListResponse, MirrorCopy } from "./mirror-copy.ts";
import { LISTS, type MirrorList, partOf, partsIn } from "./mirror-lists.ts";
import type { Arguments, DeskbellClient, DeskbellEvent, Result } from "./types.ts";

const HOUR_MS = 3_600_000;
/** The API allows at most this many IDs in a request and this many events in a response. */
const MAX_IDS = 500;
const MAX_EVENTS = 500;

type EventTypes = NonNullable<Arguments<"listChanges">["types"]>;
type Refetch = { route: string; ids: string[]; idsComplete: boolean };
type Order = { id: string; sortOrder: number }[];

/** Lists to read again: the IDs to read, or null for the whole list. */
type Stale = Map<MirrorList, Set<string> | null>;

/**
 * Reads the feed and the lists into a copy, by the rules of the guide "Keep a mirror". The menu has
 * several parts, such as `items`. Every other list is one part, which is called "". The feed
 * numbers its events; `sequence` is the number of the last event that a response or an object
 * reflects.
 */
export class MirrorReader {
  readonly #client: DeskbellClient;
  readonly #lists: readonly MirrorList[];
  readonly #now: () => number;
  readonly #types: EventTypes;

  constructor(client: DeskbellClient, lists: readonly MirrorList[], now: () => number) {
    this.#client = client;
    this.#lists = lists;
    this.#now = now;
    const types = lists.flatMap((list) => LISTS[list].types);
    this.#types = [...types, "catalog.changed"] as EventTypes;
  }

  /**
   * Brings a copy up to date, and waits for an event if there is none yet.
   * @param maxWaitSeconds at most 25. The wait is shorter if a list must be read earlier
   */
  async update(copy: MirrorCopy, maxWaitSeconds: number, signal?: AbortSignal): Promise<void> {
    const due = Math.min(...this.#lists.map((list) => dueAt(copy, list)));
    const untilDue = Math.max(0, Math.floor((due - this.#now()) / 1000));
    try {
      await this.#readFeed(copy, Math.min(maxWaitSeconds, untilDue), signal);
    } catch (error) {
      if (!isExpired(error)) throw error;
      await this.#begin(copy);
    }
    for (const list of this.#lists)
      if (dueAt(copy, list) <= this.#now()) await this.#readWhole(copy, list);
    await copy.save();
  }

  /** Applies the events after the cursor, and stores each page with its cursor. */
  async #readFeed(copy: MirrorCopy, wait: number, signal?: AbortSignal): Promise<void> {
    for (let hasMore = true; hasMore;) {
      const after = copy.cursor;
      if (after === undefined) return this.#begin(copy);
      const wanted = { after, types: this.#types, limit: MAX_EVENTS, wait, signal };
      const { data, page, meta } = await this.#client.listChanges(wanted);
      const stale: Stale = new Map();
      for (const [i, event] of data.entries())
        await this.#apply(copy, stale, event as DeskbellEvent, meta.sequences[i] ?? 0);
      for (const [list, ids] of stale) {
        if (ids === null) await this.#readWhole(copy, list);
        else if (ids.size > 0) await this.#readIds(copy, list, [...ids]);
      }
      copy.cursor = page.nextCursor ?? after;
      await copy.save();
      hasMore = page.hasMore;
    }
  }

  /**
   * Replaces the copy with the whole lists. The end of the feed is read first, so that the changes
   * made while the lists are read come as events.
   */
  async #begin(copy: MirrorCopy): Promise<void> {
    const { page } = await this.#client.listChanges({ after: "latest", types: this.#types });
    for (const list of this.#lists) {
      await copy.forget(list);
      await this.#readWhole(copy, list);
    }
    if (page.nextCursor !== null) copy.cursor = page.nextCursor;
    await copy.save();
  }

  async #apply(
    copy: MirrorCopy,
    stale: Stale,
    { type, data }: DeskbellEvent,
    sequence: number,
  ): Promise<void> {
    if (type === "catalog.changed") {
      for (const refetch of (data.object as { refetch: Refetch[] }).refetch)
        await this.#markStale(copy, stale, refetch, sequence);
      return;
    }
    const { resource, object } = data;
    const list = this.#lists.find((list) => LISTS[list].resources.includes(resource.type));
    if (list === undefined) return;
    if (type.endsWith(".reordered"))
      return copy.reorder(list, (object as { order: Order }).order, sequence);
    const stored = type.endsWith(".deleted") ? null : (object as { id: string });
    await copy.store(list, resource.id, { part: partOf(resource.type), object: stored, sequence });
  }

  async #markStale(
    copy: MirrorCopy,
    stale: Stale,
    { route, ids, idsComplete }: Refetch,
    sequence: number,
  ): Promise<void> {
    const list = this.#lists.find((list) => list === route);
    if (list === undefined || copy.stateOf(list).sequence >= sequence) return;
    const known = stale.get(list);
    if (!idsComplete || known === null) return void stale.set(list, null);
    const wanted = new Set(known);
    for (const id of ids) if ((await copy.sequenceOf(list, id)) < sequence) wanted.add(id);
    stale.set(list, wanted.size > MAX_IDS ? null : wanted);
  }

  async #readWhole(copy: MirrorCopy, list: MirrorList): Promise<void> {
    const { etag } = copy.stateOf(list);
    await copy.replace(list, await this.#read(list, { previous: { etag } }), this.#now());
  }

  async #readIds(copy: MirrorCopy, list: MirrorList, ids: string[]): Promise<void> {
    const { sequence, data, validUntil } = await this.#read(list, { ids });
    const missing = new Set(ids);
    for (const [part, object] of partsIn(list, data)) {
      missing.delete(object.id);
      await copy.store(list, object.id, { part, object, sequence });
    }
    for (const id of missing) await copy.store(list, id, { part: "", object: null, sequence });
    copy.changeState(list, { validUntil });
  }

  async #read(list: MirrorList, args: object): Promise<ListResponse> {
    const { operation, args: fixed } = LISTS[list];
    const method = this.#client[operation] as (args: object) => Promise<Result<"listServices">>;
    const { status, etag, headers, data, meta } = await method({ ...fixed, ...args });
    const sequence = Number(headers.get("x-service-sequence"));
    return { status, etag, sequence, data, validUntil: meta?.validUntil ?? null };
  }
}

/** Returns when a whole list must be read again, in epoch milliseconds. */
function dueAt(copy: MirrorCopy, list: MirrorList): number {
  const { readAt, validUntil } = copy.stateOf(list);
  return Math.min(readAt + HOUR_MS, validUntil === null ? Infinity : Date.parse(validUntil));
}

/**
 * Returns whether the cursor is of no use: the events after it are no longer kept, or the server
 * was restored from an older backup or set up anew.
 */
const isExpired = (error: unknown): boolean =>
  error instanceof DeskbellError &&
  (error.code === "cursor_expired" || error.code === "invalid_cursor");
