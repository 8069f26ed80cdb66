import { usageError } from "../../../cli/failure.ts";
import { choices, type FlagValues, integer, texts } from "../../../cli/flags.ts";
import { isScope, SCOPES } from "../../../domain/api-key.ts";
import { EVENT_GROUPS } from "../../../domain/events/event-types.ts";
import { safe } from "../../../domain/text.ts";
import { DEFAULT_SETTINGS } from "../rules.ts";
import type { PartnerChanges } from "../update-partner.ts";

const MAX_REQUESTS = 1_000_000_000;
const MAX_ENDPOINTS = 50;
const MAX_HOLDS = 1000;
const MAX_BOOKINGS_DAY = 1_000_000;
/**
 * The text that stands for every address, so that an update can lift the restriction to address
 * ranges.
 */
const ANY_ADDRESS = "any";

/**
 * Returns the flags for what all keys of a partner may do.
 * @param note returns the text that the help of a flag adds about its standard value
 */
export function settingFlags(note: (standard: string | number) => string) {
  const { scopes, eventGroups, ...limits } = DEFAULT_SETTINGS;
  const limit = (max: number, about: string, standard: number) =>
    integer(1, max, `${about}${note(standard)}`);
  return {
    scope: texts(
      "scope",
      `what its keys may do: ${SCOPES.join(", ")} (repeatable)${note(scopes.join(", "))}`,
    ),
    eventGroup: choices(
      EVENT_GROUPS,
      `events of this group (repeatable)${note(eventGroups.join(", "))}`,
    ),
    cidr: texts(
      "cidr",
      `address range that may use its keys, or ${ANY_ADDRESS} (repeatable)${note(ANY_ADDRESS)}`,
    ),
    limitMinute: limit(MAX_REQUESTS, "requests per minute to one business", limits.limitMinute),
    limitHour: limit(MAX_REQUESTS, "requests per hour to one business", limits.limitHour),
    maxHolds: limit(
      MAX_HOLDS,
      "open holds and unpaid ticket orders at one business",
      limits.maxHolds,
    ),
    maxBookingsDay: limit(
      MAX_BOOKINGS_DAY,
      "bookings and reservations at one business in 24 hours",
      limits.maxBookingsDay,
    ),
    totalMinute: limit(
      MAX_REQUESTS,
      "requests per minute to all businesses together",
      limits.totalMinute,
    ),
    totalHour: limit(
      MAX_REQUESTS,
      "requests per hour to all businesses together",
      limits.totalHour,
    ),
    maxEndpoints: limit(
      MAX_ENDPOINTS,
      "webhook endpoints for all businesses, and as many at each",
      limits.maxEndpoints,
    ),
  };
}

/**
 * Returns the settings that the flags contain.
 * @throws AppError usage for an unknown scope
 */
export function readSettings({
  scope,
  eventGroup,
  cidr,
  ...limits
}: FlagValues<ReturnType<typeof settingFlags>>): PartnerChanges {
  const unknown = scope.find((name) => !isScope(name));
  if (unknown !== undefined)
    throw usageError(`Unknown scope '${safe(unknown)}'.`, `use one of ${SCOPES.join(", ")}`);
  const isAny = cidr.length === 1 && cidr[0] === ANY_ADDRESS;
  return {
    ...(scope.length > 0 && { scopes: [...new Set(scope.filter(isScope))] }),
    ...(eventGroup && { eventGroups: eventGroup }),
    ...(cidr.length > 0 && { cidrs: isAny ? [] : cidr }),
    ...Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined)),
  };
}
