import { z } from "zod";
import { integer, keySchema, line, outsideLine } from "../basic-schemas.ts";
import { parseRequest } from "../parse-request.ts";
import { lazy } from "../lazy.ts";
import { type Customer, customerFields, mergeCustomer } from "./customer.ts";
import type { NamedAppointmentRequest } from "../availability/request.ts";

const orNull = (schema: z.ZodType<string>) => schema.nullish().transform((value) => value ?? null);

export const customerRef = () => orNull(outsideLine(200));

const customer = () =>
  customerFields()
    .partial()
    .nullish()
    .transform((fields) => mergeCustomer(null, fields ?? {}));

/** Twice the length of a key, with room for `:` and a quantity. */
const MAX_NAME_LENGTH = 170;

/**
 * Returns the schema of a staff member or add-on: `mia`, `wash`, or `wash*2` for a quantity of 2. A
 * name that several services share has the service before it: `cut:wash*2`.
 */
const name = () => line(MAX_NAME_LENGTH);

const MAX_SERVICES = 8;

function oneOrMore(item: z.ZodString) {
  const noun = `a name, or a list of 1 to ${MAX_SERVICES} names`;
  return z
    .union([item, z.array(item, noun).min(1, noun).max(MAX_SERVICES, noun)], noun)
    .nullish()
    .transform((value) => [value ?? []].flat());
}

const bookingSchema = lazy(() =>
  z
    .strictObject({
      service: oneOrMore(keySchema()),
      variant: oneOrMore(keySchema()),
      addons: z
        .array(name(), "a list such as [wash, scrub*2]")
        .max(50, "a list of at most 50")
        .default([]),
      start: line(40),
      staff: oneOrMore(name()),
      guests: integer(1, 10_000).default(1),
      customerRef: customerRef(),
      customer: customer(),
    })
    .refine(({ service, variant }) => service.length + variant.length > 0, {
      path: ["service"],
      error: "the service to book, unless a variant is given",
    }),
);

/** A request for a booking: the fields of an availability request, a start and the guest. */
export type BookingRequest = {
  appointment: NamedAppointmentRequest;
  start: string;
  customerRef: string | null;
  customer: Customer | null;
};

export function parseBookingRequest(input: unknown): BookingRequest {
  const { start, guests, ...request } = parseRequest(bookingSchema(), input);
  return {
    appointment: {
      serviceIds: request.service,
      variantIds: request.variant,
      addonIds: request.addons,
      staffIds: request.staff,
      guests,
    },
    start,
    customerRef: request.customerRef,
    customer: request.customer,
  };
}

/**
 * A request without an `area` takes any area; a request without a `table` takes the smallest free
 * one.
 */
const reservationSchema = lazy(() =>
  z.strictObject({
    party: integer(1, 10_000),
    start: line(40),
    area: orNull(keySchema()),
    table: orNull(keySchema()),
    customerRef: customerRef(),
    customer: customer(),
  }),
);

export type ReservationRequest = z.output<ReturnType<typeof reservationSchema>>;

export const parseReservationRequest = (input: unknown): ReservationRequest =>
  parseRequest(reservationSchema(), input);
