import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { AuditAction } from "../../../src/domain/audit.ts";
import { ROUTES } from "../../support/routes.ts";
import { createTestApi, SALON } from "../support/api.ts";
import {
  createTestEndpoint,
  jsonRequest,
  renameService,
  SALON_ID,
  WEBHOOKS,
} from "../support/webhooks.ts";

/** Operations without an audit entry: a delivery and its attempts show their effect. */
const NOT_AUDITED = ["testEndpoint", "redeliverDelivery", "redeliverDeliveries"];

const NEW_ENDPOINT = { name: "Till", url: "https://8.8.8.8/", events: ["service.updated"] };

type Case = [operationId: string, action: AuditAction, method: string, path: string, body?: object];
const CASES: Case[] = [
  ["createEndpoint", "endpoint.created", "POST", "", NEW_ENDPOINT],
  ["updateEndpoint", "endpoint.updated", "PATCH", "/ID", { name: "Shop" }],
  ["enableEndpoint", "endpoint.enabled", "POST", "/ID/enable"],
  ["rotateEndpointSecret", "endpoint.secret_rotated", "POST", "/ID/rotate-secret"],
  ["finishSecretRotation", "endpoint.secret_rotation_finished", "POST", "/ID/rotate-secret/finish"],
  ["deleteEndpoint", "endpoint.deleted", "DELETE", "/ID"],
];

test("every route that changes an endpoint adds an audit entry with the key and the client's address", async () => {
  const api = createTestApi("salon", undefined, { trustedProxies: ["127.0.0.0/8"] });
  const { id: keyId, secret: key } = api.createKey({ name: "Website" });
  const { endpoint } = await createTestEndpoint(api, keyId);
  api.store.endpoints.updateStatus(endpoint.id, "DISABLED", "failing", api.now());
  for (const [operationId, action, method, path, body] of CASES) {
    const [last] = api.store.audit.list({}, 1);
    const response = await api.request(WEBHOOKS + path.replace("ID", endpoint.id), {
      ...(body ? jsonRequest(method, body) : { method }),
      key,
    });
    expect({ operationId, isOk: response.ok }).toEqual({ operationId, isOk: true });
    const added = api.store.audit.list({}, 100).filter(({ id }) => id > (last?.id ?? ""));
    expect({ operationId, added }).toMatchObject({
      operationId,
      added: [
        {
          via: "http",
          actorId: keyId,
          actorName: "Website",
          address: expect.stringMatching(/^[\d.:a-f]+$/),
          action,
          businessId: SALON_ID,
        },
      ],
    });
  }
  const writing = ROUTES.filter(({ method, group }) => method !== "GET" && group === "Webhooks");
  const covered = [...CASES.map(([operationId]) => operationId), ...NOT_AUDITED];
  expect(covered.sort()).toEqual(writing.map(({ operationId }) => operationId).sort());
});

test("a rejected or repeated request adds no entry to the audit log", async () => {
  const api = createTestApi();
  const count = () => api.store.audit.list({ action: "endpoint.created" }, 100).length;
  const create = (body: object) =>
    api.request(WEBHOOKS, {
      ...jsonRequest("POST", body),
      headers: { "content-type": "application/json", "idempotency-key": "once" },
    });
  expect((await create({ ...NEW_ENDPOINT, url: "https://127.0.0.1/" })).status).toBe(422);
  expect(count()).toBe(0);
  expect((await create(NEW_ENDPOINT)).status).toBe(201);
  expect((await create(NEW_ENDPOINT)).status).toBe(201);
  expect(count()).toBe(1);
});

test("a JSON response larger than 1 KB is compressed, except a single object with a strong ETag", async () => {
  const api = createTestApi();
  const { endpoint } = await createTestEndpoint(api, null);
  for (let i = 0; i < 10; i++) renameService(api, `Cut ${i}`);
  const get = (path: string, headers: Record<string, string> = {}) =>
    api.request(path, { headers });
  const businessPath = `/v1/businesses/${SALON}`;
  const one = `${WEBHOOKS}/${endpoint.id}`;
  const unknown = Array.from({ length: 20 }, (_, i) => `unknown${i}=1`).join("&");
  for (const path of [
    WEBHOOKS,
    `${one}/deliveries`,
    `${businessPath}/changes`,
    `${businessPath}/services`,
    `${businessPath}/changes?${unknown}`,
  ]) {
    const plain = await get(path);
    const [encoding, vary] = ["content-encoding", "vary"].map((name) => plain.headers.get(name));
    expect([path, encoding, vary]).toEqual([path, null, "Accept-Encoding"]);
    const bytes = Buffer.from(await plain.arrayBuffer());
    expect(bytes.length).toBeGreaterThan(1024);
    const zipped = await get(path, { "accept-encoding": "gzip" });
    const compressed = Buffer.from(await zipped.arrayBuffer());
    expect([path, zipped.headers.get("content-encoding")]).toEqual([path, "gzip"]);
    expect(Number(zipped.headers.get("content-length"))).toBe(compressed.length);
    const withoutId = (text: string) => text.replace(/"requestId":"\w+"/, "");
    expect(withoutId(gunzipSync(compressed).toString())).toBe(withoutId(bytes.toString()));
  }
  const single = await get(one, { "accept-encoding": "gzip" });
  expect(["content-encoding", "vary"].map((name) => single.headers.get(name))).toEqual([
    null,
    null,
  ]);
  expect((await single.arrayBuffer()).byteLength).toBeGreaterThan(1024);
});
