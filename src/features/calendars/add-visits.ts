import type { Customer } from "../../domain/bookings/customer.ts";
import { createCalendarVisitStore, type CalendarPart } from "./store.ts";
import type { CalendarRow } from "./store.ts";
import { tryDecryptCustomers } from "../../app/bookings/guests.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { EntryWriter } from "./entries.ts";

const DAY_MS = 86_400_000;
const PAST_DAYS = 30;
const FUTURE_DAYS = 400;
/**
 * The maximum number of entries of a feed, about 8 MB: calendar apps read a larger feed slowly.
 */
export const MAX_ENTRIES = 20_000;

/**
 * Adds the visits from today on, then the earlier ones that were not cancelled, latest first, up to
 * the maximum.
 * @param today midnight UTC in epoch milliseconds
 * @returns the start of the first visit from today on that did not fit, or null
 */
export function addVisits(
  rt: Runtime,
  { businessId, staffId, withGuests }: Pick<CalendarRow, "businessId" | "staffId" | "withGuests">,
  today: number,
  entries: EntryWriter,
): number | null {
  const filter = { businessId, staffId, withGuests };
  const calendarVisits = rt.openStore(createCalendarVisitStore);
  const future = { ...filter, from: today, to: today + FUTURE_DAYS * DAY_MS };
  const past = { ...filter, from: today - PAST_DAYS * DAY_MS, to: today };
  const read = (...query: Parameters<typeof calendarVisits.iterate>) =>
    decryptGuests(rt, businessId, calendarVisits.iterate(...query));
  const cutAt = addUntilFull(entries, read(future, "future"));
  addUntilFull(entries, read(past, "past"));
  return cutAt;
}

const DECRYPTED_TOGETHER = 500;

/**
 * Yields each segment or reservation with its guest; the guest is undefined if there is none, or if
 * no key decrypts the guest.
 */
function* decryptGuests(
  rt: Runtime,
  businessId: string,
  parts: Iterable<CalendarPart>,
): Iterable<[CalendarPart, Customer | undefined]> {
  let group: CalendarPart[] = [];
  const decryptGroup = (): [CalendarPart, Customer | undefined][] => {
    // One conversion from hexadecimal is faster than one for each visit.
    const sealed = Buffer.from(group.map(({ sealedHex }) => sealedHex).join(""), "hex");
    let end = 0;
    const rows = group.filter(hasGuest).map(({ visitId, sealedHex }) => {
      const start = end;
      end += sealedHex.length / 2;
      return { visitId, businessId, sealed: sealed.subarray(start, end) };
    });
    const customers = tryDecryptCustomers(rt, rows).values();
    return group.map((part) => [part, hasGuest(part) ? customers.next().value : undefined]);
  };
  for (const part of parts) {
    group.push(part);
    if (group.length < DECRYPTED_TOGETHER) continue;
    yield* decryptGroup();
    group = [];
  }
  yield* decryptGroup();
}

const hasGuest = ({ sealedHex }: CalendarPart): boolean => sealedHex !== "";

/** Returns the start of the first visit that does not fit, or null if all fit. */
function addUntilFull(
  entries: EntryWriter,
  parts: Iterable<[CalendarPart, Customer | undefined]>,
): number | null {
  let cutAt: number | null = null;
  for (const [part, customer] of parts) {
    if (entries.add(part, customer)) continue;
    cutAt ??= part.visitStartsAt;
    // The loop goes on for a day after the first visit that did not fit, because a later visit can
    // belong to a session that already has an entry.
    if (Math.abs(part.visitStartsAt - cutAt) > DAY_MS) break;
  }
  return cutAt;
}
