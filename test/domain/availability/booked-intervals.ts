import type { VisitPlan } from "../../../src/domain/availability/visit-plan.ts";
import type { BusyInterval } from "../../../src/domain/availability/request.ts";
import type { Slot } from "../../../src/domain/availability/slot.ts";

/** Returns the busy intervals of a booked slot, one for each segment. */
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
