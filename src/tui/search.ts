import { EVENT_TYPES } from "../domain/event-types.ts";
import type { LiveFilter } from "../store/live-filter.ts";

/** What a searched text means: an id or its beginning, else an event type, else an endpoint. Undefined: nothing is called so. */
export function parseSearch(
  text: string,
  endpointsLike: (text: string) => string[],
): LiveFilter | undefined {
  if (text.startsWith("dlv_")) return { deliveryPrefix: text };
  if (text.startsWith("evt_")) return { eventPrefix: text };
  const eventTypes = EVENT_TYPES.filter((type) => type.includes(text.toLowerCase()));
  if (eventTypes.length > 0) return { eventTypes };
  const endpointIds = endpointsLike(text);
  return endpointIds.length > 0 ? { endpointIds } : undefined;
}
