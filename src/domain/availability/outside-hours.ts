import type { Catalog } from "../catalog/catalog.ts";
import { objectId } from "../catalog/object-id.ts";
import type { CatalogDiff } from "../catalog/change/diff.ts";
import { localDays } from "./local-days.ts";
import { covers, type Interval } from "./intervals.ts";
import { createWorkingTimeReader } from "./working-time.ts";
import { dayAt } from "./wall-clock.ts";

/** A booked segment, or a reservation, for which nobody but the business must be there. */
export type BookedInterval = Interval & { id: string; staffId: string | null };

const HOURS = new Set(["timezone", "hours", "closures", "exceptions", "breaks", "timeOff"]);

/** Whether a change may leave somebody who is booked without the hours for it. */
export const changesHours = ({ businessFields, changes }: CatalogDiff): boolean =>
  businessFields.some((field) => HOURS.has(field)) ||
  changes.some(
    ({ kind, action, fields }) =>
      kind === "staff" && (action === "delete" || fields.some((field) => HOURS.has(field))),
  );

/** The ids of those that lie within the hours of before and not within those of after, in their order. */
export function findOutsideHours(
  before: Catalog,
  after: Catalog,
  appointments: readonly BookedInterval[],
): string[] {
  const [fitted, fits] = [fitting(before, appointments), fitting(after, appointments)];
  return [...new Set(appointments.filter((one) => fitted(one) && !fits(one)).map(({ id }) => id))];
}

function fitting(
  { business: { slug, timezone }, schedule, objects }: Catalog,
  appointments: readonly BookedInterval[],
): (appointment: BookedInterval) => boolean {
  const first = appointments.reduce(
    (day, { start }) => Math.min(day, dayAt(timezone, start)),
    Infinity,
  );
  const last = appointments.reduce(
    (day, { end }) => Math.max(day, dayAt(timezone, end)),
    -Infinity,
  );
  // A shift of two days ago may end at 48:00.
  const timeOf = createWorkingTimeReader(schedule, localDays(timezone, first - 2, last));
  const people = new Map(objects.staff.map((doc) => [objectId("staff", slug, doc), doc]));
  return (appointment) => {
    if (appointment.staffId === null) return covers(timeOf().work, appointment);
    const person = people.get(appointment.staffId);
    return person !== undefined && covers(timeOf(person).work, appointment);
  };
}
