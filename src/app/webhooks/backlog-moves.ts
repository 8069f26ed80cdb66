import { setTimeout as delay } from "node:timers/promises";
import type {
  BacklogCounts,
  BacklogMove,
  UnfinishedMove,
} from "../../store/webhooks/delivery-moves.ts";
import type { EndpointRow } from "../../store/webhooks/endpoints.ts";
import { LOCK_BREAK_MS } from "../../store/database/write-lock.ts";
import type { Runtime } from "../runtime.ts";

// A change of an endpoint moves its whole backlog: each delivery is parked, recovered or cancelled.
// A large backlog is moved in several transactions, so that no other writer waits for all of it.
// The endpoint's row records the move until it is finished: after a crash, the daemon continues it.

/**
 * The number of deliveries moved or counted in one transaction: few enough not to block other
 * writers.
 */
export const SLICE_ROWS = 1000;

/**
 * Moves a small backlog. A large backlog is moved later: this function only records that it must be
 * moved. Call it in the transaction that changes the endpoint. Deliveries that are not moved yet
 * are not sent, because the worker sends only those of an active endpoint.
 * @param counted counts from before the transaction, so that no other writer waits for counting
 * @returns exact counts of a small backlog. The counts of a large backlog are `counted`; if that is
 * absent, they may be too low, but add up to at least SLICE_ROWS.
 */
export function startBacklogMove(
  rt: Runtime,
  { id: endpointId, businessId }: EndpointRow,
  move: BacklogMove,
  counted?: BacklogCounts,
): BacklogCounts {
  rt.store.backlogMoves.start(endpointId, move);
  const counts = rt.store.backlogMoves.count(endpointId, move, SLICE_ROWS);
  const { parked, recovered, cancelled } = counts;
  if (parked + recovered + cancelled >= SLICE_ROWS) return counted ?? counts;
  moveSlice(rt, { ...move, endpointId, businessId });
  return counts;
}

export const isMovingBacklog = (rt: Runtime, endpointId: string): boolean =>
  findUnfinished(rt, endpointId) !== undefined;

/** Finishes the move of an endpoint's backlog before it returns. */
export function finishBacklogMove(rt: Runtime, endpointId: string): void {
  while (rt.tx(() => continueMove(rt, endpointId)));
}

/** Continues all moves, with breaks in which deliveries and other writers proceed. */
export async function continueBacklogMoves(rt: Runtime, signal?: AbortSignal): Promise<void> {
  const isAborted = () => signal?.aborted === true;
  for (const { endpointId } of rt.store.backlogMoves.listUnfinished())
    while (!isAborted() && rt.tx(() => continueMove(rt, endpointId))) await delay(LOCK_BREAK_MS);
}

/**
 * Moves the next deliveries and returns whether there are more to move. Another process may have
 * finished or replaced the move.
 */
function continueMove(rt: Runtime, endpointId: string): boolean {
  const unfinished = findUnfinished(rt, endpointId);
  return unfinished !== undefined && moveSlice(rt, unfinished);
}

const findUnfinished = (rt: Runtime, id: string): UnfinishedMove | undefined =>
  rt.store.backlogMoves.listUnfinished().find(({ endpointId }) => endpointId === id);

/** Returns whether there are more deliveries to move. */
function moveSlice(rt: Runtime, move: UnfinishedMove): boolean {
  const isFinished = rt.store.backlogMoves.moveSlice(move, rt.now(), SLICE_ROWS);
  if (isFinished) rt.store.backlogMoves.finish(move.endpointId);
  return !isFinished;
}
