import type { Runtime } from "../../../app/runtime.ts";
import { isStorageUnavailable } from "../../../store/database/storage-error.ts";
import { isBusy } from "../../../store/database/write-lock.ts";
import { BrokerConnection } from "./broker-connection.ts";
import type { Connect } from "./broker.ts";
import { DestinationHealth } from "./destination-health.ts";
import { LanePublisher } from "./lane-publisher.ts";
import type { Lane } from "./lane.ts";
import { Lanes } from "./lanes.ts";
import { createCursorStore, createDestinationStore, type DestinationRow } from "../store.ts";

/** The maximum of businesses with a publish in flight. */
const MAX_IN_FLIGHT = 64;
/** The shortest wait of an event for which `behindSince` is stored. A shorter wait is normal. */
const MIN_BEHIND_MS = 60_000;

type SavedState = Pick<DestinationRow, "behindSince" | "lastError" | "streamSequence">;

/**
 * Publishes events to one destination: those of a business one after the other, many businesses at
 * once. Cursors are saved after the stream has answered. After a crash, the newest message of a
 * business shows which of its events the stream has.
 */
export class Publisher {
  readonly #rt: Runtime;
  readonly #destination: DestinationRow;
  readonly #lanes: Lanes;
  readonly #health: DestinationHealth;
  readonly #connection: BrokerConnection;
  readonly #lanePublisher: LanePublisher;
  #inFlight = 0;
  #saved: SavedState;
  readonly #idleWaiters: (() => void)[] = [];

  constructor(rt: Runtime, destination: DestinationRow, connect: Connect) {
    this.#rt = rt;
    this.#destination = destination;
    this.#lanes = new Lanes(rt, destination);
    this.#health = new DestinationHealth(rt, destination.name);
    this.#connection = new BrokerConnection(rt, destination, connect, this.#health);
    this.#lanePublisher = new LanePublisher(rt, destination, this.#connection, this.#health);
    this.#saved = destination;
  }

  /**
   * Finds all businesses that are behind.
   * @param isUnclear whether the stream may have events after the stored cursors
   */
  scan(isUnclear = false): void {
    const { id, businessId: onlyBusiness } = this.#destination;
    for (const { businessId } of this.#rt.openStore(createCursorStore).listBehind(id, onlyBusiness))
      this.#lanes.enqueue(businessId, isUnclear);
    this.run();
  }

  /** Adds a business with new events. Call `run` afterwards. */
  enqueue(businessId: string): void {
    this.#lanes.enqueue(businessId, false);
  }

  /**
   * Publishes what can be published now. If the destination fails, tries only one event at a time.
   */
  run(): void {
    const now = this.#rt.monotonic();
    for (const lane of this.#lanes.iterateReady(now)) {
      const capacity = this.#health.isFailing ? 1 : MAX_IN_FLIGHT;
      const isRunning = this.#lanePublisher.state === "running";
      if (!isRunning || !this.#health.mayTry(now) || this.#inFlight >= capacity) return;
      void this.#publishNext(lane);
    }
  }

  async #publishNext(lane: Lane): Promise<void> {
    this.#inFlight += 1;
    this.#lanes.markBusy(lane);
    const mayHaveMore = await this.#lanePublisher.publishNext(lane);
    this.#lanes.markFree(lane, mayHaveMore);
    this.#inFlight -= 1;
    if (this.#inFlight === 0) for (const resolve of this.#idleWaiters.splice(0)) resolve();
    this.run();
  }

  /** Stores the cursors, and the time since which the oldest waiting event has waited. */
  save(): void {
    const destinations = this.#rt.openStore(createDestinationStore);
    const cursors = this.#rt.openStore(createCursorStore);
    const moved = this.#lanes.listMoved();
    const current = this.#readState();
    const isChanged =
      current.behindSince !== this.#saved.behindSince ||
      current.lastError !== this.#saved.lastError ||
      current.streamSequence !== this.#saved.streamSequence;
    if (moved.length > 0 || isChanged)
      this.#rt.tx(() => {
        for (const { cursor } of moved) cursors.save(this.#destination.id, cursor);
        if (isChanged) destinations.updateState(this.#destination, current);
      });
    this.#saved = current;
    for (const lane of moved) lane.savedSequence = lane.cursor.sequence;
    this.#lanes.removePublished();
  }

  #readState(): SavedState {
    const { streamSequence } = this.#lanePublisher;
    const oldest = this.#lanes.findOldest();
    if (oldest === undefined) return { behindSince: null, lastError: null, streamSequence };
    const isBehind = this.#rt.now() - oldest.waitsSince >= MIN_BEHIND_MS;
    return {
      behindSince: isBehind ? oldest.waitsSince : null,
      lastError: this.#health.lastError ?? oldest.lastError,
      streamSequence,
    };
  }

  /**
   * Waits up to `graceMs` for publishes in flight. If some do not end in time, the next start asks
   * the stream which of them it has.
   */
  async stop(graceMs: number): Promise<void> {
    this.#lanePublisher.state = "stopping";
    let timer: NodeJS.Timeout | undefined;
    if (this.#inFlight > 0)
      await Promise.race([
        new Promise<void>((resolve) => this.#idleWaiters.push(resolve)),
        new Promise((resolve) => (timer = setTimeout(resolve, graceMs))),
      ]);
    clearTimeout(timer);
    this.#lanePublisher.state = "stopped";
    try {
      this.save();
    } catch (error) {
      if (!isBusy(error) && !isStorageUnavailable(error)) throw error;
    }
    await this.#connection.close();
  }
}
