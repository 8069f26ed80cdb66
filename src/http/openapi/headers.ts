/** A response header. Its schema defaults to the type of the example, a string or an integer. */
export type HeaderSpec = { description: string; schema?: object; example: string | number };

/** The response headers that the OpenAPI document describes. */
export const HEADERS = {
  "Request-Id": {
    description: "Identifies the request in the server's log",
    example: "req_06gzfjm44j",
  },
  "API-Version": {
    description: "Version of the API; changes within v1 are additions only",
    example: "1.0",
  },
  "RateLimit-Policy": {
    description: "Rate limit windows: quota (`q`, requests) and length (`w`, seconds)",
    example: '"per-minute";q=60;w=60, "per-hour";q=1000;w=3600',
  },
  RateLimit: {
    description:
      "Requests left in each window (`r`), tightest window first, and the seconds until the window resets (`t`)",
    example: '"per-minute";r=59;t=60, "per-hour";r=999;t=3600',
  },
  "Retry-After": {
    description: "Seconds to wait before the next request",
    schema: { type: "integer", minimum: 0 },
    example: 23,
  },
  ETag: {
    description:
      'Version of the response; send it in If-None-Match to get a 304 if nothing has changed. The ETag of a single endpoint is strong (`"3"`): send it in If-Match',
    example: 'W/"c1842-1-9f86d081884c7d65"',
  },
  "Idempotency-Replayed": {
    description:
      "`true` if this is the response to an earlier request with the same Idempotency-Key; otherwise absent",
    example: "true",
  },
  "Catalog-Version": {
    description:
      "Version of the catalog; lists with the same version show the same state of the catalog",
    example: 1842,
  },
  "X-Service-Sequence": {
    description:
      "Sequence number of the last event that the response includes: it reflects every event up to this number, as in `meta.sequences` of `/changes`",
    example: 977,
  },
  "Cache-Control": {
    description: "Caching rules for the response",
    example: "private, no-cache",
  },
  Vary: {
    description: "Request headers that affect the response",
    example: "Accept-Encoding",
  },
  "X-Content-Type-Options": {
    description: "Always `nosniff`: Content-Type is correct",
    example: "nosniff",
  },
  "Content-Language": {
    description: "Language of the texts; absent if the response has several languages",
    example: "en",
  },
  Link: {
    description:
      'URL of the next page (`rel="next"`); absent on the last page, relative if the server has no public URL',
    example:
      '<https://api.example.com/v1/businesses/salon-aurora/services?limit=1&cursor=WyJz>; rel="next"',
  },
  Location: {
    description: "URL of the new object; relative if the server has no public URL",
    example: "https://api.example.com/v1/businesses/salon-aurora/webhooks/whe_06gzfjm44j",
  },
  "WWW-Authenticate": {
    description: "Authentication scheme, and the error if a key was sent",
    example: 'Bearer realm="deskbell", error="invalid_token"',
  },
  "Access-Control-Allow-Origin": {
    description: "Always `*`: pages of any origin may read the response",
    example: "*",
  },
  "Access-Control-Expose-Headers": {
    description: "Response headers that pages of other origins may read",
    example:
      "ETag, Catalog-Version, X-Service-Sequence, Link, Retry-After, RateLimit, RateLimit-Policy, Request-Id",
  },
} as const satisfies Record<string, HeaderSpec>;

export type HeaderName = keyof typeof HEADERS;
