import type { Catalog } from "../catalog/catalog.ts";
import { objectId } from "../catalog/object-id.ts";
import type { CatalogDiff } from "../catalog/change/diff.ts";
import { localDays, dayAt } from "./wall-clock.ts";
import { covers, type Interval } from "./intervals.ts";
import { createWorkingTimeReader } from "./working-time.ts";

/** A booked segment or a reservation. `staffId` is null if only the business must be open. */
export type BookedInterval = Interval & { id: string; staffId: string | null };

const HOURS_FIELDS = new Set(["timezone", "hours", "closures", "exceptions", "breaks", "timeOff"]);

export const changesHours = ({ businessFields, changes }: CatalogDiff): boolean =>
  businessFields.some((field) => HOURS_FIELDS.has(field)) ||
  changes.some(
    ({ kind, action, fields }) =>
      kind === "staff" && (action === "delete" || fields.some((field) => HOURS_FIELDS.has(field))),
  );

/**
 * Returns the bookings within working hours before the change but not after it: within those of the
 * person or, although the person may keep other hours, of the business.
 */
export function findOutsideHours(
  before: Catalog,
  after: Catalog,
  bookings: readonly BookedInterval[],
): BookedInterval[] {
  const [fitBefore, fitsAfter] = [
    createHoursCheck(before, bookings),
    createHoursCheck(after, bookings),
  ];
  const leaves = (one: BookedInterval) => fitBefore(one) && !fitsAfter(one);
  return bookings.filter((one) => leaves(one) || leaves({ ...one, staffId: null }));
}

function createHoursCheck(
  { business: { slug, timezone }, schedule, objects }: Catalog,
  bookings: readonly BookedInterval[],
): (booking: BookedInterval) => boolean {
  const first = bookings.reduce(
    (day, { start }) => Math.min(day, dayAt(timezone, start)),
    Infinity,
  );
  const last = bookings.reduce((day, { end }) => Math.max(day, dayAt(timezone, end)), -Infinity);
  // A shift can start two days before (until 48:00).
  const workingTimeOf = createWorkingTimeReader(schedule, localDays(timezone, first - 2, last));
  const people = new Map(objects.staff.map((doc) => [objectId("staff", slug, doc), doc]));
  return (booking) => {
    if (booking.staffId === null) return covers(workingTimeOf().work, booking);
    const person = people.get(booking.staffId);
    return person !== undefined && covers(workingTimeOf(person).work, booking);
  };
}
