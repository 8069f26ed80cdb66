import { describe, expect, test } from "vitest";
import { rotateKey } from "../../../../../src/app/keys.ts";
import { updateEndpoint } from "../../../../../src/app/webhooks/endpoints.ts";
import { type TestApi, createTestApi } from "../../../support/api.ts";
import {
  DELIVERIES,
  createTestEndpoint,
  renameService,
  createRestrictedKey,
  SALON_ID,
  createForeignEndpoint,
  jsonRequest,
  readData,
  WEBHOOKS,
} from "../../../support/webhooks.ts";

type Route = {
  method: string;
  path: (id: string) => string;
  scope: "webhooks.read" | "webhooks.write";
};

const ON_ENDPOINTS: Route[] = [
  { method: "GET", path: (id) => `${WEBHOOKS}/${id}`, scope: "webhooks.read" },
  { method: "GET", path: (id) => `${WEBHOOKS}/${id}/deliveries`, scope: "webhooks.read" },
  { method: "PATCH", path: (id) => `${WEBHOOKS}/${id}`, scope: "webhooks.write" },
  { method: "POST", path: (id) => `${WEBHOOKS}/${id}/test`, scope: "webhooks.write" },
  { method: "POST", path: (id) => `${WEBHOOKS}/${id}/enable`, scope: "webhooks.write" },
  { method: "POST", path: (id) => `${WEBHOOKS}/${id}/rotate-secret`, scope: "webhooks.write" },
  {
    method: "POST",
    path: (id) => `${WEBHOOKS}/${id}/rotate-secret/finish`,
    scope: "webhooks.write",
  },
  // DELETE comes last, because it removes the endpoint.
  { method: "DELETE", path: (id) => `${WEBHOOKS}/${id}`, scope: "webhooks.write" },
];
const ON_DELIVERIES: Route[] = [
  { method: "GET", path: (id) => `${DELIVERIES}/${id}`, scope: "webhooks.read" },
  { method: "POST", path: (id) => `${DELIVERIES}/${id}/redeliver`, scope: "webhooks.write" },
];

const request = (api: TestApi, { method, path }: Route, id: string, key: string) =>
  api.request(path(id), {
    method,
    key,
    ...(method === "PATCH" && { headers: { "content-type": "application/json" }, body: "{}" }),
  });

const bytesOf = async (response: Response) =>
  (await response.text()).replace(/"requestId":"\w+"/, "");

/** Creates a delivery to an endpoint, and returns its ID. */
function deliveryTo(api: TestApi, endpointId: string): string {
  renameService(api, "Cut");
  const [delivery] = api.store.deliveries.list({ endpointId }, 1);
  return delivery?.id ?? "none";
}

describe("an object of another key gets the same response as one that does not exist", () => {
  test("an endpoint of another key gets the response of one that does not exist", async () => {
    const api = createTestApi();
    const [mine, other] = [createRestrictedKey(api), createRestrictedKey(api)];
    const ids = [
      (await createTestEndpoint(api, other.id)).endpoint.id,
      (await createTestEndpoint(api, null)).endpoint.id,
      (await createForeignEndpoint(api)).id,
      "whe_none",
      "%2e%2e%2f",
      mine.id,
    ];
    for (const route of ON_ENDPOINTS) {
      const responses = new Set<string>();
      for (const id of ids) {
        const response = await request(api, route, id, mine.secret);
        expect([route.method, response.status]).toEqual([route.method, 404]);
        responses.add(await bytesOf(response));
      }
      expect(responses.size).toBe(1);
      expect([...responses][0]).toContain('"code":"resource_not_found"');
    }
    expect(
      api.store.endpoints
        .list()
        .every(({ status, updatedAt }) => status === "ACTIVE" && updatedAt === api.now()),
    ).toBe(true);
    expect(api.store.endpoints.list()).toHaveLength(3);
  });

  test("a delivery of another key gets the response of one that does not exist", async () => {
    const api = createTestApi();
    const [mine, other] = [createRestrictedKey(api), createRestrictedKey(api)];
    const ids = [
      deliveryTo(api, (await createTestEndpoint(api, other.id)).endpoint.id),
      deliveryTo(api, (await createTestEndpoint(api, null)).endpoint.id),
      "dlv_none",
    ];
    for (const route of ON_DELIVERIES) {
      const responses = await Promise.all(
        ids.map(async (id) => bytesOf(await request(api, route, id, mine.secret))),
      );
      expect(new Set(responses).size).toBe(1);
      expect(responses[0]).toContain('"code":"resource_not_found"');
    }
  });

  test("an object of another business gets the response of one that does not exist, also for a secret key", async () => {
    const api = createTestApi();
    const { id } = await createForeignEndpoint(api);
    for (const route of ON_ENDPOINTS)
      expect((await request(api, route, id, api.key)).status).toBe(404);
    expect(api.store.endpoints.findById(id)).toMatchObject({ status: "ACTIVE" });
  });
});

test("a secret key manages all endpoints of its business", async () => {
  const api = createTestApi();
  const { endpoint } = await createTestEndpoint(api, createRestrictedKey(api).id);
  const dlv = deliveryTo(api, endpoint.id);
  for (const route of ON_DELIVERIES)
    expect((await request(api, route, dlv, api.key)).ok).toBe(true);
  for (const route of ON_ENDPOINTS)
    expect([route, (await request(api, route, endpoint.id, api.key)).ok]).toEqual([route, true]);
});

test("a restricted key manages the endpoints that it created, also after its rotation", async () => {
  const api = createTestApi();
  const { id, secret } = createRestrictedKey(api);
  const { endpoint } = await createTestEndpoint(api, id);
  const dlv = deliveryTo(api, endpoint.id);
  const { secret: renewed } = rotateKey(api, id);
  for (const key of [secret, renewed]) {
    expect((await request(api, ON_DELIVERIES[0]!, dlv, key)).status).toBe(200);
    const { data } = (await (await api.request(WEBHOOKS, { key })).json()) as {
      data: { id: string }[];
    };
    expect(data.map(({ id }) => id)).toEqual([endpoint.id]);
  }
  for (const route of ON_ENDPOINTS)
    expect((await request(api, route, endpoint.id, renewed)).ok).toBe(true);
});

test("a key does not see the endpoints of another key that has the same name", async () => {
  const api = createTestApi();
  const { endpoint } = await createTestEndpoint(api, createRestrictedKey(api).id);
  expect(
    (await api.request(`${WEBHOOKS}/${endpoint.id}`, { key: createRestrictedKey(api).secret }))
      .status,
  ).toBe(404);
});

test.each(
  [...ON_ENDPOINTS, ...ON_DELIVERIES].map((route) => ({ ...route, name: route.path(":id") })),
)("$method $name needs the scope $scope", async (route) => {
  const api = createTestApi();
  const reader = createRestrictedKey(api, "webhooks.read");
  const { endpoint } = await createTestEndpoint(api, reader.id);
  const id =
    ON_DELIVERIES.includes(route) || route.name.startsWith(DELIVERIES)
      ? deliveryTo(api, endpoint.id)
      : endpoint.id;
  const before = api.revision();
  const other = await request(api, route, id, createRestrictedKey(api, "services.read").secret);
  expect(other.status).toBe(403);
  expect(await other.json()).toMatchObject({ code: "insufficient_scope" });
  const read = await request(api, route, id, reader.secret);
  expect(read.status).toBe(route.scope === "webhooks.read" ? 200 : 403);
  expect((await api.request(route.path(id), { method: route.method, key: null })).status).toBe(401);
  const elsewhere = route.path(id).replace("salon-aurora", "elsewhere");
  expect(await api.requestProblem(elsewhere, { method: route.method })).toMatchObject({
    code: "business_mismatch",
  });
  // Creating the key was the only write.
  expect(api.revision() - before).toBe(1);
});

test.each([
  { path: WEBHOOKS, allow: "GET, POST, HEAD, OPTIONS" },
  { path: `${WEBHOOKS}/whe_1`, allow: "GET, PATCH, DELETE, HEAD, OPTIONS" },
  { path: `${WEBHOOKS}/whe_1/deliveries`, allow: "GET, HEAD, OPTIONS" },
  { path: `${WEBHOOKS}/whe_1/test`, allow: "POST, OPTIONS" },
  { path: `${WEBHOOKS}/whe_1/enable`, allow: "POST, OPTIONS" },
  { path: `${WEBHOOKS}/whe_1/rotate-secret`, allow: "POST, OPTIONS" },
  { path: `${WEBHOOKS}/whe_1/rotate-secret/finish`, allow: "POST, OPTIONS" },
  { path: `${DELIVERIES}/dlv_1`, allow: "GET, HEAD, OPTIONS" },
  { path: `${DELIVERIES}/dlv_1/redeliver`, allow: "POST, OPTIONS" },
])("$path supports only $allow", async ({ path, allow }) => {
  const api = createTestApi();
  const rejected = await api.request(path, { method: "PUT" });
  expect([rejected.status, rejected.headers.get("allow")]).toEqual([405, allow]);
  expect(await rejected.json()).toMatchObject({ code: "method_not_allowed" });
  const options = await api.request(path, { method: "OPTIONS" });
  expect([options.status, options.headers.get("allow")]).toEqual([204, allow]);
});

test("an unknown query parameter is rejected even if the endpoint does not exist", async () => {
  const api = createTestApi();
  for (const route of [...ON_ENDPOINTS, ...ON_DELIVERIES])
    expect(
      await api.requestProblem(`${route.path("none")}?force=true`, { method: route.method }),
    ).toMatchObject({
      code: "unknown_parameter",
    });
  expect(api.store.endpoints.list(SALON_ID)).toEqual([]);
});

test("a key neither subscribes to nor sees events of groups that it may not receive", async () => {
  const api = createTestApi();
  const narrow = api.createKey({ eventGroups: ["catalog"] });
  const body = {
    name: "Website",
    url: "https://8.8.8.8/hook",
    events: ["service.updated", "booking.created"],
  };
  const send = (path: string, method: string, fields: object) =>
    api.request(path, { ...jsonRequest(method, fields), key: narrow.secret });
  expect(await (await send(WEBHOOKS, "POST", body)).json()).toMatchObject({
    status: 403,
    code: "insufficient_scope",
  });
  const created = await send(WEBHOOKS, "POST", { ...body, events: ["service.updated"] });
  const { id } = await readData<{ id: string }>(created, 201);
  expect((await send(`${WEBHOOKS}/${id}`, "PATCH", { events: body.events })).status).toBe(403);

  const { endpoint } = await createTestEndpoint(api, null);
  expect((await send(`${WEBHOOKS}/${endpoint.id}`, "PATCH", { name: "Mine" })).status).toBe(404);
});

test("a key manages an endpoint that the operator has given to it", async () => {
  const api = createTestApi();
  const key = createRestrictedKey(api);
  const { id } = (await createTestEndpoint(api, null)).endpoint;
  const read = () => api.request(`${WEBHOOKS}/${id}`, { key: key.secret });
  expect((await read()).status).toBe(404);
  await updateEndpoint(api, id, { keyId: key.id });
  expect((await read()).status).toBe(200);
  const deliveryId = deliveryTo(api, id);
  for (const route of [...ON_DELIVERIES, ...ON_ENDPOINTS]) {
    const target = ON_DELIVERIES.includes(route) ? deliveryId : id;
    const { status } = await request(api, route, target, key.secret);
    expect([route.method, route.path(target), status]).toEqual([
      route.method,
      route.path(target),
      expect.toBeOneOf([200, 202, 204]),
    ]);
  }
});
