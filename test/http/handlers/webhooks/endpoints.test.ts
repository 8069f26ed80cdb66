import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { deleteEndpoint } from "../../../../src/app/webhooks/endpoint-lifecycle.ts";
import { rotateKey } from "../../../../src/app/keys.ts";
import { businessId } from "../../../../src/domain/catalog/object-id.ts";
import { EVENT_TYPES } from "../../../../src/domain/events/event-types.ts";
import { endpoint as endpointSchema } from "../../../../src/domain/public/schemas/webhook.ts";
import { openDatabase } from "../../../../src/store/database/database.ts";
import { type Problem, type TestApi, createTestApi, SALON } from "../../support/api.ts";
import { createForeignEndpoint } from "../../support/webhooks.ts";

const WEBHOOKS = `/v1/businesses/${SALON}/webhooks`;
const GOOD = {
  name: "Website",
  url: "https://8.8.8.8/hook",
  events: ["service.updated", "catalog.changed"],
};

const otherUrl = (n: number) => ({ ...GOOD, url: `${GOOD.url}/${n}` });

const json = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: typeof body === "string" ? body : JSON.stringify(body),
});

const endpoints = (api: TestApi) => api.store.endpoints.list();

test("creating an endpoint returns it with its secret, which is shown only once", async () => {
  const api = createTestApi();
  const { id: keyId, secret: key } = api.createKey({
    kind: "RESTRICTED",
    scopes: ["webhooks.write"],
  });
  const response = await api.request(WEBHOOKS, { ...json(GOOD), key });
  const { data } = (await response.json()) as { data: Record<string, unknown> };
  expect(response.status).toBe(201);
  expect(data).toEqual({
    id: expect.stringMatching(/^whe_/),
    ...GOOD,
    status: "ACTIVE",
    disabledReason: null,
    failingSince: null,
    heldUntil: null,
    heldReason: null,
    lastDeliveredAt: null,
    lastStatusCode: null,
    lastError: null,
    state: {
      code: "WORKING",
      reason: null,
      since: "2026-11-20T07:00:00-05:00",
      until: null,
      text: "Events are sent as they occur. The receiver has not accepted one yet.",
    },
    oldSecretEndsAt: null,
    version: 1,
    createdAt: "2026-11-20T07:00:00-05:00",
    updatedAt: "2026-11-20T07:00:00-05:00",
    secret: expect.stringMatching(/^whsec_/),
  });
  expect(response.headers.get("location")).toBe(`${WEBHOOKS}/${data["id"]}`);
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(response.headers.get("ratelimit")).not.toBeNull();
  expect(endpoints(api)).toMatchObject([{ id: data["id"], keyId, allowPrivate: false }]);
});

test.each([
  { what: "without the master key", lose: (path: string) => rmSync(path) },
  {
    what: "with another server's master key",
    lose: (path: string) => writeFileSync(path, `${Buffer.alloc(32).toString("base64")}\n`),
  },
])("$what, creating an endpoint fails with a 503 that names no file", async ({ lose }) => {
  const api = createTestApi();
  const { data } = (await (await api.request(WEBHOOKS, json(GOOD))).json()) as {
    data: { id: string };
  };
  const key = readFileSync(api.config.masterKeyPath);
  lose(api.config.masterKeyPath);
  for (const path of [WEBHOOKS, `${WEBHOOKS}/${data.id}/rotate-secret`]) {
    const response = await api.request(path, json(path === WEBHOOKS ? otherUrl(1) : {}));
    expect({ status: response.status, retryAfter: response.headers.get("retry-after") }).toEqual({
      status: 503,
      retryAfter: "60",
    });
    const body = await response.text();
    expect(JSON.parse(body)).toMatchObject({ code: "signing_unavailable" });
    expect(body).not.toContain(api.config.dataDir);
  }
  expect(endpoints(api)).toHaveLength(1);
  expect(api.store.endpointSecrets.list()).toHaveLength(1);
  writeFileSync(api.config.masterKeyPath, key);
  expect((await api.request(WEBHOOKS, json(otherUrl(1)))).status).toBe(201);
});

test("a new endpoint can have all 38 event types; duplicates are removed and its name is trimmed", async () => {
  const api = createTestApi();
  const response = await api.request(
    WEBHOOKS,
    json({ ...GOOD, name: "  Website ", events: [...EVENT_TYPES, ...EVENT_TYPES] }),
  );
  expect(response.status).toBe(201);
  expect(endpoints(api)).toMatchObject([{ name: "Website", events: EVENT_TYPES }]);
});

describe("an invalid body", () => {
  const long = "x".repeat(101);
  test.each([
    {
      what: "an empty object",
      body: {},
      issues: ["#/name required", "#/url required", "#/events required"],
    },
    { what: "an empty name", body: { ...GOOD, name: "  " }, issues: ["#/name length"] },
    {
      what: "a name of 101 characters",
      body: { ...GOOD, name: long },
      issues: ["#/name length"],
    },
    { what: "no events", body: { ...GOOD, events: [] }, issues: ["#/events empty"] },
    {
      what: "events as a string",
      body: { ...GOOD, events: "service.updated" },
      issues: ["#/events type"],
    },
    { what: "a number as url", body: { ...GOOD, url: 5 }, issues: ["#/url type"] },
    {
      what: "an unknown field",
      body: { ...GOOD, secret: "mine" },
      issues: ["#/secret unknown_field"],
    },
    {
      what: "a prototype",
      body: `{"__proto__": {"name": "x"}, ${JSON.stringify(GOOD).slice(1)}`,
      issues: ["#/__proto__ unknown_field"],
    },
    { what: "an array", body: [GOOD], issues: ["# type"] },
    { what: "null", body: "null", issues: ["# type"] },
    {
      what: "a field with a slash",
      body: { ...GOOD, "a/b~c": 1 },
      issues: ["#/a~1b~0c unknown_field"],
    },
    {
      what: "every field",
      body: {
        name: 1,
        url: "ftp://8.8.8.8",
        events: ["catalog.changed", "service.update", 7],
        evnts: 1,
      },
      issues: [
        "#/name type",
        "#/url unsafe_url",
        "#/events/1 unknown_event",
        "#/events/2 type",
        "#/evnts unknown_field",
      ],
    },
  ])("creating an endpoint with $what is rejected with $issues", async ({ body, issues }) => {
    const api = createTestApi();
    const problem = await api.requestProblem(WEBHOOKS, json(body));
    expect(problem).toMatchObject({ status: 422, code: "validation_failed" });
    expect(problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(issues);
    expect(endpoints(api)).toEqual([]);
  });

  test("the error about an unknown event type suggests the most similar one", async () => {
    const { errors } = await createTestApi().requestProblem(
      WEBHOOKS,
      json({ ...GOOD, events: ["service.update"], evnts: [] }),
    );
    expect(errors?.map(({ detail }) => detail)).toEqual([
      expect.stringContaining("Did you mean 'service.updated'?"),
      expect.stringContaining("Did you mean 'events'?"),
    ]);
  });

  test("an endpoint with an unsafe URL is rejected", async () => {
    const problem = await createTestApi().requestProblem(
      WEBHOOKS,
      json({ ...GOOD, url: "https://169.254.169.254/latest" }),
    );
    expect(problem).toMatchObject({
      status: 422,
      code: "unsafe_url",
      errors: [{ pointer: "#/url" }],
      fix: "use a public host, or ask the operator to allow it",
    });
  });

  test.each(["", "{", '{"name":', "\u0000", "[".repeat(30_000)])(
    "a body of %.12s is invalid JSON",
    async (body) => {
      const problem = { status: 400, code: "invalid_json", title: "Invalid JSON" };
      expect(await createTestApi().requestProblem(WEBHOOKS, json(body))).toMatchObject(problem);
    },
  );

  test("a body of JSON nested 30,000 levels deep is rejected", async () => {
    const deep = `{"name": ${"[".repeat(30_000)}${"]".repeat(30_000)}}`;
    expect(await createTestApi().requestProblem(WEBHOOKS, json(deep))).toMatchObject({
      status: 400,
      code: "invalid_json",
    });
  });

  test.each(['"name": "\\ud800"', '"name": ["\\ud83d"]', '"name": "x", "\\udfff": 1'])(
    "a body of {%s} is rejected, because a lone surrogate cannot be stored",
    async (fields) => {
      const api = createTestApi();
      const problem = await api.requestProblem(
        WEBHOOKS,
        json(JSON.stringify(GOOD).replace('"name":"Website"', fields)),
      );
      expect(problem).toMatchObject({
        status: 400,
        code: "invalid_json",
        detail: expect.stringContaining("surrogate"),
      });
      expect(endpoints(api)).toEqual([]);
    },
  );

  test("a body with a surrogate pair written as two escapes is accepted", async () => {
    const api = createTestApi();
    const body = JSON.stringify(GOOD).replace("Website", "\\ud83d\\ude00");
    expect((await api.request(WEBHOOKS, json(body))).status).toBe(201);
    expect(endpoints(api)).toMatchObject([{ name: "\u{1f600}" }]);
  });

  test("a body of bytes that are not UTF-8 is rejected", async () => {
    const body = Buffer.from(JSON.stringify({ ...GOOD, name: "Caf\u00e9" }), "latin1");
    const headers = { "content-type": "application/json" };
    expect(
      await createTestApi().requestProblem(WEBHOOKS, { method: "POST", headers, body }),
    ).toMatchObject({
      code: "invalid_json",
    });
  });

  test("a response reports a limited number of issues", async () => {
    const problem = await createTestApi().requestProblem(
      WEBHOOKS,
      json({ ...GOOD, events: Array.from({ length: 20_000 }, () => 1) }),
    );
    expect(problem.errors).toHaveLength(50);
    expect(JSON.stringify(problem).length).toBeLessThan(20_000);
  });

  test.each([undefined, "text/plain", "application/x-www-form-urlencoded", "application/jsonx"])(
    "a body with the Content-Type %s gets 415",
    async (type) => {
      const init = {
        method: "POST",
        body: Buffer.from(JSON.stringify(GOOD)),
        headers: type ? { "content-type": type } : {},
      };
      expect(await createTestApi().requestProblem(WEBHOOKS, init)).toMatchObject({
        status: 415,
        code: "unsupported_media_type",
      });
    },
  );

  test("a Content-Type with a charset is accepted", async () => {
    const headers = { "content-type": "Application/JSON; charset=utf-8" };
    expect((await createTestApi().request(WEBHOOKS, { ...json(GOOD), headers })).status).toBe(201);
  });

  test("a compressed body is rejected, and Content-Encoding: identity is accepted", async () => {
    const encoded = (encoding: string) => ({
      ...json(GOOD),
      headers: { "content-type": "application/json", "content-encoding": encoding },
    });
    expect(await createTestApi().requestProblem(WEBHOOKS, encoded("gzip"))).toMatchObject({
      status: 415,
      code: "unsupported_media_type",
      detail: "The body must not be compressed: send it without Content-Encoding.",
    });
    expect((await createTestApi().request(WEBHOOKS, encoded("identity"))).status).toBe(201);
  });

  test("creating an endpoint with a query parameter is rejected", async () => {
    expect(await createTestApi().requestProblem(`${WEBHOOKS}?name=x`, json(GOOD))).toMatchObject({
      status: 400,
      code: "unknown_parameter",
    });
  });

  test("a body of 64 KiB is accepted, and one byte more is rejected", async () => {
    const padded = (bytes: number) => JSON.stringify(GOOD).padEnd(bytes, " ");
    expect((await createTestApi().request(WEBHOOKS, json(padded(65_536)))).status).toBe(201);
    expect(await createTestApi().requestProblem(WEBHOOKS, json(padded(65_537)))).toMatchObject({
      status: 413,
      code: "body_too_large",
    });
  });
});

test("a business can have at most 50 endpoints", async () => {
  const api = createTestApi();
  const { secret: key } = api.createKey({ maxEndpoints: 50 });
  for (let i = 0; i < 50; i++)
    expect((await api.request(WEBHOOKS, { ...json(otherUrl(i)), key })).status).toBe(201);
  expect(await api.requestProblem(WEBHOOKS, json(GOOD))).toMatchObject({
    status: 409,
    code: "conflict",
  });
});

describe("Idempotency-Key", () => {
  const send = (api: TestApi, body: unknown = GOOD, key = api.key, token = "order-1") =>
    api.request(WEBHOOKS, {
      ...json(body),
      key,
      headers: { "content-type": "application/json", "idempotency-key": token },
    });
  const made = async (response: Response) =>
    ((await response.json()) as { data: { id: string; secret: string } }).data;

  test("a repeated request for a new endpoint returns the same endpoint and secret for a day", async () => {
    const api = createTestApi();
    const first = await send(api);
    const again = await send(api, { events: GOOD.events, url: GOOD.url, name: GOOD.name });
    expect([again.status, again.headers.get("location")]).toEqual([
      201,
      first.headers.get("location"),
    ]);
    const endpoint = await made(first);
    expect(await made(again)).toEqual(endpoint);
    api.advance(86_400_000);
    // The repeated request counts as a new one after a day, and its endpoint already exists.
    const { code, detail } = (await (await send(api)).json()) as Problem;
    expect(code).toBe("duplicate_endpoint");
    expect(detail).toContain(endpoint.id);
    deleteEndpoint(api, endpoint.id);
    expect((await made(await send(api))).id).not.toBe(endpoint.id);
  });

  test("an Idempotency-Key with another body gets 422 and creates nothing", async () => {
    const api = createTestApi();
    await send(api);
    const response = await send(api, { ...GOOD, name: "Other" });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      code: "idempotency_key_reused",
      fix: expect.any(String),
    });
    expect(endpoints(api)).toHaveLength(1);
  });

  test("an Idempotency-Key is scoped to the API key, also after a rotation", async () => {
    const api = createTestApi();
    const other = api.createKey();
    const sent = otherUrl(1);
    const ids = [await made(await send(api)), await made(await send(api, sent, other.secret))].map(
      ({ id }) => id,
    );
    expect(new Set(ids).size).toBe(2);
    const { secret } = rotateKey(api, other.id);
    expect((await made(await send(api, sent, secret))).id).toBe(ids[1]);
  });

  test("20 concurrent requests with one Idempotency-Key create one endpoint", async () => {
    const api = createTestApi();
    const responses = await Promise.all(Array.from({ length: 20 }, () => send(api)));
    const ids = await Promise.all(responses.map(async (response) => (await made(response)).id));
    expect(new Set(ids).size).toBe(1);
    expect(endpoints(api)).toHaveLength(1);
  });

  test("repeating a request whose endpoint was deleted does not create it again", async () => {
    const api = createTestApi();
    const created = await made(await send(api));
    deleteEndpoint(api, created.id);
    expect(await made(await send(api))).toEqual(created);
    expect(endpoints(api)).toEqual([]);
  });

  test.each(["a b", "x".repeat(256), "caf\u00e9"])(
    "the Idempotency-Key '%.10s' is rejected",
    async (token) => {
      const api = createTestApi();
      const response = await send(api, GOOD, api.key, token);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        code: "invalid_parameter",
        errors: [{ parameter: "Idempotency-Key", code: "invalid_value" }],
      });
    },
  );
});

describe("the list of endpoints", () => {
  type Listed = {
    data: { id: string; name: string }[];
    page: { hasMore: boolean; nextCursor: string | null };
  };
  const read = async (api: TestApi, query = "", key = api.key) => {
    const response = await api.request(WEBHOOKS + query, { key });
    expect(response.status).toBe(200);
    return (await response.json()) as Listed;
  };

  test("the list of endpoints is sorted by age, and a restricted key lists only its own endpoints", async () => {
    const api = createTestApi();
    const { secret: key } = api.createKey({ kind: "RESTRICTED", scopes: ["webhooks.write"] });
    expect(await read(api)).toEqual({
      data: [],
      page: { hasMore: false, nextCursor: null },
      meta: {
        business: {
          id: businessId(SALON),
          slug: SALON,
          name: "Salon Aurora",
          timezone: "America/New_York",
        },
      },
    });
    for (const [i, [name, by]] of [
      ["first", api.key],
      ["second", key],
      ["third", api.key],
    ].entries())
      await api.request(WEBHOOKS, { ...json({ ...otherUrl(i), name }), key: by ?? null });
    await createForeignEndpoint(api);
    expect((await read(api)).data.map(({ name }) => name)).toEqual(["first", "second", "third"]);
    const { data } = await read(api, "", key);
    expect(data.map(({ name }) => name)).toEqual(["second"]);
    expect(endpointSchema.parse(data[0])).toEqual(data[0]);
  });

  test("pages of endpoints continue while some are deleted, and Link points to the next page", async () => {
    const api = createTestApi();
    for (let i = 0; i < 5; i++) await api.request(WEBHOOKS, json({ ...otherUrl(i), name: `${i}` }));
    const first = await api.request(`${WEBHOOKS}?limit=2`);
    const { data } = (await first.json()) as Listed;
    deleteEndpoint(api, data[1]?.id ?? "");
    const link =
      /^<[^>]*(\/v1[^>]*)>; rel="next"$/.exec(first.headers.get("link") ?? "")?.[1] ?? "";
    const second = (await (await api.request(link)).json()) as Listed;
    expect(second.data.map(({ name }) => name)).toEqual(["2", "3"]);
    const third = await read(api, `?limit=2&cursor=${second.page.nextCursor}`);
    expect([third.data.map(({ name }) => name), third.page.hasMore]).toEqual([["4"], false]);
  });

  test.each(["?limit=501", "?cursor=nonsense", "?status=ACTIVE"])(
    "a list of endpoints with %s is rejected",
    async (query) => {
      expect(await createTestApi().requestProblem(WEBHOOKS + query)).toMatchObject({ status: 400 });
    },
  );
});

test("creating an endpoint waits for another writer, and fails with 503 after two seconds", async () => {
  const api = createTestApi("salon", 0);
  const other = openDatabase(api.config.databasePath, 0, null);
  other.db.exec("BEGIN IMMEDIATE");
  const waiting = api.request(WEBHOOKS, json(GOOD));
  expect((await api.request(`/v1/businesses/${SALON}/services`)).status).toBe(200);
  other.db.exec("COMMIT");
  expect((await waiting).status).toBe(201);

  other.db.exec("BEGIN IMMEDIATE");
  const rejected = api.request(WEBHOOKS, json(GOOD));
  await api.request(`/v1/businesses/${SALON}/services`);
  api.advance(2000);
  const response = await rejected;
  other.close();
  expect(response.status).toBe(503);
  expect(response.headers.get("retry-after")).toBe("1");
  expect(await response.json()).toMatchObject({ code: "busy" });
});

test("an internal error is logged in full, and its response has only the request ID", async () => {
  const api = createTestApi();
  api.store.catalogLists.list = () => {
    throw new TypeError("the secret is in the details");
  };
  const response = await api.request(`/v1/businesses/${SALON}/services`);
  const text = await response.text();
  expect(response.status).toBe(500);
  expect(text).not.toContain("secret");
  const requestId = response.headers.get("request-id") ?? "";
  expect(JSON.parse(text)).toMatchObject({ code: "internal", requestId });
  expect(api.logged).toMatchObject([{ level: "error", fields: { requestId } }]);
  expect(api.logged[0]?.fields["error"]).toContain(
    "TypeError: the secret is in the details\n    at ",
  );
});
