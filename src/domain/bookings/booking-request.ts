import { z } from "zod";
import type { NamedAppointmentRequest } from "../availability/request.ts";
import { key, line, integer } from "../catalog/file/values.ts";
import { parseRequest } from "./request.ts";
import { quantifiedName, customerRef } from "./request-values.ts";

/** A visit to book: the same fields as in an availability request, and a start. */
export type BookingRequest = {
  appointment: NamedAppointmentRequest;
  start: string;
  customerRef: string | null;
};

const MAX_SERVICES = 8;

function oneOrMore(name: z.ZodString) {
  const noun = `a name, or a list of 1 to ${MAX_SERVICES} names`;
  return z
    .union([name, z.array(name, noun).min(1, noun).max(MAX_SERVICES, noun)], noun)
    .nullish()
    .transform((value) => [value ?? []].flat());
}

/** `mia`, or `cut:mia` for one of several services. */
const staffName = line(170);

const requestSchema = z
  .strictObject({
    service: oneOrMore(key),
    variant: oneOrMore(key),
    addons: z
      .array(quantifiedName, "a list such as [wash, scrub*2]")
      .max(50, "a list of at most 50")
      .optional(),
    start: line(40),
    staff: oneOrMore(staffName),
    guests: integer(1, 10_000).optional(),
    customerRef,
  })
  .refine(({ service, variant }) => service.length + variant.length > 0, {
    path: ["service"],
    error: "the service to book, unless a variant is given",
  });

/** @throws AppError validation_failed */
export function parseBookingRequest(input: unknown): BookingRequest {
  const {
    service,
    variant,
    addons = [],
    start,
    staff,
    guests = 1,
    ...rest
  } = parseRequest(requestSchema, input);
  return {
    appointment: {
      serviceIds: service,
      variantIds: variant,
      addonIds: addons,
      staffIds: staff,
      guests,
    },
    start,
    customerRef: rest.customerRef ?? null,
  };
}
