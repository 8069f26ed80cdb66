import { AppError, assertFound } from "../../domain/errors.ts";
import type { Runtime } from "../runtime.ts";
import type { DeliveryRow, DeliveryFilter } from "../../store/webhooks/deliveries.ts";

/** The number of rows per transaction: few enough not to block other writers. */
const BATCH_ROWS = 1000;
/** A redelivery spread over more than a day is probably a mistake in the rate. */
const MAX_SPREAD_MS = 86_400_000;

export type RedeliveryOptions = {
  /** Deliveries per second at most; if absent, as fast as the endpoints accept them. */
  perSecond?: number | undefined;
  onProgress?: (done: number, total: number) => void;
};

export const getDelivery = (rt: Runtime, id: string): DeliveryRow =>
  assertFound(
    rt.store.deliveries.findById(id),
    `There is no delivery ${id}.`,
    "deskbell deliveries list",
  );

/**
 * Makes a delivery due again, with the same body and IDs and a new signature. New deliveries have
 * priority over it. The retry schedule starts over.
 * @throws AppError resource_not_found, conflict
 */
export function redeliverDelivery(rt: Runtime, id: string): DeliveryRow {
  return rt.tx(() => {
    const { status, endpointId } = getDelivery(rt, id);
    const endpoint = rt.store.endpoints.findById(endpointId);
    const conflict = (message: string, fix: string) => new AppError("conflict", message, { fix });
    if (!endpoint)
      throw conflict(
        `The endpoint of ${id} was deleted.`,
        "a new one receives only later events: deskbell webhooks create",
      );
    if (endpoint.status === "DISABLED")
      throw conflict(
        `The endpoint of ${id} is disabled: enable it first.`,
        `deskbell webhooks enable ${endpointId}`,
      );
    if (status === "CORRUPT")
      throw conflict(
        `The event of ${id} was altered and cannot be signed: restore a backup to recover it.`,
        "deskbell backup list",
      );
    // `redeliver` skips a delivery without an attempt, because such a delivery is already due. A
    // delivery that waits for its time in a redelivery with a rate is not skipped.
    const upTo = rt.store.due.getLastNumber();
    rt.store.deliveryMoves.redeliver({ id }, { after: 0, upTo, limit: 1, at: rt.now(), stepMs: 0 });
    return getDelivery(rt, id);
  });
}

/**
 * Redelivers to active endpoints, the oldest delivery first. Parked and corrupt deliveries, and
 * pending deliveries without an attempt, are skipped. Cancelled deliveries are redelivered only if
 * the filter has an ID or a status.
 * @returns the number of deliveries
 * @throws AppError validation_failed if the redelivery would take more than a day at this rate
 */
export function redeliverDeliveries(
  rt: Runtime,
  filter: DeliveryFilter,
  { perSecond, onProgress = () => {} }: RedeliveryOptions = {},
): number {
  const total = rt.store.deliveryMoves.countRedeliverable(filter);
  const stepMs = perSecond === undefined ? 0 : Math.ceil(1000 / perSecond);
  if (total * stepMs > MAX_SPREAD_MS)
    throw new AppError(
      "validation_failed",
      `${total} deliveries at that rate would take more than a day.`,
      {
        fix: "raise --rate, or filter with --since or --endpoint",
      },
    );
  if (rt.isDryRun()) return total;
  // A batch reads the rows after those of the previous batch. Deliveries that are created meanwhile
  // have higher row numbers than `upTo`, and are left out.
  const upTo = rt.store.due.getLastNumber();
  const startsAt = rt.now();
  let done = 0;
  for (let after = 0; after < upTo;) {
    const batch = { after, upTo, limit: BATCH_ROWS, at: startsAt + done * stepMs, stepMs };
    const { count, last } = rt.tx(() => rt.store.deliveryMoves.redeliver(filter, batch));
    done += count;
    after = last;
    onProgress(done, total);
  }
  return done;
}

/** Cancels the pending, parked and corrupt deliveries of a filter, and returns their number. */
export const cancelDeliveries = (rt: Runtime, filter: DeliveryFilter): number =>
  rt.tx(() => rt.store.deliveryMoves.cancel(filter));
