import { z } from "zod";
import { active, cents, commonFields, count, currency, id, instant } from "./values.ts";

export const saleAvailability = z.strictObject({
  state: z
    .enum(["ON_SALE", "FEW_LEFT", "NOT_YET", "SOLD_OUT", "ENDED"])
    .describe(
      "FEW_LEFT: at most five, or a tenth; NOT_YET: sales have not begun; ENDED: they are over, or the event is cancelled or postponed",
    ),
  remaining: count.nullable().describe("null: unlimited, or the organiser does not show it"),
});

export const ticketType = z.strictObject({
  id,
  eventId: id,
  name: z.string(),
  description: z.string().nullable(),
  kind: z.enum(["PAID", "FREE", "DONATION"]),
  priceCents: cents.describe("0 where kind is FREE; what is proposed where it is DONATION"),
  currency,
  salesStartAt: instant.nullable().describe("null: at once"),
  salesEndAt: instant.nullable().describe("null: when the event ends"),
  minPerOrder: z.int().min(1),
  maxPerOrder: z.int().min(1),
  availability: saleAvailability,
  status: active,
  ...commonFields,
});

export const publicEvent = z.strictObject({
  id,
  name: z.string(),
  slug: z.string().describe("For the address of a page about it"),
  description: z.string().nullable(),
  status: z
    .enum(["PUBLISHED", "CANCELLED", "POSTPONED", "ENDED"])
    .describe("POSTPONED: it takes place, but not at the time given"),
  startsAt: instant,
  endsAt: instant,
  doorsAt: instant.nullable(),
  timezone: z.string().describe("IANA"),
  venue: z.strictObject({ name: z.string(), address: z.string().nullable() }).nullable(),
  attendanceMode: z.enum(["IN_PERSON", "ONLINE", "MIXED"]),
  ticketTypes: z.array(ticketType).describe("Those that are offered"),
  availability: saleAvailability,
  ...commonFields,
});
