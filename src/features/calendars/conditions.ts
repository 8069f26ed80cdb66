import { createCalendarStore, type CalendarRow } from "./store.ts";
import { type HealthCondition, openCondition } from "../../domain/conditions/registry.ts";
import { localDateOf } from "../../domain/local-time.ts";
import type { Check } from "../../app/operations/conditions.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { MAX_ENTRIES } from "./add-visits.ts";

const WEEK_MS = 7 * 86_400_000;

type Owned = { calendar: CalendarRow; business: BusinessRow; owner: string };

/** Returns the calendars, each with its business and a noun phrase for the owner of the feed. */
const withOwners = (rt: Runtime, calendars: readonly CalendarRow[]): Owned[] =>
  calendars.flatMap((calendar) => {
    const business = rt.store.businesses.findById(calendar.businessId);
    if (!business) return [];
    const { staffId } = calendar;
    const owner =
      staffId === null ? "the whole business" : (rt.store.catalog.findName(staffId) ?? staffId);
    return [{ calendar, business, owner }];
  });

/** Reports calendars whose feed lacked visits when it was last read. */
const checkFull = (rt: Runtime): HealthCondition[] =>
  withOwners(rt, rt.openStore(createCalendarStore).listCut()).flatMap(
    ({ calendar: { id, cutAt }, business: { slug, doc }, owner }) => {
      if (cutAt === null) return [];
      const text = `The calendar feed of ${owner} lacks visits from ${localDateOf(cutAt, doc.timezone)} on: a feed has at most ${MAX_ENTRIES} entries; create one for each staff member`;
      const command = `deskbell calendars list --business ${slug}`;
      const where = { business: slug, subject: { id, name: owner } };
      return [openCondition("calendar.full", text, command, where)];
    },
  );

/** Reports calendars that a phone has read within the last week at a URL of an earlier version. */
const checkFormerUrls = (rt: Runtime): HealthCondition[] =>
  withOwners(rt, rt.openStore(createCalendarStore).listAtFormerUrl(rt.now() - WEEK_MS)).map(
    ({ calendar: { id, staffId, withGuests }, business: { slug }, owner }) => {
      const text = `A phone reads the calendar feed of ${owner} at a URL without the business, which an earlier version printed; subscribe the phone to a new feed, then revoke ${id}`;
      const staff = staffId === null ? "" : ` --staff ${staffId}`;
      const guests = withGuests ? " --with-guests" : "";
      const command = `deskbell calendars create --business ${slug}${staff}${guests}`;
      const where = { business: slug, subject: { id, name: owner } };
      return openCondition("calendar.former_url", text, command, where);
    },
  );

export const checks: readonly Check[] = [checkFull, checkFormerUrls];
