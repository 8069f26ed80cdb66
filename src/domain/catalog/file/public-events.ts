import { z } from "zod";
import type { PublicEventDoc, TicketTypeDoc } from "../catalog.ts";
import { isStartTime, localDateOf, parseInstant } from "../../local-time.ts";
import { didYouMean } from "../../nearest.ts";
import { quote } from "../../text.ts";
import {
  described,
  description,
  keyed,
  keys,
  presented,
  price,
  choice,
  defaultsFor,
  fields,
  flag,
  instant,
  instantOrTime,
  key,
  list,
  optional,
  relativeTime,
  slug,
} from "./fields.ts";
import {
  readDescribed,
  type Reader,
  readFields,
  readNamed,
  readPresented,
  trimToNull,
  unique,
} from "./reader.ts";
import { integer, line } from "../../basic-schemas.ts";
import {
  omitDefault,
  omitEmpty,
  type WriteContext,
  writeDescribed,
  writeFields,
  writeNamed,
  writePresented,
} from "./writer.ts";

const ticketType = fields({
  ...described,
  kind: choice("PAID", "FREE", "DONATION").optional(),
  ...price,
  ...optional({
    salesStart: instant,
    salesEnd: instant,
    minPerOrder: integer(1, 100),
    maxPerOrder: integer(1, 100),
    showRemaining: flag,
  }),
});
type AuthoredTicketType = z.infer<typeof ticketType>;

export const TICKET_TYPE_DEFAULTS = defaultsFor<TicketTypeDoc>()({
  kind: "PAID",
  minPerOrder: 1,
  showRemaining: true,
});

const defaultMaxPerOrder = (minPerOrder: number): number => Math.max(10, minPerOrder);

const quota = fields({ key, size: integer(0, 10_000_000), ticketTypes: keys.optional() });

export const publicEvent = fields({
  ...keyed,
  status: choice("DRAFT", "PUBLISHED", "CANCELLED", "POSTPONED").optional(),
  ...presented,
  slug: slug.optional(),
  description,
  ...optional({
    startsAt: instant,
    startsIn: relativeTime,
    endsAt: instant,
    durationMin: integer(1, 43_200),
    doorsAt: instantOrTime,
    venue: z.union(
      [line(200), fields({ name: line(200), address: line(500).optional() })],
      "a name, or the fields name and address",
    ),
    attendanceMode: choice("IN_PERSON", "ONLINE", "MIXED"),
    ticketTypes: list(ticketType, 100),
    quotas: list(quota, 100),
  }),
});
export type AuthoredPublicEvent = z.infer<typeof publicEvent>;

export const PUBLIC_EVENT_DEFAULTS = defaultsFor<PublicEventDoc>()({
  status: "PUBLISHED",
  attendanceMode: "IN_PERSON",
});

/**
 * Returns a key or name in the characters of a slug: lower case, with hyphens for all but letters
 * and digits. The result can be too short for a slug, or empty.
 */
export const toSlugLetters = (key: string, maxLength = 60): string =>
  key
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, maxLength)
    .replace(/^-+|-+$/g, "");

export function readPublicEvent(reader: Reader, item: AuthoredPublicEvent): PublicEventDoc {
  const startsAt = readStart(reader, item);
  const endsAt = readEnd(reader, item, startsAt);
  reader.validateOrder(startsAt, endsAt, ["startsAt", "endsAt"]);
  const doorsAt = readDoors(reader, item, startsAt);
  if (doorsAt !== null && doorsAt > startsAt)
    reader.addContradiction(
      "doorsAt",
      `'doorsAt' ${item.doorsAt} is after the start of the event.`,
    );
  const ticketTypes = reader.uniqueList(
    item.ticketTypes,
    "ticketTypes",
    { key: "key", noun: "ticket type" },
    readTicketType,
  );
  return {
    ...readNamed(item),
    ...readPresented(item),
    ...readFields(item, PUBLIC_EVENT_DEFAULTS),
    slug: readSlug(reader, item),
    description: trimToNull(item.description),
    startsAt,
    endsAt,
    doorsAt,
    venue: readVenue(item.venue),
    ticketTypes,
    quotas: readQuotas(
      reader,
      item,
      ticketTypes.map(({ key }) => key),
    ),
  };
}

export const writePublicEvent = (context: WriteContext, doc: PublicEventDoc): AuthoredPublicEvent =>
  omitEmpty({
    ...writeNamed(doc),
    slug: omitDefault(doc.slug, slugFromKey(doc.key)),
    ...writeFields(doc, PUBLIC_EVENT_DEFAULTS),
    description: doc.description,
    startsAt: context.instant(doc.startsAt),
    endsAt: context.instant(doc.endsAt),
    doorsAt: doc.doorsAt === null ? null : writeDoors(context, doc.doorsAt, doc.startsAt),
    venue:
      doc.venue &&
      (doc.venue.address === null
        ? doc.venue.name
        : { name: doc.venue.name, address: doc.venue.address }),
    ticketTypes: doc.ticketTypes.map((type) => writeTicketType(context, type)),
    quotas: doc.quotas.map((quota) => writeQuota(quota, doc)),
    ...writePresented(doc),
  });

/** Returns epoch milliseconds; NaN for a missing start, and for one that cannot be read. */
function readStart(reader: Reader, { startsAt, startsIn }: AuthoredPublicEvent): number {
  if (startsAt !== undefined && startsIn !== undefined) reader.addDuplicate("startsAt", "startsIn");
  if (startsAt !== undefined) return reader.instant(startsAt, "startsAt");
  if (startsIn !== undefined) return reader.instant(startsIn, "startsIn");
  reader.addMissing("startsAt", "an event needs a date and time such as 2026-12-31T22:00");
  return Number.NaN;
}

function readEnd(
  reader: Reader,
  { endsAt, durationMin }: AuthoredPublicEvent,
  startsAt: number,
): number {
  if (endsAt !== undefined && durationMin !== undefined)
    reader.addDuplicate("endsAt", "durationMin");
  if (endsAt !== undefined) return reader.instant(endsAt, "endsAt");
  if (durationMin === undefined) reader.addMissing("endsAt", "an event needs it, or 'durationMin'");
  // If the duration is missing, the event lasts one minute here, so that its end causes no second
  // issue.
  return startsAt + (durationMin ?? 1) * 60_000;
}

/** Returns when the doors open. A time without a date is on the day on which the event starts. */
function readDoors(
  reader: Reader,
  { doorsAt }: AuthoredPublicEvent,
  startsAt: number,
): number | null {
  if (Number.isNaN(startsAt)) return null;
  if (doorsAt === undefined || !isStartTime(doorsAt))
    return reader.optionalInstant(doorsAt, "doorsAt");
  const { timezone } = reader.context;
  return parseInstant(`${localDateOf(startsAt, timezone)}T${doorsAt}`, timezone);
}

/**
 * Returns only the time if the doors open on the day of the event and the clock shows this time
 * once on that day; else date and time.
 */
function writeDoors(
  { timezone, instant }: WriteContext,
  doorsAt: number,
  startsAt: number,
): string {
  const text = instant(doorsAt);
  const [date, time = ""] = text.split("T");
  // A text longer than `18:30` has seconds, or an offset because the clock shows this time twice.
  const isMinute = time.length === "18:30".length;
  return isMinute && date === localDateOf(startsAt, timezone) ? time : text;
}

function readVenue(venue: AuthoredPublicEvent["venue"]): PublicEventDoc["venue"] {
  if (venue === undefined) return null;
  return typeof venue === "string"
    ? { name: venue, address: null }
    : { name: venue.name, address: venue.address ?? null };
}

function readTicketType(reader: Reader, item: AuthoredTicketType): TicketTypeDoc {
  const fields = readFields(item, TICKET_TYPE_DEFAULTS);
  const salesStartAt = reader.optionalInstant(item.salesStart, "salesStart");
  const salesEndAt = reader.optionalInstant(item.salesEnd, "salesEnd");
  reader.validateOrder(salesStartAt, salesEndAt, ["salesStart", "salesEnd"]);
  const { minPerOrder } = fields;
  const maxPerOrder = item.maxPerOrder ?? defaultMaxPerOrder(minPerOrder);
  if (maxPerOrder < minPerOrder)
    reader.addContradiction(
      "maxPerOrder",
      `'maxPerOrder' ${maxPerOrder} is less than 'minPerOrder' ${minPerOrder}.`,
    );
  return {
    ...readDescribed(item),
    priceCents: readTicketPrice(reader, item, fields.kind),
    ...fields,
    salesStartAt,
    salesEndAt,
    maxPerOrder,
  };
}

/** Returns the price of a ticket type. The price of a DONATION is a suggestion. */
function readTicketPrice(
  reader: Reader,
  item: AuthoredTicketType,
  kind: TicketTypeDoc["kind"],
): number {
  if (kind === "FREE") return reader.noPrice(item, kind);
  if (kind === "DONATION") return reader.amount(item, "price") ?? 0;
  return reader.requiredAmount(item, "price", "a ticket type of kind paid");
}

const writeTicketType = (context: WriteContext, doc: TicketTypeDoc): AuthoredTicketType =>
  writeDescribed(doc, {
    price: doc.kind !== "PAID" && doc.priceCents === 0 ? undefined : context.money(doc.priceCents),
    ...writeFields(doc, TICKET_TYPE_DEFAULTS),
    salesStart: context.optionalInstant(doc.salesStartAt),
    salesEnd: context.optionalInstant(doc.salesEndAt),
    maxPerOrder: omitDefault(doc.maxPerOrder, defaultMaxPerOrder(doc.minPerOrder)),
  });

/** A quota that lists no ticket types applies to all ticket types of the event, in their order. */
const readQuotas = (
  reader: Reader,
  item: AuthoredPublicEvent,
  typeKeys: string[],
): PublicEventDoc["quotas"] =>
  reader.uniqueList(
    item.quotas,
    "quotas",
    { key: "key", noun: "quota" },
    (reader, { key, size, ticketTypes = typeKeys }) => {
      for (const [index, type] of ticketTypes.entries())
        if (!typeKeys.includes(type))
          reader.addIssue(
            "unknown_reference",
            `This event has no ticket type ${quote(type)}.${didYouMean(type, typeKeys)}`,
            "ticketTypes",
            index,
          );
      return { key, size, ticketTypes: unique(ticketTypes) };
    },
  );

function writeQuota(
  { key, size, ticketTypes }: PublicEventDoc["quotas"][number],
  { ticketTypes: allTypes }: PublicEventDoc,
) {
  const isForAll =
    ticketTypes.length === allTypes.length &&
    allTypes.every((type, i) => type.key === ticketTypes[i]);
  return isForAll ? { key, size } : { key, size, ticketTypes };
}

/**
 * Derives a slug from a key; "" if the key has no letter or digit that a slug can have. A slug has
 * at least two characters, so a single one is followed by a hyphen.
 */
export const slugFromKey = (key: string): string => {
  const slug = toSlugLetters(key);
  return slug.length === 1 ? `${slug}-` : slug;
};

function readSlug(reader: Reader, { slug, key }: AuthoredPublicEvent): string {
  if (slug !== undefined) return slug;
  const derived = slugFromKey(key);
  if (derived === "")
    reader.addIssue(
      "missing_field",
      `'slug' is missing and cannot be derived from the key ${quote(key)}. Add one of a-z, 0-9 and -.`,
      "slug",
    );
  return derived;
}
