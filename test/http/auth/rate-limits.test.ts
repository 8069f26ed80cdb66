import { describe, expect, test } from "vitest";
import { type App, createApp } from "../../../src/http/app.ts";
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

test("the 61st request of a minute is refused, with everything that a client needs to wait", async () => {
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
  const refused = await api.request(STAFF);
  expect(refused.status).toBe(429);
  expect(refused.headers.get("retry-after")).toBe("23");
  expect(refused.headers.get("ratelimit")).toBe('"per-minute";r=0;t=23, "per-hour";r=940;t=3563');
  expect((await refused.json()) as Problem).toMatchObject({
    code: "rate_limited",
    violatedPolicies: ["per-minute"],
  });

  api.advance(22_999);
  expect((await api.request(STAFF)).status).toBe(429);
  api.advance(1);
  expect((await api.request(STAFF)).status).toBe(200);
});

test("a key with 5000 a minute still has its 1000 an hour", async () => {
  const api = createTestApi();
  const { secret } = api.createKey({ limitMinute: 5000 });
  for (let i = 0; i < 1000; i++)
    expect((await api.request(STAFF, { key: secret })).status).toBe(200);
  const refused = await api.request(STAFF, { key: secret });
  expect(refused.status).toBe(429);
  expect(refused.headers.get("retry-after")).toBe("3600");
  expect(refused.headers.get("ratelimit-policy")).toBe(
    '"per-minute";q=5000;w=60, "per-hour";q=1000;w=3600',
  );
  expect(refused.headers.get("ratelimit")).toBe('"per-hour";r=0;t=3600, "per-minute";r=4000;t=60');
  expect((await refused.json()) as Problem).toMatchObject({ violatedPolicies: ["per-hour"] });
});

test("a 304 counts, a HEAD counts, a mistake in the parameters counts, an OPTIONS does not", async () => {
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

test("keys do not share their limits", async () => {
  const api = createTestApi();
  const { secret } = api.createKey({ limitMinute: 1 });
  await api.request(STAFF, { key: secret });
  expect((await api.request(STAFF, { key: secret })).status).toBe(429);
  expect((await api.request(STAFF)).status).toBe(200);
});

test("after 60 failed attempts a minute an address is told to wait, and its good keys go on", async () => {
  const api = createTestApi();
  for (let i = 0; i < 60; i++)
    expect((await api.request(STAFF, { key: "guess" })).status).toBe(401);
  const refused = await api.request(STAFF, { key: "guess" });
  expect(refused.status).toBe(429);
  expect(refused.headers.get("retry-after")).toBe("60");
  expect((await api.request(STAFF)).status).toBe(200);
  api.advance(60_000);
  expect((await api.request(STAFF, { key: "guess" })).status).toBe(401);
});

test("the public route has the same limits by address, before it looks anything up", async () => {
  const api = createTestApi();
  for (let i = 0; i < 60; i++)
    expect((await api.request(AVAILABILITY, { key: null })).status).toBe(400);
  const refused = await api.request("/v1/businesses/nobody/availability", { key: null });
  expect(refused.status).toBe(429);
  expect(refused.headers.get("access-control-allow-origin")).toBe("*");
  expect(refused.headers.get("access-control-expose-headers")).toContain("Retry-After");
});

test.each([
  ["203.0.113.7", "203.0.113.7"],
  ["2001:db8:1:2::5", "2001:db8:1:2::/64"],
  ["2001:db8:1:2:ffff::9", "2001:db8:1:2::/64"],
  ["2001:db8:1:3::5", "2001:db8:1:3::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
])("%s counts as %s", (address, group) => expect(addressGroup(address)).toBe(group));

test("in no window of any length do more pass than its quota, and what was refused costs nothing", () => {
  const rt = createTestRuntime();
  const limiter = createRateLimiter();
  const policy = createRateLimitPolicy(
    { window: PER_MINUTE, quota: 20 },
    { window: PER_HOUR, quota: 300 },
  );
  const passed: number[] = [];
  // Bursts and pauses without a pattern, over three hours.
  let seed = 7;
  while (rt.monotonic() < 3 * 3_600_000) {
    seed = (seed * 48_271) % 2_147_483_647;
    rt.advance(seed % 10 === 0 ? seed % 90_000 : seed % 700);
    if (limiter.take("client", policy, rt.monotonic()).allowed) passed.push(rt.monotonic());
  }
  const most = (ms: number) =>
    Math.max(...passed.map((from) => passed.filter((at) => at >= from && at < from + ms).length));
  expect(most(60_000)).toBe(20);
  expect(most(3_600_000)).toBe(300);
});

describe("after a restart", () => {
  /** As another process on the same data, whose clocks started elsewhere. */
  const restart = (api: TestApi, wallMs: number): ReturnType<typeof createApp> => {
    const startedAt = wallMs;
    return createApp({ ...api, now: () => wallMs, monotonic: () => wallMs - startedAt + 77_777 });
  };
  const remaining = async (api: TestApi, app: Pick<App, "request">) => {
    const response = await app.request(STAFF, { headers: { authorization: `Bearer ${api.key}` } });
    return response.headers.get("ratelimit");
  };

  test("what was written counts on, and what came after it is the most that is granted anew", async () => {
    const api = createTestApi();
    for (let i = 0; i < 40; i++) await api.request(STAFF);
    api.advance(5000);
    api.flush();
    for (let i = 0; i < 5; i++) await api.request(STAFF);
    const app = restart(api, api.now() + 10_000);
    expect(await remaining(api, app)).toBe('"per-minute";r=19;t=47, "per-hour";r=959;t=3587');
  });

  test("each request is written once, however often it is flushed and restarted", async () => {
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

  test("what has left every window is gone from the file too", async () => {
    const api = createTestApi();
    await api.request(STAFF);
    api.flush();
    api.advance(3_601_000);
    await api.request(STAFF);
    api.flush();
    expect(api.store.rateCounts.list()).toHaveLength(1);
  });

  test.each([-30, -1, 1, 30])(
    "a clock that was set by %i days while it ran frees nobody and locks nobody out",
    async (days) => {
      const api = createTestApi();
      let jumpMs = 0;
      const now = api.now;
      const rt = Object.assign(api, { now: () => now() + jumpMs });
      const app = createApp(rt);
      const ask = () => remaining(api, app);
      for (let i = 0; i < 59; i++) await ask();
      app.flush();
      jumpMs = days * 86_400_000;
      expect(await ask()).toContain('"per-minute";r=0;t=60');
      app.flush();
      expect(await remaining(api, restart(api, rt.now()))).toContain('"per-minute";r=0;');
      expect(await remaining(api, restart(api, rt.now() + 62_000))).toContain('"per-minute";r=59;');
    },
  );

  test("a clock that was set back while it was off counts as if no time had passed", async () => {
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

  test("addresses are remembered too", async () => {
    const api = createTestApi();
    for (let i = 0; i < 60; i++) await api.request(AVAILABILITY, { key: null });
    api.flush();
    expect((await restart(api, api.now() + 1000).request(AVAILABILITY)).status).toBe(429);
  });
});
