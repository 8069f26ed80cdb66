import { z } from "zod";
import { quote, show } from "../text.ts";
import { AppError, type ValidationIssue } from "../errors.ts";
import { didYouMean } from "../nearest.ts";
import { line, key, integer } from "../catalog/file/values.ts";
import { type Customer, customerFields, mergeCustomer } from "./customer.ts";
import type { NamedAppointmentRequest } from "../availability/request.ts";

// Requests from command-line options or lines of a file. As in catalog schemas, a schema's message
// is a noun phrase that completes "it must be ...".

/** @throws AppError validation_failed with every issue */
export function parseRequest<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  input: unknown,
): z.output<z.ZodObject<Shape>> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.flatMap((issue) =>
    toIssues(issue, input, Object.keys(schema.shape)),
  );
  const [first, ...others] = issues;
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  throw new AppError("validation_failed", `${first?.detail}${more}`, { issues });
}

function toIssues(issue: z.core.$ZodIssue, input: unknown, known: string[]): ValidationIssue[] {
  if (issue.code === "unrecognized_keys")
    return issue.keys.map((field) => ({
      code: "unknown_field",
      pointer: pointerTo([...issue.path, field]),
      detail:
        issue.path.length > 0
          ? `Unknown field ${quote(field)}: expected ${issue.message}.`
          : `Unknown field ${quote(field)}.${didYouMean(field, known) || ` Known fields: ${known.join(", ") || "none"}.`}`,
    }));
  const pointer = pointerTo(issue.path);
  const field = nameOf(issue.path);
  if (field === undefined)
    return [
      { code: "invalid_value", pointer, detail: "The request must be an object, such as {}." },
    ];
  const value = issue.path.reduce<unknown>(
    (inner, part) => (inner as Record<PropertyKey, unknown>)?.[part],
    input,
  );
  const detail =
    value === undefined
      ? `'${field}' is missing; it must be ${issue.message}.`
      : `'${field}' must be ${issue.message}${isGuestData(issue.path, value) ? "" : `, not ${show(value)}`}.`;
  return [{ code: value === undefined ? "missing_field" : "invalid_value", pointer, detail }];
}

/** Clients log error messages, which must not contain guest data. */
const isGuestData = ([field]: readonly PropertyKey[], value: unknown): boolean =>
  field === "customer" || (field === "customerRef" && String(value).includes("@"));

/** `segments[0].serviceId`; an item of a list has the name of the list. */
function nameOf(path: readonly PropertyKey[]): string | undefined {
  const end = path.findLastIndex((part) => typeof part === "string");
  if (end === -1) return undefined;
  return path
    .slice(1, end + 1)
    .reduce<string>(
      (name, part) => (typeof part === "number" ? `${name}[${part}]` : `${name}.${String(part)}`),
      String(path[0]),
    );
}

/** An RFC 6901 pointer as a URI fragment. */
const pointerTo = (path: readonly PropertyKey[]): string =>
  `#${path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("")}`;

const orNull = (schema: z.ZodString) => schema.nullish().transform((value) => value ?? null);

const customerRef = orNull(line(200));

const customer = customerFields
  .partial()
  .nullish()
  .transform((fields) => mergeCustomer(null, fields ?? {}));

/** `mia` or `wash`, `wash*2`, or `cut:wash*2` if several services have it. */
const name = line(170);

const MAX_SERVICES = 8;

function oneOrMore(item: z.ZodString) {
  const noun = `a name, or a list of 1 to ${MAX_SERVICES} names`;
  return z
    .union([item, z.array(item, noun).min(1, noun).max(MAX_SERVICES, noun)], noun)
    .nullish()
    .transform((value) => [value ?? []].flat());
}

const bookingSchema = z
  .strictObject({
    service: oneOrMore(key),
    variant: oneOrMore(key),
    addons: z
      .array(name, "a list such as [wash, scrub*2]")
      .max(50, "a list of at most 50")
      .default([]),
    start: line(40),
    staff: oneOrMore(name),
    guests: integer(1, 10_000).default(1),
    customerRef,
    customer,
  })
  .refine(({ service, variant }) => service.length + variant.length > 0, {
    path: ["service"],
    error: "the service to book, unless a variant is given",
  });

/** The fields of an availability request, and a start. */
export type BookingRequest = {
  appointment: NamedAppointmentRequest;
  start: string;
  customerRef: string | null;
  customer: Customer | null;
};

export function parseBookingRequest(input: unknown): BookingRequest {
  const { start, guests, ...request } = parseRequest(bookingSchema, input);
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

/** Without `area`, in any; without `table`, at the smallest free one. */
const reservationSchema = z.strictObject({
  party: integer(1, 10_000),
  start: line(40),
  area: orNull(key),
  table: orNull(key),
  customerRef,
  customer,
});

export type ReservationRequest = z.output<typeof reservationSchema>;

export const parseReservationRequest = (input: unknown): ReservationRequest =>
  parseRequest(reservationSchema, input);

const orderSchema = z.strictObject({
  event: key,
  items: z
    .array(name, "a list such as [seated*2, student]")
    .min(1, "a list of ticket types")
    .max(50, "a list of at most 50"),
  customerRef,
});

/**
 * Adds up the quantities of a ticket type that is named several times.
 */
export function parseTicketOrderRequest(input: unknown) {
  const request = parseRequest(orderSchema, input);
  const quantities = new Map<string, number>();
  for (const item of request.items) {
    const [, ticketType = item, quantity = "1"] = /^(.+)\*(\d{1,6})$/.exec(item) ?? [];
    quantities.set(ticketType, (quantities.get(ticketType) ?? 0) + Number(quantity));
  }
  return {
    ...request,
    items: [...quantities].map(([key, quantity]) => ({ key, quantity })),
  };
}
