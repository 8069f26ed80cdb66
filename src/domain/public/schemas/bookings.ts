import { z } from "zod";
import { INITIATORS, VISIT_STATUSES } from "../../bookings/visit.ts";
import { cents, count, currency, id, instant, orNull } from "./values.ts";

// Responses and events have bookings, reservations, ticket orders and tickets in these shapes.

const customerRef = orNull(
  z.string(),
  "ID of the customer in the system that made the booking; null if none was given, and in events for a restricted key without a scope for bookings or orders",
);

const version = z.int().min(1).describe("1 at first, and one more with each change of the object");

const record = {
  customerRef,
  version,
  createdAt: instant,
  updatedAt: instant.describe(
    "When the object last changed; never decreases from one change to the next in a business",
  ),
};

const visit = {
  id,
  status: z
    .enum(VISIT_STATUSES)
    .describe("PENDING: the business has not approved it yet; the time is taken nevertheless"),
  startsAt: instant,
  endsAt: instant,
  ...record,
  cancelUntil: instant.describe("After this, only the business can cancel or reschedule"),
  decideBy: orNull(
    instant,
    "When the visit is cancelled unless the business approves it; null unless PENDING",
  ),
  cancelledBy: orNull(
    z.enum(INITIATORS),
    "Who cancelled it. GUEST: an API key without bookings.manage, for the guest; BUSINESS: the business, or a key with bookings.manage; SYSTEM: it was not approved in time. Null unless CANCELLED",
  ),
  cancelReason: orNull(
    z.string(),
    "DECLINED, EXPIRED, or the reason that was given; null if there is none, and in events for a restricted key without a scope for bookings or orders",
  ),
};

const bookedName = (noun: string) =>
  orNull(
    z.string(),
    `Name of the ${noun} at the time of booking; null if there is none, if \`${noun.split(" ")[0]}Id\` is null, or if the booking was made with an earlier version of deskbell`,
  );

const bookedSegment = z.strictObject({
  serviceId: id,
  variantId: orNull(id, "Booked variant; null if there is none"),
  addons: z.array(z.strictObject({ addonId: id, quantity: z.int() })),
  staffId: orNull(
    id,
    "Staff member who performs the service; null if it needs none, or if the staff member is not public and the key does not have bookings.read",
  ),
  priceCents: cents.describe("Price per guest, in minor units"),
  startsAt: instant,
  endsAt: instant,
  serviceName: bookedName("service"),
  variantName: bookedName("variant"),
  staffName: bookedName("staff member"),
});

export const hold = z.strictObject({
  id,
  status: z
    .enum(["OPEN", "USED", "RELEASED", "EXPIRED"])
    .describe("OPEN: can be used; USED: became a booking or reservation"),
  expiresAt: instant.describe("When an open hold ends"),
  startsAt: instant,
  endsAt: instant,
  segments: z
    .array(bookedSegment)
    .describe("The services of the visit, in order; empty for a table"),
  guests: z.int().describe("Guests of the visit, or size of the party"),
  areaId: orNull(
    id,
    "Area of the table; null for a hold of services, or if the table belongs to none",
  ),
  tableId: orNull(id, "Held table; null for a visit"),
  totalCents: cents.describe(
    "Price for all guests, in minor units; the booking keeps it. Promotions are not deducted: the business does so when it is paid",
  ),
  currency,
  bookingId: orNull(id, "Booking that the hold became; null if it did not"),
  reservationId: orNull(id, "Reservation that the hold became; null if it did not"),
});

export const booking = z.strictObject({
  ...visit,
  segments: z.array(bookedSegment).describe("The services of the visit, in order"),
  guests: z.int(),
  totalCents: cents.describe(
    "Price for all guests, in minor units, without promotions, deposits and payments",
  ),
  currency,
});

export const reservation = z.strictObject({
  ...visit,
  partySize: z.int(),
  areaId: orNull(id, "Area of the table; null if it belongs to none"),
  tableId: id,
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
  ...record,
  expiresAt: orNull(instant, "When an unpaid order expires; null once it is paid or cancelled"),
});

export const includedCustomer = orNull(
  z.strictObject({
    name: orNull(z.string(), "Name; null if it was not given"),
    email: orNull(z.string(), "Email address; null if it was not given"),
    phone: orNull(z.string(), "Phone number; null if it was not given"),
    notes: orNull(z.string(), "What the guest wants the business to know; null for nothing"),
  }),
  "The guest; null if none was given, or if the data have been erased. Absent if the key may not read it",
).optional();

export const bookingWithCustomer = booking.extend({ customer: includedCustomer });
export const reservationWithCustomer = reservation.extend({ customer: includedCustomer });

/** A ticket, without the code that admits its holder. */
export const ticket = z.strictObject({
  id,
  orderId: id,
  eventId: id,
  ticketTypeId: id,
  status: z.enum(["VALID", "CHECKED_IN", "VOID"]),
  checkedInAt: orNull(instant, "When the ticket was checked in; null if it was not"),
  version,
});
