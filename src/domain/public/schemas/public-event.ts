import { z } from "zod";
import { active, cents, common, count, currency, id, instant } from "./values.ts";

export const saleAvailability = z.strictObject({
  state: z.enum(["ON_SALE", "FEW_LEFT", "NOT_YET", "SOLD_OUT", "ENDED"]),
  remaining: count.nullable().describe("null: unlimited, or the organiser does not show it"),
});

export const ticketType = z.strictObject({
  id,
  eventId: id,
  name: z.string(),
  description: z.string().nullable(),
  kind: z.enum(["PAID", "FREE", "DONATION"]),
  priceCents: cents,
  currency,
  salesStartAt: instant.nullable(),
  salesEndAt: instant.nullable(),
  minPerOrder: count,
  maxPerOrder: count,
  availability: saleAvailability,
  status: active,
  ...common,
});

export const publicEvent = z.strictObject({
  id,
  name: z.string(),
  slug: z.string(),
  description: z.string().nullable(),
  status: z.enum(["PUBLISHED", "CANCELLED", "POSTPONED", "ENDED"]),
  startsAt: instant,
  endsAt: instant,
  doorsAt: instant.nullable(),
  timezone: z.string().describe("IANA"),
  venue: z.strictObject({ name: z.string(), address: z.string().nullable() }).nullable(),
  attendanceMode: z.enum(["IN_PERSON", "ONLINE", "MIXED"]),
  ticketTypes: z.array(ticketType),
  availability: saleAvailability,
  ...common,
});
