import type { z } from "zod";
import {
  allowsCors,
  changesVersion,
  type ResponseSpec,
  type RouteSpec,
} from "../../src/http/pipeline/route.ts";
import { IDEMPOTENCY_KEY } from "../../src/http/pipeline/idempotency.ts";
import { VISITOR_ID } from "../../src/http/handlers/bookings/writes.ts";
import { exampleOf } from "./examples.ts";
import { COMMON_HEADERS, CORS_HEADERS, describeHeaders, RATE_LIMIT_HEADERS } from "./headers.ts";
import type { HeaderName } from "../../src/http/openapi/headers.ts";
import { refTo } from "../../src/http/openapi/schemas.ts";
import { describeInput, type JsonObject } from "./json-schema.ts";
import { objectParametersOf } from "./path-objects.ts";
import { describeProblems } from "./problem-responses.ts";

export const templatePathOf = ({ path }: Pick<RouteSpec, "path">): string =>
  path.replace(":slug", "{businessSlug}").replace(":id", "{id}").replace(":file", "{file}");

export function describeOperation(route: RouteSpec): JsonObject {
  const { operationId, group, summary, description, body } = route;
  return {
    operationId,
    tags: [group],
    summary,
    description,
    security: securityOf(route),
    parameters: describeParameters(route),
    ...(body && {
      requestBody: {
        required: body.isOptional !== true,
        content: {
          "application/json": {
            schema: describeInput(body.schema()),
            example: exampleOf(operationId),
          },
        },
      },
    }),
    responses: { ...describeResponses(route, headersFor(route)), ...describeProblems(route) },
  };
}

function securityOf({ operationId, scope }: RouteSpec): JsonObject[] {
  if (["getMetrics", "getServerStatus"].includes(operationId)) return [{}, { MetricsToken: [] }];
  if (scope === "open") return [];
  if (scope === "public") return [{}, { ApiKey: ["services.read"] }];
  if (scope === "anyKey") return [{ ApiKey: [] }];
  return [scope].flat().map((one) => ({ ApiKey: [one] }));
}

const headersFor = (route: RouteSpec): readonly HeaderName[] => [
  ...COMMON_HEADERS,
  ...RATE_LIMIT_HEADERS,
  ...(allowsCors(route) ? CORS_HEADERS : []),
  ...(route.method === "POST" ? (["Idempotency-Replayed"] as const) : []),
];

const describeResponses = (
  { operationId, responses }: RouteSpec,
  always: readonly HeaderName[],
): JsonObject =>
  Object.fromEntries(
    Object.entries(responses).map(([status, { description, body, headers = [] }]) => [
      status,
      {
        description,
        headers: describeHeaders(always, headers, isCompressible(body, headers) ? ["Vary"] : []),
        ...(body !== undefined && { content: describeContent(operationId, body) }),
      },
    ]),
  );

/** Returns whether a response is compressed if it is large: JSON without an ETag. */
const isCompressible = (body: ResponseSpec["body"], headers: readonly HeaderName[]): boolean =>
  body !== undefined && !body.startsWith("text/") && !headers.includes("ETag");

function describeContent(operationId: string, body: NonNullable<ResponseSpec["body"]>): JsonObject {
  if (body.startsWith("text/")) return { [body]: { schema: { type: "string" } } };
  const example = exampleOf(`${operationId} ${body}`) ?? exampleOf(body);
  return {
    "application/json": {
      schema: { $ref: refTo("schemas", body) },
      ...(example !== undefined && { example }),
    },
  };
}

const SLUG = {
  name: "businessSlug",
  description: "Slug of the business; an API key is valid for one business only",
  example: "salon-aurora",
};

export const REQUEST_HEADERS = {
  "If-None-Match": {
    description: "ETag of an earlier response; returns 304 if nothing has changed",
    schema: { type: "string" },
  },
  "Idempotency-Key": {
    description:
      "Unique key of 1 to 255 ASCII characters without spaces. If the response is lost, send the same request with the same key again within 24 hours: it takes effect once, and the first response is returned",
    schema: { type: "string", pattern: IDEMPOTENCY_KEY.source },
  },
  "Idempotency-Key-required": {
    name: "Idempotency-Key",
    required: true,
    description:
      "Unique key of 1 to 255 ASCII characters without spaces, for example a UUID. If the response is lost, send the same request with the same key again within 24 hours: it takes effect once, and the first response is returned. Not needed with `dryRun=true`",
    schema: { type: "string", pattern: IDEMPOTENCY_KEY.source },
  },
  "Idempotency-Key-of-rotation": {
    name: "Idempotency-Key",
    required: true,
    description:
      "Unique key of 1 to 255 ASCII characters without spaces, for example a UUID. If the response is lost, send the same request with the same key again within 10 minutes: it takes effect once, and the first response is returned",
    schema: { type: "string", pattern: IDEMPOTENCY_KEY.source },
  },
  "Visitor-Id": {
    description:
      "The visitor of your website for whom you send the request: an opaque text of 1 to 64 ASCII characters without spaces, the same for each request of the visitor, for example an HMAC of their address. Only its hash is stored, for 24 hours. With it, the limits of holds apply to each visitor instead of to your key",
    schema: { type: "string", pattern: VISITOR_ID.source },
  },
  "If-Match": {
    description:
      "ETag of the object, several separated by commas, or `*`; returns 412 if the object has another version by now. Weak ETags never match",
    schema: { type: "string" },
  },
};

function describeParameters(route: RouteSpec): JsonObject[] {
  const { path, query } = route;
  const pathParameters = [
    ...(path.includes("/businesses/:slug") ? [SLUG] : []),
    ...objectParametersOf(route),
  ].map((parameter) => ({ in: "path", required: true, schema: { type: "string" }, ...parameter }));
  return [
    ...pathParameters,
    ...Object.entries(query?.() ?? {}).map(([name, schema]) => describeQuery(name, schema)),
    ...requestHeadersOf(route).map((name) => ({ $ref: refTo("parameters", name) })),
  ];
}

const requestHeadersOf = (route: Omit<RouteSpec, "query">): (keyof typeof REQUEST_HEADERS)[] => [
  ...(route.method === "POST" ? [idempotencyKeyOf(route)] : []),
  ...(route.takesVisitor ? (["Visitor-Id"] as const) : []),
  ...(changesVersion(route) ? (["If-Match"] as const) : []),
  ...(304 in route.responses ? (["If-None-Match"] as const) : []),
];

function idempotencyKeyOf(route: Omit<RouteSpec, "query">): keyof typeof REQUEST_HEADERS {
  if (route.rotatesKey) return "Idempotency-Key-of-rotation";
  return route.needsIdempotencyKey ? "Idempotency-Key-required" : "Idempotency-Key";
}

function describeQuery(name: string, zodSchema: z.ZodType): JsonObject {
  const { description, ...schema } = describeInput(zodSchema);
  const example = zodSchema.meta()?.["example"];
  return {
    name,
    in: "query",
    ...(description !== undefined && { description }),
    ...(example !== undefined && { example }),
    schema,
    ...(schema["type"] === "array" && { style: "form", explode: false }),
  };
}
