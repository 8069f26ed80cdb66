import { type HeaderName, HEADERS } from "./headers.ts";
import type { JsonObject } from "./json-schema.ts";
import { refTo } from "./references.ts";

export const CORS_HEADERS: readonly HeaderName[] = [
  "Access-Control-Allow-Origin",
  "Access-Control-Expose-Headers",
];
export const RATE_LIMIT_HEADERS: readonly HeaderName[] = ["RateLimit-Policy", "RateLimit"];
export const COMMON_HEADERS: readonly HeaderName[] = ["Request-Id", "API-Version"];

const IF_COUNTED = "-if-counted";

/** @param uncertain those that depend on how far the request came */
export function describeHeaders(
  always: readonly HeaderName[],
  more: readonly HeaderName[],
  uncertain: readonly HeaderName[] = [],
): JsonObject {
  const certain = [...always, ...more].map((name) => [name, { $ref: refTo("headers", name) }]);
  const counted = uncertain.map((name) => [
    name,
    { $ref: refTo("headers", `${name}${IF_COUNTED}`) },
  ]);
  return Object.fromEntries([...certain, ...counted]);
}

/** Every header by its name. What tells of the limits is missing where a request came to no key or address to be counted for. */
export const describeSharedHeaders = (): JsonObject => ({
  ...HEADERS,
  ...Object.fromEntries(
    RATE_LIMIT_HEADERS.map((name) => [
      `${name}${IF_COUNTED}`,
      { ...HEADERS[name], required: false },
    ]),
  ),
});
