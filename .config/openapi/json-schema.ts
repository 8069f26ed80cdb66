import { z } from "zod";
import { refTo } from "../../src/http/openapi/schemas.ts";

export type JsonObject = { [name: string]: unknown };

/**
 * Returns the JSON Schemas of named schemas.
 * @param isClosed forbids undocumented properties. It is for tests only: a client generated from
 * closed schemas would reject properties that a later version adds.
 */
export function describeSchemas(named: Record<string, z.ZodType>, isClosed: boolean): JsonObject {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => refTo("schemas", id) });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, schema]) => [id, tidy(schema, isClosed)]),
  );
}

/** Returns the JSON Schema of a request, which rejects undocumented properties. */
export const describeInput = (schema: z.ZodType): JsonObject =>
  tidy(z.toJSONSchema(schema, { io: "input" }), true) as JsonObject;

/**
 * Returns the schema of a parameter as text. Its description names the purpose of the parameter and
 * then the format.
 */
function describeFormat(inputSchema: JsonObject, purpose: unknown): JsonObject {
  const texts = [purpose, inputSchema["description"]].filter((text) => text !== undefined);
  return { ...inputSchema, ...(texts.length > 0 && { description: texts.join(". Format: ") }) };
}

/**
 * Applies deskbell's metadata to a JSON Schema, and removes the keywords that OpenAPI does not
 * have.
 */
function tidy(node: unknown, isClosed: boolean): unknown {
  if (Array.isArray(node)) return node.map((item) => tidy(item, isClosed));
  if (typeof node !== "object" || node === null) return node;
  // Zod adds the first two keywords; the others are metadata of deskbell.
  const { $schema, $id, isList, includedBy, inputSchema, problemCode, example, ...schema } =
    node as JsonObject;
  if (inputSchema !== undefined)
    return describeFormat(inputSchema as JsonObject, schema["description"]);
  if (schema["additionalProperties"] === false && !isClosed) delete schema["additionalProperties"];
  // Zod adds the limits of safe integers, which say nothing.
  if (schema["maximum"] === Number.MAX_SAFE_INTEGER) delete schema["maximum"];
  if (schema["minimum"] === Number.MIN_SAFE_INTEGER) delete schema["minimum"];
  const { required, properties } = schema as {
    required?: string[];
    properties?: Record<string, JsonObject>;
  };
  // A response has a property with `includedBy` only if a parameter asks for it, so the property is
  // not required.
  if (required && properties)
    schema["required"] = required.filter((name) => !("includedBy" in (properties[name] ?? {})));
  // Metadata such as `pattern: undefined` deletes a keyword that Zod has written.
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, tidy(value, isClosed)]),
  );
}
