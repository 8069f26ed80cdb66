import { describe, expect, test } from "vitest";
import { revokeKey } from "../../../src/app/key-end.ts";
import { rotateKey } from "../../../src/app/keys.ts";
import { openDatabase } from "../../../src/store/database/database.ts";
import { createTestApi, SALON, applyPreset } from "../support/api.ts";

const SERVICES = `/v1/businesses/${SALON}/services`;

describe("API keys", () => {
  const restricted = { kind: "RESTRICTED", scopes: ["webhooks.write"] } as const;

  test.each([
    {
      what: "no key",
      key: null,
      status: 401,
      code: "missing_key",
      challenge: 'Bearer realm="deskbell"',
    },
    {
      what: "a mistyped key",
      key: `deskbell_sk_${"a".repeat(38)}`,
      status: 401,
      code: "invalid_key",
    },
    { what: "a key of another service", key: "sk_live_1", status: 401, code: "invalid_key" },
  ])("a request with $what gets $status $code", async ({ key, status, code, challenge }) => {
    const response = await createTestApi().request(SERVICES, { key });
    expect(response.status).toBe(status);
    expect(response.headers.get("www-authenticate")).toBe(
      challenge ?? 'Bearer realm="deskbell", error="invalid_token"',
    );
    expect(response.headers.get("ratelimit")).toBeNull();
    expect(await response.json()).toMatchObject({ code, status });
  });

  test("an unknown API key and a mistyped one get different messages", async () => {
    const api = createTestApi();
    const foreign = createTestApi().key;
    expect((await api.requestProblem(SERVICES, { key: foreign })).detail).toBe("Unknown API key.");
    expect(
      (await api.requestProblem(SERVICES, { key: `${api.key.slice(0, -1)}!` })).detail,
    ).toContain("checksum");
  });

  test.each(["Bearer", "Basic dXNlcjpwYXNz", "Bearer a b", "Token x"])(
    "the Authorization header '%s' is rejected",
    async (header) => {
      expect(
        await createTestApi().requestProblem(SERVICES, { headers: { authorization: header } }),
      ).toMatchObject({
        code: "invalid_key",
      });
    },
  );

  test("a request with a key that lacks the scope gets 403 with rate-limit headers, and is not counted", async () => {
    const api = createTestApi();
    const { secret } = api.createKey({ ...restricted, scopes: ["webhooks.read"] });
    for (let i = 0; i < 70; i++) {
      const response = await api.request(SERVICES, { key: secret });
      expect(response.status).toBe(403);
      expect(response.headers.get("ratelimit")).toBe(
        '"per-minute";r=60;t=0, "per-hour";r=1000;t=0',
      );
      expect(await response.json()).toMatchObject({ code: "insufficient_scope" });
    }
  });

  test("an expired API key and a revoked one get different errors", async () => {
    const api = createTestApi();
    const expiring = api.createKey({ expiresAt: api.now() + 60_000 });
    const revoked = api.createKey();
    expect((await api.request(SERVICES, { key: expiring.secret })).status).toBe(200);
    api.advance(60_000);
    expect(await api.requestProblem(SERVICES, { key: expiring.secret })).toMatchObject({
      status: 401,
      code: "expired_key",
    });
    expect((await api.request(SERVICES, { key: revoked.secret })).status).toBe(200);
    revokeKey(api, revoked.id);
    expect(await api.requestProblem(SERVICES, { key: revoked.secret })).toMatchObject({
      status: 401,
      code: "revoked_key",
    });
  });

  test("a change of an API key by another process applies to the next request", async () => {
    const api = createTestApi();
    const { id, secret } = api.createKey();
    expect((await api.request(SERVICES, { key: secret })).status).toBe(200);
    const other = openDatabase(api.config.databasePath, 1000, null);
    other.db.prepare("UPDATE api_key SET revoked_at = 1 WHERE id = ?").run(id);
    other.close();
    expect((await api.request(SERVICES, { key: secret })).status).toBe(401);
  });

  test("a key that is restricted to some addresses is refused from others", async () => {
    const api = createTestApi();
    const elsewhere = api.createKey({ cidrs: ["203.0.113.0/24"] });
    const here = api.createKey({ cidrs: ["203.0.113.0/24", "127.0.0.0/8"] });
    expect(await api.requestProblem(SERVICES, { key: elsewhere.secret })).toMatchObject({
      status: 403,
      code: "address_not_allowed",
      // The message names the address, because clients behind a NAT do not know it.
      detail: "This key may not be used from 127.0.0.1.",
    });
    expect((await api.request(SERVICES, { key: here.secret })).status).toBe(200);
  });

  test("both secrets of a rotated key work until the overlap ends, and share one rate limit", async () => {
    const api = createTestApi();
    const { id, secret } = api.createKey({ limitMinute: 4 });
    const newer = rotateKey(api, id, 3_600_000).secret;
    const statuses = [];
    for (const key of [secret, newer, secret, newer, secret])
      statuses.push((await api.request(SERVICES, { key })).status);
    expect(statuses).toEqual([200, 200, 200, 200, 429]);
    api.advance(3_600_000);
    expect(await api.requestProblem(SERVICES, { key: secret })).toMatchObject({
      code: "expired_key",
    });
    expect((await api.request(SERVICES, { key: newer })).status).toBe(200);
  });
});

test("a key gets the same response for another business whether or not that business exists", async () => {
  const api = createTestApi();
  applyPreset(api, "venue");
  const bytes = async (slug: string) => {
    const response = await api.request(`/v1/businesses/${slug}/services`);
    expect(response.status).toBe(403);
    const { requestId, ...body } = (await response.json()) as { requestId: string; code: string };
    expect(requestId).toBe(response.headers.get("request-id"));
    expect(body.code).toBe("business_mismatch");
    const headers = [...response.headers].filter(([name]) => name !== "request-id");
    return JSON.stringify([headers, body]);
  };
  const exists = await bytes("kita-live");
  expect(api.store.businesses.findBySlug("kita-live")).toBeDefined();
  for (const slug of ["no-such-one", "%6bita-live", "KITA-LIVE", "..%2f", "%00"])
    expect(await bytes(slug)).toBe(exists);
});

test("a request is checked in the order key, business, scope, rate limit, parameters", async () => {
  const api = createTestApi();
  const { secret } = api.createKey({
    kind: "RESTRICTED",
    scopes: ["services.read"],
    limitMinute: 1,
  });
  const wrongEverything = "/v1/businesses/foreign/services?nope=1";
  const code = async (path: string, init: Parameters<typeof api.requestProblem>[1]) =>
    (await api.requestProblem(path, init)).code;
  expect(await code("/v1/nowhere", { key: null })).toBe("route_not_found");
  expect(await code(wrongEverything, { key: null, method: "DELETE" })).toBe("method_not_allowed");
  expect(await code(wrongEverything, { key: null })).toBe("missing_key");
  expect(await code(wrongEverything, { key: secret })).toBe("business_mismatch");
  expect(
    await code(`/v1/businesses/${SALON}/webhooks?nope=1`, { key: secret, method: "POST" }),
  ).toBe("insufficient_scope");
  expect(await code(`${SERVICES}?nope=1`, { key: secret })).toBe("unknown_parameter");
  expect(await code(`${SERVICES}?nope=1`, { key: secret })).toBe("rate_limited");
});

test("a secret key sent by a browser is accepted, with one warning", async () => {
  const api = createTestApi();
  for (let i = 0; i < 3; i++) {
    const response = await api.request(SERVICES, { headers: { origin: "https://shop.example" } });
    expect(response.status).toBe(200);
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
  }
  expect(api.logged.filter(({ level }) => level === "warn")).toHaveLength(1);
  expect(JSON.stringify(api.logged)).not.toContain(api.key);
});

test("X-Forwarded-For is ignored without a trusted proxy, with one warning", async () => {
  const api = createTestApi();
  const { secret } = api.createKey({ cidrs: ["203.0.113.0/24"] });
  const headers = { "x-forwarded-for": "203.0.113.9" };
  expect((await api.request(SERVICES, { key: secret, headers })).status).toBe(403);
  for (let i = 0; i < 2; i++) expect((await api.request(SERVICES, { headers })).status).toBe(200);
  expect(api.logged.map(({ message }) => message)).toEqual([
    expect.stringContaining("Ignoring X-Forwarded-For"),
  ]);
});

test("a flush saves when a key was last used, and a rejected request does not count as a use", async () => {
  const api = createTestApi();
  const { id, secret } = api.createKey();
  const rejected = api.createKey({ kind: "RESTRICTED", scopes: ["webhooks.write"] });
  await api.request(SERVICES, { key: secret });
  await api.request(SERVICES, { key: rejected.secret });
  api.flush();
  expect(api.store.keys.findById(id)?.lastUsedAt).toBe(api.now());
  expect(api.store.keys.findById(rejected.id)?.lastUsedAt).toBeNull();
});

test.each([
  ["a catalog route", `/v1/businesses/${SALON}/staff`],
  ["an explanation", `/v1/businesses/${SALON}/availability?service=none&explain=true`],
])(
  "a secret key that a browser sends to %s is accepted, and reported until it is rotated",
  async (_, path) => {
    const api = createTestApi();
    const { id, secret } = api.createKey({ kind: "RESTRICTED", scopes: ["services.read"] });
    api.advance(1000);
    const headers = { origin: "https://salon-aurora.example" };
    await api.request(path);
    await api.request(path, { key: secret, headers });
    api.flush();
    expect(api.store.keys.listSeenInBrowser(api.now())).toEqual([]);

    const response = await api.request(path, { headers });
    expect(response.status).not.toBe(401);
    api.flush();
    expect(api.store.keys.listSeenInBrowser(api.now())).toMatchObject([
      { kind: "SECRET", name: "test" },
    ]);
    expect(api.store.keys.listSeenInBrowser(api.now())[0]?.id).not.toBe(id);
  },
);
