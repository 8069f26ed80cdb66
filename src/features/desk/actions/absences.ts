import { listAwayVisits } from "../../../app/bookings/staff-away.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { addDays, localDateOf, startOfDay } from "../../../domain/local-time.ts";
import type { TimeOffRow } from "../../../store/bookings/time-off.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import type { DeskSession } from "../desks.ts";
import { type DeskAbsence, type DeskAway, localOf } from "../rules.ts";

/**
 * Lists the time off that lies within today and tomorrow. The desk cannot end a longer time off:
 * the operator ends it with a command.
 */
export const listAbsences = (rt: Runtime, { business }: DeskSession): DeskAbsence[] => {
  const { timezone } = business.doc;
  const today = localDateOf(rt.now(), timezone);
  const from = startOfDay(today, timezone);
  const to = startOfDay(addDays(today, 2), timezone);
  return rt.store.timeOff
    .listEndingAfter(business.id, rt.now())
    .filter(({ startsAt, endsAt }) => startsAt >= from && endsAt <= to)
    .flatMap((row) => toAbsence(rt, business, row) ?? []);
};

/** Returns undefined for a deleted person, whose time off stays for an undo. */
function toAbsence(
  rt: Runtime,
  { id: businessId, doc: { timezone } }: BusinessRow,
  { id, staffId, startsAt, endsAt }: TimeOffRow,
): DeskAbsence | undefined {
  const person = rt.store.catalog.findByKeyOrId(businessId, "staff", staffId);
  if (person === undefined) return undefined;
  const { name } = person;
  return { id, staff: name, from: localOf(startsAt, timezone), to: localOf(endsAt, timezone) };
}

/** Returns a time off with its visits; null if there is none with this ID, or its person is deleted. */
export function findAway(rt: Runtime, { business }: DeskSession, id: string): DeskAway | null {
  const timeOff = rt.store.timeOff.findById(business.id, id);
  const absence = timeOff && toAbsence(rt, business, timeOff);
  if (timeOff === undefined || absence === undefined) return null;
  return {
    ...absence,
    visits: listAwayVisits(rt, business, timeOff).map((visit) => ({
      id: visit.id,
      start: visit.startsAt.slice(0, 16),
      guest: visit.guest,
      what: visit.service,
      couldTake: visit.couldTake,
    })),
  };
}
