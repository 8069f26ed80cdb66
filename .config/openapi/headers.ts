import { HEADERS, type HeaderName, type HeaderSpec } from "../../src/http/openapi/headers.ts";
import { refTo } from "../../src/http/openapi/schemas.ts";
import type { JsonObject } from "./json-schema.ts";

export const describeHeader = ({ description, schema, example }: HeaderSpec): JsonObject => ({
  description,
  schema: schema ?? { type: typeof example === "number" ? "integer" : "string" },
  example,
});

export const CORS_HEADERS: readonly HeaderName[] = [
  "Access-Control-Allow-Origin",
  "Access-Control-Expose-Headers",
];
export const RATE_LIMIT_HEADERS: readonly HeaderName[] = ["RateLimit-Policy", "RateLimit"];
export const COMMON_HEADERS: readonly HeaderName[] = ["Request-Id", "API-Version"];

/**
 * Headers that may be missing: a request can fail before it is counted, and only responses that can
 * be compressed have Vary.
 */
export const OPTIONAL_HEADERS: readonly HeaderName[] = [...RATE_LIMIT_HEADERS, "Vary"];
const OPTIONAL = "-optional";
const NEVER_REQUIRED: readonly HeaderName[] = ["Link", "Idempotency-Replayed", "Content-Language"];

export function describeHeaders(
  always: readonly HeaderName[],
  more: readonly HeaderName[],
  optional: readonly HeaderName[] = [],
): JsonObject {
  const reference = (name: HeaderName, suffix: string) => [
    name,
    { $ref: refTo("headers", `${name}${suffix}`) },
  ];
  return Object.fromEntries([
    ...[...always, ...more].map((name) => reference(name, "")),
    ...optional.map((name) => reference(name, OPTIONAL)),
  ]);
}

export function describeSharedHeaders(): JsonObject {
  const describe = (name: HeaderName, suffix: string, required: boolean) => [
    `${name}${suffix}`,
    { ...describeHeader(HEADERS[name]), required },
  ];
  return Object.fromEntries([
    ...(Object.keys(HEADERS) as HeaderName[]).map((name) =>
      describe(name, "", !NEVER_REQUIRED.includes(name)),
    ),
    ...OPTIONAL_HEADERS.map((name) => describe(name, OPTIONAL, false)),
  ]);
}
