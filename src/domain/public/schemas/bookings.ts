import { z } from "zod";
import { cents, count, currency, id, instant } from "./values.ts";

// What happens in a day's work: partners learn of it by events alone.

const visitStatus = z.enum(["PENDING", "CONFIRMED", "CANCELLED", "COMPLETED", "NO_SHOW"]);
const customerRef = z
  .string()
  .nullable()
  .describe("A partner's or a till's own name for the customer");

export const booking = z.strictObject({
  id,
  status: visitStatus,
  startsAt: instant,
  endsAt: instant,
  segments: z.array(
    z.strictObject({
      serviceId: id,
      variantId: id.nullable(),
      addons: z.array(z.strictObject({ addonId: id, quantity: z.int() })),
      staffId: id.nullable().describe("null: nobody is needed"),
      priceCents: cents.describe("For one guest"),
      startsAt: instant,
      endsAt: instant,
    }),
  ),
  guests: z.int(),
  totalCents: cents,
  currency,
  customerRef,
});

export const reservation = z.strictObject({
  id,
  status: visitStatus,
  partySize: z.int(),
  startsAt: instant,
  endsAt: instant,
  areaId: id.nullable(),
  tableId: id,
  customerRef,
});

export const ticketOrder = z.strictObject({
  id,
  code: z.string().describe("What a customer reads out at the box office; it admits nobody"),
  status: z.enum(["PENDING", "CONFIRMED", "CANCELLED", "EXPIRED"]),
  eventId: id,
  items: z.array(z.strictObject({ ticketTypeId: id, quantity: count, unitPriceCents: cents })),
  totalCents: cents,
  currency,
  customerRef,
  expiresAt: instant.nullable().describe("null: paid or cancelled, it does not expire"),
});

/** Never the code that admits its holder. */
export const ticket = z.strictObject({
  id,
  orderId: id,
  eventId: id,
  ticketTypeId: id,
  status: z.enum(["VALID", "CHECKED_IN", "VOID"]),
  checkedInAt: instant.nullable(),
});
