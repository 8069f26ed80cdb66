import { countOf } from "../text.ts";

/** IDs of future bookings, reservations and ticket orders whose objects a change deletes. */
export type AffectedVisits = { bookings: string[]; reservations: string[]; ticketOrders: string[] };

export const NO_VISITS: AffectedVisits = { bookings: [], reservations: [], ticketOrders: [] };

const MAX_NAMED = 10;

/** Returns `1 future booking, 2 ticket orders: bkg_…, tor_…, tor_…`; null if there are none. */
export function affectedVisitsText(affected: AffectedVisits): string | null {
  const { bookings, reservations, ticketOrders } = affected;
  const ids = [...bookings, ...reservations, ...ticketOrders];
  if (ids.length === 0) return null;
  const counts = [
    [bookings, "future booking"],
    [reservations, "future reservation"],
    [ticketOrders, "ticket order"],
  ] as const;
  const parts = counts
    .filter(([{ length }]) => length > 0)
    .map(([{ length }, noun]) => countOf(length, noun));
  const more = ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} more` : "";
  return `${parts.join(", ")}: ${ids.slice(0, MAX_NAMED).join(", ")}${more}`;
}
