import { z } from "zod";
import type { PromotionBenefit, PromotionDoc, PublicEventDoc, TicketTypeDoc } from "../catalog.ts";
import { common, description, keyed, keys, presented, status, windows } from "./common-fields.ts";
import { defaultsFor } from "./defaults.ts";
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

export const PROMOTION_DEFAULTS = defaultsFor<PromotionDoc>()({
  code: null,
  stackable: false,
  priority: 0,
});

export const PROMOTION_CONDITION_DEFAULTS = defaultsFor<PromotionDoc["conditions"]>()({
  minQuantity: null,
  firstVisitOnly: false,
  maxUses: null,
  maxUsesPerCustomer: null,
});

export const APPLIES_TO_DEFAULTS = defaultsFor<PromotionDoc["appliesTo"]>()({
  services: [],
  serviceCategories: [],
  menuItems: [],
  menuCategories: [],
  events: [],
  ticketTypes: [],
});

/** Buy X, get one free. */
export const BUY_X_GET_Y_DEFAULTS = defaultsFor<
  Extract<PromotionBenefit, { type: "BUY_X_GET_Y" }>
>()({ getQuantity: 1, percentBps: 10_000 });

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

export const TICKET_TYPE_DEFAULTS = defaultsFor<TicketTypeDoc>()({
  kind: "PAID",
  minPerOrder: 1,
  showRemaining: true,
});

export const defaultMaxPerOrder = (minPerOrder: number): number => Math.max(10, minPerOrder);

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

export const PUBLIC_EVENT_DEFAULTS = defaultsFor<PublicEventDoc>()({
  status: "PUBLISHED",
  attendanceMode: "IN_PERSON",
});

/** The slug of an event whose file has none, derived from its key. */
export const defaultSlug = (key: string, maxLength = 60): string =>
  key
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, maxLength)
    .replace(/^-+|-+$/g, "");
