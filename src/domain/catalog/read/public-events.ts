import type { PublicEventDoc, TicketTypeDoc } from "../catalog.ts";
import { isStartTime, localDateOf, parseInstant } from "../../local-time.ts";
import { type Path, quote } from "../validation-issue.ts";
import {
  commonFields,
  addContradiction,
  keyedFields,
  presentedFields,
  readAmount,
  readInstant,
  readOptionalInstant,
  readText,
  type ReadContext,
  validateNoAmount,
  validateOrder,
  validateUnique,
  readRequiredAmount,
  unique,
  upper,
} from "./values.ts";
import type { AuthoredPublicEvent, AuthoredTicketType } from "../file/schema.ts";
import { didYouMean } from "../../nearest.ts";

export function readPublicEvent(
  reader: ReadContext,
  item: AuthoredPublicEvent,
  at: Path,
): PublicEventDoc {
  const startsAt = readStart(reader, item, at);
  const endsAt = readEnd(reader, item, at, startsAt);
  validateOrder(reader, startsAt, endsAt, at, ["startsAt", "endsAt"]);
  const doorsAt = readDoors(reader, item, at, startsAt);
  if (doorsAt !== null && doorsAt > startsAt)
    addContradiction(
      reader,
      [...at, "doorsAt"],
      `'doorsAt' ${item.doorsAt} is after the event's start.`,
    );

  const ticketTypes = (item.ticketTypes ?? []).map((type, index) =>
    readTicketType(reader, type, [...at, "ticketTypes", index]),
  );
  validateUnique(
    reader,
    ticketTypes.map((type) => type.key),
    [...at, "ticketTypes"],
    "key",
    "ticket type",
  );

  return {
    ...keyedFields(item),
    status: upper(item.status ?? "PUBLISHED"),
    ...presentedFields(item),
    slug: item.slug ?? slugOf(reader, item.key, at),
    description: readText(item.description),
    startsAt,
    endsAt,
    doorsAt,
    venue: readVenue(item.venue),
    attendanceMode: upper(item.attendanceMode ?? "IN_PERSON"),
    ticketTypes,
    quotas: readQuotas(
      reader,
      item,
      at,
      ticketTypes.map((type) => type.key),
    ),
  };
}

function readStart(reader: ReadContext, item: AuthoredPublicEvent, at: Path): number {
  const { startsAt, startsIn } = item;
  if (startsAt !== undefined && startsIn !== undefined)
    addContradiction(
      reader,
      [...at, "startsIn"],
      "'startsAt' and 'startsIn' say the same thing. Keep one of them.",
    );
  if (startsAt !== undefined) return readInstant(reader, startsAt, [...at, "startsAt"]);
  if (startsIn !== undefined) return readInstant(reader, startsIn, [...at, "startsIn"]);
  reader.addIssue({
    code: "missing_field",
    at: [...at, "startsAt"],
    detail: "'startsAt' is missing: an event needs a date and time such as 2026-12-31T22:00.",
  });
  return Number.NaN;
}

function readEnd(
  reader: ReadContext,
  item: AuthoredPublicEvent,
  at: Path,
  startsAt: number,
): number {
  const { endsAt, durationMin } = item;
  if (endsAt !== undefined && durationMin !== undefined)
    addContradiction(
      reader,
      [...at, "durationMin"],
      "'endsAt' and 'durationMin' say the same thing. Keep one of them.",
    );
  if (endsAt !== undefined) return readInstant(reader, endsAt, [...at, "endsAt"]);
  if (durationMin === undefined)
    reader.addIssue({
      code: "missing_field",
      at: [...at, "endsAt"],
      detail: "'endsAt' is missing: an event needs it, or 'durationMin'.",
    });
  return startsAt + (durationMin ?? 1) * 60_000;
}

function readDoors(
  reader: ReadContext,
  item: AuthoredPublicEvent,
  at: Path,
  startsAt: number,
): number | null {
  const { doorsAt } = item;
  if (Number.isNaN(startsAt)) return null;
  if (doorsAt === undefined || !isStartTime(doorsAt))
    return readOptionalInstant(reader, doorsAt, [...at, "doorsAt"]);
  return parseInstant(`${localDateOf(startsAt, reader.timezone)}T${doorsAt}`, reader.timezone);
}

const readVenue = (venue: AuthoredPublicEvent["venue"]): PublicEventDoc["venue"] =>
  venue === undefined
    ? null
    : typeof venue === "string"
      ? { name: venue, address: null }
      : { name: venue.name, address: venue.address ?? null };

function readTicketType(reader: ReadContext, item: AuthoredTicketType, at: Path): TicketTypeDoc {
  const kind = upper(item.kind ?? "PAID");
  const salesStartAt = readOptionalInstant(reader, item.salesStart, [...at, "salesStart"]);
  const salesEndAt = readOptionalInstant(reader, item.salesEnd, [...at, "salesEnd"]);
  if (salesStartAt !== null && salesEndAt !== null)
    validateOrder(reader, salesStartAt, salesEndAt, at, ["salesStart", "salesEnd"]);
  const minPerOrder = item.minPerOrder ?? 1;
  const maxPerOrder = item.maxPerOrder ?? Math.max(10, minPerOrder);
  if (maxPerOrder < minPerOrder)
    addContradiction(
      reader,
      [...at, "maxPerOrder"],
      `'maxPerOrder' ${maxPerOrder} is less than 'minPerOrder' ${minPerOrder}.`,
    );
  return {
    ...commonFields(item),
    description: readText(item.description),
    kind,
    priceCents: readTicketPrice(reader, item, at, kind),
    salesStartAt,
    salesEndAt,
    minPerOrder,
    maxPerOrder,
    showRemaining: item.showRemaining ?? true,
  };
}

function readTicketPrice(
  reader: ReadContext,
  item: AuthoredTicketType,
  at: Path,
  kind: TicketTypeDoc["kind"],
): number {
  if (kind === "FREE") return validateNoAmount(reader, item, at, "price", kind);
  // What a donor is asked for, who may give something else.
  if (kind === "DONATION") return readAmount(reader, item, at, "price") ?? 0;
  return readRequiredAmount(reader, item, at, "price", "a ticket type of kind paid");
}

function readQuotas(
  reader: ReadContext,
  item: AuthoredPublicEvent,
  at: Path,
  ticketTypes: string[],
): PublicEventDoc["quotas"] {
  const quotas = item.quotas ?? [];
  validateUnique(
    reader,
    quotas.map((quota) => quota.key),
    [...at, "quotas"],
    "key",
    "quota",
  );
  for (const [index, quota] of quotas.entries())
    for (const [position, type] of (quota.ticketTypes ?? []).entries())
      if (!ticketTypes.includes(type))
        reader.addIssue({
          code: "unknown_reference",
          at: [...at, "quotas", index, "ticketTypes", position],
          detail: `This event has no ticket type ${quote(type)}.${didYouMean(type, ticketTypes)}`,
        });
  return quotas.map((quota) => ({
    key: quota.key,
    size: quota.size,
    ticketTypes: unique(quota.ticketTypes ?? ticketTypes),
  }));
}

function slugOf(reader: ReadContext, key: string, at: Path): string {
  const slug = slugFromKey(key);
  if (slug.length < 2)
    reader.addIssue({
      code: "missing_field",
      at: [...at, "slug"],
      detail: `'slug' is missing: none can be made of the key ${quote(key)}. Write one of a-z, 0-9 and -.`,
    });
  return slug;
}

/** The slug of an event whose file names none. */
export const slugFromKey = (key: string): string =>
  key
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 60)
    .replace(/^-+|-+$/g, "");
