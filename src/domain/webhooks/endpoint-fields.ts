import { z } from "zod";
import type { ValidationIssue } from "../errors.ts";
import { ALL_EVENT_TYPES } from "../events/event-types.ts";
import { lazy } from "../lazy.ts";
import { didYouMean } from "../nearest.ts";
import { safe } from "../text.ts";
import { MAX_CONCURRENCY } from "./endpoint-health.ts";

const MAX_NAME_LENGTH = 100;

type Value = { input?: unknown };

const wrongType = (field: string, expected: string) => ({
  error: ({ input }: Value) =>
    input === undefined ? `'${field}' is missing.` : `'${field}' must be ${expected}.`,
});

const unknownEvent = {
  error({ input }: Value): string {
    if (typeof input !== "string") return "An event type must be a string.";
    const shown = safe(input, 60);
    return `'${shown}' is not an event type.${didYouMean(shown, ALL_EVENT_TYPES)}`;
  },
};

const name = () => {
  const length = `'name' must have 1 to ${MAX_NAME_LENGTH} characters.`;
  return z
    .string(wrongType("name", "a string"))
    .trim()
    .min(1, length)
    .max(MAX_NAME_LENGTH, length)
    .describe("Label of the endpoint: one line without control or invisible characters");
};

const integer = (field: string, minimum: number, maximum: number) => {
  const range = `'${field}' must be a whole number from ${minimum} to ${maximum}.`;
  return z.int(range).min(minimum, range).max(maximum, range);
};

/** The fields of an endpoint, each of which is parsed alone. The error texts are sentences. */
const fields = lazy(() => ({
  name: name(),
  url: z
    .string(wrongType("url", "a string"))
    .describe("URL to send events to: https, with a public address; a fragment is removed"),
  events: z
    .array(z.enum(ALL_EVENT_TYPES, unknownEvent), wrongType("events", "a list of event types"))
    .min(1, "'events' must name at least one event.")
    .describe("Event types to send"),
  timeoutMs: integer("timeoutMs", 1000, 30_000),
  maxInFlight: integer("maxInFlight", 1, MAX_CONCURRENCY),
  status: z
    .enum(["ACTIVE", "DISABLED"], "'status' must be ACTIVE or DISABLED.")
    .describe("DISABLED pauses the endpoint: its deliveries are kept, and sent once it is ACTIVE"),
}));

/** The fields that a partner sets when it creates an endpoint. */
export const createEndpointBody = lazy(() => {
  const { name, url, events } = fields();
  return z.strictObject({ name, url, events });
});
export const updateEndpointBody = lazy(() =>
  createEndpointBody().extend({ status: fields().status }).partial(),
);

export type EndpointField = keyof ReturnType<typeof fields>;

/**
 * The code of an issue of each field. A missing value and a wrong type have codes of their own,
 * except in fields whose code here is `range` or `invalid_value`.
 */
const CODES: Record<EndpointField, string> = {
  name: "length",
  url: "type",
  events: "empty",
  timeoutMs: "range",
  maxInFlight: "range",
  status: "invalid_value",
};

/** Returns the issues of one field. Other modules check URLs, and the characters in names. */
export function validateField(field: EndpointField, value: unknown): ValidationIssue[] {
  const { error } = fields()[field].safeParse(value, { reportInput: true });
  return (error?.issues ?? []).map(({ code, input, path, message }) => {
    const hasWrongType = code === "invalid_type" && CODES[field] !== "range";
    const codeOfField = hasWrongType ? codeOfType(input) : CODES[field];
    return {
      pointer: `#/${[field, ...path].join("/")}`,
      // A path below the field is the index of an event type in the list `events`.
      code: path.length > 0 ? codeOfEvent(input) : codeOfField,
      detail: message,
    };
  });
}

const codeOfEvent = (event: unknown): string =>
  typeof event === "string" ? "unknown_event" : "type";

const codeOfType = (value: unknown): string => (value === undefined ? "required" : "type");
