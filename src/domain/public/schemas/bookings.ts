import { z } from "zod";
import { cents, count, currency, id, instant, orNull } from "./values.ts";

// Bookings, reservations, ticket orders and tickets: served in events, not by any route.

const visitStatus = z.enum(["PENDING", "CONFIRMED", "CANCELLED", "COMPLETED", "NO_SHOW"]);
const customerRef = orNull(
  z.string(),
  "ID of the customer in the system that made the booking; null if none was given",
);

const version = z.int().min(1).describe("1 at first, and one more with each change of the object");

export const booking = z.strictObject({
  id,
  status: visitStatus,
  startsAt: instant,
  endsAt: instant,
  segments: z
    .array(
      z.strictObject({
        serviceId: id,
        variantId: orNull(id, "Booked variant; null if there is none"),
        addons: z.array(z.strictObject({ addonId: id, quantity: z.int() })),
        staffId: orNull(
          id,
          "Staff member who performs the service; null if it needs none, or if the staff member is not public",
        ),
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
  version,
});

export const reservation = z.strictObject({
  id,
  status: visitStatus,
  partySize: z.int(),
  startsAt: instant,
  endsAt: instant,
  areaId: orNull(id, "Area of the table; null if it belongs to none"),
  tableId: id,
  customerRef,
  version,
});

export const ticketOrder = z.strictObject({
  id,
  code: z
    .string()
    .describe("Order code that the customer gives at the box office; it is not a ticket"),
  status: z.enum(["PENDING", "CONFIRMED", "CANCELLED", "EXPIRED"]),
  eventId: id,
  items: z.array(z.strictObject({ ticketTypeId: id, quantity: count, unitPriceCents: cents })),
  totalCents: cents.describe("Price of all tickets, in minor units"),
  currency,
  customerRef,
  expiresAt: orNull(instant, "When an unpaid order expires; null once it is paid or cancelled"),
  version,
});

/** Never includes the code that admits its holder. */
export const ticket = z.strictObject({
  id,
  orderId: id,
  eventId: id,
  ticketTypeId: id,
  status: z.enum(["VALID", "CHECKED_IN", "VOID"]),
  checkedInAt: orNull(instant, "When the ticket was checked in; null if it was not"),
  version,
});
