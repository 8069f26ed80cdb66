import { type MirroredObject, type MirrorList, partsIn } from "./mirror-lists.ts";
import type { MirrorEntry, MirrorStorage } from "./mirror-storage.ts";

/** A stored object; null after it was deleted, so that an older event does not restore it. */
type Entry = {
  /**
   * The field of the menu's response that contains the object, such as `items`; "" for every other
   * list.
   */
  part: string;
  object: MirroredObject | null;
  /** The sequence number of the event or response that the object comes from. */
  sequence: number;
};

/** What is known of a list as a whole. */
type ListState = {
  /** The sequence number of the last response with the whole list; -1 before the first. */
  sequence: number;
  etag: string | null;
  validUntil: string | null;
  /** When the whole list was last read, in epoch milliseconds. */
  readAt: number;
};

/** A response with objects of a list. */
export type ListResponse = {
  status: number;
  sequence: number;
  etag: string | null;
  data: unknown;
  validUntil: string | null;
};

/**
 * The name under which the storage keeps the state of all lists, as if it were a list. No real list
 * has this name.
 */
const STATE = "state";
const CURSOR = "cursor";

const NEVER_READ: ListState = { sequence: -1, etag: null, validUntil: null, readAt: 0 };

/**
 * The copy of the lists during one synchronization. Its changes are stored together by `save`, so
 * that the cursor is stored with the objects of the events before it.
 */
export class MirrorCopy {
  readonly #storage: MirrorStorage;
  readonly #state: Map<string, string>;
  readonly #lists = new Map<MirrorList, Map<string, Entry>>();
  readonly #changes = new Map<string, MirrorEntry>();
  /** The lists whose objects have changed. */
  readonly changed = new Set<MirrorList>();

  private constructor(storage: MirrorStorage, state: Map<string, string>) {
    this.#storage = storage;
    this.#state = state;
  }

  static async load(storage: MirrorStorage): Promise<MirrorCopy> {
    const state = await storage.load(STATE);
    return new MirrorCopy(storage, new Map(state.map(({ id, value }) => [id, value])));
  }

  get cursor(): string | undefined {
    const text = this.#state.get(CURSOR);
    return text === undefined ? undefined : (JSON.parse(text) as string);
  }

  set cursor(cursor: string) {
    if (cursor !== this.cursor) this.#setState(CURSOR, cursor);
  }

  stateOf(list: MirrorList): ListState {
    const text = this.#state.get(list);
    return text === undefined ? NEVER_READ : (JSON.parse(text) as ListState);
  }

  changeState(list: MirrorList, change: Partial<ListState>): void {
    this.#setState(list, { ...this.stateOf(list), ...change });
  }

  #setState(id: string, value: unknown): void {
    const text = JSON.stringify(value);
    this.#state.set(id, text);
    this.#changes.set(`${STATE} ${id}`, { list: STATE, id, value: text });
  }

  async #entriesOf(list: MirrorList): Promise<Map<string, Entry>> {
    const known = this.#lists.get(list);
    if (known !== undefined) return known;
    const stored = await this.#storage.load(list);
    const entries = new Map(stored.map(({ id, value }) => [id, JSON.parse(value) as Entry]));
    this.#lists.set(list, entries);
    return entries;
  }

  #set(list: MirrorList, entries: Map<string, Entry>, id: string, entry: Entry | null): void {
    if (entry === null) entries.delete(id);
    else entries.set(id, entry);
    const value = entry === null ? null : JSON.stringify(entry);
    this.#changes.set(`${list} ${id}`, { list, id, value });
    this.changed.add(list);
  }

  /** Returns the objects of a list, each with the field of the response that contains it. */
  async objectsOf(list: MirrorList): Promise<[part: string, MirroredObject][]> {
    return [...(await this.#entriesOf(list)).values()].flatMap(({ part, object }) =>
      object === null ? [] : [[part, object] as [string, MirroredObject]],
    );
  }

  /**
   * Returns the sequence number up to which the copy knows an object. The number comes from the
   * last response with the whole list or from the object itself, whichever is higher.
   */
  async sequenceOf(list: MirrorList, id: string): Promise<number> {
    const entry = (await this.#entriesOf(list)).get(id);
    return Math.max(this.stateOf(list).sequence, entry?.sequence ?? -1);
  }

  /** Stores an object, or null for a deletion, unless a newer state of it is known. */
  async store(list: MirrorList, id: string, entry: Entry): Promise<void> {
    if (entry.sequence <= (await this.sequenceOf(list, id))) return;
    this.#set(list, await this.#entriesOf(list), id, entry);
    this.#forgetEtag(list);
  }

  /**
   * Sets the sort order of the objects that are older than the event.
   * @param sequence the sequence number of the event
   */
  async reorder(
    list: MirrorList,
    order: readonly { id: string; sortOrder: number }[],
    sequence: number,
  ): Promise<void> {
    if (sequence <= this.stateOf(list).sequence) return;
    const entries = await this.#entriesOf(list);
    for (const { id, sortOrder } of order) {
      const entry = entries.get(id);
      if (!entry?.object || entry.sequence >= sequence) continue;
      this.#set(list, entries, id, { ...entry, object: { ...entry.object, sortOrder } });
    }
    this.#forgetEtag(list);
  }

  /**
   * Drops the ETag of a list, so that the next response contains the whole list and replaces the
   * copy.
   */
  #forgetEtag(list: MirrorList): void {
    if (this.stateOf(list).etag !== null) this.changeState(list, { etag: null });
  }

  /**
   * Replaces a list by a response with the whole list, unless the copy is newer. A response 304 has
   * no list, because the list has not changed.
   */
  async replace(list: MirrorList, response: ListResponse, readAt: number): Promise<void> {
    const { status, sequence, etag, data, validUntil } = response;
    if (sequence < this.stateOf(list).sequence) return;
    if (status === 304) return this.changeState(list, { sequence, readAt });
    const entries = await this.#entriesOf(list);
    for (const [id, entry] of entries)
      if (entry.sequence <= sequence) this.#set(list, entries, id, null);
    // The entries that remain are newer than the response, so the copy differs from the response.
    // The ETag of the response is not kept: a later request with it could get the answer that
    // nothing has changed.
    const isSameAsResponse = entries.size === 0;
    for (const [part, object] of partsIn(list, data))
      if (!entries.has(object.id)) this.#set(list, entries, object.id, { part, object, sequence });
    this.changeState(list, { sequence, etag: isSameAsResponse ? etag : null, validUntil, readAt });
    this.changed.add(list);
  }

  /** Forgets a list, so that any response replaces it. */
  async forget(list: MirrorList): Promise<void> {
    const entries = await this.#entriesOf(list);
    for (const id of entries.keys()) this.#set(list, entries, id, null);
    this.changeState(list, NEVER_READ);
  }

  async save(): Promise<void> {
    if (this.#changes.size > 0) await this.#storage.save([...this.#changes.values()]);
    this.#changes.clear();
  }
}
