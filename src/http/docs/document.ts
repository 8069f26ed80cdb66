// What the page reads of an OpenAPI 3.1 document. Everything is looked at as it comes: the renderer escapes what it finds.

export type Ref = { $ref: string };
export type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  minimum?: number;
  maximum?: number;
  default?: unknown;
};
export type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
  example?: unknown;
};
export type Content = Record<string, { schema?: Schema; example?: unknown }>;
export type ApiResponse = { description: string; content?: Content };
export type Operation = {
  operationId?: string;
  tags?: string[];
  summary?: string;
  description?: string;
  security?: Record<string, string[]>[];
  parameters?: (Parameter | Ref)[];
  requestBody?: { required?: boolean; content: Content };
  responses?: Record<string, ApiResponse | Ref>;
};

export type ApiDocument = {
  info: { title: string; version: string; summary?: string; description?: string };
  servers?: { url: string }[];
  tags?: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema>; [kind: string]: Record<string, unknown> | undefined };
};

/** What stands where a `$ref` does, or the node itself. */
export function follow<T extends object>(document: ApiDocument, node: T | Ref): T {
  if (!("$ref" in node) || typeof node.$ref !== "string") return node as T;
  const [, kind = "", name = ""] = /^#\/components\/(\w+)\/(.+)$/.exec(node.$ref) ?? [];
  return (document.components?.[kind]?.[name] ?? {}) as T;
}

const MOST_CHOICES = 12;

/** A type as people write it: `string (date-time) or null`, `array of Service`. */
export function describeType(schema: Schema): string {
  if (schema.$ref !== undefined) return schema.$ref.split("/").at(-1) ?? "";
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return describeChoices(schema.enum);
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (choices) return [...new Set(choices.map(describeType))].join(schema.allOf ? " and " : " or ");
  const types = [schema.type ?? "any"].flat().join(" or ");
  if (schema.properties) return `${types} {${Object.keys(schema.properties).join(", ")}}`;
  if (schema.items) return `${types} of ${describeType(schema.items)}`;
  const limits = [schema.minimum, schema.maximum].every((limit) => limit !== undefined && Math.abs(limit) < 1e9)
    ? `, ${schema.minimum} to ${schema.maximum}`
    : "";
  return `${types}${schema.format === undefined ? "" : ` (${schema.format})`}${limits}`;
}

function describeChoices(values: readonly unknown[]): string {
  const shown = values.slice(0, MOST_CHOICES).map((value) => JSON.stringify(value));
  return values.length > MOST_CHOICES ? `${shown.join(", ")}, … (${values.length})` : shown.join(", ");
}
