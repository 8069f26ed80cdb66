import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { deleteEndpoint } from "../../../../src/app/webhooks/endpoint-lifecycle.ts";
import { rotateKey } from "../../../../src/app/keys.ts";
import { businessId } from "../../../../src/domain/catalog/object-id.ts";
import { EVENT_TYPES } from "../../../../src/domain/event-types.ts";
import { endpoint as endpointSchema } from "../../../../src/domain/public/schemas/webhook.ts";
import { openDatabase } from "../../../../src/store/database.ts";
import { type TestApi, createTestApi, SALON } from "../../support/api.ts";
import { createForeignEndpoint } from "../../support/webhooks.ts";

const WEBHOOKS = `/v1/businesses/${SALON}/webhooks`;
const GOOD = {
  name: "Website",
  url: "https://8.8.8.8/hook",
  events: ["service.updated", "catalog.changed"],
};

const json = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: typeof body === "string" ? body : JSON.stringify(body),
});

const endpoints = (api: TestApi) => api.store.endpoints.list();

test("a subscription is answered with the endpoint and, this once, its secret", async () => {
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
    what: "with another box's master key",
    lose: (path: string) => writeFileSync(path, `${Buffer.alloc(32).toString("base64")}\n`),
  },
])(
  "$what nothing is made that could not be signed: 503, and no path of the box is told",
  async ({ lose }) => {
    const api = createTestApi();
    const { data } = (await (await api.request(WEBHOOKS, json(GOOD))).json()) as {
      data: { id: string };
    };
    const key = readFileSync(api.config.masterKeyPath);
    lose(api.config.masterKeyPath);
    for (const path of [WEBHOOKS, `${WEBHOOKS}/${data.id}/rotate-secret`]) {
      const response = await api.request(path, json(path === WEBHOOKS ? GOOD : {}));
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
    expect((await api.request(WEBHOOKS, json(GOOD))).status).toBe(201);
  },
);

test("all 38 names are taken, repeats are folded, a name is trimmed", async () => {
  const api = createTestApi();
  const response = await api.request(
    WEBHOOKS,
    json({ ...GOOD, name: "  Website ", events: [...EVENT_TYPES, ...EVENT_TYPES] }),
  );
  expect(response.status).toBe(201);
  expect(endpoints(api)).toMatchObject([{ name: "Website", events: EVENT_TYPES }]);
});

describe("mistakes in the body", () => {
  const long = "x".repeat(101);
  test.each([
    {
      what: "nothing at all",
      body: {},
      mistakes: ["#/name required", "#/url required", "#/events required"],
    },
    { what: "an empty name", body: { ...GOOD, name: "  " }, mistakes: ["#/name length"] },
    {
      what: "a name of 101 characters",
      body: { ...GOOD, name: long },
      mistakes: ["#/name length"],
    },
    { what: "no events", body: { ...GOOD, events: [] }, mistakes: ["#/events empty"] },
    {
      what: "events as a text",
      body: { ...GOOD, events: "service.updated" },
      mistakes: ["#/events type"],
    },
    { what: "a number as url", body: { ...GOOD, url: 5 }, mistakes: ["#/url type"] },
    {
      what: "an unknown field",
      body: { ...GOOD, secret: "mine" },
      mistakes: ["#/secret unknown_field"],
    },
    {
      what: "a prototype",
      body: `{"__proto__": {"name": "x"}, ${JSON.stringify(GOOD).slice(1)}`,
      mistakes: ["#/__proto__ unknown_field"],
    },
    { what: "an array", body: [GOOD], mistakes: ["# type"] },
    { what: "null", body: "null", mistakes: ["# type"] },
    {
      what: "a field with a slash",
      body: { ...GOOD, "a/b~c": 1 },
      mistakes: ["#/a~1b~0c unknown_field"],
    },
    {
      what: "everything",
      body: {
        name: 1,
        url: "ftp://8.8.8.8",
        events: ["catalog.changed", "service.update", 7],
        evnts: 1,
      },
      mistakes: [
        "#/name type",
        "#/url unsafe_url",
        "#/events/1 unknown_event",
        "#/events/2 type",
        "#/evnts unknown_field",
      ],
    },
  ])("$what: $mistakes", async ({ body, mistakes }) => {
    const api = createTestApi();
    const problem = await api.requestProblem(WEBHOOKS, json(body));
    expect(problem).toMatchObject({ status: 422, code: "validation_failed" });
    expect(problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(mistakes);
    expect(endpoints(api)).toEqual([]);
  });

  test("the nearest name is told", async () => {
    const { errors } = await createTestApi().requestProblem(
      WEBHOOKS,
      json({ ...GOOD, events: ["service.update"], evnts: [] }),
    );
    expect(errors?.map(({ detail }) => detail)).toEqual([
      expect.stringContaining("Did you mean 'service.updated'?"),
      expect.stringContaining("Did you mean 'events'?"),
    ]);
  });

  test("a URL that must not be called", async () => {
    const problem = await createTestApi().requestProblem(
      WEBHOOKS,
      json({ ...GOOD, url: "https://169.254.169.254/latest" }),
    );
    expect(problem).toMatchObject({
      status: 422,
      code: "unsafe_url",
      errors: [{ pointer: "#/url" }],
    });
  });

  test.each(["", "{", '{"name":', "\u0000", "[".repeat(30_000)])(
    "%.12s is not JSON",
    async (body) => {
      const told = { status: 400, code: "invalid_json", title: "Invalid JSON" };
      expect(await createTestApi().requestProblem(WEBHOOKS, json(body))).toMatchObject(told);
    },
  );

  test("JSON nested 30,000 deep is refused as such", async () => {
    const deep = `{"name": ${"[".repeat(30_000)}${"]".repeat(30_000)}}`;
    expect(await createTestApi().requestProblem(WEBHOOKS, json(deep))).toMatchObject({
      status: 400,
      code: "invalid_json",
    });
  });

  test.each(['"name": "\\ud800"', '"name": ["\\ud83d"]', '"name": "x", "\\udfff": 1'])(
    "{%s}, with half a character, which could not be stored as it came, is no JSON",
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

  test("a whole character written as two escapes is a name", async () => {
    const api = createTestApi();
    const body = JSON.stringify(GOOD).replace("Website", "\\ud83d\\ude00");
    expect((await api.request(WEBHOOKS, json(body))).status).toBe(201);
    expect(endpoints(api)).toMatchObject([{ name: "\u{1f600}" }]);
  });

  test("bytes that are no UTF-8 are no JSON", async () => {
    const body = Buffer.from(JSON.stringify({ ...GOOD, name: "Caf\u00e9" }), "latin1");
    const headers = { "content-type": "application/json" };
    expect(
      await createTestApi().requestProblem(WEBHOOKS, { method: "POST", headers, body }),
    ).toMatchObject({
      code: "invalid_json",
    });
  });

  test("thousands of mistakes make no answer of megabytes", async () => {
    const problem = await createTestApi().requestProblem(
      WEBHOOKS,
      json({ ...GOOD, events: Array.from({ length: 20_000 }, () => 1) }),
    );
    expect(problem.errors).toHaveLength(50);
    expect(JSON.stringify(problem).length).toBeLessThan(20_000);
  });

  test.each([undefined, "text/plain", "application/x-www-form-urlencoded", "application/jsonx"])(
    "Content-Type %s: 415",
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

  test("a charset beside the type is fine", async () => {
    const headers = { "content-type": "Application/JSON; charset=utf-8" };
    expect((await createTestApi().request(WEBHOOKS, { ...json(GOOD), headers })).status).toBe(201);
  });

  test("a zipped body is told to come unzipped, which identity says it does", async () => {
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

  test("a query parameter is a mistake too", async () => {
    expect(await createTestApi().requestProblem(`${WEBHOOKS}?name=x`, json(GOOD))).toMatchObject({
      status: 400,
      code: "unknown_parameter",
    });
  });

  test("64 KiB are taken, a byte more is not", async () => {
    const padded = (bytes: number) => JSON.stringify(GOOD).padEnd(bytes, " ");
    expect((await createTestApi().request(WEBHOOKS, json(padded(65_536)))).status).toBe(201);
    expect(await createTestApi().requestProblem(WEBHOOKS, json(padded(65_537)))).toMatchObject({
      status: 413,
      code: "body_too_large",
    });
  });
});

test("the 51st endpoint of a business is a conflict", async () => {
  const api = createTestApi();
  for (let i = 0; i < 50; i++) expect((await api.request(WEBHOOKS, json(GOOD))).status).toBe(201);
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

  test("the same request again gives the same endpoint and its secret, for a day", async () => {
    const api = createTestApi();
    const first = await send(api);
    const again = await send(api, { events: GOOD.events, url: GOOD.url, name: " Website " });
    expect([again.status, again.headers.get("location")]).toEqual([
      201,
      first.headers.get("location"),
    ]);
    const endpoint = await made(first);
    expect(await made(again)).toEqual(endpoint);
    api.advance(86_400_000);
    expect((await made(await send(api))).id).not.toBe(endpoint.id);
  });

  test("with another body: 422, and nothing is made", async () => {
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

  test("it is each key's own, and a rotated key keeps its", async () => {
    const api = createTestApi();
    const other = api.createKey();
    const ids = [await made(await send(api)), await made(await send(api, GOOD, other.secret))].map(
      ({ id }) => id,
    );
    expect(new Set(ids).size).toBe(2);
    const { secret } = rotateKey(api, other.id);
    expect((await made(await send(api, GOOD, secret))).id).toBe(ids[1]);
  });

  test("twenty at once make one endpoint", async () => {
    const api = createTestApi();
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(api)));
    const ids = await Promise.all(answers.map(async (answer) => (await made(answer)).id));
    expect(new Set(ids).size).toBe(1);
    expect(endpoints(api)).toHaveLength(1);
  });

  test("what was made is deleted: a conflict, not another one", async () => {
    const api = createTestApi();
    const { id } = await made(await send(api));
    deleteEndpoint(api, id);
    const response = await send(api);
    expect([response.status, endpoints(api)]).toEqual([409, []]);
  });

  test.each(["a b", "x".repeat(256), "caf\u00e9"])("'%.10s' is none", async (token) => {
    const api = createTestApi();
    const response = await send(api, GOOD, api.key, token);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      code: "invalid_parameter",
      errors: [{ parameter: "Idempotency-Key", code: "invalid_value" }],
    });
  });
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

  test("has all of the business's for a secret key, its own for a restricted key, the oldest first", async () => {
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
    for (const [name, by] of [
      ["first", api.key],
      ["second", key],
      ["third", api.key],
    ])
      await api.request(WEBHOOKS, { ...json({ ...GOOD, name }), key: by ?? null });
    await createForeignEndpoint(api);
    expect((await read(api)).data.map(({ name }) => name)).toEqual(["first", "second", "third"]);
    const { data } = await read(api, "", key);
    expect(data.map(({ name }) => name)).toEqual(["second"]);
    expect(endpointSchema.parse(data[0])).toEqual(data[0]);
  });

  test("pages join while endpoints go, and the Link is the next of them", async () => {
    const api = createTestApi();
    for (let i = 0; i < 5; i++) await api.request(WEBHOOKS, json({ ...GOOD, name: `${i}` }));
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
    "%s is a mistake",
    async (query) => {
      expect(await createTestApi().requestProblem(WEBHOOKS + query)).toMatchObject({ status: 400 });
    },
  );
});

test("a write waits for another writer without failing, and gives up with 503 after two seconds", async () => {
  const api = createTestApi("salon", 0);
  const other = openDatabase(api.config.databasePath, 0, null);
  other.db.exec("BEGIN IMMEDIATE");
  const waiting = api.request(WEBHOOKS, json(GOOD));
  expect((await api.request(`/v1/businesses/${SALON}/services`)).status).toBe(200);
  other.db.exec("COMMIT");
  expect((await waiting).status).toBe(201);

  other.db.exec("BEGIN IMMEDIATE");
  const refused = api.request(WEBHOOKS, json(GOOD));
  await api.request(`/v1/businesses/${SALON}/services`);
  api.advance(2000);
  const response = await refused;
  other.close();
  expect(response.status).toBe(503);
  expect(response.headers.get("retry-after")).toBe("1");
  expect(await response.json()).toMatchObject({ code: "busy" });
});

test("a bug tells nothing but the request's id, and is logged whole", async () => {
  const api = createTestApi();
  api.store.catalog.listObjects = () => {
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
