import { type HeaderName, HEADERS } from "./headers.ts";
import type { JsonObject } from "./json-schema.ts";
import { refTo } from "./references.ts";

export const CORS_HEADERS: readonly HeaderName[] = [
  "Access-Control-Allow-Origin",
  "Access-Control-Expose-Headers",
];
export const RATE_LIMIT_HEADERS: readonly HeaderName[] = ["RateLimit-Policy", "RateLimit"];
export const COMMON_HEADERS: readonly HeaderName[] = ["Request-Id", "API-Version"];

/** Suffix of headers that are missing if the request fails before it is counted. */
const OPTIONAL = "-optional";

/** References to headers; those in `optional` may be missing. */
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

/** The components that describeHeaders refers to. */
export const describeSharedHeaders = (): JsonObject => ({
  ...HEADERS,
  ...Object.fromEntries(
    RATE_LIMIT_HEADERS.map((name) => [`${name}${OPTIONAL}`, { ...HEADERS[name], required: false }]),
  ),
});
