import { gunzipSync } from "node:zlib";
import { fc, unicodeText } from "../support/property.ts";
import { expect, test } from "vitest";
import { encodeForUrl, HOSTILE_TEXTS, hostileText } from "../support/hostile/texts.ts";
import { createTestApi, SALON } from "./support/api.ts";

// Sends random requests: each gets a documented response, never a 5xx. HOSTILE_REQUESTS sets their
// number.

const RUNS = Number(process.env["HOSTILE_REQUESTS"] ?? 1000);
const PATHS = [
  "menu",
  "services",
  "service-categories",
  "staff",
  "promotions",
  "events/catalog",
  "availability",
  "changes",
  "webhooks",
];
const NAMES = [
  "limit",
  "cursor",
  "locale",
  "includeTranslations",
  "includeVariants",
  "ids",
  "categoryId",
  "staffId",
  "bookable",
  "at",
  "includeUpcoming",
  "from",
  "to",
  "includeCancelled",
  "includePast",
  "after",
  "types",
  "wait",
  "date",
  "serviceIds",
  "services",
  "partySize",
  "timezone",
  "granularity",
  "variantId",
  "addons",
  "__proto__",
  "constructor",
  "toString",
];
const value = fc.oneof(hostileText, fc.webQueryParameters());
const query = fc
  .array(fc.tuple(fc.oneof(fc.constantFrom(...NAMES), fc.string({ maxLength: 20 })), value), {
    maxLength: 6,
  })
  // Long polls would slow the test down.
  .map((pairs) =>
    pairs
      .filter(([name]) => name !== "wait")
      .map(([name, text]) => `${encodeForUrl(name)}=${encodeForUrl(text)}`)
      .join("&"),
  );
const path = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(...PATHS).map((place) => `/v1/businesses/${SALON}/${place}`),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(value, fc.constantFrom(...PATHS))
      .map(([slug, place]) => `/v1/businesses/${encodeForUrl(slug)}/${place}`),
  },
  { weight: 1, arbitrary: fc.webPath().map((text) => `/${text.replace(/^\/+/, "")}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "/healthz",
      "/readyz",
      "/metrics",
      "/",
      "//",
      "/v1",
      "/v1/businesses/..%2f/menu",
    ),
  },
);
const body = fc.oneof(
  fc.json(),
  fc.jsonValue({ maxDepth: 6 }).map((json) => JSON.stringify(json)),
  fc
    .record(
      {
        name: fc.oneof(fc.jsonValue(), value),
        url: fc.oneof(
          fc.jsonValue(),
          fc.constantFrom(
            ...HOSTILE_TEXTS,
            "https://8.8.8.8/",
            "https://127.0.0.1",
            "https://[::1]/",
            "http://8.8.8.8",
            "file:///etc/passwd",
          ),
        ),
        events: fc.oneof(
          fc.jsonValue(),
          fc.array(fc.oneof(fc.constant("service.updated"), fc.jsonValue())),
        ),
        __proto__: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    .map((json) => JSON.stringify(json)),
  unicodeText(200),
  fc.constantFrom(
    "[".repeat(30_000),
    `{"a":${'{"a":'.repeat(5000)}1${"}".repeat(5001)}`,
    '{"name":"a","name":"b"}',
    "\ufeff{}",
  ),
);
const HEADERS = [
  "if-none-match",
  "accept-encoding",
  "accept",
  "range",
  "idempotency-key",
  "origin",
  "x-forwarded-for",
  "forwarded",
  "cookie",
  "prefer",
];
const headerText = fc.oneof(
  fc.constantFrom(
    "*",
    'W/"',
    '"',
    "gzip;q=0, *",
    "bytes=0-1",
    "null",
    "a".repeat(3000),
    ",,,,",
    "1.1.1.1, unknown",
  ),
  fc.string({ maxLength: 40 }).map((text) => text.replace(/[^\x20-\x7e]/g, "?").trim()),
);
const anything = fc.record({
  method: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom("GET", "POST") },
    { weight: 1, arbitrary: fc.constantFrom("HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY") },
  ),
  path,
  query,
  body,
  type: fc.constantFrom(
    "application/json",
    "application/json",
    "application/json; charset=utf-8",
    "text/plain",
    "",
  ),
  headers: fc.dictionary(fc.constantFrom(...HEADERS), headerText),
  key: fc.constantFrom("good", "good", "good", "restricted", "none", "wrong"),
});

/**
 * The body is the only part of these requests that may be invalid. Most other random requests are
 * rejected before their body is read.
 */
const subscription = anything.map((generated) => ({
  ...generated,
  method: "POST",
  path: `/v1/businesses/${SALON}/webhooks`,
  query: "",
  type: "application/json",
  key: "good",
}));
const request = fc.oneof(
  { weight: 3, arbitrary: anything },
  { weight: 1, arbitrary: subscription },
);

const DOCUMENTED: Record<number, string[]> = {
  400: [
    "invalid_parameter",
    "unknown_parameter",
    "missing_parameter",
    "invalid_cursor",
    "invalid_date",
    "range_too_large",
    "invalid_json",
  ],
  401: ["missing_key", "invalid_key", "revoked_key", "expired_key"],
  403: ["insufficient_scope", "business_mismatch", "address_not_allowed"],
  404: ["route_not_found", "business_not_found", "resource_not_found"],
  405: ["method_not_allowed"],
  409: ["conflict"],
  410: ["cursor_expired"],
  413: ["body_too_large"],
  414: ["uri_too_long"],
  415: ["unsupported_media_type"],
  422: [
    "validation_failed",
    "service_not_bookable",
    "variant_service_mismatch",
    "addon_not_linked",
    "staff_cannot_perform",
    "party_too_large",
    "idempotency_key_reused",
    "unsafe_url",
  ],
  429: ["rate_limited"],
};

test("any request gets a documented response", { timeout: 60_000 + RUNS * 20 }, async () => {
  const api = createTestApi();
  const limits = { limitMinute: 1_000_000_000, limitHour: 1_000_000_000 };
  const keys: Record<string, string | null> = {
    good: api.createKey(limits).secret,
    restricted: api.createKey({ ...limits, kind: "RESTRICTED", scopes: ["services.read"] }).secret,
    none: null,
    wrong: "deskbell_sk_wrong",
  };
  const seen = new Set<number>();
  await fc.assert(
    fc.asyncProperty(
      request,
      async ({ method, path: requestPath, query: search, body: text, type, headers, key }) => {
        // The clock advances, so that the rate limit of the address is never reached.
        api.advance(2000);
        const hasBody = !["GET", "HEAD"].includes(method);
        const response = await api.request(requestPath + (search && `?${search}`), {
          method,
          key: keys[key] ?? null,
          headers: { ...headers, ...(type && { "content-type": type }) },
          ...(hasBody && { body: text }),
        });
        const { status } = response;
        seen.add(status);
        expect(status).toBeLessThan(500);
        expect(response.headers.get("request-id")).toMatch(/^req_/);
        expect(response.headers.get("api-version")).toBe("1.0");
        const bytes = Buffer.from(await response.arrayBuffer());
        const isCompressed = bytes.length > 0 && response.headers.has("content-encoding");
        const responseText = (isCompressed ? gunzipSync(bytes) : bytes).toString();
        if (method === "HEAD") expect(responseText).toBe("");
        if (status < 400 || method === "HEAD") return;
        expect(response.headers.get("content-type")).toBe("application/problem+json");
        const problem = JSON.parse(responseText) as {
          status: number;
          code: string;
          type: string;
          detail: string;
        };
        expect(DOCUMENTED[status]).toContain(problem.code);
        expect(problem).toMatchObject({
          status,
          type: `/docs#problem-${problem.code}`,
        });
        expect(problem.detail).not.toBe("");
      },
    ),
    { numRuns: RUNS },
  );
  expect(api.logged.filter(({ level }) => level === "error")).toEqual([]);
  for (const status of [200, 400, 401, 403, 404, 405, 422]) expect([...seen]).toContain(status);
});
