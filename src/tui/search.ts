import { EVENT_TYPES } from "../domain/event-types.ts";
import type { LiveFilter } from "../store/live-filter.ts";

/**
 * Reads a search as the beginning of an ID, else as part of an event type, else as part of an
 * endpoint's name or URL. Returns undefined if nothing matches.
 */
export function parseSearch(
  text: string,
  searchEndpoints: (text: string) => string[],
): LiveFilter | undefined {
  if (text.startsWith("dlv_")) return { deliveryPrefix: text };
  if (text.startsWith("evt_")) return { eventPrefix: text };
  const eventTypes = EVENT_TYPES.filter((type) => type.includes(text.toLowerCase()));
  if (eventTypes.length > 0) return { eventTypes };
  const endpointIds = searchEndpoints(text);
  return endpointIds.length > 0 ? { endpointIds } : undefined;
}
