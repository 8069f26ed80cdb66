import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createPruner } from "../../../src/app/operations/retention.ts";
import { rotateMasterKey } from "../../../src/app/webhooks/endpoint-secrets.ts";
import { hashApiKey } from "../../../src/domain/api-key.ts";
import type { SendOnce } from "../../../src/app/webhooks/test-endpoint.ts";
import { createTestApp } from "../../support/app.ts";
import { commitReply, createHandleOnce } from "../../../src/http/pipeline/idempotency.ts";
import type { HttpRequest, RequestContext } from "../../../src/http/pipeline/request-context.ts";
import { ROUTES } from "../../support/routes.ts";
import { createTestApi, type Problem, type TestApi } from "../support/api.ts";
import {
  createTestEndpoint,
  DELIVERIES,
  jsonRequest,
  readData,
  renameService,
  WEBHOOKS,
} from "../support/webhooks.ts";

const DAY = 86_400_000;
const NEW_ENDPOINT = { name: "Till", url: "https://8.8.8.8/", events: ["service.updated"] };

async function setUp() {
  const api = createTestApi();
  const { endpoint } = await createTestEndpoint(api, null);
  renameService(api, "Cut");
  const [delivery] = api.store.deliveries.list({ endpointId: endpoint.id }, 1);
  const paths: Record<string, [path: string, body?: object]> = {
    createEndpoint: [WEBHOOKS, NEW_ENDPOINT],
    testEndpoint: [`${WEBHOOKS}/${endpoint.id}/test`],
    enableEndpoint: [`${WEBHOOKS}/${endpoint.id}/enable`, { recover: "none" }],
    rotateEndpointSecret: [`${WEBHOOKS}/${endpoint.id}/rotate-secret`],
    finishSecretRotation: [`${WEBHOOKS}/${endpoint.id}/rotate-secret/finish`],
    redeliverDelivery: [`${DELIVERIES}/${delivery!.id}/redeliver`, {}],
  };
  return { api, endpoint, paths, rotation: `${WEBHOOKS}/${endpoint.id}/rotate-secret` };
}

const send = (api: TestApi, path: string, body?: object, token = "order-1", key = api.key) => {
  const { headers, ...init } = body ? jsonRequest("POST", body) : { method: "POST" };
  return api.request(path, { ...init, key, headers: { ...headers, "idempotency-key": token } });
};

const readAll = async (response: Response) => ({
  status: response.status,
  headers: ["content-type", "cache-control", "location", "etag"].map((name) =>
    response.headers.get(name),
  ),
  body: await response.text(),
});

test.each(
  ROUTES.filter(({ method, group }) => method === "POST" && group === "Webhooks").map(
    ({ operationId }) => operationId,
  ),
)("%s takes effect once, and a repeated request gets the first response", async (operationId) => {
  const { api, paths } = await setUp();
  const [path, body] = paths[operationId]!;
  const first = await send(api, path, body);
  expect(first.headers.get("idempotency-replayed")).toBeNull();
  const original = await readAll(first);
  const revision = api.revision();
  const again = await send(api, path, body);
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect(again.headers.get("request-id")).not.toBe(first.headers.get("request-id"));
  expect(await readAll(again)).toEqual(original);
  expect(api.revision()).toBe(revision);
  const remaining = (response: Response) =>
    Number(/r=(\d+)/.exec(response.headers.get("ratelimit") ?? "")?.[1]);
  expect(remaining(again)).toBe(remaining(first) - 1);
});

test("a rotation whose response was lost can be retried, also with a rotated API key", async () => {
  const { api, endpoint, rotation } = await setUp();
  const { secret } = await readData(await send(api, rotation));
  expect(await readData(await send(api, rotation))).toMatchObject({ secret });
  expect(api.store.endpointSecrets.listValid(endpoint.id, api.now())).toHaveLength(2);
  // With another Idempotency-Key, it is another rotation.
  expect((await send(api, rotation, undefined, "order-2")).status).toBe(409);
});

test("an Idempotency-Key with another path or body is refused", async () => {
  const { api, rotation } = await setUp();
  const code = async (path: string, body?: object) => {
    const response = await send(api, path, body);
    return response.ok ? "ok" : `${response.status} ${((await response.json()) as Problem).code}`;
  };
  expect(await code(rotation, { overlapSeconds: 60, force: false })).toBe("ok");
  expect(await code(rotation, { force: false, overlapSeconds: 60 })).toBe("ok");
  const reused = "422 idempotency_key_reused";
  expect(await code(rotation, { overlapSeconds: 61, force: false })).toBe(reused);
  expect(await code(rotation)).toBe(reused);
  expect(await code(`${rotation}/finish`, { overlapSeconds: 60, force: false })).toBe(reused);
  // Another API key has its own Idempotency-Keys.
  const { secret } = api.createKey();
  expect((await send(api, rotation, {}, "order-1", secret)).status).toBe(409);
});

test("a refused request has no effect and is handled again", async () => {
  const { api, rotation } = await setUp();
  await send(api, rotation, undefined, "first");
  expect((await send(api, rotation)).status).toBe(409);
  await send(api, `${rotation}/finish`, undefined, "finish");
  const response = await send(api, rotation);
  expect([response.status, response.headers.get("idempotency-replayed")]).toEqual([200, null]);
});

test("a request whose reply cannot be stored has no effect", async () => {
  const { api, endpoint, rotation } = await setUp();
  const replace = api.store.idempotency.replace;
  api.store.idempotency.replace = () => {
    throw new Error("the disk failed");
  };
  const response = await send(api, rotation);
  expect([response.status, response.headers.get("etag")]).toEqual([500, null]);
  expect(api.store.endpointSecrets.listValid(endpoint.id, api.now())).toHaveLength(1);
  api.store.idempotency.replace = replace;
  expect((await send(api, rotation)).status).toBe(200);
});

test("20 concurrent rotations are one rotation", async () => {
  const { api, endpoint, rotation } = await setUp();
  const responses = await Promise.all(Array.from({ length: 20 }, () => send(api, rotation)));
  const secrets = await Promise.all(
    responses.map(async (response) => (await readData(response))["secret"]),
  );
  expect(new Set(secrets).size).toBe(1);
  const replayed = responses.filter(({ headers }) => headers.has("idempotency-replayed"));
  expect(replayed).toHaveLength(19);
  expect(api.store.endpoints.findById(endpoint.id)?.version).toBe(2);
});

test("while the first request is in progress, a second one is 503 busy after 2 s", async () => {
  const { api, endpoint } = await setUp();
  const responded = Promise.withResolvers<Awaited<ReturnType<SendOnce>>>();
  const started = Promise.withResolvers<void>();
  const { request } = createTestApp(api, () => {
    started.resolve();
    return responded.promise;
  });
  const test = () =>
    request(`${WEBHOOKS}/${endpoint.id}/test`, {
      method: "POST",
      headers: { authorization: `Bearer ${api.key}`, "idempotency-key": "order-1" },
    });
  const first = test();
  await started.promise;
  const second = test();
  await new Promise(setImmediate);
  api.advance(2000);
  const busy = await second;
  expect([busy.status, busy.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await busy.json()).toMatchObject({ code: "busy" });
  const third = test();
  responded.resolve({ outcome: { kind: "refused", error: "refused" }, address: null });
  expect(await (await third).json()).toEqual(await (await first).json());
});

test("a reply is kept for 24 hours, encrypted, and survives a rotation of the master key", async () => {
  const { api, rotation } = await setUp();
  const first = await readData<{ secret: string }>(
    await send(api, rotation, { overlapSeconds: 86_399 }),
  );
  rotateMasterKey(api);
  api.advance(DAY - 1);
  const again = await send(api, rotation, { overlapSeconds: 86_399 });
  expect(await readData(again)).toEqual(first);
  const stored = ["", "-wal"].map((end) => readFileSync(api.config.databasePath + end, "latin1"));
  for (const text of [first.secret, "86399"]) expect(stored.join()).not.toContain(text);
  api.advance(1);
  expect((await send(api, rotation, { overlapSeconds: 1 })).status).toBe(200);
  api.advance(DAY);
  await createPruner(api)();
  expect(api.store.idempotency.list()).toEqual([]);
  expect(JSON.stringify(api.logged)).not.toContain("order-1");
});

test("a repeated request is refused and not handled again if the master key is gone", async () => {
  const { api, endpoint, rotation } = await setUp();
  await send(api, rotation);
  const [row] = api.store.idempotency.list();
  api.store.idempotency.replace({ ...row!, sealed: Buffer.alloc(64) });
  expect((await send(api, rotation)).status).toBe(503);
  expect(api.store.endpoints.findById(endpoint.id)?.version).toBe(2);
  // A reply that no key decrypts does not prevent a rotation of the master key.
  rotateMasterKey(api);
  expect(api.store.idempotency.list()).toEqual([]);
});

test("one of several requests that arrive at the same time is handled", async () => {
  const { api } = await setUp();
  const key = api.store.keys.findCredential(hashApiKey(api.key))!;
  const handleOnce = createHandleOnce(api);
  const body = Promise.resolve(Buffer.alloc(0));
  let handled = 0;
  const requests = Array.from({ length: 3 }, async () => {
    const headers = { "idempotency-key": "order-1" };
    const request = { method: "POST", path: "/", headers } as unknown as HttpRequest;
    const context = { request, body, responseHeaders: [] } as unknown as RequestContext;
    return handleOnce(context, key, async () => {
      handled += 1;
      await new Promise(setImmediate);
      return commitReply(api, context, () => ({ status: 204, headers: [], body: null }));
    });
  });
  await Promise.all(requests);
  expect(handled).toBe(1);
});
