import { hash } from "node:crypto";
import { openSecrets } from "../../app/destinations/secrets.ts";
import type { Runtime } from "../../app/runtime.ts";
import { errorInWords } from "../../domain/error-words.ts";
import { businessSubjects, retryDelayMs } from "../../domain/destinations/message.ts";
import { byteSize } from "../../domain/text.ts";
import { type SigningKey, signingKey } from "../../domain/webhooks/signature.ts";
import type { DestinationRow } from "../../store/destinations.ts";
import type { EventRow } from "../../store/events.ts";
import { isStorageUnavailable } from "../../store/storage-error.ts";
import { isBusy } from "../../store/write-lock.ts";
import type { Broker, Connect, PublishOutcome } from "./broker.ts";
import { createLane, type Lane, provesPosition, toMessage } from "./lane.ts";
import { createSkipRecorder } from "./skips.ts";
import { createStreamPosition } from "./stream-position.ts";

/** Businesses with a publish in flight. */
const MAX_IN_FLIGHT = 64;
/** Events that are read together. One of a large catalog may have hundreds of KB. */
const BATCH = 8;
/** Shorter waits are normal and are not stored, unless a publish has failed. */
const MIN_BEHIND_MS = 60_000;
const SEQUENCE = "X-Service-Sequence";

type Failure = Pick<
  Extract<PublishOutcome, { kind: "failed" }>,
  "reason" | "isUnclear" | "isGeneral"
>;

export type Publisher = ReturnType<typeof createPublisher>;

/**
 * Publishes events to one destination: those of a business one after the other, each until the
 * stream has it or it has left the history. Cursors are saved later than the stream answers: after
 * a crash, the newest message of a business shows which of its events the stream has.
 */
export function createPublisher(rt: Runtime, destination: DestinationRow, connect: Connect) {
  const { id, name, prefix, businessId: onlyBusiness } = destination;
  const { destinations, events, feed } = rt.store;
  const types = new Set(destination.events);
  const skips = createSkipRecorder(rt, destination);
  const position = createStreamPosition(rt, destination);
  /**
   * The lanes by the ID of their business. Businesses of which everything is published have none.
   */
  const lanes = new Map<string, Lane>();
  /** Businesses that may have more to publish, and have no publish in flight. */
  const ready = new Set<string>();
  let inFlight = 0;
  let broker: Promise<Broker> | undefined;
  let keys: readonly SigningKey[] = [];
  /** Failures in a row that concern all businesses, why, and when to try again (monotonic). */
  let failures = 0;
  let lastError: string | null = null;
  let retryAt = 0;
  let saved: ReturnType<typeof readState> = destination;
  let state: "running" | "stopping" | "stopped" = "running";
  const idleWaiters: (() => void)[] = [];

  /** Finds all businesses that are behind. @param isUnclear their cursors may be too old */
  function scan(isUnclear = false): void {
    for (const { businessId } of destinations.listBehind(id, onlyBusiness))
      enqueue(businessId, isUnclear);
    run();
  }

  /** Call it for a business that has new events, and then `run`. */
  function enqueue(businessId: string, isUnclear = false): void {
    if (onlyBusiness !== null && onlyBusiness !== businessId) return;
    const lane = lanes.get(businessId) ?? openLane(businessId, isUnclear);
    if (lane?.isBusy === false) ready.add(businessId);
  }

  function openLane(businessId: string, isUnclear: boolean): Lane | undefined {
    const cursor = destinations.findCursor(id, businessId);
    if (cursor === undefined) return undefined;
    const createdAt = destinations.findNextCreatedAt(businessId, cursor.sequence);
    // Events that have left the history are recorded too.
    if (createdAt === undefined && feed.getPrunedSequence(businessId) <= cursor.sequence)
      return undefined;
    const isRedelivery = cursor.sequence < cursor.redeliverUntil;
    const waitsSince = isRedelivery ? rt.now() : (createdAt ?? rt.now());
    const lane = createLane(cursor, waitsSince, isUnclear);
    lanes.set(businessId, lane);
    return lane;
  }

  /** Publishes what can be published now. While every publish fails, one at a time is enough. */
  function run(): void {
    const now = rt.monotonic();
    for (const businessId of ready) {
      const capacity = failures > 0 ? 1 : MAX_IN_FLIGHT;
      if (state !== "running" || now < retryAt || inFlight >= capacity) return;
      const lane = lanes.get(businessId);
      if (lane !== undefined && now < lane.retryAt) continue;
      ready.delete(businessId);
      if (lane !== undefined) void publishNext(lane);
    }
  }

  async function publishNext(lane: Lane): Promise<void> {
    inFlight += 1;
    lane.isBusy = true;
    let mayHaveMore = true;
    try {
      mayHaveMore = await step(lane);
    } catch (error) {
      if (!isBusy(error) && !isStorageUnavailable(error)) throw error;
      fail(lane, { reason: errorInWords(error), isUnclear: true, isGeneral: true });
    }
    lane.isBusy = false;
    inFlight -= 1;
    if (mayHaveMore) ready.add(lane.cursor.businessId);
    if (inFlight === 0) for (const resolve of idleWaiters.splice(0)) resolve();
    run();
  }

  /** Publishes the next event of a business. Returns whether there may be more. */
  async function step(lane: Lane): Promise<boolean> {
    const open = await openBroker();
    if (open === undefined || state !== "running") return true;
    if (lane.isUnclear && !(await findPosition(lane, open))) return true;
    if (state !== "running") return true;
    const event = nextEvent(lane);
    if (event === undefined) return false;
    // An old event that is published again has not been waiting since it was created.
    const isRedelivery = event.sequence <= lane.cursor.redeliverUntil;
    lane.createdAt = isRedelivery ? rt.now() : event.createdAt;
    if (types.has(event.type)) await publish(lane, event, open);
    else advance(lane, event);
    return true;
  }

  async function publish(lane: Lane, event: EventRow, open: Broker): Promise<void> {
    // SQLite does not detect damage inside a value.
    if (!hash("sha256", event.body, "buffer").equals(event.sha256))
      return skip(lane, event, "it was altered in the database file");
    const follow = position.expectNext();
    const outcome = await open.publish(toMessage(destination, lane, event, keys, rt.now()));
    if (state === "stopped") return;
    if (outcome.kind === "failed") return fail(lane, outcome);
    lane.failures = 0;
    lane.lastError = null;
    failures = 0;
    lastError = null;
    if (outcome.kind === "stored") {
      follow(outcome);
      return advance(lane, event);
    }
    skip(lane, event, `its ${byteSize(event.body.length)} exceed ${outcome.reason}`);
  }

  /** Returns undefined if there is no connection; another try follows. */
  async function openBroker(): Promise<Broker | undefined> {
    const isNew = broker === undefined;
    const opening = (broker ??= open());
    try {
      const opened = await opening;
      if (!opened.isClosed()) return opened;
      if (isNew) failAll("the server closed the connection");
    } catch (error) {
      failAll(errorInWords(error));
    }
    // Another business may have begun to connect again meanwhile.
    if (broker === opening) broker = undefined;
    return undefined;
  }

  async function open(): Promise<Broker> {
    const { signingSecret, credentials } = openSecrets(rt, destination);
    keys = [signingKey(signingSecret)];
    return connect({ ...destination, credentials, allowPlaintext: rt.config.allowPlaintext });
  }

  /** Moves the cursor to the newest event that the stream has. Returns whether it answered. */
  async function findPosition(lane: Lane, open: Broker): Promise<boolean> {
    const { cursor } = lane;
    const { businessId, slug } = cursor;
    try {
      const last = await open.readLast(businessSubjects(prefix, slug), SEQUENCE);
      if (state === "stopped") return false;
      lane.isUnclear = false;
      const sequence = Number(last?.value);
      if (last === null || !(sequence > cursor.sequence)) return true;
      if (!provesPosition(cursor, last, events.findIdAt(businessId, sequence), sequence))
        return true;
      lane.events = [];
      cursor.sequence = sequence;
      return true;
    } catch (error) {
      if (isBusy(error) || isStorageUnavailable(error)) throw error;
      fail(lane, { reason: errorInWords(error), isUnclear: true, isGeneral: true });
      return false;
    }
  }

  function nextEvent({ cursor, events: read }: Lane): EventRow | undefined {
    if (read.length === 0)
      read.push(...events.listAfter(cursor.businessId, cursor.sequence, BATCH));
    const next = read[0]?.sequence ?? Infinity;
    if (next > cursor.sequence + 1) skips.recordCut(cursor, next);
    return read.shift();
  }

  function advance(lane: Lane, { sequence }: EventRow): void {
    lane.cursor.sequence = sequence;
  }

  function skip(lane: Lane, event: EventRow, reason: string): void {
    skips.record(lane.cursor, event.sequence, event.id, reason);
    advance(lane, event);
  }

  function fail(lane: Lane, { reason, isUnclear, isGeneral }: Failure): void {
    // The events are read again, because erasing a guest may change them meanwhile.
    lane.events = [];
    lane.isUnclear ||= isUnclear;
    lane.failures += 1;
    lane.lastError = reason;
    lane.retryAt = rt.monotonic() + retryDelayMs(lane.failures);
    if (isGeneral) failAll(reason);
  }

  function failAll(reason: string): void {
    // Publishes that were in flight together fail together, which counts once.
    if (rt.monotonic() >= retryAt) {
      failures += 1;
      retryAt = rt.monotonic() + retryDelayMs(failures);
    }
    if (reason !== lastError)
      rt.log("warn", "A destination accepts no events; they are kept and tried again.", {
        destination: name,
        reason,
      });
    lastError = reason;
  }

  /** Stores the cursors, and since when the destination has been behind. */
  function save(): void {
    const moved = [...lanes.values()].filter(
      ({ cursor, savedSequence }) => cursor.sequence !== savedSequence,
    );
    const current = readState();
    const isChanged =
      current.behindSince !== saved.behindSince ||
      current.lastError !== saved.lastError ||
      current.streamSequence !== saved.streamSequence;
    if (moved.length > 0 || isChanged)
      rt.tx(() => {
        for (const { cursor } of moved) destinations.saveCursor(id, cursor);
        if (isChanged) destinations.updateState(destination, current);
      });
    saved = current;
    for (const lane of moved) lane.savedSequence = lane.cursor.sequence;
    for (const [businessId, { isBusy }] of lanes)
      if (!isBusy && !ready.has(businessId)) lanes.delete(businessId);
  }

  function readState(): Pick<DestinationRow, "behindSince" | "lastError" | "streamSequence"> {
    const streamSequence = position.highest();
    let oldest: Lane | undefined;
    for (const [businessId, lane] of lanes)
      if (
        (lane.isBusy || ready.has(businessId)) &&
        !(lane.createdAt >= (oldest?.createdAt ?? Infinity))
      )
        oldest = lane;
    if (oldest === undefined) return { behindSince: null, lastError: null, streamSequence };
    const isBehind = rt.now() - oldest.createdAt >= MIN_BEHIND_MS;
    return {
      behindSince: isBehind ? oldest.createdAt : null,
      lastError: lastError ?? oldest.lastError,
      streamSequence,
    };
  }

  /** Waits up to `graceMs` for what is in flight. What the stream then has is found again. */
  async function stop(graceMs: number): Promise<void> {
    state = "stopping";
    let timer: NodeJS.Timeout | undefined;
    if (inFlight > 0)
      await Promise.race([
        new Promise<void>((resolve) => idleWaiters.push(resolve)),
        new Promise((resolve) => (timer = setTimeout(resolve, graceMs))),
      ]);
    clearTimeout(timer);
    state = "stopped";
    try {
      save();
    } catch (error) {
      if (!isBusy(error) && !isStorageUnavailable(error)) throw error;
    }
    await broker?.then(
      (open) => open.close(),
      () => {},
    );
  }

  return { scan, enqueue, run, save, stop };
}
