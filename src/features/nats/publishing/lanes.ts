import type { Runtime } from "../../../app/runtime.ts";
import { createLane, type Lane } from "./lane.ts";
import { createCursorStore, type DestinationRow } from "../store.ts";

/**
 * The businesses with events to publish to a destination. A business has no lane once all of its
 * events are published.
 */
export class Lanes {
  readonly #rt: Runtime;
  readonly #destination: DestinationRow;
  /** The lanes by business ID. */
  readonly #lanes = new Map<string, Lane>();
  /** The businesses that may have events to publish, and have no publish in flight. */
  readonly #ready = new Set<string>();

  constructor(rt: Runtime, destination: DestinationRow) {
    this.#rt = rt;
    this.#destination = destination;
  }

  /**
   * Makes a business ready unless it has a publish in flight.
   * @param isUnclear whether the stream may have events after the stored cursor
   */
  enqueue(businessId: string, isUnclear: boolean): void {
    const { businessId: onlyBusiness } = this.#destination;
    if (onlyBusiness !== null && onlyBusiness !== businessId) return;
    const lane = this.#lanes.get(businessId) ?? this.#open(businessId, isUnclear);
    if (lane?.isBusy === false) this.#ready.add(businessId);
  }

  #open(businessId: string, isUnclear: boolean): Lane | undefined {
    const rt = this.#rt;
    const { feed } = rt.store;
    const cursors = rt.openStore(createCursorStore);
    const cursor = cursors.find(this.#destination.id, businessId);
    if (cursor === undefined) return undefined;
    const createdAt = cursors.findNextCreatedAt(businessId, cursor.sequence);
    // A lane is also needed for events that have left the history: it records them as skipped.
    if (createdAt === undefined && feed.getPrunedSequence(businessId) <= cursor.sequence)
      return undefined;
    // A redelivered event can be old although the destination is up to date, so its wait counts
    // from now and not from its creation.
    const isRedelivery = cursor.sequence < cursor.redeliverUntil;
    const waitsSince = isRedelivery ? rt.now() : (createdAt ?? rt.now());
    const lane = createLane(cursor, waitsSince, isUnclear);
    this.#lanes.set(businessId, lane);
    return lane;
  }

  /**
   * Iterates over the lanes of ready businesses whose retry delay is over.
   * @param now on the monotonic clock
   */
  *iterateReady(now: number): Generator<Lane> {
    for (const businessId of this.#ready) {
      const lane = this.#lanes.get(businessId);
      if (lane !== undefined && now >= lane.retryAt) yield lane;
    }
  }

  markBusy(lane: Lane): void {
    this.#ready.delete(lane.cursor.businessId);
    lane.isBusy = true;
  }

  markFree(lane: Lane, mayHaveMore: boolean): void {
    lane.isBusy = false;
    if (mayHaveMore) this.#ready.add(lane.cursor.businessId);
  }

  /** Returns the lanes with a cursor that is not saved yet. */
  listMoved(): Lane[] {
    return [...this.#lanes.values()].filter(
      ({ cursor, savedSequence }) => cursor.sequence !== savedSequence,
    );
  }

  /** Returns the lane whose next event has waited longest. */
  findOldest(): Lane | undefined {
    let oldest: Lane | undefined;
    for (const lane of this.#lanes.values())
      if (this.#hasMore(lane) && lane.waitsSince < (oldest?.waitsSince ?? Infinity)) oldest = lane;
    return oldest;
  }

  /** Removes the lanes without events to publish. */
  removePublished(): void {
    for (const [businessId, lane] of this.#lanes)
      if (!this.#hasMore(lane)) this.#lanes.delete(businessId);
  }

  #hasMore({ isBusy, cursor }: Lane): boolean {
    return isBusy || this.#ready.has(cursor.businessId);
  }
}
