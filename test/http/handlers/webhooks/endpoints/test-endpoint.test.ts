import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { disableEndpoint } from "../../../../../src/app/webhooks/endpoint-lifecycle.ts";
import { withEqualFailures, type SendOnce } from "../../../../../src/app/webhooks/test-endpoint.ts";
import { createSendOnce } from "../../../../../src/delivery/sender.ts";
import { businessId } from "../../../../../src/domain/catalog/object-id.ts";
import { endpointTest } from "../../../../../src/domain/public/schemas/webhook.ts";
import { createTestApp } from "../../../../support/app.ts";
import { startServer } from "../../../../../src/http/server.ts";
import { type ScriptedResponse, createReceiver } from "../../../../support/receiver.ts";
import { createTestApi, SALON, applyPreset, type TestApi } from "../../../support/api.ts";
import { readData, createTestEndpoint, WEBHOOKS } from "../../../support/webhooks.ts";

/** Starts the API with a real webhook sender, and a receiver with scripted responses. */
async function setUp(script: ScriptedResponse[] = [{}]) {
  const api = createTestApi();
  const partner = await createReceiver(script);
  const { endpoint } = await createTestEndpoint(api, null, { url: partner.url });
  const server = await startServer(api, {
    host: "127.0.0.1",
    port: 0,
    sendOnce: createSendOnce(api),
  });
  onTestFinished(() => server.close());
  const headers = { authorization: `Bearer ${api.key}` };
  const request = (path: string, method = "GET") => fetch(server.url + path, { method, headers });
  const path = `${WEBHOOKS}/${endpoint.id}/test`;
  return { api, partner, endpoint, server, request, path, ping: () => request(path, "POST") };
}

test("a test of an endpoint sends a signed event immediately and returns the result", async () => {
  const { partner, ping } = await setUp([{ status: 202, body: "thanks\u0000" }]);
  const data = endpointTest.parse(await readData(await ping()));
  expect(data).toMatchObject({
    ok: true,
    outcome: "responded",
    statusCode: 202,
    error: null,
    address: null,
    responseText: "thanks\u2400",
    url: partner.url,
  });
  const [sent] = partner.requests;
  expect(sent?.headers).toMatchObject({
    "x-service-test": "true",
    "x-service-signature": data.headers["X-Service-Signature"],
  });
  expect(sent?.body.toString()).toBe(data.body);
  expect(JSON.parse(data.body)).toMatchObject({
    id: expect.stringMatching(/^evt_test_/),
    business: { slug: SALON },
  });
});

test("the test of a failing receiver returns a result, not an error, with 256 characters of the response", async () => {
  const { partner, ping } = await setUp([{ status: 500, body: "x".repeat(5000) }]);
  const data = await readData<{ responseText: string }>(await ping());
  expect(data).toMatchObject({ ok: false, statusCode: 500, error: "HTTP 500" });
  expect(data.responseText).toHaveLength(256);
  await partner.close();
  expect(await readData(await ping())).toMatchObject({
    ok: false,
    outcome: "refused",
    statusCode: null,
    address: null,
    error: "The receiver could not be reached or did not respond in time.",
    responseText: "",
  });
});

test("a test of an endpoint creates no delivery and no event, and a disabled endpoint stays disabled", async () => {
  const { api, endpoint, ping } = await setUp([{ status: 410 }]);
  disableEndpoint(api, endpoint.id, "manual");
  const revision = api.revision();
  expect((await ping()).status).toBe(200);
  expect(api.revision()).toBe(revision);
});

test("the test of an endpoint whose address is not allowed has the outcome 'refused'", async () => {
  const { api, ping, endpoint } = await setUp();
  api.store.endpoints.update(
    endpoint.id,
    { ...endpoint, allowPrivate: false, url: "https://127.0.0.1/" },
    api.now(),
  );
  expect(await readData(await ping())).toMatchObject({
    ok: false,
    outcome: "refused",
    address: null,
  });
});

test("the result of a test does not tell a private address, a closed port and a TLS error apart", async () => {
  const { api, partner, endpoint, ping } = await setUp();
  const closed = await createReceiver();
  await closed.close();
  const urls: [url: string, allowPrivate: boolean][] = [
    ["https://127.0.0.1/", false],
    ["https://unknown.invalid/", false],
    [closed.url, true],
    [partner.url.replace("http:", "https:"), true],
  ];
  const results = new Set<string>();
  for (const [url, allowPrivate] of urls) {
    api.store.endpoints.update(endpoint.id, { ...endpoint, url, allowPrivate }, api.now());
    const { ok, outcome, address, statusCode, error } = await readData(await ping());
    results.add(JSON.stringify({ ok, outcome, address, statusCode, error }));
  }
  expect([...results]).toEqual([
    JSON.stringify({
      ok: false,
      outcome: "refused",
      address: null,
      statusCode: null,
      error: "The receiver could not be reached or did not respond in time.",
    }),
  ]);
});

test("a test without a response takes equally long for a closed, silent and private address", async () => {
  const api = createTestApi();
  const { endpoint } = await createTestEndpoint(api, null);
  const { timeoutMs } = endpoint;
  type Result = Awaited<ReturnType<SendOnce>>;
  async function durationOf(outcome: Result["outcome"], tookMs: number): Promise<number> {
    const sendOnce = withEqualFailures(
      api,
      async () => (api.advance(tookMs), { outcome, address: null }),
      async (ms) => api.advance(ms),
    );
    const startedAt = api.monotonic();
    const path = `${WEBHOOKS}/${endpoint.id}/test`;
    const headers = { authorization: `Bearer ${api.key}` };
    expect(
      (await createTestApp(api, sendOnce).request(path, { method: "POST", headers })).status,
    ).toBe(200);
    return Math.floor(api.monotonic() - startedAt);
  }
  const failures = [
    await durationOf({ kind: "refused", error: "ECONNREFUSED" }, 1),
    await durationOf({ kind: "blocked", error: "a private address" }, 0),
    await durationOf({ kind: "unresolvable", error: "ENOTFOUND" }, 40),
    await durationOf({ kind: "tls_failed", error: "a certificate" }, 90),
    await durationOf({ kind: "timed_out", error: "no response" }, timeoutMs + 20),
  ];
  expect(new Set(failures).size).toBe(1);
  expect(failures[0]).toBeGreaterThan(timeoutMs + 20);
  const responded = { kind: "responded", statusCode: 500, retryAfter: null, responseText: "" };
  expect(await durationOf(responded as Result["outcome"], 7)).toBe(7);
});

describe("tests of a host that the operator does not trust", () => {
  async function createPartner(count: number) {
    const api = createTestApi();
    const { id: keyId, secret } = api.createKey({ limitMinute: 1000 });
    const paths: string[] = [];
    for (let i = 0; i < count; i++) {
      const url = `https://8.8.8.8/${i}`;
      const { endpoint } = await createTestEndpoint(api, keyId, { url, allowPrivate: false });
      paths.push(`${WEBHOOKS}/${endpoint.id}/test`);
    }
    const headers = { authorization: `Bearer ${secret}` };
    return { api, paths, init: { method: "POST", headers } };
  }
  const respond = (statusCode: number) => ({
    outcome: { kind: "responded" as const, statusCode, retryAfter: null, responseText: "" },
    address: "8.8.8.8",
  });

  test("a host that the operator does not trust gets at most 10 tests an hour until one gets a 2xx", async () => {
    const { api, paths, init } = await createPartner(2);
    let sent = 0;
    let statusCode = 500;
    const { request } = createTestApp(api, async () => ((sent += 1), respond(statusCode)));
    for (let i = 0; i < 10; i++) expect((await request(paths[i % 2] ?? "", init)).status).toBe(200);
    const refused = await request(paths[0] ?? "", init);
    expect([refused.status, sent]).toEqual([409, 10]);
    api.advance(3_600_001);
    statusCode = 204;
    for (let i = 0; i < 30; i++) expect((await request(paths[i % 2] ?? "", init)).status).toBe(200);
    expect(api.store.hosts.findVerifiedAt("8.8.8.8")).toBe(api.now());
  });

  test("each key can have 2 tests at a time to a host that the operator does not trust", async () => {
    const { api, paths, init } = await createPartner(3);
    const pending: ((value: ReturnType<typeof respond>) => void)[] = [];
    const { request } = createTestApp(api, () => new Promise((resolve) => pending.push(resolve)));
    const running = paths.slice(0, 2).map(async (path) => request(path, init));
    await expect.poll(() => pending.length).toBe(2);
    expect((await request(paths[2] ?? "", init)).status).toBe(503);
    for (const resolve of pending) resolve(respond(200));
    for (const response of await Promise.all(running)) expect(response.status).toBe(200);
  });
});

describe("while a receiver does not respond", () => {
  const SILENT: ScriptedResponse[] = [{ hold: true }];

  test("during a test, other requests are served and a second test of the endpoint is a conflict", async () => {
    const { api, partner, request, ping } = await setUp(SILENT);
    const waiting = ping();
    await partner.waitForRequests(1);
    expect((await request(`/v1/businesses/${SALON}/services`)).status).toBe(200);
    expect((await ping()).status).toBe(409);
    const { endpoint: other } = await createTestEndpoint(api, null, {
      url: (await createReceiver()).url,
    });
    expect((await request(`${WEBHOOKS}/${other.id}/test`, "POST")).status).toBe(200);
    partner.release();
    expect((await waiting).status).toBe(200);
    const again = ping();
    await partner.waitForRequests(2);
    partner.release();
    expect((await again).status).toBe(200);
  });

  test("a client that disconnects aborts its test of an endpoint", async () => {
    const { api, endpoint, server, path } = await setUp();
    const silent = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void silent.close());
    await once(silent, "listening");
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
    api.store.endpoints.update(endpoint.id, { ...endpoint, url }, api.now());
    const request = `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\nContent-Length: 0\r\n\r\n`;
    // The endpoint is tested twice, to show that the aborted first test does not block the second.
    for (let i = 0; i < 2; i++) {
      const client = connect(server.port, "127.0.0.1");
      client.write(request);
      const [, answering] = (await once(silent, "request")) as [IncomingMessage, ServerResponse];
      client.destroy();
      await once(answering, "close");
      expect(answering.writableEnded).toBe(false);
    }
  });

  test("closing the server aborts a test of an endpoint, whose request gets 503", async () => {
    const { partner, server, ping } = await setUp(SILENT);
    const waiting = ping();
    await partner.waitForRequests(1);
    const closed = server.close();
    const response = await waiting;
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await response.json()).toMatchObject({ code: "shutting_down" });
    await closed;
  });
});

test("at most 64 tests of endpoints run concurrently, over all businesses", async () => {
  const api = createTestApi();
  const release: (() => void)[] = [];
  const { request } = createTestApp(api, () => {
    const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<SendOnce>>>();
    release.push(() =>
      resolve({ outcome: { kind: "refused", error: "ECONNREFUSED" }, address: null }),
    );
    return promise;
  });
  const { slug } = applyPreset(api, "restaurant");
  const tests: (() => Promise<Response>)[] = [];
  for (const [business, count] of [[SALON, 50] as const, [slug, 15] as const]) {
    const of = { business: businessId(business) };
    const { secret } = api.createKey({ businessId: of.business, limitMinute: 1000 });
    for (let i = 0; i < count; i++) {
      const { endpoint } = await createTestEndpoint(api, null, of);
      const path = `/v1/businesses/${business}/webhooks/${endpoint.id}/test`;
      tests.push(async () =>
        request(path, { method: "POST", headers: { authorization: `Bearer ${secret}` } }),
      );
    }
  }
  const last = tests.pop();
  const waiting = tests.map((request) => request());
  await nextTurn();
  const rejected = await last?.();
  expect([rejected?.status, rejected?.headers.get("retry-after")]).toEqual([503, "1"]);
  for (const respond of release) respond();
  for (const { status } of await Promise.all(waiting)) expect(status).toBe(200);
});

describe("the event type of a test", () => {
  const testAs = async (body: object, fields: object = {}) => {
    const { api, partner, endpoint, path } = await setUp();
    const key = api.createKey(fields);
    updateOwner(api, endpoint.id, key.id);
    const app = createTestApp(api, createSendOnce(api));
    const response = await app.request(path, {
      method: "POST",
      headers: { authorization: `Bearer ${key.secret}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return { response, partner };
  };
  const updateOwner = (api: TestApi, id: string, keyId: string) =>
    api.tx(() => api.store.endpoints.updateKey(id, keyId));

  test.each(["staff.updated", "booking.created", "booking.cancelled"])(
    "a test sends an event of the type %s, even if the endpoint does not subscribe to it",
    async (eventType) => {
      const { response, partner } = await testAs({ eventType });
      expect(await readData(response)).toMatchObject({ ok: true, eventType });
      expect(partner.requests[0]?.headers["x-service-event"]).toBe(eventType);
    },
  );

  test.each([
    [{ eventType: "service.renamed" }, {}, 422, "validation_failed"],
    [{ eventType: "event.created" }, {}, 422, "validation_failed"],
    [{ type: "service.updated" }, {}, 422, "validation_failed"],
    [{ eventType: "booking.created" }, { eventGroups: ["catalog"] }, 403, "insufficient_scope"],
  ])("a test with the body %o by a key with %o gets %d %s", async (body, fields, status, code) => {
    const { response, partner } = await testAs(body, fields);
    expect(await response.json()).toMatchObject({ status, code });
    expect(partner.requests).toEqual([]);
  });

  test("a test event has no customer reference if its key has no scope for bookings", async () => {
    const restricted = { kind: "RESTRICTED", scopes: ["webhooks.write"] };
    const { partner } = await testAs({ eventType: "booking.created" }, restricted);
    expect(JSON.parse(partner.requests[0]!.body.toString())).toMatchObject({
      data: { object: { customerRef: null } },
    });
  });
});
