import { STATUS_CODES } from "node:http";
import type { z } from "zod";
import { parseRequest } from "../../src/domain/parse-request.ts";
import { AppError, type ValidationIssue } from "../../src/domain/errors.ts";
import {
  HTTP_CODES,
  type HttpCode,
  meaningOf,
  statusOf,
} from "../../src/http/pipeline/problem-codes.ts";
import { createProblem, problemBody } from "../../src/http/pipeline/problems.ts";
import { allowsCors, changesVersion, type RouteSpec } from "../../src/http/pipeline/route.ts";
import { type HeaderName, HEADERS } from "../../src/http/openapi/headers.ts";
import { COMMON_HEADERS, CORS_HEADERS, describeHeaders, OPTIONAL_HEADERS } from "./headers.ts";
import { refTo } from "../../src/http/openapi/schemas.ts";
import type { JsonObject } from "./json-schema.ts";

const KEY_CODES: HttpCode[] = [
  "missing_key",
  "invalid_key",
  "revoked_key",
  "expired_key",
  "insufficient_scope",
  "business_mismatch",
  "address_not_allowed",
  "rate_limited",
];
const BODY_CODES: HttpCode[] = [
  "invalid_json",
  "body_too_large",
  "unsupported_media_type",
  "validation_failed",
];

/**
 * Codes that few routes return. They are described at those routes, not in the responses that all
 * routes share.
 */
const RARE: HttpCode[] = [
  "too_many_holds",
  "too_many_bookings",
  "too_many_redeliveries",
  "rotation_not_allowed",
];
const SHARED_STATUS = [401, 403, 404, 414, 429, 500, 503];
const responseName = (status: number): string =>
  (STATUS_CODES[status] ?? "").replaceAll(/[^a-z]/gi, "");

function codesOf({
  method,
  path,
  scope,
  query,
  body,
  problems = [],
  needsIdempotencyKey,
}: RouteSpec): HttpCode[] {
  const parameters = query?.() ?? {};
  const isKeyed = scope !== "open" && scope !== "public";
  return [
    ...(isKeyed || "explain" in parameters ? KEY_CODES : []),
    ...(scope === "open" ? [] : (["invalid_parameter", "unknown_parameter"] as const)),
    "rate_limited" as const,
    ...Object.values(parameters).flatMap(
      (schema) => (schema.meta()?.["problemCode"] as HttpCode | undefined) ?? [],
    ),
    ...(path.includes(":id") ? (["resource_not_found"] as const) : []),
    ...(body ? BODY_CODES : []),
    ...(method === "GET" ? [] : (["busy", "shutting_down", "storage_full", "conflict"] as const)),
    ...(needsIdempotencyKey ? (["missing_idempotency_key"] as const) : []),
    ...(method === "POST" ? (["idempotency_key_reused", "signing_unavailable"] as const) : []),
    ...(changesVersion({ method, path }) ? (["version_mismatch"] as const) : []),
    ...problems,
    "uri_too_long",
    "storage_failed",
    "internal",
  ];
}

export function describeProblems(route: RouteSpec): JsonObject {
  const byStatus = Map.groupBy(new Set(codesOf(route)), statusOf);
  const withCors = allowsCors(route);
  const bodyIssue = route.body && bodyIssueOf(route.body.schema());
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      SHARED_STATUS.includes(status) && !withCors && !codes.some((code) => RARE.includes(code))
        ? { $ref: refTo("responses", responseName(status)) }
        : describeProblem(status, codes, withCors, bodyIssue),
    ]),
  );
}

/**
 * Returns the responses that `describeProblems` refers to, and those of paths that match no route.
 */
export const describeSharedProblems = (): JsonObject =>
  Object.fromEntries(
    SHARED_STATUS.map((status) => {
      const codes = HTTP_CODES.filter((code) => statusOf(code) === status && !RARE.includes(code));
      return [responseName(status), describeProblem(status, codes, false)];
    }),
  );

function describeProblem(
  status: number,
  codes: readonly HttpCode[],
  withCors: boolean,
  bodyIssue?: ValidationIssue,
): JsonObject {
  const [first] = codes;
  return {
    description: codes.map((code) => `\`${code}\`: ${meaningOf(code)}`).join("\n\n"),
    headers: describeHeaders(headersOf(status), withCors ? CORS_HEADERS : [], OPTIONAL_HEADERS),
    content: {
      "application/problem+json": {
        schema: {
          allOf: [
            { $ref: refTo("schemas", "Problem") },
            { properties: { status: { const: status }, code: { enum: codes } } },
          ],
        },
        example: first && exampleOf(first, bodyIssue),
      },
    },
  };
}

const STATUS_HEADERS: { [status: number]: readonly HeaderName[] } = {
  401: ["WWW-Authenticate"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};
const headersOf = (status: number): readonly HeaderName[] => [
  ...COMMON_HEADERS,
  "Cache-Control",
  "Content-Language",
  ...(STATUS_HEADERS[status] ?? []),
];

const ISSUES: { [code in HttpCode]?: ValidationIssue } = {
  invalid_parameter: {
    parameter: "limit",
    code: "invalid_value",
    detail: "'limit' must be a whole number from 1 to 500.",
  },
};

const EVENT_ISSUE: ValidationIssue = {
  pointer: "#/events/0",
  code: "unknown_event",
  detail: "'service.update' is not an event type. Did you mean 'service.updated'?",
};

/**
 * Returns an example of an issue in a request body of this schema: an unknown event type if the
 * body lists events, or else an unknown field.
 */
function bodyIssueOf(schema: z.ZodObject): ValidationIssue | undefined {
  if ("events" in schema.shape) return EVENT_ISSUE;
  const field = "startsAt" in schema.shape ? "startAt" : "comment";
  try {
    parseRequest(schema, { [field]: "" });
  } catch (error) {
    if (error instanceof AppError) return error.issues.find(({ code }) => code === "unknown_field");
    throw error;
  }
  return undefined;
}

function exampleOf(code: HttpCode, bodyIssue?: ValidationIssue): unknown {
  const issue = code === "validation_failed" ? bodyIssue : ISSUES[code];
  const problem = createProblem(code, issue?.detail ?? meaningOf(code), issue && [issue]);
  const extra = code === "rate_limited" ? { violatedPolicies: ["per-minute"] } : {};
  return JSON.parse(problemBody(problem, HEADERS["Request-Id"].example, "", extra));
}
