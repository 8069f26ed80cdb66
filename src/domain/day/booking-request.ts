import { z } from "zod";
import { key, line, whole } from "../catalog/schema-values.ts";
import { type Counted, counted, customerRef, readCounted, readRequest } from "./request.ts";

export type BookingRequest = {
  service: string;
  /** null: the default variant if there is one, else the service itself. */
  variant: string | null;
  addons: Counted[];
  start: string;
  /** null: anybody. */
  staff: string | null;
  guests: number;
  customerRef: string | null;
};

const requestSchema = z.strictObject({
  service: key,
  variant: key.nullish(),
  addons: z.array(counted, "a list such as [wash, scrub*2]").max(50, "a list of at most 50").optional(),
  start: line(40),
  staff: key.nullish(),
  guests: whole(1, 10_000).optional(),
  customerRef,
});

/** @throws AppError validation_failed */
export function readBookingRequest(input: unknown): BookingRequest {
  const {
    service,
    variant = null,
    addons = [],
    start,
    staff = null,
    guests = 1,
    ...rest
  } = readRequest(requestSchema, input);
  return { service, variant, addons: readCounted(addons), start, staff, guests, customerRef: rest.customerRef ?? null };
}
