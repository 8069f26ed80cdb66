import { describe, expect, test } from "vitest";
import type { App } from "../../../src/http/app.ts";
import { createTestApp } from "../../support/app.ts";
import { addressGroup } from "../../../src/http/auth/client-address.ts";
import {
  createRateLimiter,
  createRateLimitPolicy,
  PER_HOUR,
  PER_MINUTE,
} from "../../../src/http/auth/rate-limiter.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { type TestApi, createTestApi, type Problem, SALON } from "../support/api.ts";

const STAFF = `/v1/businesses/${SALON}/staff`;
const AVAILABILITY = `/v1/businesses/${SALON}/availability`;

test("the 61st request in a minute is rejected with Retry-After and RateLimit headers", async () => {
  const api = createTestApi();
  for (let i = 0; i < 60; i++) {
    const response = await api.request(STAFF);
    expect(response.status).toBe(200);
    if (i === 0) {
      expect(response.headers.get("ratelimit-policy")).toBe(
        '"per-minute";q=60;w=60, "per-hour";q=1000;w=3600',
      );
      expect(response.headers.get("ratelimit")).toBe(
        '"per-minute";r=59;t=60, "per-hour";r=999;t=3600',
      );
    }
  }
  api.advance(37_000);
  const rejected = await api.request(STAFF);
  expect(rejected.status).toBe(429);
  expect(rejected.headers.get("retry-after")).toBe("23");
  expect(rejected.headers.get("ratelimit")).toBe('"per-minute";r=0;t=23, "per-hour";r=940;t=3563');
  expect((await rejected.json()) as Problem).toMatchObject({
    code: "rate_limited",
    violatedPolicies: ["per-minute"],
  });

  api.advance(22_999);
  expect((await api.request(STAFF)).status).toBe(429);
  api.advance(1);
  expect((await api.request(STAFF)).status).toBe(200);
});

test("a key with a higher limit per minute keeps its limit per hour", async () => {
  const api = createTestApi();
  const { secret } = api.createKey({ limitMinute: 5000 });
  for (let i = 0; i < 1000; i++)
    expect((await api.request(STAFF, { key: secret })).status).toBe(200);
  const rejected = await api.request(STAFF, { key: secret });
  expect(rejected.status).toBe(429);
  expect(rejected.headers.get("retry-after")).toBe("3600");
  expect(rejected.headers.get("ratelimit-policy")).toBe(
    '"per-minute";q=5000;w=60, "per-hour";q=1000;w=3600',
  );
  expect(rejected.headers.get("ratelimit")).toBe('"per-hour";r=0;t=3600, "per-minute";r=4000;t=60');
  expect((await rejected.json()) as Problem).toMatchObject({ violatedPolicies: ["per-hour"] });
});

test("requests that get a 304, use HEAD or have invalid parameters use up the rate limit; OPTIONS does not", async () => {
  const api = createTestApi();
  const remaining = async (path: string, init?: RequestInit) =>
    /r=(\d+)/.exec((await api.request(path, init)).headers.get("ratelimit") ?? "")?.[1];
  const etag = (await api.request(STAFF)).headers.get("etag") ?? "";
  expect(await remaining(STAFF, { headers: { "if-none-match": etag } })).toBe("58");
  expect(await remaining(STAFF, { method: "HEAD" })).toBe("57");
  expect(await remaining(`${STAFF}?nope=1`)).toBe("56");
  expect(await remaining(STAFF, { method: "OPTIONS" })).toBeUndefined();
  expect(await remaining(STAFF)).toBe("55");
});

test("each API key has a rate limit of its own", async () => {
  const api = createTestApi();
  const { secret } = api.createKey({ limitMinute: 1 });
  await api.request(STAFF, { key: secret });
  expect((await api.request(STAFF, { key: secret })).status).toBe(429);
  expect((await api.request(STAFF)).status).toBe(200);
});

test("an address with 60 failed authentications in a minute gets 429 for wrong keys, but not for valid keys", async () => {
  const api = createTestApi();
  for (let i = 0; i < 60; i++)
    expect((await api.request(STAFF, { key: "guess" })).status).toBe(401);
  const rejected = await api.request(STAFF, { key: "guess" });
  expect(rejected.status).toBe(429);
  expect(rejected.headers.get("retry-after")).toBe("60");
  expect((await api.request(STAFF)).status).toBe(200);
  api.advance(60_000);
  expect((await api.request(STAFF, { key: "guess" })).status).toBe(401);
});

test("requests for availability without a key are limited by address, before the business is looked up", async () => {
  const api = createTestApi();
  for (let i = 0; i < 60; i++)
    expect((await api.request(AVAILABILITY, { key: null })).status).toBe(400);
  const rejected = await api.request("/v1/businesses/nobody/availability", { key: null });
  expect(rejected.status).toBe(429);
  expect(rejected.headers.get("access-control-allow-origin")).toBe("*");
  expect(rejected.headers.get("access-control-expose-headers")).toContain("Retry-After");
});

test("routes without a business share a separate rate limit for each client address", async () => {
  const api = createTestApi("salon", undefined, { trustedProxies: ["127.0.0.1"] });
  const from = async (address: string, path: string) =>
    api.request(path, { key: null, headers: { "x-forwarded-for": address } });
  const paths = ["/openapi.json", "/healthz"];
  const others = ["/readyz", "/metrics", "/.well-known/security.txt"];
  for (let i = 0; i < 600; i++)
    expect((await from("203.0.113.9", paths[i % paths.length] ?? "")).status).toBeLessThan(429);
  for (const path of [...paths, ...others])
    expect([path, (await from("203.0.113.9", path)).status]).toEqual([path, 429]);
  const rejected = await from("203.0.113.9", "/openapi.json");
  expect(rejected.headers.get("ratelimit-policy")).toBe('"per-minute";q=600;w=60');
  expect((await from("203.0.113.10", "/openapi.json")).status).toBe(200);
  expect((await from("203.0.113.9", AVAILABILITY)).status).toBe(400);
  api.advance(60_000);
  expect((await from("203.0.113.9", "/openapi.json")).status).toBe(200);
});

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["2001:db8:1:2::5", "2001:db8:1:2::/64"],
  ["2001:db8:1:2:ffff::9", "2001:db8:1:2::/64"],
  ["2001:db8:1:3::5", "2001:db8:1:3::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
])("the address %s is rate-limited as %s", (address, group) =>
  expect(addressGroup(address)).toBe(group),
);

test("the rate limiter accepts no more requests than the quota in any interval as long as the window", () => {
  const rt = createTestRuntime();
  const limiter = createRateLimiter();
  const policy = createRateLimitPolicy(
    { window: PER_MINUTE, quota: 20 },
    { window: PER_HOUR, quota: 300 },
  );
  const allowed: number[] = [];
  // The requests come in random bursts over three hours.
  let seed = 7;
  while (rt.monotonic() < 3 * 3_600_000) {
    seed = (seed * 48_271) % 2_147_483_647;
    rt.advance(seed % 10 === 0 ? seed % 90_000 : seed % 700);
    if (limiter.take("client", policy, rt.monotonic()).allowed) allowed.push(rt.monotonic());
  }
  const maxWithin = (ms: number) =>
    Math.max(...allowed.map((from) => allowed.filter((at) => at >= from && at < from + ms).length));
  expect(maxWithin(60_000)).toBe(20);
  expect(maxWithin(3_600_000)).toBe(300);
});

describe("addresses of one IPv6 /48", () => {
  const ask = (api: TestApi, i: number, path = AVAILABILITY, init = {}) =>
    api.request(path, {
      key: null,
      ...init,
      headers: { "x-forwarded-for": `2001:db8:7:${i.toString(16)}::1` },
    });
  const createProxiedApi = () =>
    createTestApi("salon", undefined, { trustedProxies: ["127.0.0.1"] });

  test("addresses of one IPv6 /48 share ten times the quota of one /64", async () => {
    const api = createProxiedApi();
    for (let i = 0; i < 600; i++) expect((await ask(api, i)).status).toBe(400);
    const refused = await ask(api, 600);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("ratelimit-policy")).toBe(
      '"network-per-minute";q=600;w=60, "network-per-hour";q=10000;w=3600',
    );
    expect((await refused.json()) as Problem).toMatchObject({
      violatedPolicies: ["network-per-minute"],
    });
    expect((await ask(api, 601, AVAILABILITY.replace("aurora", "none"))).status).toBe(429);
    const elsewhere = { "x-forwarded-for": "2001:db8:8::1" };
    expect((await api.request(AVAILABILITY, { key: null, headers: elsewhere })).status).toBe(400);
  });

  test("request counts are saved for each IPv6 /64, not for the /48", async () => {
    const api = createProxiedApi();
    for (let i = 0; i < 10; i++) await ask(api, 7);
    api.flush();
    expect(api.store.rateCounts.list()).toMatchObject([{ client: "2001:db8:7:7::/64", count: 10 }]);
  });

  test("addresses of one IPv6 /48 can together fail to authenticate ten times as often as one /64", async () => {
    const api = createProxiedApi();
    for (let i = 0; i < 600; i++) expect((await ask(api, i, STAFF)).status).toBe(401);
    expect((await ask(api, 600, STAFF)).status).toBe(429);
  });
});

test("a new window resets after exactly its length, whatever fraction of a millisecond it began at", () => {
  const policy = createRateLimitPolicy(
    { window: PER_MINUTE, quota: 20 },
    { window: PER_HOUR, quota: 300 },
  );
  for (let ms = 0.1; ms < 1e8; ms *= 1.01) {
    const { windowStates } = createRateLimiter().take("client", policy, ms);
    expect(windowStates.map(({ resetSeconds }) => resetSeconds)).toEqual([60, 3600]);
  }
});

test("the requests of an address are saved only after its second request", async () => {
  const api = createTestApi("salon", undefined, { trustedProxies: ["127.0.0.1"] });
  const ask = (address: string) =>
    api.request(AVAILABILITY, { key: null, headers: { "x-forwarded-for": address } });
  for (let i = 0; i < 100; i++) await ask(`203.0.113.${i}`);
  api.flush();
  expect(api.store.rateCounts.list()).toEqual([]);
  api.advance(5000);
  await ask("203.0.113.7");
  api.flush();
  expect(api.store.rateCounts.list()).toMatchObject([
    { client: "203.0.113.7", count: 1 },
    { client: "203.0.113.7", count: 1 },
  ]);
});

test("a full rate limiter forgets the client whose last request is longest ago, without a search", () => {
  const limiter = createRateLimiter();
  const policy = createRateLimitPolicy({ window: PER_HOUR, quota: 10 });
  const remaining = (client: string) => limiter.peek(client, policy, 0).windowStates[0]?.remaining;
  const take = (first: number, last: number) => {
    const before = process.threadCpuUsage();
    for (let i = first; i < last; i++) {
      limiter.take(`client-${i}`, policy, 0);
      if (i % 1000 === 0) limiter.take("regular", policy, 0);
    }
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
  take(0, 50_000);
  // These calls would take half a minute if each searched for idle clients.
  expect(take(50_000, 90_000)).toBeLessThan(4000);
  expect(remaining("regular")).toBe(0);
  expect(remaining("client-1")).toBe(10);
  expect(remaining("client-89999")).toBe(9);
  expect(limiter.countedSince(0)).toHaveLength(50_000);
});

describe("after a restart", () => {
  /** Creates a second app on the same data with another monotonic clock, as a restart would. */
  const restart = (api: TestApi, wallMs: number): App =>
    createTestApp({ ...api, now: () => wallMs, monotonic: () => 77_777 });
  const remaining = async (api: TestApi, app: Pick<App, "request">) => {
    const response = await app.request(STAFF, { headers: { authorization: `Bearer ${api.key}` } });
    return response.headers.get("ratelimit");
  };

  test("after a restart, saved counts remain and requests since the last flush are lost", async () => {
    const api = createTestApi();
    for (let i = 0; i < 40; i++) await api.request(STAFF);
    api.advance(5000);
    api.flush();
    for (let i = 0; i < 5; i++) await api.request(STAFF);
    const app = restart(api, api.now() + 10_000);
    expect(await remaining(api, app)).toBe('"per-minute";r=19;t=47, "per-hour";r=959;t=3587');
  });

  test("each request is saved once, however many flushes and restarts follow", async () => {
    const api = createTestApi();
    for (let i = 0; i < 10; i++) {
      await api.request(STAFF);
      api.advance(300);
      api.flush();
    }
    api.flush();
    expect(api.store.rateCounts.list().reduce((sum, { count }) => sum + count, 0)).toBe(10);
    const app = restart(api, api.now());
    expect(await remaining(api, app)).toContain('"per-minute";r=49;');
    app.flush();
    expect(api.store.rateCounts.list().reduce((sum, { count }) => sum + count, 0)).toBe(11);
  });

  test("request counts that have left their window are deleted from the database", async () => {
    const api = createTestApi();
    await api.request(STAFF);
    api.flush();
    api.advance(3_601_000);
    await api.request(STAFF);
    api.flush();
    expect(api.store.rateCounts.list()).toHaveLength(1);
  });

  test.each([-30, -1, 1, 30])(
    "setting the clock by %i days at runtime does not change the request counts",
    async (days) => {
      const api = createTestApi();
      let offsetMs = 0;
      const now = api.now;
      const rt = Object.assign(api, { now: () => now() + offsetMs });
      const app = createTestApp(rt);
      const request = () => remaining(api, app);
      for (let i = 0; i < 59; i++) await request();
      app.flush();
      offsetMs = days * 86_400_000;
      expect(await request()).toContain('"per-minute";r=0;t=60');
      app.flush();
      expect(await remaining(api, restart(api, rt.now()))).toContain('"per-minute";r=0;');
      expect(await remaining(api, restart(api, rt.now() + 62_000))).toContain('"per-minute";r=59;');
    },
  );

  test("if the clock is set back while the server is stopped, saved counts remain as if no time had passed", async () => {
    const api = createTestApi();
    for (let i = 0; i < 60; i++) await api.request(STAFF);
    api.flush();
    const back = api.now() - 86_400_000;
    const app = restart(api, back);
    expect(await remaining(api, app)).toContain('"per-minute";r=0;t=60');
    app.flush();
    expect(api.store.rateCounts.list()).toMatchObject([
      { second: Math.floor(back / 1000), count: 60 },
    ]);
  });

  test("request counts of addresses remain after a restart, too", async () => {
    const api = createTestApi();
    for (let i = 0; i < 60; i++) await api.request(AVAILABILITY, { key: null });
    api.flush();
    expect((await restart(api, api.now() + 1000).request(AVAILABILITY)).status).toBe(429);
  });
});

test("on a public route, requests with a valid key count against the key, all others against the address", async () => {
  const api = createTestApi();
  const { secret } = api.createKey({
    limitMinute: 100,
    kind: "RESTRICTED",
    scopes: ["webhooks.read"],
  });
  const ask = async (key: string | null, query = "?partySize=2") => {
    const { headers } = await api.request(AVAILABILITY + query, { key });
    return /"per-minute";r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1];
  };
  expect([await ask(null), await ask(secret), await ask(secret)]).toEqual(["59", "99", "98"]);
  // A key has one window for requests to public and to other routes.
  expect(await ask(api.key)).toBe("59");
  await api.request(STAFF);
  expect(await ask(api.key)).toBe("57");
  // A request with a key that gives no access counts against the address.
  const elsewhere = api.createKey({ cidrs: ["203.0.113.0/24"] });
  expect(await ask(elsewhere.secret)).toBe("58");
  expect(await ask(`${secret.slice(0, -1)}~`)).toBe("57");
  const other = await api.request("/v1/businesses/nobody/availability", { key: secret });
  expect(other.headers.get("ratelimit")).toContain('"per-minute";r=56;');
  // A request with `explain` counts once against its key.
  expect(await ask(api.key, "?partySize=2&explain=true")).toBe("56");
});
