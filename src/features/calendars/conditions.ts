import { createCalendarStore } from "./store.ts";
import { type HealthCondition, openCondition } from "../../domain/conditions/registry.ts";
import { localDateOf } from "../../domain/local-time.ts";
import type { Check } from "../../app/operations/conditions.ts";
import type { Runtime } from "../../app/runtime.ts";
import { MAX_ENTRIES } from "./add-visits.ts";

/** Returns the calendars that were too full when they were last read. */
const checkCalendars = (rt: Runtime): HealthCondition[] =>
  rt
    .openStore(createCalendarStore)
    .listCut()
    .flatMap(({ id, businessId, staffId, cutAt }) => {
      const business = rt.store.businesses.findById(businessId);
      if (!business || cutAt === null) return [];
      const { slug, doc } = business;
      const owner =
        staffId === null ? "the whole business" : (rt.store.catalog.findName(staffId) ?? staffId);
      const text = `The calendar feed of ${owner} lacks visits from ${localDateOf(cutAt, doc.timezone)} on: a feed has at most ${MAX_ENTRIES} entries; create one for each staff member`;
      const command = `deskbell calendars list --business ${slug}`;
      return [
        openCondition("calendar.full", text, command, {
          business: slug,
          subject: { id, name: owner },
        }),
      ];
    });

export const checks: readonly Check[] = [checkCalendars];
