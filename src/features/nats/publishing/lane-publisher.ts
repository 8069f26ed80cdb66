import { hash } from "node:crypto";
import type { Runtime } from "../../../app/runtime.ts";
import { errorInWords } from "../../../domain/errors.ts";
import { businessSubjects, publishDelayMs } from "../rules.ts";
import { byteSize } from "../../../domain/text.ts";
import type { DestinationRow } from "../store.ts";
import type { EventRow } from "../../../store/events.ts";
import { isStorageUnavailable } from "../../../store/database/storage-error.ts";
import { isBusy } from "../../../store/database/write-lock.ts";
import type { BrokerConnection } from "./broker-connection.ts";
import type { Broker, PublishOutcome } from "./broker.ts";
import type { DestinationHealth } from "./destination-health.ts";
import { type Lane, provesPosition, toMessage } from "./lane.ts";
import { createSkipRecorder } from "./skips.ts";
import { createStreamPosition } from "./stream-position.ts";

/** The number of events that are read at once: few, because an event can have hundreds of KB. */
const BATCH = 8;
/** The header with the sequence number of an event. */
const SEQUENCE = "X-Service-Sequence";

/**
 * Why an event was not published. If `isUnclear` is set, the stream may have stored it
 * nevertheless. If `isGeneral` is set, the events of other businesses fail, too.
 */
type Failure = Pick<
  Extract<PublishOutcome, { kind: "failed" }>,
  "reason" | "isUnclear" | "isGeneral"
>;

/**
 * Publishes the events of lanes to a destination, one event at a time in each lane. A lane has the
 * events of one business. An event is tried again until the stream has it or the history no longer
 * has it. Cursors move in memory only: `Publisher` stores them.
 */
export class LanePublisher {
  readonly #rt: Runtime;
  readonly #destination: DestinationRow;
  readonly #types: ReadonlySet<string>;
  readonly #health: DestinationHealth;
  readonly #connection: BrokerConnection;
  readonly #skips: ReturnType<typeof createSkipRecorder>;
  readonly #position: ReturnType<typeof createStreamPosition>;
  /**
   * A `stopping` publisher begins no new publish. A `stopped` publisher also ignores the answers to
   * earlier publishes.
   */
  state: "running" | "stopping" | "stopped" = "running";

  constructor(
    rt: Runtime,
    destination: DestinationRow,
    connection: BrokerConnection,
    health: DestinationHealth,
  ) {
    this.#rt = rt;
    this.#destination = destination;
    this.#types = new Set(destination.events);
    this.#health = health;
    this.#connection = connection;
    this.#skips = createSkipRecorder(rt, destination);
    this.#position = createStreamPosition(rt, destination);
  }

  /** The highest number that the stream gave to an event; null if nothing was published. */
  get streamSequence(): number | null {
    return this.#position.highest();
  }

  /** Publishes the next event of a business. @returns whether there may be more events */
  async publishNext(lane: Lane): Promise<boolean> {
    try {
      return await this.#step(lane);
    } catch (error) {
      if (!isBusy(error) && !isStorageUnavailable(error)) throw error;
      this.#fail(lane, { reason: errorInWords(error), isUnclear: true, isGeneral: true });
      return true;
    }
  }

  async #step(lane: Lane): Promise<boolean> {
    const broker = await this.#connection.open();
    if (broker === undefined || this.state !== "running") return true;
    if (lane.isUnclear && !(await this.#findPosition(lane, broker))) return true;
    if (this.state !== "running") return true;
    const event = this.#takeNextEvent(lane);
    if (event === undefined) return false;
    // A redelivered event can be old although the destination is up to date, so its wait counts
    // from now and not from its creation.
    const isRedelivery = event.sequence <= lane.cursor.redeliverUntil;
    lane.waitsSince = isRedelivery ? this.#rt.now() : event.createdAt;
    if (this.#types.has(event.type)) await this.#publish(lane, event, broker);
    else advance(lane, event);
    return true;
  }

  async #publish(lane: Lane, event: EventRow, broker: Broker): Promise<void> {
    // SQLite notices no altered bytes within a value, so the event is compared with its hash.
    if (!hash("sha256", event.body, "buffer").equals(event.sha256))
      return this.#skip(lane, event, "it was altered in the database file");
    // `beginPublish` notes the highest number of the stream before the publish, because the answer
    // to a later publish can arrive before the answer to this one.
    const recordStored = this.#position.beginPublish();
    const outcome = await broker.publish(
      toMessage(this.#destination, lane, event, this.#connection.keys, this.#rt.now()),
    );
    if (this.state === "stopped") return;
    if (outcome.kind === "failed") return this.#fail(lane, outcome);
    lane.failures = 0;
    lane.lastError = null;
    this.#health.recover();
    if (outcome.kind === "stored") {
      recordStored(outcome);
      return advance(lane, event);
    }
    this.#skip(lane, event, `its ${byteSize(event.body.length)} exceed ${outcome.reason}`);
  }

  /**
   * Moves the cursor to the newest event of the business in the stream, if that event proves which
   * events the stream has.
   * @returns false if the stream did not answer, or the publisher was stopped meanwhile
   */
  async #findPosition(lane: Lane, broker: Broker): Promise<boolean> {
    const { cursor } = lane;
    const { businessId, slug } = cursor;
    try {
      const subjects = businessSubjects(this.#destination.prefix, slug);
      const last = await broker.readLast(subjects, SEQUENCE);
      if (this.state === "stopped") return false;
      lane.isUnclear = false;
      // A message of another program has no sequence number: the result is then 0 or NaN.
      const sequence = Number(last?.value);
      if (last === null || !(sequence > cursor.sequence)) return true;
      const eventId = this.#rt.store.events.findIdAt(businessId, sequence);
      if (!provesPosition(cursor, last, eventId, sequence)) return true;
      lane.events = [];
      cursor.sequence = sequence;
      return true;
    } catch (error) {
      if (isBusy(error) || isStorageUnavailable(error)) throw error;
      this.#fail(lane, { reason: errorInWords(error), isUnclear: true, isGeneral: true });
      return false;
    }
  }

  #takeNextEvent({ cursor, events }: Lane): EventRow | undefined {
    if (events.length === 0)
      events.push(...this.#rt.store.events.listAfter(cursor.businessId, cursor.sequence, BATCH));
    // A gap in the numbers after the cursor means that events have left the history.
    const next = events[0]?.sequence ?? Infinity;
    if (next > cursor.sequence + 1) this.#skips.recordPruned(cursor, next);
    return events.shift();
  }

  #skip(lane: Lane, event: EventRow, reason: string): void {
    this.#skips.record(lane.cursor, event.sequence, event.id, reason);
    advance(lane, event);
  }

  #fail(lane: Lane, { reason, isUnclear, isGeneral }: Failure): void {
    // The events are read again, because the erasure of a guest may change them before the next
    // try.
    lane.events = [];
    // The stream may have stored the event, so its newest message is read before the next try.
    lane.isUnclear ||= isUnclear;
    lane.failures += 1;
    lane.lastError = reason;
    lane.retryAt = this.#rt.monotonic() + publishDelayMs(lane.failures);
    // A general failure makes all lanes of the destination wait.
    if (isGeneral) this.#health.fail(reason);
  }
}

function advance(lane: Lane, { sequence }: EventRow): void {
  lane.cursor.sequence = sequence;
}
