import type { ReadStatusPart } from "../../../cli/commands/status.ts";
import { hasEnded } from "../../../domain/api-key.ts";
import { takesBookings } from "../access.ts";
import { createPageBookingStore } from "../store.ts";

const readStatus: ReadStatusPart = (rt) => {
  const keys = new Map(
    rt
      .openStore(createPageBookingStore)
      .listPages()
      .map((page) => [page.businessId, page.keyId]),
  );
  const bookingPages = rt.store.businesses
    .list()
    .filter(takesBookings)
    .map(({ id, slug, doc }) => {
      const keyId = keys.get(id);
      const key = keyId === undefined ? undefined : rt.store.keys.findById(keyId);
      return {
        business: slug,
        booking: doc.publicPage.booking,
        isClosed: key !== undefined && hasEnded(key, rt.now()),
      };
    });
  const states = bookingPages.map(({ business, booking, isClosed }) => {
    const state = isClosed ? "closed: its key was revoked" : booking.toLowerCase();
    return `${business} (${state})`;
  });
  return {
    rows: states.length === 0 ? [] : [{ about: "booking pages", state: states.join(", ") }],
    fields: { bookingPages },
  };
};

export const status: readonly ReadStatusPart[] = [readStatus];
