import type { VisitPlan } from "./visit-plan.ts";
import type { BusyInterval } from "./request.ts";
import type { Slot } from "./slot.ts";

/** What is taken once the slot is booked: a row for each segment, to be kept with the booking. */
export const busyIntervalsOf = ({ segments }: VisitPlan, slot: Slot): BusyInterval[] =>
  slot.segments.flatMap(({ staffKey, serviceKey, tableKey, startMin, endMin }, i) => {
    const segment = segments[i];
    if (segment === undefined) return [];
    const { bufferBeforeMin, bufferAfterMin, seats, resources } = segment;
    return {
      staffKey,
      serviceKey,
      tableKey,
      startMin,
      endMin,
      bufferBeforeMin,
      bufferAfterMin,
      seats,
      resources,
    };
  });
