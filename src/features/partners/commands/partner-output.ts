import type { Runtime } from "../../../app/runtime.ts";
import { withIsoTimes } from "../../../cli/output/table.ts";
import { createPartnerStore, type PartnerRow } from "../store.ts";

/** Returns what the commands print about a partner. */
export const toOutput = (rt: Runtime, partner: PartnerRow) => {
  const { limitMinute, limitHour, totalMinute, totalHour, ...rest } = partner;
  const { maxEndpoints, maxHolds, maxBookingsDay, ...fields } = rest;
  return {
    ...withIsoTimes(fields, "createdAt"),
    businesses: rt.openStore(createPartnerStore).countReached(partner.id),
    limits: {
      minute: limitMinute,
      hour: limitHour,
      holds: maxHolds,
      bookingsDay: maxBookingsDay,
      totalMinute,
      totalHour,
      endpoints: maxEndpoints,
    },
  };
};
