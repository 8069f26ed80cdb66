import { z } from "zod";
import { cents, count, currency, id, instant } from "./values.ts";

// Bookings, reservations, ticket orders and tickets: served in events, not by any route.

const visitStatus = z.enum(["PENDING", "CONFIRMED", "CANCELLED", "COMPLETED", "NO_SHOW"]);
const customerRef = z
  .string()
  .nullable()
  .describe("ID of the customer in the system that made the booking; null if none was given");

export const booking = z.strictObject({
  id,
  status: visitStatus,
  startsAt: instant,
  endsAt: instant,
  segments: z
    .array(
      z.strictObject({
        serviceId: id,
        variantId: id.nullable().describe("null if the service is booked without a variant"),
        addons: z.array(z.strictObject({ addonId: id, quantity: z.int() })),
        staffId: id.nullable().describe("null if the service needs no staff member"),
        priceCents: cents.describe("Price per guest, in minor units"),
        startsAt: instant,
        endsAt: instant,
      }),
    )
    .describe("The services of the visit, in order"),
  guests: z.int(),
  totalCents: cents.describe("Price for all guests, in minor units"),
  currency,
  customerRef,
});

export const reservation = z.strictObject({
  id,
  status: visitStatus,
  partySize: z.int(),
  startsAt: instant,
  endsAt: instant,
  areaId: id.nullable().describe("null if the table belongs to no area"),
  tableId: id,
  customerRef,
});

export const ticketOrder = z.strictObject({
  id,
  code: z
    .string()
    .describe("Order code that the customer gives at the box office; it is not a ticket"),
  status: z.enum(["PENDING", "CONFIRMED", "CANCELLED", "EXPIRED"]),
  eventId: id,
  items: z.array(z.strictObject({ ticketTypeId: id, quantity: count, unitPriceCents: cents })),
  totalCents: cents,
  currency,
  customerRef,
  expiresAt: instant
    .nullable()
    .describe("When an unpaid order expires; null once it is paid or cancelled"),
});

/** Never includes the code that admits its holder. */
export const ticket = z.strictObject({
  id,
  orderId: id,
  eventId: id,
  ticketTypeId: id,
  status: z.enum(["VALID", "CHECKED_IN", "VOID"]),
  checkedInAt: instant.nullable().describe("null until the ticket is checked in"),
});
