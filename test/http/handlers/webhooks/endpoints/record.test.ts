import { describe, expect, test } from "vitest";
import { checkEndpoint } from "../../../../../src/app/operations/delivery-conditions.ts";
import { disableEndpoint } from "../../../../../src/app/webhooks/endpoint-lifecycle.ts";
import { endpoint as endpointSchema } from "../../../../../src/domain/public/schemas/webhook.ts";
import {
  createEndpointBody,
  updateEndpointBody,
} from "../../../../../src/domain/webhooks/endpoint-fields.ts";
import { createTestApi, type TestApi } from "../../../support/api.ts";
import {
  readData,
  createTestEndpoint,
  renameService,
  jsonRequest,
  WEBHOOKS,
} from "../../../support/webhooks.ts";

const patch = (body: unknown) => jsonRequest("PATCH", body);

async function setUp() {
  const api = createTestApi();
  const { endpoint } = await createTestEndpoint(api, null);
  return { api, endpoint, path: `${WEBHOOKS}/${endpoint.id}` };
}

test("GET of an endpoint returns neither its secret nor the operator's settings", async () => {
  const { api, endpoint, path } = await setUp();
  api.store.endpoints.updateStreak(endpoint.id, { ...endpoint, failingSince: api.now() });
  disableEndpoint(api, endpoint.id, "failing");
  const response = await api.request(path);
  expect(response.headers.get("cache-control")).toBe("private, no-cache");
  const data = await readData(response);
  expect(endpointSchema.parse(data)).toEqual(data);
  expect(data).toEqual({
    id: endpoint.id,
    name: "Website",
    url: "http://10.0.0.1/hook",
    events: endpoint.events,
    status: "DISABLED",
    disabledReason: "failing",
    failingSince: "2026-11-20T07:00:00-05:00",
    heldUntil: null,
    heldReason: null,
    lastDeliveredAt: null,
    lastStatusCode: null,
    lastError: null,
    state: {
      code: "DISABLED",
      reason: "failing",
      since: "2026-11-20T07:00:00-05:00",
      until: null,
      text: expect.stringContaining("failed for more than 5 days"),
    },
    oldSecretEndsAt: null,
    version: 2,
    createdAt: "2026-11-20T07:00:00-05:00",
    updatedAt: "2026-11-20T07:00:00-05:00",
  });
});

describe("PATCH", () => {
  test("PATCH of an endpoint updates the given fields and keeps the others", async () => {
    const { api, endpoint, path } = await setUp();
    api.advance(60_000);
    const changed = await readData(
      await api.request(
        path,
        patch({ name: " Shop ", events: ["staff.created", "staff.created"] }),
      ),
    );
    expect(changed).toMatchObject({
      name: "Shop",
      url: endpoint.url,
      events: ["staff.created"],
      updatedAt: "2026-11-20T07:01:00-05:00",
    });
    expect(await readData(await api.request(path))).toEqual(changed);
    renameService(api, "Cut");
    expect(api.store.deliveries.list({ endpointId: endpoint.id }, 10)).toEqual([]);
  });

  test("PATCH with an empty object changes nothing", async () => {
    const { api, endpoint, path } = await setUp();
    expect(await readData(await api.request(path, patch({})))).toMatchObject({
      name: "Website",
      events: endpoint.events,
    });
  });

  test.each([
    {
      body: { name: "", url: 5, events: [] },
      issues: ["#/name length", "#/url type", "#/events empty"],
    },
    { body: { name: null, events: null }, issues: ["#/name type", "#/events type"] },
    { body: { evnts: [], name: 1 }, issues: ["#/name type", "#/evnts unknown_field"] },
    { body: { events: ["staff.created", "staff.create"] }, issues: ["#/events/1 unknown_event"] },
    { body: { status: "PAUSED", name: "" }, issues: ["#/name length", "#/status invalid_value"] },
    { body: { allowPrivate: true }, issues: ["#/allowPrivate unknown_field"] },
    {
      body: { byPartner: false, timeoutMs: 1 },
      issues: ["#/byPartner unknown_field", "#/timeoutMs unknown_field"],
    },
    { body: `{"__proto__": {"name": "x"}}`, issues: ["#/__proto__ unknown_field"] },
    { body: [], issues: ["# type"] },
  ])("PATCH with $body is rejected with the issues $issues", async ({ body, issues }) => {
    const { api, endpoint, path } = await setUp();
    const problem = await api.requestProblem(path, patch(body));
    expect(problem).toMatchObject({ status: 422, code: "validation_failed" });
    expect(problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(issues);
    expect(api.store.endpoints.findById(endpoint.id)).toEqual(endpoint);
    // The documented schema rejects the body as well.
    expect(
      updateEndpointBody().safeParse(typeof body === "string" ? JSON.parse(body) : body).success,
    ).toBe(false);
  });

  test.each([
    { init: { method: "PATCH" }, status: 415 },
    { init: patch(""), status: 400 },
    { init: patch("{"), status: 400 },
    { init: patch(`"${"x".repeat(65_536)}"`), status: 413 },
  ])("PATCH with a body that is not JSON gets $status", async ({ init, status }) => {
    const { api, path } = await setUp();
    expect(await api.requestProblem(path, init)).toMatchObject({ status });
  });

  test.each([
    "https://169.254.169.254/latest",
    "http://8.8.8.8/hook",
    "https://user:pw@8.8.8.8/",
    "https://server.local/",
  ])(
    "PATCH rejects the URL %s, even if the operator trusts the endpoint's current URL",
    async (url) => {
      const { api, endpoint, path } = await setUp();
      expect(endpoint.allowPrivate).toBe(true);
      expect(await api.requestProblem(path, patch({ url }))).toMatchObject({
        status: 422,
        code: "unsafe_url",
        errors: [{ pointer: "#/url" }],
      });
      expect(api.store.endpoints.findById(endpoint.id)).toEqual(endpoint);
    },
  );

  test("PATCH reports an invalid URL together with all other issues", async () => {
    const { api, path } = await setUp();
    const problem = await api.requestProblem(path, patch({ name: "", url: "ftp://x" }));
    expect(problem).toMatchObject({ status: 422, code: "validation_failed" });
    expect(problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      "#/name length",
      "#/url unsafe_url",
    ]);
  });

  test("PATCH returns the normalized URL", async () => {
    const { api, path } = await setUp();
    const changed = await readData(
      await api.request(path, patch({ url: " https://8.8.8.8/a b#c " })),
    );
    expect(changed).toMatchObject({ url: "https://8.8.8.8/a%20b" });
    expect(await readData(await api.request(path))).toEqual(changed);
  });

  test("the name of an endpoint can be changed even if its URL is no longer allowed", async () => {
    const { api, endpoint, path } = await setUp();
    api.tx(() =>
      api.store.endpoints.update(endpoint.id, { ...endpoint, allowPrivate: false }, api.now()),
    );
    expect(await readData(await api.request(path, patch({ name: "Shop" })))).toMatchObject({
      name: "Shop",
      url: endpoint.url,
    });
  });

  test("a new URL ends an endpoint's permission for private addresses; the same URL keeps it", async () => {
    const { api, endpoint, path } = await setUp();
    const trust = () => api.store.endpoints.findById(endpoint.id)?.allowPrivate;
    await readData(await api.request(path, patch({ url: endpoint.url, name: "Till" })));
    expect(trust()).toBe(true);
    await readData(await api.request(path, patch({ url: "https://8.8.8.8/hook" })));
    expect(trust()).toBe(false);
    expect(await api.requestProblem(path, patch({ url: endpoint.url }))).toMatchObject({
      code: "unsafe_url",
    });
  });
});

test("the documented schema of a new endpoint accepts a valid body", () => {
  expect(
    createEndpointBody().safeParse({ name: "x", url: "https://8.8.8.8", events: ["staff.created"] })
      .success,
  ).toBe(true);
  expect(createEndpointBody().safeParse({ name: "x", url: "https://8.8.8.8" }).success).toBe(false);
});

test.each([
  { what: "a name of spaces", name: " ", isAccepted: false },
  { what: "a long name", name: "x".repeat(101), isAccepted: false },
  { what: "spaces around a name", name: ` ${"x".repeat(100)} `, isAccepted: true },
])("the documented schema and the route agree on $what", async ({ name, isAccepted }) => {
  const body = { name, url: "https://8.8.8.8", events: ["staff.created"] };
  expect(createEndpointBody().safeParse(body).success).toBe(isAccepted);
  const { status } = await createTestApi().request(WEBHOOKS, jsonRequest("POST", body));
  expect(status).toBe(isAccepted ? 201 : 422);
});

test("DELETE of an endpoint cancels its pending deliveries, and a second DELETE is 404", async () => {
  const { api, endpoint, path } = await setUp();
  renameService(api, "Cut");
  const response = await api.request(path, { method: "DELETE" });
  expect([response.status, await response.text(), response.headers.get("content-type")]).toEqual([
    204,
    "",
    null,
  ]);
  for (const method of ["DELETE", "GET"])
    expect(await api.requestProblem(path, { method })).toMatchObject({
      status: 404,
      code: "resource_not_found",
    });
  expect(
    api.store.deliveries.list({ endpointId: endpoint.id }, 10).map(({ status }) => status),
  ).toEqual(["CANCELLED", "CANCELLED"]);
  expect(api.store.endpointSecrets.listValid(endpoint.id, api.now())).toEqual([]);
});

describe("the version", () => {
  /** Requests that each change the endpoint once. */
  const CHANGES: [name: string, path: string, method: string, body?: object][] = [
    ["a new name", "", "PATCH", { name: "Shop" }],
    ["pausing", "", "PATCH", { status: "DISABLED" }],
    ["resuming", "", "PATCH", { status: "ACTIVE" }],
    ["a rotation", "/rotate-secret", "POST"],
    ["finishing it", "/rotate-secret/finish", "POST"],
  ];
  const send = (api: TestApi, path: string, method: string, body?: object, ifMatch?: string) =>
    api.request(path, {
      method,
      headers: {
        ...(body && { "content-type": "application/json" }),
        ...(ifMatch !== undefined && { "if-match": ifMatch }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });

  test("the version of an endpoint is its strong ETag, and counts its changes", async () => {
    const { api, endpoint, path } = await setUp();
    const get = async () => (await api.request(path)).headers.get("etag");
    expect(await get()).toBe('"1"');
    for (const [i, [name, below, method, body]] of CHANGES.entries()) {
      const response = await send(api, path + below, method, body);
      const etag = `"${i + 2}"`;
      expect([name, response.headers.get("etag"), await get()]).toEqual([name, etag, etag]);
      expect((await readData(response))["version"]).toBe(i + 2);
    }
    disableEndpoint(api, endpoint.id, "manual");
    expect(await get()).toBe('"7"');
  });

  test("the version of an endpoint does not count deliveries, failures, tests and requests that change nothing", async () => {
    const { api, endpoint, path } = await setUp();
    renameService(api, "Cut");
    api.store.endpoints.updateStreak(endpoint.id, { ...endpoint, failingSince: api.now() });
    await send(api, path, "PATCH", { name: "Website", status: "ACTIVE" });
    await send(api, `${path}/rotate-secret/finish`, "POST");
    await send(api, `${path}/enable`, "POST");
    const response = await api.request(path, { headers: { "if-none-match": 'W/"1", "x"' } });
    expect([response.status, response.headers.get("etag"), await response.text()]).toEqual([
      304,
      '"1"',
      "",
    ]);
  });

  test.each([
    ...CHANGES,
    ["deleting", "", "DELETE"] as const,
    ["a test", "/test", "POST"] as const,
  ])(
    "the request for %s is refused if If-Match lists another version",
    async (_name, below, method, body) => {
      const { api, endpoint, path } = await setUp();
      for (const ifMatch of ['"2"', 'W/"1"', "1", '"11", W/"1"', '"*"', ""]) {
        const response = await send(api, path + below, method, body, ifMatch);
        expect([ifMatch, response.status]).toEqual([ifMatch, 412]);
        expect(await response.json()).toMatchObject({ code: "version_mismatch" });
      }
      expect(api.store.endpoints.findById(endpoint.id)).toEqual(endpoint);
      for (const ifMatch of ['"1"', '"0", "1"', "*"]) {
        const { api, path } = await setUp();
        const response = await send(api, path + below, method, body, ifMatch);
        expect([ifMatch, response.ok]).toEqual([ifMatch, true]);
      }
    },
  );

  test("a request with If-Match for an endpoint that does not exist is 404", async () => {
    const { api, path } = await setUp();
    expect((await send(api, `${path}x`, "DELETE", undefined, "*")).status).toBe(404);
  });
});

describe("pausing", () => {
  test("pausing an endpoint keeps its deliveries, and resuming sends them", async () => {
    const { api, endpoint, path } = await setUp();
    const statuses = () =>
      api.store.deliveries.list({ endpointId: endpoint.id }, 100).map(({ status }) => status);
    renameService(api, "Before");
    expect(await readData(await api.request(path, patch({ status: "DISABLED" })))).toMatchObject({
      status: "DISABLED",
      disabledReason: "paused",
    });
    renameService(api, "Meanwhile");
    expect(statuses()).toEqual(Array(4).fill("PARKED"));
    expect(checkEndpoint(api, api.store.endpoints.findById(endpoint.id)!)).toEqual([]);
    expect(await readData(await api.request(path, patch({ status: "ACTIVE" })))).toMatchObject({
      status: "ACTIVE",
      disabledReason: null,
    });
    expect(statuses()).toEqual(Array(4).fill("PENDING"));
  });

  test("an endpoint that the business disabled cannot be resumed, and is not changed", async () => {
    const { api, endpoint, path } = await setUp();
    await api.request(path, patch({ status: "DISABLED" }));
    disableEndpoint(api, endpoint.id, "manual");
    const problem = await api.requestProblem(path, patch({ status: "ACTIVE", name: "Shop" }));
    expect(problem).toMatchObject({ status: 409, code: "conflict" });
    expect(api.store.endpoints.findById(endpoint.id)).toMatchObject({
      name: "Website",
      disabledReason: "manual",
    });
  });
});
