import type { Customer } from "../../domain/bookings/customer.ts";
import type { VisitStatus } from "../../domain/bookings/visit.ts";
import { type CalendarEvent, writeEntry } from "./ical.ts";
import { countOf } from "../../domain/text.ts";
import type { CalendarPart } from "./store.ts";
import type { CalendarRow } from "./store.ts";
import { createCatalogNamer, describeService, type Namer } from "../../app/bookings/day-sheet.ts";
import type { Runtime } from "../../app/runtime.ts";
import { createByteGroups } from "./byte-groups.ts";

/** The texts about a guest in an entry: the name in its title, the details below. */
type GuestTexts = { name: string | null; details: string | null };
const NO_GUEST: GuestTexts = { name: null, details: null };

type CalendarSegment = CalendarPart & { serviceId: string };
/** The place of a guest in a session of a class. */
type Place = { segment: CalendarSegment; guest: GuestTexts };
type CalendarReservation = CalendarPart & { tableId: string };

/** iCalendar has no status for past visits, so their entries stay confirmed. */
const STATUSES: Record<VisitStatus, CalendarEvent["status"]> = {
  PENDING: "TENTATIVE",
  CONFIRMED: "CONFIRMED",
  COMPLETED: "CONFIRMED",
  NO_SHOW: "CONFIRMED",
  CANCELLED: "CANCELLED",
};

const MINUTE_MS = 60_000;

function titleOf(subject: string, ...details: (string | null)[]): string {
  let title = subject;
  for (const detail of details) if (detail !== null) title += ` · ${detail}`;
  return title;
}

export type EntryWriter = ReturnType<typeof createEntryWriter>;

/**
 * Writes visits as entries of a calendar: one for each service of a visit, because the services can
 * have different staff members, and one for each session of a class.
 */
export function createEntryWriter(
  rt: Runtime,
  businessId: string,
  { staffId, withGuests }: Pick<CalendarRow, "staffId" | "withGuests">,
  max: number,
) {
  const nameOf = cacheNames(createCatalogNamer(rt, businessId));
  const isClass = createClassCheck(rt, businessId);
  const entries = createByteGroups();
  /** The places of each session, by the UID of its entry. */
  const sessions = new Map<string, [Place, ...Place[]]>();

  function guestTextsOf({ customerRef }: CalendarPart, customer: Customer | undefined): GuestTexts {
    if (!withGuests) return NO_GUEST;
    if (customer === undefined) return { name: customerRef, details: null };
    const { name, phone, email, notes } = customer;
    let details = phone ?? "";
    if (email) details += details === "" ? email : `\n${email}`;
    if (notes) details += details === "" ? notes : `\n${notes}`;
    return { name: name ?? customerRef, details: details === "" ? null : details };
  }

  const commonFields = (part: CalendarPart, details: string | null) => ({
    // A new entry has the sequence 0, and a new visit the version 1.
    sequence: part.version - 1,
    status: STATUSES[part.status],
    startsAt: part.startsAt,
    endsAt: part.endsAt,
    createdAt: part.createdAt,
    updatedAt: part.updatedAt,
    description: details,
  });

  const locationOf = ({ resources }: CalendarSegment): string | null =>
    resources.map(({ resourceId }) => nameOf("resource", resourceId)).join(", ") || null;

  const staffOf = (segment: CalendarSegment): string | null =>
    staffId === null ? (segment.staffName ?? nameOf("staff", segment.staffId)) : null;

  function toSegmentEntry(segment: CalendarSegment, { name, details }: GuestTexts): CalendarEvent {
    const guests = segment.guests === 1 ? null : countOf(segment.guests, "guest");
    return {
      ...commonFields(segment, details),
      uid: `${segment.visitId}-${segment.position}@deskbell`,
      summary: titleOf(describeService(nameOf, segment), guests, staffOf(segment), name),
      location: locationOf(segment),
    };
  }

  function toReservationEntry(
    reservation: CalendarReservation,
    { name, details }: GuestTexts,
  ): CalendarEvent {
    return {
      ...commonFields(reservation, details),
      uid: `${reservation.visitId}@deskbell`,
      summary: titleOf("Table", countOf(reservation.guests, "guest"), name),
      location: nameOf("table", reservation.tableId),
    };
  }

  /** Returns the one entry of a session, whatever the number of its guests. */
  function toSessionEntry(uid: string, places: readonly [Place, ...Place[]]): CalendarEvent {
    const segments = places.map(({ segment }) => segment);
    const [{ segment: first }] = places;
    // The order by ID keeps the description the same if nothing changes.
    const active = places
      .filter(({ segment }) => segment.status !== "CANCELLED")
      .toSorted((a, b) => (a.segment.visitId < b.segment.visitId ? -1 : 1));
    const guests = active.reduce((sum, { segment }) => sum + segment.guests, 0);
    const updatedAt = Math.max(...segments.map((segment) => segment.updatedAt));
    const statuses = active.map(({ segment }) => STATUSES[segment.status]);
    const texts = active.flatMap(({ guest: { name, details } }) =>
      [name, details].filter((text) => text !== null),
    );
    return {
      uid,
      // A session has no version of its own, so the time of its last change, in minutes, serves as
      // the sequence.
      sequence: Math.floor(updatedAt / MINUTE_MS),
      // One confirmed guest confirms the session; a session without guests is cancelled.
      status: statuses.find((status) => status === "CONFIRMED") ?? statuses[0] ?? "CANCELLED",
      startsAt: first.startsAt,
      endsAt: first.endsAt,
      createdAt: Math.min(...segments.map((segment) => segment.createdAt)),
      updatedAt,
      summary: titleOf(describeService(nameOf, first), countOf(guests, "guest"), staffOf(first)),
      location: locationOf(first),
      description: texts.length === 0 ? null : texts.join("\n"),
    };
  }

  const isFull = (): boolean => entries.count() + sessions.size >= max;

  function addPlace(place: Place): boolean {
    const uid = sessionUid(place.segment);
    const places = sessions.get(uid);
    if (places !== undefined) places.push(place);
    else if (isFull()) return false;
    else sessions.set(uid, [place]);
    return true;
  }

  return {
    /** Returns false, and adds nothing, if the visit would need more entries than the maximum. */
    add(part: CalendarPart, customer: Customer | undefined): boolean {
      const guest = guestTextsOf(part, customer);
      if (isSegment(part) && isClass(part.serviceId)) return addPlace({ segment: part, guest });
      if (isFull()) return false;
      if (isSegment(part)) entries.add(writeEntry(toSegmentEntry(part, guest)));
      else if (isReservation(part)) entries.add(writeEntry(toReservationEntry(part, guest)));
      return true;
    },
    /** Returns the entries as UTF-8. Call it once, after the last visit. */
    finish(): Buffer[] {
      for (const [uid, places] of sessions) entries.add(writeEntry(toSessionEntry(uid, places)));
      return entries.finish();
    },
  };
}

const isSegment = (part: CalendarPart): part is CalendarSegment => part.serviceId !== null;
const isReservation = (part: CalendarPart): part is CalendarReservation => part.tableId !== null;

const sessionUid = ({ serviceId, variantId, staffId, startsAt }: CalendarSegment): string =>
  `${[serviceId, variantId, staffId, startsAt].filter((part) => part !== null).join("-")}@deskbell`;

/** Caches names: a feed names the same services and people thousands of times. */
function cacheNames(nameOf: Namer): Namer {
  const names = new Map<string, string | null>();
  return (kind, id) => {
    if (id === null) return null;
    const known = names.get(id);
    if (known !== undefined) return known;
    const name = nameOf(kind, id);
    names.set(id, name);
    return name;
  };
}

/**
 * Returns a function that tells whether a service is a class. The check reads only the services of
 * visits, because a catalog can have 100,000 others.
 */
function createClassCheck(rt: Runtime, businessId: string): (serviceId: string) => boolean {
  const known = new Map<string, boolean>();
  return (serviceId) => {
    const found = known.get(serviceId);
    if (found !== undefined) return found;
    const service = rt.store.catalog.findByKeyOrId(businessId, "service", serviceId);
    const isClass = service !== undefined && service.capacity > 1;
    known.set(serviceId, isClass);
    return isClass;
  };
}
