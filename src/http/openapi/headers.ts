type HeaderSpec = {
  description: string;
  schema: object;
  example: string | number;
  required: boolean;
};

const text = { type: "string" };
const seconds = { type: "integer", minimum: 0 };

/** Every header of an answer, but those that tell of its body's bytes. */
export const HEADERS = {
  "Request-Id": {
    description: "Finds this request in the log",
    schema: text,
    example: "req_06gzfjm44j",
    required: true,
  },
  "API-Version": {
    description: "Within v1 only additions are made",
    schema: text,
    example: "1.0",
    required: true,
  },
  "RateLimit-Policy": {
    description: "The windows that requests are counted in, with their quotas",
    schema: text,
    example: '"per-minute";q=60;w=60, "per-hour";q=1000;w=3600',
    required: true,
  },
  RateLimit: {
    description:
      "What is left in each window, the tightest first, and in how many seconds it is whole again",
    schema: text,
    example: '"per-minute";r=59;t=60, "per-hour";r=999;t=3600',
    required: true,
  },
  "Retry-After": { description: "Seconds to wait", schema: seconds, example: 23, required: true },
  ETag: {
    description:
      "Send it as If-None-Match the next time: what has not changed is answered with 304",
    schema: text,
    example: 'W/"c1842-1-9f86d081884c7d65"',
    required: true,
  },
  "Catalog-Version": {
    description: "Lists of the same version are of one state of the catalog",
    schema: { type: "integer" },
    example: 1842,
    required: true,
  },
  "Cache-Control": {
    description: "Who may keep it",
    schema: text,
    example: "private, no-cache",
    required: true,
  },
  Vary: {
    description: "What else it depends on",
    schema: text,
    example: "Accept-Encoding",
    required: true,
  },
  "X-Content-Type-Options": {
    description: "It is what Content-Type says",
    schema: text,
    example: "nosniff",
    required: true,
  },
  Link: {
    description:
      "The next page, as `page.nextCursor` has it, maybe without scheme and host; absent on the last",
    schema: text,
    example:
      '<https://api.example.com/v1/businesses/salon-aurora/services?limit=1&cursor=WyJz>; rel="next"',
    required: false,
  },
  Location: {
    description: "Where it is, maybe without scheme and host",
    schema: text,
    example: "https://api.example.com/v1/businesses/salon-aurora/webhooks/whe_06gzfjm44j",
    required: true,
  },
  "WWW-Authenticate": {
    description: "How to say who asks",
    schema: text,
    example: 'Bearer realm="deskbell", error="invalid_token"',
    required: true,
  },
  "Access-Control-Allow-Origin": {
    description: "Any page may ask",
    schema: text,
    example: "*",
    required: true,
  },
  "Access-Control-Expose-Headers": {
    description: "What such a page may read",
    schema: text,
    example: "ETag, Retry-After, RateLimit, RateLimit-Policy, Request-Id",
    required: true,
  },
} as const satisfies Record<string, HeaderSpec>;

export type HeaderName = keyof typeof HEADERS;
