import type { Snapshot } from "./snapshot.ts";
import type { TimeFormat } from "./time-format.ts";
import type { FilterField, UiState } from "./ui-state.ts";

/** Returns the text of each field of the filter, not sanitized; undefined if a field is empty. */
export function filterNames(
  { filter: { state, endpointId, eventType, time, businessId } }: UiState,
  { endpoints, businesses, takenAt }: Snapshot,
  timeFormat: TimeFormat,
): Record<FilterField, string | undefined> {
  return {
    // The list shows the state RETRYING as "failed". The filter shows its real name, because a
    // filter "failed" would suggest EXHAUSTED.
    state: state?.toLowerCase(),
    endpointId: endpoints.find(({ id }) => id === endpointId)?.name ?? endpointId,
    eventType,
    time:
      typeof time === "number"
        ? `since ${timeFormat.brief(time, takenAt)}`
        : time && `last ${time}`,
    businessId: businesses.find(({ id }) => id === businessId)?.slug ?? businessId,
  };
}
