import type { z } from "zod";
import type { ResponseSpec, RouteSpec } from "../pipeline/route-definition.ts";
import { IDEMPOTENCY_KEY } from "../handlers/webhooks/endpoints.ts";
import {
  CORS_HEADERS,
  RATE_LIMIT_HEADERS,
  describeHeaders,
  COMMON_HEADERS,
} from "./response-headers.ts";
import { exampleOf } from "./examples.ts";
import type { HeaderName } from "./headers.ts";
import { describeInput, type JsonObject } from "./json-schema.ts";
import { refTo } from "./references.ts";
import { describeProblems } from "./problem-responses.ts";

/** h3's `:slug` -> the spec's `{businessSlug}`. */
export const templatePathOf = ({ path }: Pick<RouteSpec, "path">): string =>
  path.replace(":slug", "{businessSlug}").replace(":id", "{id}");

export function describeOperation(route: RouteSpec): JsonObject {
  const { operationId: id, group, summary, description, scope, body } = route;
  return {
    operationId: id,
    tags: [group],
    summary,
    ...(description !== undefined && { description }),
    security: securityOf(route),
    parameters: describeParameters(route),
    ...(body && {
      requestBody: {
        required: body.isOptional !== true,
        content: {
          "application/json": { schema: describeInput(body.schema), example: exampleOf(id) },
        },
      },
    }),
    responses: { ...describeAnswers(route, headersFor(scope)), ...describeProblems(route) },
  };
}

function securityOf({ operationId: id, scope }: RouteSpec): JsonObject[] {
  if (id === "getMetrics") return [{}, { MetricsToken: [] }];
  if (scope === "open") return [];
  return scope === "public" ? [{}, { ApiKey: ["services.read"] }] : [{ ApiKey: [scope] }];
}

const headersFor = (scope: RouteSpec["scope"]): readonly HeaderName[] => [
  ...COMMON_HEADERS,
  ...(scope === "open" ? [] : RATE_LIMIT_HEADERS),
  ...(scope === "public" ? CORS_HEADERS : []),
];

const describeAnswers = (
  { responses: answers }: RouteSpec,
  always: readonly HeaderName[],
): JsonObject =>
  Object.fromEntries(
    Object.entries(answers).map(([status, { description: about, body, headers = [] }]) => [
      status,
      {
        description: about,
        headers: describeHeaders(always, headers),
        ...(body !== undefined && { content: describeContent(body) }),
      },
    ]),
  );

function describeContent(body: NonNullable<ResponseSpec["body"]>): JsonObject {
  if (body.startsWith("text/")) return { [body]: { schema: { type: "string" } } };
  const example = exampleOf(body);
  return {
    "application/json": {
      schema: { $ref: refTo("schemas", body) },
      ...(example !== undefined && { example }),
    },
  };
}

/** What stands in a path, by what it stands after. */
const PATH_PARAMETERS = {
  "businesses/:slug": {
    name: "businessSlug",
    description: "The business, which is the key's",
    example: "salon-aurora",
  },
  "webhooks/:id": {
    name: "id",
    description: "The endpoint's id",
    example: "whe_06gzfjm44t8c9kf1ccbxp7rfb",
  },
  "deliveries/:id": {
    name: "id",
    description: "The delivery's id",
    example: "dlv_06gzfjm44t8c9kf1ccbxp7rfc",
  },
};

export const REQUEST_HEADERS = {
  "If-None-Match": {
    description: "An ETag of an earlier answer: 304 while it is still so",
    schema: { type: "string" },
  },
  "Idempotency-Key": {
    description: "The same key and body within 24 hours give the same endpoint",
    schema: { type: "string", pattern: IDEMPOTENCY_KEY.source },
  },
};

function describeParameters({
  path,
  query = {},
  requestHeaders = [],
  responses: answers,
}: RouteSpec): JsonObject[] {
  const inPath = Object.entries(PATH_PARAMETERS)
    .filter(([place]) => path.includes(place))
    .map(([, parameter]) => ({
      in: "path",
      required: true,
      schema: { type: "string" },
      ...parameter,
    }));
  const sent = [...requestHeaders, ...(304 in answers ? (["If-None-Match"] as const) : [])];
  return [
    ...inPath,
    ...Object.entries(query).map(([name, schema]) => describeQuery(name, schema)),
    ...sent.map((name) => ({ $ref: refTo("parameters", name) })),
  ];
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
