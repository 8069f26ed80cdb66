import { z } from "zod";
import { inToolWords } from "./tool-errors.ts";

// Tools list the schemas of the API's bodies in a form of their own, which these functions return.

type JsonSchema = Record<string, unknown>;

/** Keys in the schemas that only the API uses. They are left out of the schemas of tools. */
const API_ONLY = ["$schema", "problemCode", "isList", "example"];

/** The descriptions of fields for agents; in the API these fields have descriptions for programs. */
const TEXTS: Readonly<Record<string, string>> = {
  serviceId: "Service of search_catalog",
  variantId: "Variant of the service; left out: its default variant",
  addonId: "Add-on of the service",
  staffId: "Staff member; left out: anyone who is free",
  eventId: "`id` of an event of list_events",
  ticketTypeId: "`id` of one of the `ticketTypes` of the event",
  customer: "The guest, who has agreed to be named; stored encrypted",
  customerRef:
    "Your own ID of the guest, if you have one; other programs of the business see it, so it must not be personal data",
};

/**
 * Returns the JSON Schema of a body of the API, with descriptions in the words of the tools.
 * @param isNew whether the body creates something; null then means the same as leaving a field out
 */
export function describeFields(schema: z.ZodType, { isNew = false } = {}): JsonSchema {
  const json = JSON.stringify(z.toJSONSchema(schema, { io: "input" }), (name, value: unknown) => {
    if (API_ONLY.includes(name)) return undefined;
    if (name === "description") return inToolWords(String(value));
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const text = TEXTS[name];
    return { ...withoutNull(value as JsonSchema, isNew), ...(text && { description: text }) };
  });
  return JSON.parse(json) as JsonSchema;
}

/**
 * Returns a schema without null if null means the same as leaving the field out, because a plain
 * type is shorter than alternatives. If alternatives remain, they lose their own descriptions,
 * because the whole schema has one.
 */
function withoutNull(schema: JsonSchema, isNew: boolean): JsonSchema {
  const { anyOf, default: byDefault, ...rest } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const choices = (anyOf as JsonSchema[]).map(({ description: _text, ...choice }) => choice);
  const [firstChoice, ...otherChoices] = choices.filter(({ type }) => type !== "null");
  const isNullUseless = byDefault === null || (isNew && byDefault === undefined);
  return otherChoices.length === 0 && isNullUseless
    ? { ...firstChoice, ...rest }
    : { ...schema, anyOf: choices };
}
