import { z } from "zod";
import {
  active,
  cents,
  commonFields,
  count,
  currency,
  description,
  id,
  instant,
  orNull,
} from "./values.ts";

export const saleAvailability = z.strictObject({
  state: z
    .enum(["ON_SALE", "FEW_LEFT", "NOT_YET", "SOLD_OUT", "ENDED"])
    .describe(
      "FEW_LEFT: at most 5 tickets, or 10 % of them, are left; NOT_YET: sales have not started; ENDED: sales are over, or the event is cancelled or postponed",
    ),
  remaining: orNull(count, "Number of tickets left; null if unlimited or not disclosed"),
});

export const ticketType = z.strictObject({
  id,
  eventId: id,
  name: z.string(),
  description,
  kind: z.enum(["PAID", "FREE", "DONATION"]),
  priceCents: cents.describe(
    "Price in minor units; 0 if `kind` is FREE, a suggested amount if it is DONATION",
  ),
  currency,
  salesStartAt: orNull(instant, "When sales start; null if immediately"),
  salesEndAt: orNull(instant, "When sales end; null if with the event"),
  minPerOrder: z.int().min(1).describe("Minimum number of tickets per order"),
  maxPerOrder: z.int().min(1).describe("Maximum number of tickets per order"),
  availability: saleAvailability,
  status: active,
  ...commonFields,
});

export const publicEvent = z.strictObject({
  id,
  name: z.string(),
  slug: z.string().describe("Name of the event for use in URLs"),
  description,
  status: z
    .enum(["PUBLISHED", "CANCELLED", "POSTPONED", "ENDED"])
    .describe("POSTPONED: a new date will be announced; ENDED: the event is over"),
  startsAt: instant,
  endsAt: instant,
  doorsAt: orNull(instant, "When the doors open; null if not specified"),
  timezone: z.string().describe("IANA time zone"),
  venue: z
    .strictObject({
      name: z.string(),
      address: orNull(z.string(), "Postal address; null if not specified"),
    })
    .nullable()
    .describe("Where the event takes place; null if not specified"),
  attendanceMode: z.enum(["IN_PERSON", "ONLINE", "MIXED"]),
  ticketTypes: z.array(ticketType).describe("Ticket types on offer"),
  availability: saleAvailability.describe("Availability over all ticket types"),
  ...commonFields,
});
