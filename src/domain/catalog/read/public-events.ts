import {
  addContradiction,
  addDuplicate,
  addMissing,
  readAmount,
  readCommon,
  readFields,
  readInstant,
  readNamed,
  readNoAmount,
  readOptionalInstant,
  readPresented,
  readRequiredAmount,
  readText,
  type ReadContext,
  unique,
  validateOrder,
  validateUnique,
} from "./values.ts";
import type { PublicEventDoc, TicketTypeDoc } from "../catalog.ts";
import {
  defaultMaxPerOrder,
  defaultSlug,
  PUBLIC_EVENT_DEFAULTS,
  TICKET_TYPE_DEFAULTS,
} from "../file/offers.ts";
import type { AuthoredPublicEvent, AuthoredTicketType } from "../file/schema.ts";
import type { Path } from "../catalog-issue.ts";
import { isStartTime, localDateOf, parseInstant } from "../../local-time.ts";
import { didYouMean } from "../../nearest.ts";
import { quote } from "../../text.ts";

export function readPublicEvent(
  context: ReadContext,
  item: AuthoredPublicEvent,
  path: Path,
): PublicEventDoc {
  const startsAt = readStart(context, item, path);
  const endsAt = readEnd(context, item, path, startsAt);
  validateOrder(context, startsAt, endsAt, path, ["startsAt", "endsAt"]);
  const doorsAt = readDoors(context, item, path, startsAt);
  if (doorsAt !== null && doorsAt > startsAt)
    addContradiction(
      context,
      [...path, "doorsAt"],
      `'doorsAt' ${item.doorsAt} is after the start of the event.`,
    );

  const ticketTypes = (item.ticketTypes ?? []).map((type, index) =>
    readTicketType(context, type, [...path, "ticketTypes", index]),
  );
  const ticketTypeKeys = ticketTypes.map(({ key }) => key);
  validateUnique(context, ticketTypeKeys, [...path, "ticketTypes"], "key", "ticket type");

  return {
    ...readNamed(item),
    ...readPresented(item),
    ...readFields(item, PUBLIC_EVENT_DEFAULTS),
    slug: readSlug(context, item, path),
    description: readText(item.description),
    startsAt,
    endsAt,
    doorsAt,
    venue: readVenue(item.venue),
    ticketTypes,
    quotas: readQuotas(context, item, path, ticketTypeKeys),
  };
}

function readStart(context: ReadContext, item: AuthoredPublicEvent, path: Path): number {
  const { startsAt, startsIn } = item;
  if (startsAt !== undefined && startsIn !== undefined)
    addDuplicate(context, path, "startsAt", "startsIn");
  if (startsAt !== undefined) return readInstant(context, startsAt, [...path, "startsAt"]);
  if (startsIn !== undefined) return readInstant(context, startsIn, [...path, "startsIn"]);
  addMissing(context, path, "startsAt", "an event needs a date and time such as 2026-12-31T22:00");
  return Number.NaN;
}

function readEnd(
  context: ReadContext,
  item: AuthoredPublicEvent,
  path: Path,
  startsAt: number,
): number {
  const { endsAt, durationMin } = item;
  if (endsAt !== undefined && durationMin !== undefined)
    addDuplicate(context, path, "endsAt", "durationMin");
  if (endsAt !== undefined) return readInstant(context, endsAt, [...path, "endsAt"]);
  if (durationMin === undefined)
    addMissing(context, path, "endsAt", "an event needs it, or 'durationMin'");
  return startsAt + (durationMin ?? 1) * 60_000;
}

/** A time without a date is on the day of the event. */
function readDoors(
  context: ReadContext,
  item: AuthoredPublicEvent,
  path: Path,
  startsAt: number,
): number | null {
  const { doorsAt } = item;
  if (Number.isNaN(startsAt)) return null;
  if (doorsAt === undefined || !isStartTime(doorsAt))
    return readOptionalInstant(context, doorsAt, [...path, "doorsAt"]);
  const { timezone } = context;
  return parseInstant(`${localDateOf(startsAt, timezone)}T${doorsAt}`, timezone);
}

const readVenue = (venue: AuthoredPublicEvent["venue"]): PublicEventDoc["venue"] =>
  venue === undefined
    ? null
    : typeof venue === "string"
      ? { name: venue, address: null }
      : { name: venue.name, address: venue.address ?? null };

function readTicketType(context: ReadContext, item: AuthoredTicketType, path: Path): TicketTypeDoc {
  const fields = readFields(item, TICKET_TYPE_DEFAULTS);
  const salesStartAt = readOptionalInstant(context, item.salesStart, [...path, "salesStart"]);
  const salesEndAt = readOptionalInstant(context, item.salesEnd, [...path, "salesEnd"]);
  if (salesStartAt !== null && salesEndAt !== null)
    validateOrder(context, salesStartAt, salesEndAt, path, ["salesStart", "salesEnd"]);
  const { minPerOrder } = fields;
  const maxPerOrder = item.maxPerOrder ?? defaultMaxPerOrder(minPerOrder);
  if (maxPerOrder < minPerOrder)
    addContradiction(
      context,
      [...path, "maxPerOrder"],
      `'maxPerOrder' ${maxPerOrder} is less than 'minPerOrder' ${minPerOrder}.`,
    );
  return {
    ...readCommon(item),
    description: readText(item.description),
    priceCents: readTicketPrice(context, item, path, fields.kind),
    ...fields,
    salesStartAt,
    salesEndAt,
    maxPerOrder,
  };
}

/** The price of a DONATION is a suggestion and may be omitted. */
function readTicketPrice(
  context: ReadContext,
  item: AuthoredTicketType,
  path: Path,
  kind: TicketTypeDoc["kind"],
): number {
  if (kind === "FREE") return readNoAmount(context, item, path, "price", kind);
  if (kind === "DONATION") return readAmount(context, item, path, "price") ?? 0;
  return readRequiredAmount(context, item, path, "price", "a ticket type of kind paid");
}

function readQuotas(
  context: ReadContext,
  item: AuthoredPublicEvent,
  path: Path,
  ticketTypes: string[],
): PublicEventDoc["quotas"] {
  const quotas = item.quotas ?? [];
  validateUnique(
    context,
    quotas.map(({ key }) => key),
    [...path, "quotas"],
    "key",
    "quota",
  );
  for (const [index, quota] of quotas.entries())
    for (const [position, type] of (quota.ticketTypes ?? []).entries())
      if (!ticketTypes.includes(type))
        context.addIssue({
          code: "unknown_reference",
          path: [...path, "quotas", index, "ticketTypes", position],
          detail: `This event has no ticket type ${quote(type)}.${didYouMean(type, ticketTypes)}`,
        });
  return quotas.map((quota) => ({
    key: quota.key,
    size: quota.size,
    ticketTypes: unique(quota.ticketTypes ?? ticketTypes),
  }));
}

function readSlug(context: ReadContext, item: AuthoredPublicEvent, path: Path): string {
  if (item.slug !== undefined) return item.slug;
  const slug = defaultSlug(item.key);
  if (slug.length < 2)
    context.addIssue({
      code: "missing_field",
      path: [...path, "slug"],
      detail: `'slug' is missing and cannot be derived from the key ${quote(item.key)}. Add one of a-z, 0-9 and -.`,
    });
  return slug;
}
