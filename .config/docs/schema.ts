import { table } from "./markdown.ts";
import type { Schema } from "./reference.ts";

/** Renders a table of an object's fields, including the fields of unnamed objects inside it. */
export const renderFields = (schema: Schema): string =>
  table(["Field", "Type", "Description"], rowsOf(schema, ""));

const rowsOf = ({ properties = {}, required = [] }: Schema, path: string): string[][] =>
  Object.entries(properties).flatMap(([name, schema]) => {
    const fieldPath = path + name;
    const row = [
      `\`${fieldPath}\`${required.includes(name) ? "" : describeAbsence(schema)}`,
      renderType(schema),
      descriptionOf(schema),
    ];
    return [
      row,
      ...nestedObjects(schema, fieldPath).flatMap(({ schema, path }) => rowsOf(schema, path)),
    ];
  });

const describeAbsence = (schema: Schema): string =>
  schema.default === undefined ? " (optional)" : ` (default ${JSON.stringify(schema.default)})`;

const descriptionOf = ({ description, anyOf = [] }: Schema): string =>
  description ?? anyOf.find((choice) => choice.description !== undefined)?.description ?? "";

function nestedObjects(schema: Schema, path: string): { schema: Schema; path: string }[] {
  if (schema.$ref !== undefined) return [];
  if (schema.properties) return [{ schema, path: `${path}.` }];
  if (schema.items) return nestedObjects(schema.items, `${path}[]`);
  return (schema.anyOf ?? schema.oneOf ?? []).flatMap((choice) => nestedObjects(choice, path));
}

/** Renders a type in words, such as `string (date-time) or null`. */
export function renderType(schema: Schema): string {
  if (schema.$ref !== undefined) return renderName(schema.$ref.split("/").at(-1) ?? "");
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum) return describeChoices(schema.enum);
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (choices) return renderChoices(choices, schema.allOf ? " and " : " or ");
  const type = [schema.type ?? "any"].flat().join(" or ");
  if (schema.items) return `${type} of ${renderType(schema.items)}`;
  if (typeof schema.additionalProperties === "object")
    return `${type} of ${renderType(schema.additionalProperties)} by name`;
  return `${type}${schema.format === undefined ? "" : ` (${schema.format})`}${describeLimits(schema)}`;
}

const renderName = (name: string): string => `[${name}](#${schemaAnchor(name)})`;

/**
 * Returns the anchor of a schema. The schemas of events share the anchor of the section `events`,
 * whose examples say more.
 */
const schemaAnchor = (name: string): string => (isEventSchema(name) ? "events" : name);
export const isEventSchema = (name: string): boolean =>
  name.endsWith("Event") && name !== "PublicEvent";

/** Renders alternatives. Alternatives with equal texts are listed once. */
const renderChoices = (choices: readonly Schema[], separator: string): string =>
  [...new Set(choices.map(renderType))].join(separator);

/** Maximum number of values of an enumeration that are listed. */
const MAX_CHOICES = 12;

function describeChoices(values: readonly unknown[]): string {
  const listed = values.slice(0, MAX_CHOICES).map((value) => `\`${JSON.stringify(value)}\``);
  return values.length > MAX_CHOICES
    ? `${listed.join(", ")}, … (${values.length})`
    : listed.join(", ");
}

const describeLimits = ({ minimum, maximum }: Schema): string =>
  [minimum, maximum].every((limit) => limit !== undefined && Math.abs(limit) < 1e9)
    ? `, ${minimum} to ${maximum}`
    : "";
