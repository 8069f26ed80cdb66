import { z } from "zod";
import type { GuestDetails } from "../../../app/bookings/bookings.ts";
import { customerFields, mergeCustomer } from "../../../domain/bookings/customer.ts";
import { integer, line, outsideLine, totalCentsSchema } from "../../../domain/basic-schemas.ts";
import { parseRequest } from "../../../domain/parse-request.ts";
import { AppError, type ValidationIssue } from "../../../domain/errors.ts";
import { isInstant, isLocalTime, parseInstant, YEARS } from "../../../domain/local-time.ts";
import { lazy } from "../../../domain/lazy.ts";
import { quote } from "../../../domain/text.ts";

// The error texts of these request bodies are nouns, because `parseRequest` writes "must be" before
// them.

const MINUTE_MS = 60_000;
const MAX_SERVICES = 8;

const MAX_ID_CHARACTERS = 60;
/**
 * Returns the schema of an ID. The OpenAPI document states the length of an ID instead of its
 * pattern, which languages other than JavaScript cannot read.
 */
export const id = () =>
  line(MAX_ID_CHARACTERS).meta({
    pattern: undefined,
    minLength: 1,
    maxLength: MAX_ID_CHARACTERS,
    description: `ID: one line of 1 to ${MAX_ID_CHARACTERS} characters`,
  });
const guests = () => integer(1, 10_000);

const START = `a date and time ${YEARS} with an offset, such as 2026-12-01T10:00:00+01:00`;
const startsAt = () =>
  z
    .string({ error: START })
    .describe(
      "Start, a whole minute with an offset or `Z`; a time without one is ambiguous when clocks change",
    )
    .meta({ format: "date-time" });

const SEGMENTS = `a list of 1 to ${MAX_SERVICES} segments`;
const segments = () =>
  z
    .array(
      z.strictObject(
        {
          serviceId: id(),
          variantId: id()
            .nullable()
            .default(null)
            .describe("Variant; null for the service's default variant"),
          addons: z
            .array(
              z.strictObject(
                { addonId: id(), quantity: integer(1, 1000).default(1) },
                { error: "an object with addonId and quantity" },
              ),
              { error: "a list of add-ons" },
            )
            .max(50, { error: "a list of at most 50 add-ons" })
            .default([]),
          staffId: id()
            .nullable()
            .default(null)
            .describe("Staff member; null for anyone who is free"),
        },
        { error: "an object with serviceId, variantId, addons and staffId" },
      ),
      { error: SEGMENTS },
    )
    .min(1, { error: SEGMENTS })
    .max(MAX_SERVICES, { error: SEGMENTS })
    .describe(
      "The services of one visit, in order: of each segment of a slot of `/availability`, send these four fields only, or the slot's `bookingRequest`",
    );

const CUSTOMER_REF = "one line of 1 to 200 characters without @ or invisible characters, or null";
const customerRef = () =>
  z
    .string({ error: CUSTOMER_REF })
    .refine((text) => outsideLine(200).safeParse(text).success && !text.includes("@"), {
      error: CUSTOMER_REF,
    })
    .meta({ minLength: 1, maxLength: 200 })
    .nullable()
    .describe(
      "ID of the customer in your system. It is stored as it is and part of events, so it must not be personal data",
    );
const customer = () =>
  customerFields()
    .partial()
    .nullable()
    .describe(
      "The guest, stored encrypted. Served only by `GET` of the object, and in lists with `includeCustomer=true`",
    );
export const guestDetails = () => ({
  customerRef: customerRef().default(null),
  customer: customer().default(null),
});
const holdId = () => id().describe("Hold to use, instead of the fields of the visit or table");
const partySize = () => guests().describe("Party size");
const areaId = () => id().nullable().describe("Area of the table; null for any");
export const expectedTotalCents = () =>
  totalCentsSchema()
    .nullable()
    .default(null)
    .describe("Total that was shown to the guest; another total is refused with `price_changed`");

export const holdBody = lazy(() =>
  z.strictObject({
    startsAt: startsAt(),
    segments: segments().optional(),
    guests: guests().optional().describe("Guests of the visit; 1 by default"),
    partySize: partySize().optional().describe("Party size; holds a table instead of a visit"),
    areaId: areaId().optional(),
    ttlSeconds: integer(30, 900).default(300).describe("How long the time is held, in seconds"),
  }),
);

export const bookingBody = lazy(() =>
  z.strictObject({
    holdId: holdId().optional(),
    startsAt: startsAt().optional(),
    segments: segments().optional(),
    guests: guests().optional().describe("Guests; 1 by default"),
    expectedTotalCents: expectedTotalCents(),
    ...guestDetails(),
  }),
);

export const reservationBody = lazy(() =>
  z.strictObject({
    holdId: holdId().optional(),
    startsAt: startsAt().optional(),
    partySize: partySize().optional(),
    areaId: areaId().optional(),
    ...guestDetails(),
  }),
);

export const rescheduleBookingBody = lazy(() =>
  z.strictObject({
    startsAt: startsAt(),
    segments: segments()
      .optional()
      .describe("The services of the visit; omitted: as they are, with the same staff and price"),
  }),
);

export const rescheduleReservationBody = lazy(() =>
  z.strictObject({
    startsAt: startsAt(),
    partySize: partySize().optional().describe("Party size; omitted: as it is"),
    areaId: areaId().optional().describe("Area of the table; omitted: as it is; null: any"),
  }),
);

export const reasonBody = lazy(() =>
  z.strictObject({
    reason: outsideLine(200)
      .nullable()
      .default(null)
      .describe("Why it is cancelled; it is part of events, so it must not be personal data"),
  }),
);

export const visitUpdateBody = lazy(() =>
  z.strictObject({
    customer: customer().optional(),
    customerRef: customerRef().optional(),
  }),
);

/**
 * Parses a request body with `schema`.
 * @throws AppError invalid_date if `startsAt` is a text, but not a whole minute with an offset;
 * validation_failed with every issue
 */
export function parseBody<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  body: Record<string, unknown>,
): z.output<z.ZodObject<Shape>> {
  if ("startsAt" in schema.shape && typeof body["startsAt"] === "string")
    assertStart(body["startsAt"]);
  try {
    return parseRequest(schema, body);
  } catch (error) {
    throw error instanceof AppError ? withoutGuestData(error) : error;
  }
}

/**
 * Returns a copy of an error that does not quote what the client sent about a guest, because
 * clients may log errors. The message of the error begins with the detail of its first issue.
 */
function withoutGuestData({ code, message, issues }: AppError): AppError {
  const [first] = issues;
  // The detail of an issue quotes the sent value at its end, after `, not`.
  const shown = issues.map((issue) =>
    issue.pointer?.startsWith("#/customer")
      ? { ...issue, detail: issue.detail.replace(/, not [^]*/, ".") }
      : issue,
  );
  const detail = message.replace(first?.detail ?? "", shown[0]?.detail ?? "");
  return new AppError(code, detail, { issues: shown });
}

function assertStart(text: string): void {
  const hasOffset = isInstant(text) && !isLocalTime(text);
  if (hasOffset && parseInstant(text, "UTC") % MINUTE_MS === 0) return;
  const detail = hasOffset
    ? `'startsAt' must be a whole minute, not ${quote(text)}.`
    : `'startsAt' must be ${START}, not ${quote(text)}.`;
  throw new AppError("invalid_date", detail, {
    issues: [{ pointer: "#/startsAt", code: "invalid_date", detail }],
  });
}

/** Returns the guest of a new visit or order. */
export const guestInBody = ({
  customerRef,
  customer,
}: Pick<z.output<ReturnType<typeof bookingBody>>, "customerRef" | "customer">): GuestDetails => ({
  customerRef,
  customer: customer && mergeCustomer(null, customer),
});

/** Returns a start that `parseBody` has accepted, in epoch milliseconds. */
export const startInBody = (text: string): number => parseInstant(text, "UTC");

/**
 * Asserts that the body has none of the fields that cannot be combined with `present`.
 * @throws AppError validation_failed that lists the fields of `others` that the body has
 */
export function assertAlone(
  body: Record<string, unknown>,
  present: string,
  others: readonly string[],
): void {
  const issues = others
    .filter((name) => body[name] !== undefined)
    .map((name) => ({
      pointer: `#/${name}`,
      code: "invalid_value",
      detail: `'${name}' cannot be combined with '${present}'.`,
    }));
  assertNoIssues(issues);
}

/**
 * Asserts that the body has every field of `names`. These fields are required because the body
 * lacks the field `unless`.
 * @throws AppError validation_failed that lists the missing fields
 */
export function assertPresent(
  body: Record<string, unknown>,
  names: readonly string[],
  unless: string,
): void {
  const issues = names
    .filter((name) => body[name] === undefined)
    .map((name) => ({
      pointer: `#/${name}`,
      code: "missing_field",
      detail: `'${name}' is missing; it is required without '${unless}'.`,
    }));
  assertNoIssues(issues);
}

function assertNoIssues(issues: ValidationIssue[]): void {
  if (issues.length === 0) return;
  throw new AppError("validation_failed", issues.map(({ detail }) => detail).join(" "), { issues });
}
