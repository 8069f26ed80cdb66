import { CALENDAR_END, writeCalendarStart, writeEntry } from "./ical.ts";
import { formatLocalMinute } from "../../domain/local-time.ts";
import { createCalendarStore, type CalendarRow } from "./store.ts";
import { createCatalogNamer } from "../../app/bookings/day-sheet.ts";
import type { Runtime } from "../../app/runtime.ts";
import { addVisits, MAX_ENTRIES } from "./add-visits.ts";
import { createEntryWriter } from "./entries.ts";

const HOUR_MS = 3_600_000;

/**
 * Returns the parts of a feed as iCalendar, and stores in the calendar whether it lacks visits.
 * Runs in a thread of its own, because it takes up to half a second.
 * @param today midnight UTC in epoch milliseconds
 */
export function writeFeed(
  rt: Runtime,
  calendar: CalendarRow,
  today: number,
  max = MAX_ENTRIES,
): Buffer[] {
  const { id, businessId, staffId } = calendar;
  const business = rt.store.businesses.findById(businessId);
  if (!business) throw new Error("The business of the calendar was deleted.");
  const writer = createEntryWriter(rt, business.id, calendar, max);
  const cutAt = addVisits(rt, calendar, today, writer);
  if (cutAt !== calendar.cutAt) rt.tx(() => rt.openStore(createCalendarStore).setCutAt(id, cutAt));
  const entries = writer.finish();
  const owner = createCatalogNamer(rt, businessId)("staff", staffId);
  const name = [owner, business.doc.name].filter(Boolean).join(", ");
  if (cutAt === null) return wrapEntries(name, entries);
  const missing = `Visits from ${formatLocalMinute(cutAt, business.doc.timezone)} on are not in this calendar: it has at most ${max} entries.`;
  const lastEntry = Buffer.from(missingVisitsEntry(id, cutAt, today, missing));
  return wrapEntries(name, [...entries, lastEntry], missing);
}

const wrapEntries = (name: string, entries: Buffer[], missing: string | null = null): Buffer[] => [
  Buffer.from(writeCalendarStart(name, missing)),
  ...entries,
  Buffer.from(CALENDAR_END),
];

/**
 * Returns an entry at the time of the first missing visit, because calendar apps do not show the
 * description of a calendar.
 */
const missingVisitsEntry = (
  calendarId: string,
  at: number,
  today: number,
  summary: string,
): string =>
  writeEntry({
    uid: `${calendarId}-end@deskbell`,
    // The sequence rises from day to day. Milliseconds would exceed an integer of iCalendar.
    sequence: Math.floor(today / HOUR_MS),
    status: "CONFIRMED",
    startsAt: at,
    endsAt: at + HOUR_MS,
    createdAt: today,
    updatedAt: today,
    summary,
    location: null,
    description: null,
  });
