import type { Check } from "../../app/operations/conditions.ts";
import { openCondition } from "../../domain/conditions/registry.ts";
import { takesBookings } from "./access.ts";
import { createPageBookingStore } from "./store.ts";

/** A page that has refused no visit for this long counts as open again. */
const RECENT_MS = 3_600_000;

/** Reports pages that refuse visits of some days, whose free time unconfirmed visits take. */
const checkShare: Check = (rt) =>
  rt
    .openStore(createPageBookingStore)
    .listPages()
    .flatMap(({ businessId, shareRefusedAt }) => {
      const business = rt.store.businesses.findById(businessId);
      const isRecent = shareRefusedAt !== null && shareRefusedAt > rt.now() - RECENT_MS;
      if (!isRecent || business === undefined || !takesBookings(business)) return [];
      const { slug, doc } = business;
      const isRequest = doc.publicPage.booking === "REQUEST";
      const text = `the booking page refused visits in the last hour: on some days, visits that nobody has confirmed take as much of the free time as they may (half a day of a person or table, a tenth of seven days)${isRequest ? "; approve or decline them" : ""}`;
      const noun = rt.store.catalog.hasKind(businessId, "table") ? "reservations" : "bookings";
      const command = `deskbell ${noun} list${isRequest ? " --status pending" : ""} --business ${slug}`;
      const subject = { id: businessId, name: "booking page" };
      return [openCondition("page.share_used", text, command, { business: slug, subject })];
    });

export const checks: readonly Check[] = [checkShare];
