import type { PublicEvent } from "../../domain/public/public-event.ts";
import { CALENDAR_END, writeCalendarStart, writeEntry } from "../calendars/ical.ts";
import type { Shop } from "./content/content.ts";
import { hasTime } from "./content/event-time.ts";
import { pathsOf } from "./paths.ts";

const STATUSES = {
  PUBLISHED: "CONFIRMED",
  ENDED: "CONFIRMED",
  // An entry needs a time, so a calendar that has the old one strikes it out.
  POSTPONED: "CANCELLED",
  CANCELLED: "CANCELLED",
} as const;

/** Returns public events as iCalendar. */
export function writeEvents(shop: Shop, events: readonly PublicEvent[]): string {
  const { profile, path, origin } = shop;
  const entries = events.map((event) => {
    const updatedAt = Date.parse(event.updatedAt);
    const url = `${origin}${pathsOf(path).event(event.slug)}`;
    return writeEntry({
      uid: `${event.id}@deskbell`,
      sequence: event.version,
      status: STATUSES[event.status],
      startsAt: Date.parse(event.startsAt),
      endsAt: Date.parse(event.endsAt),
      // The public form of an event has no time of creation, so the time of the last change
      // replaces it.
      createdAt: updatedAt,
      updatedAt,
      summary: hasTime(event) ? event.name : `${event.name} (${shop.texts.postponed})`,
      location: locationOf(shop, event),
      description: [event.description, url].filter((part) => part !== null).join("\n\n"),
    });
  });
  // The second argument is a note about visits that a calendar lacks. Public events need no such
  // note.
  return `${writeCalendarStart(profile.name, null)}${entries.join("")}${CALENDAR_END}`;
}

function locationOf({ profile }: Shop, { venue, attendanceMode }: PublicEvent): string | null {
  if (venue === null) return attendanceMode === "ONLINE" ? null : profile.address;
  return [venue.name, venue.address].filter((part) => part !== null).join(", ");
}
