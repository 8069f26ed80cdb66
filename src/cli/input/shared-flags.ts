import { EVENT_TYPES, type EventType, isEventType } from "../../domain/event-types.ts";
import { didYouMean } from "../../domain/nearest.ts";
import { type Flag, text, integer, texts } from "../flags.ts";
import { DEFAULT_LIMIT } from "../cli.ts";
import { usageError } from "../failure.ts";
import { isInstant, isStartTime, localDateOf, parseInstant } from "../../domain/local-time.ts";

/** @throws AppError usage, with the closest known event type */
export function parseEventType(name: string): EventType {
  if (isEventType(name)) return name;
  throw usageError(
    `There is no event type '${name}'.${didYouMean(name, EVENT_TYPES)}`,
    "deskbell events types",
  );
}

/** An option for an event type. Its help does not list them: there are too many. */
export const eventType = (about: string): Flag<EventType | undefined> => ({
  ...text("type", about),
  read: (raw) => (raw === undefined ? undefined : parseEventType(raw as string)),
});

/** Flags that describe a visit, the same for `availability` and `bookings create`. */
export const visitFlags = {
  service: texts("key", "a service; repeat it for several, in their order"),
  variant: texts("key", "a variant of the service (default: its default variant)"),
  addon: texts("key", "an add-on, such as wash or wash*2; cut:wash if several services have it"),
  staff: texts("key", "a staff member; cut:mia for one of several services (default: anyone)"),
  guests: integer(1, 10_000, "number of people who take part (default 1)"),
};

/**
 * Parses a time as typed, local to the business: `18:00` (today), `2026-12-01T18:00`, or a time
 * with an offset.
 * @returns epoch milliseconds
 */
export function parseTime(flag: string, text: string, timezone: string, now: number): number {
  const withDate = isStartTime(text) ? `${localDateOf(now, timezone)}T${text}` : text;
  if (isInstant(withDate)) return parseInstant(withDate, timezone);
  throw usageError(
    `Invalid ${flag} '${text}'.`,
    "use a time such as 18:00 (today) or 2026-12-01T18:00",
  );
}

/** Paging flags of append-only lists. */
export const pageFlags = {
  before: text("id", "only entries older than this ID"),
  limit: integer(1, 10_000, `maximum number of entries (default ${DEFAULT_LIMIT})`),
};
