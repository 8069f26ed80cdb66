import { z } from "zod";
import { refTo } from "../../src/http/openapi/schemas.ts";

export type JsonObject = { [name: string]: unknown };

/**
 * Returns the JSON Schemas of named schemas.
 * @param isClosed forbids undocumented properties; for tests only, since generated clients would
 * then reject properties that a later version adds
 */
export function describeSchemas(named: Record<string, z.ZodType>, isClosed: boolean): JsonObject {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => refTo("schemas", id) });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, schema]) => [id, tidy(schema, isClosed)]),
  );
}

/** The JSON Schema of a request; undocumented properties are rejected. */
export const describeInput = (schema: z.ZodType): JsonObject =>
  tidy(z.toJSONSchema(schema, { io: "input" }), true) as JsonObject;

/** Appends the description of the format to the description of the parameter. */
function describeFormat(inputSchema: JsonObject, purpose: unknown): JsonObject {
  const texts = [purpose, inputSchema["description"]].filter((text) => text !== undefined);
  return { ...inputSchema, ...(texts.length > 0 && { description: texts.join(". Format: ") }) };
}

/** Applies the schemas' own metadata and drops what OpenAPI lacks. */
function tidy(node: unknown, isClosed: boolean): unknown {
  if (Array.isArray(node)) return node.map((item) => tidy(item, isClosed));
  if (typeof node !== "object" || node === null) return node;
  const { $schema, $id, isList, includedBy, inputSchema, problemCode, example, ...schema } =
    node as JsonObject;
  if (inputSchema !== undefined)
    return describeFormat(inputSchema as JsonObject, schema["description"]);
  if (schema["additionalProperties"] === false && !isClosed) delete schema["additionalProperties"];
  // Zod adds the limits of safe integers.
  if (schema["maximum"] === Number.MAX_SAFE_INTEGER) delete schema["maximum"];
  if (schema["minimum"] === Number.MIN_SAFE_INTEGER) delete schema["minimum"];
  const { required, properties } = schema as {
    required?: string[];
    properties?: Record<string, JsonObject>;
  };
  if (required && properties)
    schema["required"] = required.filter((name) => !("includedBy" in (properties[name] ?? {})));
  return Object.fromEntries(
    Object.entries(schema).map(([name, value]) => [name, tidy(value, isClosed)]),
  );
}
