import { expect, onTestFinished, test, vi } from "vitest";
import { createTestApi } from "../../http/support/api.ts";
import { asOperator } from "../../support/operator.ts";

type Seen = {
  data: { requests: Record<string, unknown>[]; cursor: string; missed: number };
};

async function openTail(api = createTestApi()) {
  const read = async (query = "") =>
    ((await (await api.request(`/metrics/requests${query}`, asOperator(api))).json()) as Seen).data;
  let { cursor } = await read();
  /** Returns the requests since the previous call. */
  const next = async (query = "") => {
    const page = await read(`?after=${cursor}${query}`);
    ({ cursor } = page);
    return page;
  };
  return { api, read, next };
}

test("a request is shown with its route, business, key and status, without path and query", async () => {
  const { api, next } = await openTail();
  await api.request("/v1/businesses/salon-aurora/services?utm_source=ana%40example.com");
  const { requests } = await next();
  expect(requests).toEqual([
    {
      at: expect.stringMatching(/^2026-/),
      method: "GET",
      route: "/v1/businesses/:slug/services",
      business: "salon-aurora",
      key: { id: expect.stringMatching(/^key_/), name: expect.any(String) },
      status: 200,
      code: null,
      durationMs: expect.any(Number),
    },
  ]);
});

test("the duration of a request is in milliseconds, with two decimals", async () => {
  const { api, next } = await openTail();
  let ms = 0;
  vi.spyOn(api, "monotonic").mockImplementation(() => (ms += 0.123));
  await api.request("/v1/businesses/salon-aurora/staff");
  const [{ durationMs } = { durationMs: 0 }] = (await next()).requests as { durationMs: number }[];
  expect(durationMs).toBeGreaterThan(0);
  expect(durationMs).toBeLessThanOrEqual(ms);
  expect(durationMs).toBe(Number(durationMs.toFixed(2)));
});

test("refused requests have the code of their problem, and nothing that the client sent", async () => {
  const { api, next } = await openTail();
  const secret = "deskbell_sk_0123456789abcdef0123456789abcdef";
  await api.request("/v1/businesses/salon-aurora/services", { key: secret });
  await api.request("/v1/businesses/ana-silva/services");
  await api.request("/v1/ana-silva");
  const { requests } = await next();
  expect(requests.map(({ status, code, business, key }) => [status, code, business, key])).toEqual([
    [401, "invalid_key", "salon-aurora", null],
    [expect.any(Number), expect.any(String), null, expect.anything()],
    [404, "route_not_found", null, null],
  ]);
  expect(JSON.stringify(requests)).not.toMatch(/ana-silva|0123456789/);
});

test("health checks and requests for metrics are not shown", async () => {
  const { api, next } = await openTail();
  await api.request("/healthz");
  await api.request("/metrics", asOperator(api));
  expect((await next()).requests).toEqual([]);
});

test("a long poll for the list of requests returns as soon as the API gets a request", async () => {
  const { api, next } = await openTail();
  const waiting = next("&wait=25");
  await api.request("/v1/businesses/salon-aurora/staff");
  expect((await waiting).requests).toMatchObject([{ route: "/v1/businesses/:slug/staff" }]);
});

test("the recording keeps a thousand requests, and counts the earlier requests that its reader has missed", async () => {
  const { api, next } = await openTail();
  for (let i = 0; i < 1003; i++) await api.request("/v1/nothing");
  const page = await next();
  expect([page.requests.length, page.missed]).toEqual([1000, 3]);
  expect(await next()).toMatchObject({ requests: [], missed: 0 });
});

test("a cursor that is invalid, or of an earlier recording, lists only requests from now on", async () => {
  const { api, read } = await openTail();
  await api.request("/v1/nothing");
  expect(await read("?after=1.0")).toMatchObject({ requests: [], missed: 0 });
  expect(await read("?after=nonsense")).toMatchObject({ requests: [], missed: 0 });
});

test("the list of recorded requests is refused without the metrics token", async () => {
  const { api } = await openTail();
  expect((await api.request("/metrics/requests")).status).toBe(401);
});

test("the recording of requests ends a minute after it was last read, and begins again with the next reading", async () => {
  const api = createTestApi();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { next } = await openTail(api);
  vi.advanceTimersByTime(60_000);
  await api.request("/v1/nothing");
  expect(await next()).toMatchObject({ requests: [], missed: 0 });
  await api.request("/v1/nothing");
  expect((await next()).requests).toMatchObject([{ code: "route_not_found" }]);
});
