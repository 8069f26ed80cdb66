import { gunzipSync } from "node:zlib";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { RoutePath } from "../../src/http/pipeline/route-path.ts";
import type { HttpResponse, HttpRequest } from "../../src/http/pipeline/request-context.ts";
import { describeApi } from "../../src/http/openapi/document.ts";
import { templatePathOf } from "../../src/http/openapi/operation.ts";
import { ROUTES } from "../../src/http/routes.ts";

type Header = { $ref?: string; required?: boolean; schema: object };
type Response = {
  $ref?: string;
  headers?: Record<string, Header>;
  content?: Record<string, object>;
};
type Operation = { responses: Record<string, Response> };
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { headers: Record<string, Header>; responses: Record<string, Response> };
};

const document = describeApi({
  routes: ROUTES,
  publicUrl: "",
  version: "0",
  isClosed: true,
}) as unknown as Document;
const ID = "openapi.json";
const ajv = new Ajv2020({ strict: false, validateSchema: false, discriminator: true });
addFormats.default(ajv);
// An event is held against the schema of its own name alone; ajv does so without the mapping, and not with it.
ajv.addSchema(
  JSON.parse(
    JSON.stringify(document, (name, value) => (name === "mapping" ? undefined : value)),
  ) as object,
  ID,
);

/** The parts of a JSON Pointer in a fragment. */
const pointer = (...parts: (string | number)[]): string =>
  `${ID}#${parts.map((part) => `/${encodeURIComponent(String(part).replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("")}`;

const compiled = new Map<string, ValidateFunction>();
function validatorAt(place: string): ValidateFunction {
  const known = compiled.get(place) ?? ajv.compile({ $ref: place });
  compiled.set(place, known);
  return known;
}

/** Headers that tell of the bytes of the body: OpenAPI tells of them elsewhere, or not at all. */
const OF_BYTES = ["content-type", "content-length", "content-encoding"];
/** Of answers that no operation gives, because the address or the method is none of the API's. */
const OF_NOBODY = ["request-id", "api-version", "cache-control", "allow"];
const PROBLEM = pointer("components", "schemas", "Problem");

/** How many answers were held against the description in this file's tests. */
export const checkedResponses = { count: 0 };

/** What of an answer the description of the API does not say. */
export function findUndocumented(
  place: RoutePath,
  asked: HttpRequest,
  answer: HttpResponse,
): string[] {
  checkedResponses.count += 1;
  const { status } = answer;
  const headers = headersOf(answer);
  const told = (complaints: string[]): string[] =>
    complaints.map(
      (complaint) => `${asked.method} ${asked.path}${asked.search} ${status}: ${complaint}`,
    );

  const path = templatePathOf(place);
  // The page for people is no part of the API that it shows.
  if (path.startsWith("/docs")) return [];
  const route = place.byMethod.get(asked.method);
  if (route === undefined) return told(judgeOther(place, asked, answer, headers));
  const method = route.method.toLowerCase();
  const operation = document.paths[path]?.[method];
  if (operation === undefined) return told(["this route is not documented"]);
  const response = operation.responses[status];
  if (response === undefined) return told(["this status is not documented"]);
  const at = response.$ref?.slice(1).split("/").slice(1) ?? [
    "paths",
    path,
    method,
    "responses",
    status,
  ];
  const documented = resolve(response, document.components.responses);
  return told([
    ...judgeHeaders(documented.headers ?? {}, headers),
    ...judgeBody(documented, at, answer, headers),
  ]);
}

const resolve = <T extends { $ref?: string }>(part: T, parts: Record<string, T>): T =>
  parts[part.$ref?.split("/").at(-1) ?? ""] ?? part;

function headersOf({ headers }: HttpResponse): Map<string, string> {
  const found = new Map<string, string>();
  for (let i = 0; i < headers.length; i += 2)
    found.set((headers[i] ?? "").toLowerCase(), headers[i + 1] ?? "");
  return found;
}

function judgeHeaders(
  documented: Record<string, Header>,
  headers: ReadonlyMap<string, string>,
): string[] {
  const known = new Map(
    Object.entries(documented).map(([name, header]) => [name.toLowerCase(), header]),
  );
  const complaints: string[] = [];
  for (const [name, header] of known) {
    const { required, schema } = resolve(header, document.components.headers);
    const sent = headers.get(name);
    if (sent === undefined) {
      if (required === true) complaints.push(`${name} is missing`);
      continue;
    }
    const value = (schema as { type?: string }).type === "integer" ? Number(sent) : sent;
    if (!ajv.validate(schema, value)) complaints.push(`${name}: ${sent} is not as documented`);
  }
  for (const name of headers.keys())
    if (!known.has(name) && !OF_BYTES.includes(name)) complaints.push(`${name} is not documented`);
  return complaints;
}

function judgeBody(
  { content }: Response,
  at: readonly (string | number)[],
  answer: HttpResponse,
  headers: ReadonlyMap<string, string>,
): string[] {
  if (content === undefined) return answer.body === null ? [] : ["a body is not documented"];
  if (answer.body === null) return ["the documented body is missing"];
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  if (!(type in content)) return [`a body of ${type} is not documented`];
  if (!type.endsWith("json")) return [];
  return judgeJson(
    pointer(...at, "content", type, "schema"),
    answer.body,
    headers.get("content-encoding"),
  );
}

/** The same bytes are answered again and again. */
const judged = new WeakMap<Buffer, string>();

function judgeJson(place: string, body: Buffer, encoding?: string): string[] {
  if (judged.get(body) === place) return [];
  judged.set(body, place);
  return judgeValue(
    validatorAt(place),
    JSON.parse((encoding === "gzip" ? gunzipSync(body) : body).toString()),
  );
}

function judgeValue(validate: ValidateFunction, value: unknown): string[] {
  if (validate(value)) return [];
  const told = (validate.errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath, message, JSON.stringify(params)].join(" "),
  );
  return told.slice(0, 5);
}

/** What of a value a schema of the description does not allow. */
export function findUndocumentedInJson(schema: object, value: unknown): string[] {
  const anchored = JSON.stringify(schema).replaceAll('"#/', `"${ID}#/`);
  return judgeValue(ajv.compile(JSON.parse(anchored) as object), value);
}

/** OPTIONS, a method that is not answered, an address where nothing is. */
function judgeOther(
  { allow }: RoutePath,
  { method }: HttpRequest,
  answer: HttpResponse,
  headers: ReadonlyMap<string, string>,
): string[] {
  const complaints = ["request-id", "api-version"]
    .filter((name) => !headers.has(name))
    .map((name) => `no ${name}`);
  if (allow !== "" && answer.status !== 414 && headers.get("allow") !== allow)
    complaints.push("Allow is missing");
  if (method === "OPTIONS" && answer.status === 204) return complaints;
  for (const name of headers.keys())
    if (
      !OF_NOBODY.includes(name) &&
      !OF_BYTES.includes(name) &&
      !name.startsWith("access-control-")
    )
      complaints.push(`${name} is not documented`);
  if (answer.body === null || headers.get("content-type") !== "application/problem+json")
    return [...complaints, "this is no problem document"];
  return [...complaints, ...judgeJson(PROBLEM, answer.body)];
}
