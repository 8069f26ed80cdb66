import { STATUS_CODES } from "node:http";
import type { ValidationIssue } from "../../domain/errors.ts";
import { HTTP_CODES, HTTP_STATUS, type HttpCode, problemBody } from "../pipeline/problems.ts";
import type { RouteSpec } from "../pipeline/route-definition.ts";
import {
  CORS_HEADERS,
  RATE_LIMIT_HEADERS,
  describeHeaders,
  COMMON_HEADERS,
} from "./response-headers.ts";
import { type HeaderName, HEADERS } from "./headers.ts";
import type { JsonObject } from "./json-schema.ts";
import { refTo } from "./references.ts";
import { PROBLEM_DESCRIPTIONS } from "./problem-codes.ts";

const KEY: HttpCode[] = [
  "missing_key",
  "invalid_key",
  "revoked_key",
  "expired_key",
  "insufficient_scope",
  "business_mismatch",
  "address_not_allowed",
  "rate_limited",
];
const BODY: HttpCode[] = [
  "invalid_json",
  "body_too_large",
  "unsupported_media_type",
  "validation_failed",
];

/** The same for every route that can answer them. */
const SHARED_STATUS = [401, 403, 404, 414, 429, 500, 503];
const titleOf = (status: number): string => (STATUS_CODES[status] ?? "").replaceAll(/[^a-z]/gi, "");

/** Every code that a route may answer. */
function codesOf({ method, path, scope, query = {}, body, problems = [] }: RouteSpec): HttpCode[] {
  const isKeyed = scope !== "open" && scope !== "public";
  const explains = "explain" in query;
  return [
    ...(isKeyed || explains ? KEY : []),
    ...(scope === "open"
      ? []
      : (["invalid_parameter", "unknown_parameter", "rate_limited"] as const)),
    ...Object.values(query).flatMap(
      (schema) => (schema.meta()?.["refusedAs"] as HttpCode | undefined) ?? [],
    ),
    ...(path.includes(":id") ? (["resource_not_found"] as const) : []),
    ...(body ? BODY : []),
    ...(method === "GET" ? [] : (["busy", "storage_full", "conflict"] as const)),
    ...problems,
    "uri_too_long",
    "internal",
  ];
}

/** The problems that a route may answer, by status. */
export function describeProblems(route: RouteSpec): JsonObject {
  const byStatus = Map.groupBy(new Set(codesOf(route)), (code) => HTTP_STATUS[code]);
  const isPublic = route.scope === "public";
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      SHARED_STATUS.includes(status) && !isPublic
        ? { $ref: refTo("responses", titleOf(status)) }
        : describeProblem(status, codes, isPublic),
    ]),
  );
}

/** Those that are the same wherever they occur, and those of addresses that are no route's. */
export const describeSharedProblems = (): JsonObject =>
  Object.fromEntries(
    SHARED_STATUS.map((status) => {
      const codes = HTTP_CODES.filter((code) => HTTP_STATUS[code] === status);
      return [titleOf(status), describeProblem(status, codes, false)];
    }),
  );

function describeProblem(
  status: number,
  codes: readonly HttpCode[],
  isPublic: boolean,
): JsonObject {
  const [first] = codes;
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEM_DESCRIPTIONS[code]}`).join("\n\n"),
    headers: describeHeaders(headersOf(status), isPublic ? CORS_HEADERS : [], RATE_LIMIT_HEADERS),
    content: {
      "application/problem+json": {
        schema: {
          allOf: [
            { $ref: refTo("schemas", "Problem") },
            { properties: { status: { const: status }, code: { enum: codes } } },
          ],
        },
        example: first && exampleOf(first),
      },
    },
  };
}

const OF_STATUS: { [status: number]: readonly HeaderName[] } = {
  401: ["WWW-Authenticate"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};
const headersOf = (status: number): readonly HeaderName[] => [
  ...COMMON_HEADERS,
  "Cache-Control",
  ...(OF_STATUS[status] ?? []),
];

/** For those that tell more than a sentence. */
const MISTAKES: { [code in HttpCode]?: ValidationIssue } = {
  invalid_parameter: {
    parameter: "limit",
    code: "invalid_value",
    detail: "'limit' must be a whole number from 1 to 500.",
  },
  validation_failed: {
    pointer: "#/events/0",
    code: "unknown_event",
    detail: "'service.update' is not an event name. Did you mean 'service.updated'?",
  },
};

function exampleOf(code: HttpCode): unknown {
  const mistake = MISTAKES[code];
  const detail = mistake?.detail ?? PROBLEM_DESCRIPTIONS[code];
  const problem = {
    status: HTTP_STATUS[code],
    code,
    detail,
    issues: mistake ? [mistake] : [],
    headers: [],
  };
  const extra = code === "rate_limited" ? { violatedPolicies: ["per-minute"] } : {};
  return JSON.parse(problemBody(problem, HEADERS["Request-Id"].example, extra));
}
