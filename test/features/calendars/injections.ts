import { getBusiness } from "../../../src/app/businesses.ts";
import {
  createCalendar,
  recordFormerUrl,
  revokeCalendar,
} from "../../../src/features/calendars/calendars.ts";
import type { calendars } from "../../../src/features/calendars/feature.ts";
import { createCalendarStore } from "../../../src/features/calendars/store.ts";
import type { Injection } from "../../support/conditions.ts";

export const injections: Record<keyof typeof calendars.conditions, Injection> = {
  "calendar.full": (rt) => {
    const business = getBusiness(rt, rt.business.slug);
    const { calendar } = createCalendar(rt, business, { staffId: null, withGuests: false });
    rt.tx(() => rt.openStore(createCalendarStore).setCutAt(calendar.id, rt.now()));
    return () => rt.tx(() => rt.openStore(createCalendarStore).setCutAt(calendar.id, null));
  },
  "calendar.former_url": (rt) => {
    const business = getBusiness(rt, rt.business.slug);
    const { calendar } = createCalendar(rt, business, { staffId: null, withGuests: false });
    recordFormerUrl(rt, calendar);
    return () => void revokeCalendar(rt, business.id, calendar.id);
  },
};
