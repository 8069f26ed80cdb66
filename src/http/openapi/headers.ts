type HeaderSpec = {
  description: string;
  schema: object;
  example: string | number;
  required: boolean;
};

const text = { type: "string" };
const seconds = { type: "integer", minimum: 0 };

/** Every response header except Content-Type, Content-Length and Content-Encoding. */
export const HEADERS = {
  "Request-Id": {
    description: "Identifies the request in the server's log",
    schema: text,
    example: "req_06gzfjm44j",
    required: true,
  },
  "API-Version": {
    description: "Version of the API; changes within v1 are additions only",
    schema: text,
    example: "1.0",
    required: true,
  },
  "RateLimit-Policy": {
    description: "Rate limit windows: quota (`q`, requests) and length (`w`, seconds)",
    schema: text,
    example: '"per-minute";q=60;w=60, "per-hour";q=1000;w=3600',
    required: true,
  },
  RateLimit: {
    description:
      "Requests left in each window (`r`), tightest window first, and the seconds until the window resets (`t`)",
    schema: text,
    example: '"per-minute";r=59;t=60, "per-hour";r=999;t=3600',
    required: true,
  },
  "Retry-After": {
    description: "Seconds to wait before the next request",
    schema: seconds,
    example: 23,
    required: true,
  },
  ETag: {
    description:
      "Version of the response; send it in If-None-Match to get a 304 if nothing has changed",
    schema: text,
    example: 'W/"c1842-1-9f86d081884c7d65"',
    required: true,
  },
  "Catalog-Version": {
    description:
      "Version of the catalog; lists with the same version show the same state of the catalog",
    schema: { type: "integer" },
    example: 1842,
    required: true,
  },
  "Cache-Control": {
    description: "Caching rules for the response",
    schema: text,
    example: "private, no-cache",
    required: true,
  },
  Vary: {
    description: "Request headers that affect the response",
    schema: text,
    example: "Accept-Encoding",
    required: true,
  },
  "X-Content-Type-Options": {
    description: "Always `nosniff`: Content-Type is correct",
    schema: text,
    example: "nosniff",
    required: true,
  },
  Link: {
    description:
      'URL of the next page (`rel="next"`); absent on the last page, relative if the server has no public URL',
    schema: text,
    example:
      '<https://api.example.com/v1/businesses/salon-aurora/services?limit=1&cursor=WyJz>; rel="next"',
    required: false,
  },
  Location: {
    description: "URL of the new object; relative if the server has no public URL",
    schema: text,
    example: "https://api.example.com/v1/businesses/salon-aurora/webhooks/whe_06gzfjm44j",
    required: true,
  },
  "WWW-Authenticate": {
    description: "Authentication scheme, and the error if a key was sent",
    schema: text,
    example: 'Bearer realm="deskbell", error="invalid_token"',
    required: true,
  },
  "Access-Control-Allow-Origin": {
    description: "Always `*`: pages of any origin may read the response",
    schema: text,
    example: "*",
    required: true,
  },
  "Access-Control-Expose-Headers": {
    description: "Response headers that pages of other origins may read",
    schema: text,
    example: "ETag, Retry-After, RateLimit, RateLimit-Policy, Request-Id",
    required: true,
  },
} as const satisfies Record<string, HeaderSpec>;

export type HeaderName = keyof typeof HEADERS;
