import type { Visit } from "../../domain/bookings/visit.ts";
import { ON_GUEST_NEWS } from "../../features/on-guest-news.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { GuestNews } from "../feature-hooks.ts";
import type { Runtime } from "../runtime.ts";

/**
 * Tells features what the guest of a visit may want to know. Call it in the transaction of the
 * change.
 * @returns whether the guest will be told
 */
export function tellGuest(rt: Runtime, business: BusinessRow, news: GuestNews): boolean {
  // Every feature gets the news, even if another one already tells the guest.
  let isTold = false;
  for (const tell of ON_GUEST_NEWS) isTold = tell(rt, business, news) || isTold;
  return isTold;
}

/** Tells the guest what a change of a visit means, if an API key made the visit. */
export function tellOfChange(
  rt: Runtime,
  business: BusinessRow,
  before: Visit | null,
  after: Visit,
): void {
  const kind = kindOfChange(before, after);
  if (kind !== undefined && after.createdByKey !== null)
    tellGuest(rt, business, { ...after, kind, keyId: after.createdByKey });
}

/**
 * Returns what a change means for the guest; undefined for a change that the guest need not know.
 */
function kindOfChange(before: Visit | null, after: Visit): GuestNews["kind"] | undefined {
  const { status, cancelReason } = after;
  if (before === null) return status === "PENDING" ? "received" : "confirmed";
  if (status === "CANCELLED") {
    if (before.status === "CANCELLED") return undefined;
    if (cancelReason === "DECLINED") return "declined";
    return cancelReason === "EXPIRED" ? "expired" : "cancelled";
  }
  if (before.startsAt !== after.startsAt) return "moved";
  return before.status === "PENDING" && status === "CONFIRMED" ? "confirmed" : undefined;
}
