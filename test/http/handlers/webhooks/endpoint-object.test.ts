import { expect, test } from "vitest";
import { enableEndpoint } from "../../../../src/app/webhooks/endpoint-lifecycle.ts";
import { endpoint as endpointSchema } from "../../../../src/domain/public/schemas/webhook.ts";
import type { Outcome } from "../../../../src/domain/webhooks/settle.ts";
import { createTestWorker } from "../../../support/delivery.ts";
import { createTestApi } from "../../support/api.ts";
import {
  createRestrictedKey,
  createTestEndpoint,
  jsonRequest,
  readData,
  renameService,
  WEBHOOKS,
} from "../../support/webhooks.ts";

const MINUTE_MS = 60_000;
const OK: Outcome = { kind: "responded", statusCode: 200, retryAfter: null, responseText: "" };

/** Opens the API with an endpoint of a partner, and a receiver with a configurable outcome. */
async function setUp(fields: Parameters<typeof createTestEndpoint>[2] = {}) {
  const api = createTestApi();
  const { id: keyId, secret: key } = createRestrictedKey(api);
  const { endpoint } = await createTestEndpoint(api, keyId, fields);
  const receiver: { outcome: Outcome } = { outcome: OK };
  const worker = createTestWorker(api, async () => receiver.outcome);
  let n = 0;
  /** Publishes an event and sends it. */
  const publish = async () => {
    renameService(api, `Cut ${n++}`);
    worker.sweep();
    await worker.whenIdle();
  };
  const path = `${WEBHOOKS}/${endpoint.id}`;
  const read = async () => endpointSchema.parse(await readData(await api.request(path, { key })));
  const patch = (body: object) => api.request(path, { ...jsonRequest("PATCH", body), key });
  return { api, endpoint, receiver, publish, read, patch };
}

test("a working endpoint shows since when it works, and when its receiver last accepted an event", async () => {
  const { api, publish, read } = await setUp();
  const createdAt = "2026-11-20T07:00:00-05:00";
  expect(await read()).toMatchObject({
    lastDeliveredAt: null,
    state: { code: "WORKING", reason: null, since: createdAt, until: null },
  });
  api.advance(5 * MINUTE_MS);
  await publish();
  expect(await read()).toMatchObject({
    lastDeliveredAt: "2026-11-20T07:05:00-05:00",
    lastStatusCode: null,
    lastError: null,
    state: { code: "WORKING", since: createdAt, text: expect.stringContaining("2026-11-20 07:05") },
  });
});

test("the time of the last accepted event is written at most once a second", async () => {
  const { api, endpoint, publish } = await setUp();
  const lastAt = () => api.store.endpoints.findById(endpoint.id)?.lastDeliveredAt;
  await publish();
  const first = lastAt();
  expect(first).toBe(api.now());
  api.advance(999);
  await publish();
  expect(lastAt()).toBe(first);
  api.advance(1);
  await publish();
  expect(lastAt()).toBe(api.now());
  api.shiftClock(-60 * MINUTE_MS);
  await publish();
  expect(lastAt()).toBe(api.now());
});

test.each([
  [{ ...OK, statusCode: 401 }, "unauthorized", 401, "HTTP 401", "another secret"],
  [{ ...OK, statusCode: 500 }, "http_error", 500, "HTTP 500", "log of the receiver"],
  [
    { kind: "refused", error: "ECONNREFUSED" },
    "no_response",
    null,
    "The receiver could not be reached or did not respond in time.",
    "Check that it runs",
  ],
] as [Outcome, string, number | null, string, string][])(
  "an endpoint whose receiver fails with %o has the reason %s, since the first failure",
  async (outcome, reason, lastStatusCode, lastError, hint) => {
    const { api, receiver, publish, read } = await setUp();
    await publish();
    api.advance(2 * MINUTE_MS);
    receiver.outcome = outcome;
    await publish();
    const failing = await read();
    expect(failing).toMatchObject({
      lastDeliveredAt: "2026-11-20T07:00:00-05:00",
      lastStatusCode,
      lastError,
      state: { reason, since: "2026-11-20T07:02:00-05:00" },
    });
    expect(["FAILING", "HELD"]).toContain(failing.state.code);
    expect(failing.state.text).toContain("Since 2026-11-20 07:02, the receiver");
    expect(failing.state.text).toContain(hint);
    expect(failing.state.text).not.toMatch(/ECONN|refused/);
  },
);

test("an endpoint whose receiver sends Retry-After gets nothing until that time", async () => {
  const { receiver, publish, read } = await setUp();
  receiver.outcome = { ...OK, statusCode: 503, retryAfter: "600" };
  await publish();
  const { state, heldUntil } = await read();
  expect(state).toMatchObject({ code: "HELD", reason: "retry_after", until: heldUntil });
  expect(heldUntil).toBe("2026-11-20T07:10:00-05:00");
});

test("a paused endpoint shows since when it is paused, and works again when it is resumed", async () => {
  const { api, patch, read } = await setUp();
  api.advance(MINUTE_MS);
  await patch({ status: "DISABLED" });
  api.advance(MINUTE_MS);
  await patch({ name: "Other" });
  expect(await read()).toMatchObject({
    state: { code: "DISABLED", reason: "paused", since: "2026-11-20T07:01:00-05:00" },
  });
  await patch({ status: "ACTIVE" });
  expect(await read()).toMatchObject({
    state: { code: "WORKING", since: "2026-11-20T07:02:00-05:00" },
  });
});

test("an endpoint that responded with 410 is disabled with the reason gone", async () => {
  const { api, endpoint, receiver, publish, read } = await setUp();
  receiver.outcome = { ...OK, statusCode: 410 };
  await publish();
  expect(await read()).toMatchObject({
    state: { code: "DISABLED", reason: "gone", since: "2026-11-20T07:00:00-05:00" },
  });
  enableEndpoint(api, endpoint.id, "all");
  expect((await read()).state.code).toBe("WORKING");
});

test("an endpoint without an accepted event has the reason host_limit once its host's hourly limit is used up", async () => {
  const { api, endpoint, read } = await setUp({
    url: "https://8.8.8.8/hook",
    allowPrivate: false,
  });
  expect((await read()).state.code).toBe("WORKING");
  for (let i = 0; i < 50; i++) api.store.hosts.recordRequest("8.8.8.8", "delivery", api.now());
  expect(await read()).toMatchObject({ id: endpoint.id, state: { reason: "host_limit" } });
  api.advance(60 * MINUTE_MS + 1);
  expect((await read()).state.code).toBe("WORKING");
});
