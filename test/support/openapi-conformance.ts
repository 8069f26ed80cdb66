import { gunzipSync } from "node:zlib";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { RoutePath } from "../../src/http/pipeline/route.ts";
import type { HttpResponse, HttpRequest } from "../../src/http/pipeline/request-context.ts";
import { describeApi } from "../../.config/openapi/document.ts";
import { templatePathOf } from "../../.config/openapi/operation.ts";
import { ROUTES } from "./routes.ts";

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
  version: "0",
  isClosed: true,
}) as unknown as Document;
const ID = "openapi.json";
const ajv = new Ajv2020({ strict: false, validateSchema: false, discriminator: true });
addFormats.default(ajv);
// The mapping is removed, so that ajv validates an event only against the schema of its type.
ajv.addSchema(
  JSON.parse(
    JSON.stringify(document, (name, value) => (name === "mapping" ? undefined : value)),
  ) as object,
  ID,
);

/** Builds a reference to a part of the document as a JSON Pointer. */
const pointer = (...parts: (string | number)[]): string =>
  `${ID}#${parts.map((part) => `/${encodeURIComponent(String(part).replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("")}`;

const compiled = new Map<string, ValidateFunction>();
function validatorAt(place: string): ValidateFunction {
  const known = compiled.get(place) ?? ajv.compile({ $ref: place });
  compiled.set(place, known);
  return known;
}

/** Headers about the bytes of the body, which OpenAPI documents do not list. */
const BODY_HEADERS = [
  "content-type",
  "content-length",
  "content-encoding",
  "x-content-type-options",
];
const PAGES = new Set([
  "/",
  "/llms.txt",
  "/embed.js",
  "/robots.txt",
  "/sitemap.xml",
  "/.well-known/security.txt",
]);
/** Headers of responses to unknown paths and methods, which belong to no operation. */
const UNROUTED_HEADERS = [
  "request-id",
  "api-version",
  "cache-control",
  "content-language",
  "allow",
];
const PROBLEM = pointer("components", "schemas", "Problem");

/** The number of responses checked so far in this test file. */
export const checkedResponses = { count: 0 };

/** Returns the ways in which a response differs from the OpenAPI document. */
export function findUndocumented(
  routePath: RoutePath,
  request: HttpRequest,
  response: HttpResponse,
): string[] {
  checkedResponses.count += 1;
  const { status } = response;
  const headers = headersOf(response);
  const withRequest = (problems: string[]): string[] =>
    problems.map(
      (problem) => `${request.method} ${request.path}${request.search} ${status}: ${problem}`,
    );

  const path = templatePathOf(routePath);
  // Pages for people and messages of agents are not part of the API.
  if (/^\/(?:docs|b\/|mcp|\.well-known\/)/.test(path) || PAGES.has(path)) return [];
  const route = routePath.byMethod.get(request.method);
  if (route === undefined) return withRequest(checkUnrouted(routePath, request, response, headers));
  const method = route.method.toLowerCase();
  const operation = document.paths[path]?.[method];
  if (operation === undefined) return withRequest(["this route is not documented"]);
  const spec = operation.responses[status];
  if (spec === undefined) return withRequest(["this status is not documented"]);
  const at = spec.$ref?.slice(1).split("/").slice(1) ?? [
    "paths",
    path,
    method,
    "responses",
    status,
  ];
  const documented = resolve(spec, document.components.responses);
  return withRequest([
    ...checkHeaders(documented.headers ?? {}, headers),
    ...checkBody(documented, at, response, headers),
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

function checkHeaders(
  documented: Record<string, Header>,
  headers: ReadonlyMap<string, string>,
): string[] {
  const known = new Map(
    Object.entries(documented).map(([name, header]) => [name.toLowerCase(), header]),
  );
  const problems: string[] = [];
  for (const [name, header] of known) {
    const { required, schema } = resolve(header, document.components.headers);
    const sent = headers.get(name);
    if (sent === undefined) {
      if (required === true) problems.push(`${name} is missing`);
      continue;
    }
    const value = (schema as { type?: string }).type === "integer" ? Number(sent) : sent;
    if (!ajv.validate(schema, value)) problems.push(`${name}: ${sent} does not match its schema`);
  }
  for (const name of headers.keys())
    if (!known.has(name) && !BODY_HEADERS.includes(name))
      problems.push(`${name} is not documented`);
  return problems;
}

function checkBody(
  { content }: Response,
  at: readonly (string | number)[],
  response: HttpResponse,
  headers: ReadonlyMap<string, string>,
): string[] {
  if (content === undefined) return response.body === null ? [] : ["a body is not documented"];
  if (response.body === null) return ["the documented body is missing"];
  const [type = ""] = (headers.get("content-type") ?? "").split(";");
  if (!(type in content)) return [`a body of ${type} is not documented`];
  if (!type.endsWith("json")) return [];
  return checkJson(
    pointer(...at, "content", type, "schema"),
    response.body,
    headers.get("content-encoding"),
  );
}

/** Cached responses reuse the same buffer, which has to be checked only once. */
const checked = new WeakMap<Buffer, string>();

function checkJson(place: string, body: Buffer, encoding?: string): string[] {
  if (checked.get(body) === place) return [];
  checked.set(body, place);
  return validateValue(
    validatorAt(place),
    JSON.parse((encoding === "gzip" ? gunzipSync(body) : body).toString()),
  );
}

function validateValue(validate: ValidateFunction, value: unknown): string[] {
  if (validate(value)) return [];
  const problems = (validate.errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath, message, JSON.stringify(params)].join(" "),
  );
  return problems.slice(0, 5);
}

/** Returns the ways in which a value violates a schema of the OpenAPI document. */
export function findUndocumentedInJson(schema: object, value: unknown): string[] {
  const anchored = JSON.stringify(schema).replaceAll('"#/', `"${ID}#/`);
  const validate = compiled.get(anchored) ?? ajv.compile(JSON.parse(anchored) as object);
  compiled.set(anchored, validate);
  return validateValue(validate, value);
}

/** Checks responses to OPTIONS, unsupported methods and unknown paths. */
function checkUnrouted(
  { allow }: RoutePath,
  { method }: HttpRequest,
  response: HttpResponse,
  headers: ReadonlyMap<string, string>,
): string[] {
  const problems = ["request-id", "api-version"]
    .filter((name) => !headers.has(name))
    .map((name) => `no ${name}`);
  if (allow !== "" && response.status !== 414 && headers.get("allow") !== allow)
    problems.push("Allow is missing");
  if (method === "OPTIONS" && response.status === 204) return problems;
  for (const name of headers.keys())
    if (
      !UNROUTED_HEADERS.includes(name) &&
      !BODY_HEADERS.includes(name) &&
      !name.startsWith("access-control-")
    )
      problems.push(`${name} is not documented`);
  if (response.body === null || headers.get("content-type") !== "application/problem+json")
    return [...problems, "not a problem document"];
  return [...problems, ...checkJson(PROBLEM, response.body)];
}
