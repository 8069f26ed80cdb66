import { fc, unicodeText } from "../property.ts";
import { encodeForUrl, hostileText } from "./texts.ts";

// Generates requests from the OpenAPI document: some valid, most with something wrong.

type Schema = {
  type?: string;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  examples?: unknown[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
};
type Parameter = { $ref?: string; name: string; in: "path" | "query" | "header"; schema: Schema };
type Operation = {
  operationId: string;
  parameters: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
};
export type OpenApiDocument = {
  paths: Record<string, Record<string, Operation>>;
  components: { parameters: Record<string, Parameter> };
};

/** Valid values of parameters and fields that the document cannot contain, such as IDs. */
export type KnownValues = Record<string, readonly string[]>;

export type GeneratedRequest = {
  operationId: string;
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | undefined;
  key: "good" | "restricted" | "wrong" | "none";
};

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"];
const TYPES = [
  "text/plain",
  "application/xml",
  "application/json; charset=utf-16",
  "multipart/form-data",
  ",",
  "json",
];
const ODD_NAMES = [
  "__proto__",
  "constructor",
  "toString",
  "limit[]",
  "",
  "id",
  "\u202eid",
  "a".repeat(300),
];

/** Generates requests to all operations with equal probability. */
export function arbitraryRequests(
  document: OpenApiDocument,
  known: (operationId: string) => KnownValues,
): fc.Arbitrary<GeneratedRequest> {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      requestOf(document, path, method.toUpperCase(), operation, known(operation.operationId)),
    ),
  );
  return fc.oneof(...operations);
}

function requestOf(
  { components }: OpenApiDocument,
  path: string,
  method: string,
  { operationId, parameters, requestBody }: Operation,
  known: KnownValues,
): fc.Arbitrary<GeneratedRequest> {
  const all = parameters.map(
    ({ $ref, ...own }) =>
      (($ref && components.parameters[$ref.split("/").at(-1) ?? ""]) || own) as Parameter,
  );
  const within = (place: Parameter["in"]) => all.filter((parameter) => parameter.in === place);
  const valueOf = ({ name, schema }: Parameter) => textOf(validValue(schema, known[name]), name);
  const inPath = fc.record(
    Object.fromEntries(
      within("path").map((one) => [
        one.name,
        mostly(8, validValue(one.schema, known[one.name]).map(String), hostileText),
      ]),
    ),
  );
  const inQuery = fc.array(
    fc.oneof(
      ...within("query").map((one) => ({
        weight: 6,
        arbitrary: fc.tuple(fc.constant(one.name), valueOf(one)),
      })),
      { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...ODD_NAMES), hostileText) },
    ),
    { maxLength: 4 },
  );
  const inHeaders = fc.record(
    Object.fromEntries(within("header").map((one) => [one.name, valueOf(one).map(asHeader)])),
    { requiredKeys: [] },
  );
  const schema = requestBody?.content["application/json"]?.schema;
  return fc
    .record({
      method: mostly(12, fc.constant(method), fc.constantFrom(...METHODS)),
      inPath,
      query: mostly(
        within("query").length === 0 ? 8 : 1,
        fc.constant<[string, string][]>([]),
        inQuery,
      ),
      headers: inHeaders,
      body: schema ? bodyOf(schema, known) : mostly(8, fc.constant(undefined), fc.json()),
      type: mostly(10, fc.constant("application/json"), fc.constantFrom(...TYPES)),
      key: mostly(
        12,
        fc.constant("good" as const),
        fc.constantFrom("restricted" as const, "wrong" as const, "none" as const),
      ),
    })
    .map((drawn) => {
      const search = drawn.query
        .map(([name, value]) => `${encodeForUrl(name)}=${encodeForUrl(value)}`)
        .join("&");
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
        encodeForUrl(drawn.inPath[name] ?? ""),
      );
      const body = ["GET", "HEAD"].includes(drawn.method) ? undefined : drawn.body;
      return {
        operationId,
        method: drawn.method,
        url: filled + (search && `?${search}`),
        headers: { ...drawn.headers, ...(body !== undefined && { "content-type": drawn.type }) },
        body,
        key: drawn.key,
      };
    });
}

const mostly = <T>(weight: number, usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: odd });

/**
 * Generates a valid value.
 * @param inner the known values of the fields of objects
 */
function validValue(
  schema: Schema,
  known?: readonly string[],
  inner: KnownValues = {},
): fc.Arbitrary<unknown> {
  if (schema.type === "array") {
    const items = validValue(schema.items ?? {}, known, inner);
    return fc.array(items, { minLength: schema.minItems ?? 0, maxLength: 4 });
  }
  if (known) return fc.constantFrom(...known);
  if (schema.type === "null") return fc.constant(null);
  if (schema.type === "object") return arbitraryObject(schema, inner);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf)
    return fc.oneof(...schema.anyOf.map((one) => validValue(one, undefined, inner)));
  if (schema.examples) return fc.constantFrom(...schema.examples);
  if (schema.type === "integer")
    return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 1e6 });
  if (schema.type === "boolean") return fc.boolean();
  if (schema.pattern !== undefined) return fc.stringMatching(new RegExp(schema.pattern));
  return fc.string({ minLength: schema.minLength ?? 0, maxLength: schema.maxLength ?? 60 });
}

/** Generates mostly valid texts; long polls are shortened to 0 s. */
const textOf = (value: fc.Arbitrary<unknown>, name: string): fc.Arbitrary<string> =>
  mostly(
    4,
    value.map((one) => (Array.isArray(one) ? one.join(",") : String(one))),
    hostileText,
  ).map((text) => (name === "wait" && /^\d{1,6}$/.test(text) ? "0" : text));

const asHeader = (text: string): string => text.replace(/[^\x20-\x7e]/g, "?").trim();

const arbitraryObject = (
  { properties = {}, required = [] }: Schema,
  known: KnownValues,
): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(
    Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [
        name,
        validValue(schema, known[name], known),
      ]),
    ),
    { requiredKeys: required },
  );

/** Generates a body: a valid object, one with invalid fields, or not an object. */
function bodyOf(schema: Schema, known: KnownValues): fc.Arbitrary<string | undefined> {
  const json = arbitraryJson(schema, known);
  const broken = fc.oneof(
    unicodeText(200),
    json.map((text) => text.slice(0, -1)),
    fc.nat(30_000).map((depth) => `{"name":${"[".repeat(depth)}${"]".repeat(depth)}}`),
    fc.nat(70_000).map((length) => JSON.stringify({ name: "x".repeat(length) })),
    fc.constant('{"__proto__":{"name":"x"}}'),
  );
  return fc.oneof(
    { weight: 6, arbitrary: json },
    { weight: 2, arbitrary: broken },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
}

/** Joins the JSON of two objects; a name in both appears twice. */
const join = (one: string, other: string): string =>
  [one.slice(0, -1), other.slice(1)].join(one === "{}" || other === "{}" ? "" : ",");

/** Generates JSON: a valid object, one with invalid fields, or any value. */
export function arbitraryJson(schema: Schema, known: KnownValues): fc.Arbitrary<string> {
  const whole = arbitraryObject(schema, known);
  const wrong = fc.dictionary(
    fc.constantFrom(...Object.keys(schema.properties ?? {}), ...ODD_NAMES),
    fc.oneof(fc.jsonValue(), hostileText),
    { maxKeys: 3 },
  );
  return fc.oneof(
    { weight: 8, arbitrary: whole.map((value) => JSON.stringify(value)) },
    // The objects are joined as text, because `__proto__` cannot be spread.
    {
      weight: 3,
      arbitrary: fc
        .tuple(whole, wrong)
        .map(([value, odd]) => join(JSON.stringify(value), JSON.stringify(odd))),
    },
    { weight: 1, arbitrary: fc.json() },
  );
}
