import type { Booking } from "../../domain/bookings/booking.ts";
import type { Reservation } from "../../domain/bookings/reservation.ts";
import type { CalendarRow } from "../../store/calendars.ts";
import type { Runtime } from "../runtime.ts";

const DAY_MS = 86_400_000;
const PAST_DAYS = 30;
const FUTURE_DAYS = 400;
/** About 8 MB. A calendar app would take long to read more. */
export const MAX_VISITS = 20_000;

export type ListedVisit = { booking: Booking } | { reservation: Reservation };

/** `cutAt`: the start of the first visit that is left out because there are too many; or null. */
export type ListedVisits = { visits: ListedVisit[]; cutAt: number | null };

const startOf = (listed: ListedVisit): number =>
  "booking" in listed ? listed.booking.startsAt : listed.reservation.startsAt;

/**
 * Lists the visits of a calendar from today on, then, as far as the maximum allows, those before
 * today that were not cancelled.
 * @param today epoch milliseconds
 */
export function listCalendarVisits(
  rt: Runtime,
  { businessId, staffId }: Pick<CalendarRow, "businessId" | "staffId">,
  today: number,
  max = MAX_VISITS,
): ListedVisits {
  function list(from: number, to: number, limit: number): ListedVisit[] {
    const filter = { businessId, from, to };
    const bookings = rt.store.bookings
      .listPage({ ...filter, staffId: staffId ?? undefined }, limit)
      .map((booking): ListedVisit => ({ booking }));
    const reservations = rt.store.reservations
      .listPage(filter, staffId === null ? limit : 0)
      .map((reservation): ListedVisit => ({ reservation }));
    return [...bookings, ...reservations].sort((a, b) => startOf(a) - startOf(b));
  }

  const future = list(today, today + FUTURE_DAYS * DAY_MS, max + 1);
  const cut = future[max];
  const past: ListedVisit[] = [];
  for (let day = 1; day <= PAST_DAYS && past.length + future.length < max; day += 1) {
    const from = today - day * DAY_MS;
    past.unshift(...list(from, from + DAY_MS, max).filter((visit) => !isCancelled(visit)));
  }
  const room = Math.max(max - future.length, 0);
  return {
    visits: [...past.slice(Math.max(past.length - room, 0)), ...future.slice(0, max)],
    cutAt: cut === undefined ? null : startOf(cut),
  };
}

const isCancelled = (listed: ListedVisit): boolean =>
  ("booking" in listed ? listed.booking : listed.reservation).status === "CANCELLED";
