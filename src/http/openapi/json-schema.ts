import { z } from "zod";
import { refTo } from "./references.ts";
import { SCHEMAS } from "./schemas.ts";

export type JsonObject = { [name: string]: unknown };

/**
 * Whether objects are told to have no other properties than those described. Partners are not told so, because additions come
 * without a new version and clients that are made from the description would refuse them; whoever tests the API is.
 */
export type Closing = { isClosed: boolean };

/** Every schema that has a name, under it. */
export function describeSchemas({ isClosed }: Closing): JsonObject {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(SCHEMAS)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => refTo("schemas", id) });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, schema]) => [id, tidy(schema, isClosed)]),
  );
}

/** What is sent: no more is taken than is described. */
export const describeInput = (schema: z.ZodType): JsonObject =>
  tidy(z.toJSONSchema(schema, { io: "input" }), true) as JsonObject;

/** What it is for, then how it is written. */
function describeSent(asSent: JsonObject, purpose: unknown): JsonObject {
  const texts = [purpose, asSent["description"]].filter((text) => text !== undefined);
  return { ...asSent, ...(texts.length > 0 && { description: texts.join(". ") }) };
}

/** Carries out what the schemas say of their own description (values.ts, parameters.ts), and drops what OpenAPI has no use for. */
function tidy(node: unknown, isClosed: boolean): unknown {
  if (Array.isArray(node)) return node.map((item) => tidy(item, isClosed));
  if (typeof node !== "object" || node === null) return node;
  const { $schema, $id, isList, includedBy, asSent, refusedAs, example, ...schema } =
    node as JsonObject;
  if (asSent !== undefined) return describeSent(asSent as JsonObject, schema["description"]);
  if (schema["additionalProperties"] === false && !isClosed) delete schema["additionalProperties"];
  // As far as JavaScript counts: no bounds of ours.
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
