import { z } from "zod";
import { common, description, keyed, keys, presented, status, windows } from "./common-fields.ts";
import {
  cents,
  choice,
  date,
  fields,
  instant,
  instantOrTime,
  key,
  line,
  list,
  money,
  percent,
  relativeTime,
  slug,
  integer,
  flag,
} from "./values.ts";

/** Promotions and public events. */

const ticketTypeRef = z
  .string("an event's key, / and a ticket type's key")
  .regex(/^[^\p{Cc}]+\/[^\p{Cc}]+$/u, "an event's key, / and a ticket type's key");

export const promotion = fields({
  ...common,
  description,
  benefit: fields({
    type: choice("PERCENT_OFF", "AMOUNT_OFF", "FIXED_PRICE", "BUY_X_GET_Y", "FREE_ADDON"),
    percent: percent.optional(),
    percentBps: integer(1, 10_000).optional(),
    amount: money.optional(),
    amountCents: cents.optional(),
    maxAmount: money.optional(),
    maxAmountCents: cents.optional(),
    buyQuantity: integer(1, 1000).optional(),
    getQuantity: integer(1, 1000).optional(),
    addon: key.optional(),
  }),
  appliesTo: fields({
    all: flag.optional(),
    services: keys.optional(),
    serviceCategories: keys.optional(),
    menuItems: keys.optional(),
    menuCategories: keys.optional(),
    events: keys.optional(),
    ticketTypes: list(ticketTypeRef, 1000).optional(),
  }).optional(),
  conditions: fields({
    minSubtotal: money.optional(),
    minSubtotalCents: cents.optional(),
    minQuantity: integer(1, 1000).optional(),
    firstVisitOnly: flag.optional(),
    maxUses: integer(1, 10_000_000).optional(),
    maxUsesPerCustomer: integer(1, 10_000).optional(),
  }).optional(),
  schedule: fields({
    startsAt: instant.optional(),
    endsAt: instant.optional(),
    weekly: windows.optional(),
    excludeDates: list(date, 1000).optional(),
  }).optional(),
  code: line(50).optional(),
  stackable: flag.optional(),
  priority: integer(-1000, 1000).optional(),
});

const ticketType = fields({
  ...keyed,
  status: status.optional(),
  ...presented,
  description,
  kind: choice("PAID", "FREE", "DONATION").optional(),
  price: money.optional(),
  priceCents: cents.optional(),
  salesStart: instant.optional(),
  salesEnd: instant.optional(),
  minPerOrder: integer(1, 100).optional(),
  maxPerOrder: integer(1, 100).optional(),
  showRemaining: flag.optional(),
});

export const publicEvent = fields({
  ...keyed,
  status: choice("DRAFT", "PUBLISHED", "CANCELLED", "POSTPONED").optional(),
  ...presented,
  slug: slug.optional(),
  description,
  startsAt: instant.optional(),
  startsIn: relativeTime.optional(),
  endsAt: instant.optional(),
  durationMin: integer(1, 43_200).optional(),
  doorsAt: instantOrTime.optional(),
  venue: z
    .union(
      [line(200), fields({ name: line(200), address: line(500).optional() })],
      "a name, or name and address",
    )
    .optional(),
  attendanceMode: choice("IN_PERSON", "ONLINE", "MIXED").optional(),
  ticketTypes: list(ticketType, 100).optional(),
  quotas: list(
    fields({ key, size: integer(0, 10_000_000), ticketTypes: keys.optional() }),
    100,
  ).optional(),
});
