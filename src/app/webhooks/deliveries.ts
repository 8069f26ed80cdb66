import { AppError } from "../../domain/errors.ts";
import type { Runtime } from "../runtime.ts";
import type { DeliveryRow } from "../../store/deliveries.ts";
import type { DeliveryFilter } from "../../store/delivery-filter.ts";

/** Rows that one transaction takes: short enough to hold nobody up. */
const BATCH = 1000;
/** What is spread over longer would outlast whoever asked for it. */
const LONGEST_SPREAD_MS = 86_400_000;

export type RedeliveryOptions = {
  /** How many a second at most; absent: as fast as the endpoints take them. */
  perSecond?: number | undefined;
  /** Told how many of how many are on their way. */
  onProgress?: (done: number, total: number) => void;
};

/** @throws AppError resource_not_found, also for one of another business when that is named */
export function getDelivery(rt: Runtime, id: string, businessId?: string): DeliveryRow {
  const delivery = rt.store.deliveries.findById(id);
  if (delivery && (businessId === undefined || delivery.businessId === businessId)) return delivery;
  throw new AppError("resource_not_found", `There is no delivery ${id}.`, {
    fix: "deskbell deliveries list",
  });
}

/**
 * Sends a delivery again: the same bytes and ids, signed anew, below what is fresh. A try that fails follows the schedule.
 * @throws AppError resource_not_found, conflict
 */
export function redeliverDelivery(rt: Runtime, id: string): DeliveryRow {
  return rt.tx(() => {
    const { status, endpointId } = getDelivery(rt, id);
    const endpoint = rt.store.endpoints.findById(endpointId);
    if (!endpoint)
      throw new AppError("conflict", `The endpoint of ${id} was deleted.`, {
        fix: "subscribe it again",
      });
    if (endpoint.status === "DISABLED")
      throw new AppError("conflict", `The endpoint of ${id} is disabled: enable it first.`, {
        fix: `deskbell webhooks enable ${endpointId}`,
      });
    if (status === "CORRUPT")
      throw new AppError(
        "conflict",
        `The event of ${id} is damaged and will not be signed: only a backup has it whole.`,
        {
          fix: "deskbell backup list",
        },
      );
    // One that was never tried is due as it is.
    const { at, upTo } = { at: rt.now(), upTo: rt.store.due.getLastNumber() };
    rt.store.deliveryMoves.replay({ id }, { after: 0, upTo, limit: 1, at, stepMs: 0 });
    return getDelivery(rt, id);
  });
}

/**
 * Sends again what the filter finds at endpoints that can take it, the oldest first. What has never been tried, is parked or
 * damaged stays as it is, and so does what was cancelled unless the filter asks for that.
 * @returns how many
 * @throws AppError invalid_input when the rate would take more than a day
 */
export function redeliverDeliveries(
  rt: Runtime,
  filter: DeliveryFilter,
  options: RedeliveryOptions = {},
): number {
  const { perSecond, onProgress = () => {} } = options;
  const total = rt.store.deliveryMoves.countReplayable(filter);
  const stepMs = perSecond === undefined ? 0 : Math.ceil(1000 / perSecond);
  if (total * stepMs > LONGEST_SPREAD_MS)
    throw new AppError(
      "invalid_input",
      `${total} deliveries at that rate would take more than a day.`,
      {
        fix: "raise --rate, or narrow it with --since or --endpoint",
      },
    );
  if (rt.isDryRun()) return total;
  const upTo = rt.store.due.getLastNumber();
  const startsAt = rt.now();
  let done = 0;
  for (let after = 0; after < upTo;) {
    const batch = { after, upTo, limit: BATCH, at: startsAt + done * stepMs, stepMs };
    const { count, last } = rt.tx(() => rt.store.deliveryMoves.replay(filter, batch));
    done += count;
    after = last;
    onProgress(done, total);
  }
  return done;
}

/** Gives up what is still owed, waiting or parked. @returns how many */
export const cancelDeliveries = (rt: Runtime, filter: DeliveryFilter): number =>
  rt.tx(() => rt.store.deliveryMoves.cancel(filter));
