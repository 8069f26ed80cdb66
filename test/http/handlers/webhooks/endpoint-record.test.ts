import { describe, expect, test } from "vitest";
import { disableEndpoint } from "../../../../src/app/webhooks/endpoint-lifecycle.ts";
import { endpoint as endpointSchema } from "../../../../src/domain/public/schemas/webhook.ts";
import { updateEndpointBody } from "../../../../src/http/handlers/webhooks/endpoint.ts";
import { createEndpointBody } from "../../../../src/http/handlers/webhooks/endpoints.ts";
import { api } from "../../support/api.ts";
import { dataOf, made, rename, withJson, WEBHOOKS } from "../../support/webhooks.ts";

const patch = (body: unknown) => withJson("PATCH", body);

async function stage() {
  const a = api();
  const { endpoint } = await made(a, null);
  return { a, endpoint, path: `${WEBHOOKS}/${endpoint.id}` };
}

test("an endpoint is shown as its creation showed it, without its secret and the operator's settings", async () => {
  const { a, endpoint, path } = await stage();
  a.store.endpoints.updateStreak(endpoint.id, { ...endpoint, failingSince: a.now() });
  disableEndpoint(a, endpoint.id, "failing");
  const response = await a.ask(path);
  expect(response.headers.get("cache-control")).toBe("private, no-cache");
  const data = await dataOf(response);
  expect(endpointSchema.parse(data)).toEqual(data);
  expect(data).toEqual({
    id: endpoint.id,
    name: "Website",
    url: "http://10.0.0.1/hook",
    events: endpoint.events,
    status: "DISABLED",
    disabledReason: "failing",
    failingSince: "2026-11-20T07:00:00-05:00",
    createdAt: "2026-11-20T07:00:00-05:00",
    updatedAt: "2026-11-20T07:00:00-05:00",
  });
});

describe("PATCH", () => {
  test("changes what is sent and leaves the rest", async () => {
    const { a, endpoint, path } = await stage();
    a.advance(60_000);
    const changed = await dataOf(
      await a.ask(path, patch({ name: " Shop ", events: ["staff.created", "staff.created"] })),
    );
    expect(changed).toMatchObject({
      name: "Shop",
      url: endpoint.url,
      events: ["staff.created"],
      updatedAt: "2026-11-20T07:01:00-05:00",
    });
    expect(await dataOf(await a.ask(path))).toEqual(changed);
    rename(a, "Cut");
    expect(a.store.deliveries.list({ endpointId: endpoint.id }, 10)).toEqual([]);
  });

  test("nothing at all changes nothing", async () => {
    const { a, endpoint, path } = await stage();
    expect(await dataOf(await a.ask(path, patch({})))).toMatchObject({
      name: "Website",
      events: endpoint.events,
    });
  });

  test.each([
    {
      body: { name: "", url: 5, events: [] },
      mistakes: ["#/name length", "#/url type", "#/events empty"],
    },
    { body: { name: null, events: null }, mistakes: ["#/name type", "#/events type"] },
    { body: { evnts: [], name: 1 }, mistakes: ["#/name type", "#/evnts unknown_field"] },
    { body: { events: ["staff.created", "staff.create"] }, mistakes: ["#/events/1 unknown_event"] },
    { body: { status: "DISABLED" }, mistakes: ["#/status unknown_field"] },
    { body: { allowPrivate: true }, mistakes: ["#/allowPrivate unknown_field"] },
    {
      body: { byPartner: false, timeoutMs: 1 },
      mistakes: ["#/byPartner unknown_field", "#/timeoutMs unknown_field"],
    },
    { body: `{"__proto__": {"name": "x"}}`, mistakes: ["#/__proto__ unknown_field"] },
    { body: [], mistakes: ["# type"] },
  ])("$body is told with all its mistakes: $mistakes", async ({ body, mistakes }) => {
    const { a, endpoint, path } = await stage();
    const problem = await a.problem(path, patch(body));
    expect(problem).toMatchObject({ status: 422, code: "validation_failed" });
    expect(problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(mistakes);
    expect(a.store.endpoints.findById(endpoint.id)).toEqual(endpoint);
    // What describes the body refuses it as well.
    expect(
      updateEndpointBody.safeParse(typeof body === "string" ? JSON.parse(body) : body).success,
    ).toBe(false);
  });

  test.each([
    { init: { method: "PATCH" }, status: 415 },
    { init: patch(""), status: 400 },
    { init: patch("{"), status: 400 },
    { init: patch(`"${"x".repeat(65_536)}"`), status: 413 },
  ])("a body that is none: $status", async ({ init, status }) => {
    const { a, path } = await stage();
    expect(await a.problem(path, init)).toMatchObject({ status });
  });

  test.each([
    "https://169.254.169.254/latest",
    "http://8.8.8.8/hook",
    "https://user:pw@8.8.8.8/",
    "https://box.local/",
  ])("no %s, not even where the operator trusts the URL so far", async (url) => {
    const { a, endpoint, path } = await stage();
    expect(endpoint.allowPrivate).toBe(true);
    expect(await a.problem(path, patch({ url }))).toMatchObject({
      status: 422,
      code: "unsafe_url",
      errors: [{ pointer: "#/url" }],
    });
    expect(a.store.endpoints.findById(endpoint.id)).toEqual(endpoint);
  });

  test("what a URL is by itself is told with all other mistakes", async () => {
    const { a, path } = await stage();
    const problem = await a.problem(path, patch({ name: "", url: "ftp://x" }));
    expect(problem).toMatchObject({ status: 422, code: "validation_failed" });
    expect(problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
      "#/name length",
      "#/url unsafe_url",
    ]);
  });

  test("the answer has the URL as it is called", async () => {
    const { a, path } = await stage();
    const changed = await dataOf(await a.ask(path, patch({ url: " https://8.8.8.8/a b#c " })));
    expect(changed).toMatchObject({ url: "https://8.8.8.8/a%20b" });
    expect(await dataOf(await a.ask(path))).toEqual(changed);
  });

  test("a URL that is no longer allowed keeps nobody from changing the name", async () => {
    const { a, endpoint, path } = await stage();
    a.tx(() =>
      a.store.endpoints.update(endpoint.id, { ...endpoint, allowPrivate: false }, a.now()),
    );
    expect(await dataOf(await a.ask(path, patch({ name: "Shop" })))).toMatchObject({
      name: "Shop",
      url: endpoint.url,
    });
  });

  test("another URL that is safe ends the operator's trust, the same one keeps it", async () => {
    const { a, endpoint, path } = await stage();
    const trust = () => a.store.endpoints.findById(endpoint.id)?.allowPrivate;
    await dataOf(await a.ask(path, patch({ url: endpoint.url, name: "Till" })));
    expect(trust()).toBe(true);
    await dataOf(await a.ask(path, patch({ url: "https://8.8.8.8/hook" })));
    expect(trust()).toBe(false);
    expect(await a.problem(path, patch({ url: endpoint.url }))).toMatchObject({
      code: "unsafe_url",
    });
  });
});

test("what describes a new endpoint's body takes what is taken", () => {
  expect(
    createEndpointBody.safeParse({ name: "x", url: "https://8.8.8.8", events: ["staff.created"] })
      .success,
  ).toBe(true);
  expect(createEndpointBody.safeParse({ name: "x", url: "https://8.8.8.8" }).success).toBe(false);
});

test("DELETE is for good: the second one finds nothing, and what was owed is cancelled", async () => {
  const { a, endpoint, path } = await stage();
  rename(a, "Cut");
  const response = await a.ask(path, { method: "DELETE" });
  expect([response.status, await response.text(), response.headers.get("content-type")]).toEqual([
    204,
    "",
    null,
  ]);
  for (const method of ["DELETE", "GET"])
    expect(await a.problem(path, { method })).toMatchObject({
      status: 404,
      code: "resource_not_found",
    });
  expect(
    a.store.deliveries.list({ endpointId: endpoint.id }, 10).map(({ status }) => status),
  ).toEqual(["CANCELLED", "CANCELLED"]);
  expect(a.store.endpointSecrets.listValid(endpoint.id, a.now())).toEqual([]);
});
