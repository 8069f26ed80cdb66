import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { readVersion } from "../../../src/platform/assets.ts";
import {
  CHANGED_FLAGS,
  ALL_EVENT_TYPES,
  prefixOf,
} from "../../../src/domain/events/event-types.ts";
import type { Envelope } from "../../../src/domain/events/envelope.ts";
import { deliveryHeaders } from "../../../src/domain/webhooks/webhook-post.ts";
import type { Runtime } from "../../../src/app/runtime.ts";
import { groupByPath, type RoutePath } from "../../../src/http/pipeline/route.ts";
import type {
  HttpRequest,
  HttpResponse,
  RequestContext,
} from "../../../src/http/pipeline/request-context.ts";
import { createMetrics } from "../../../src/http/pipeline/metrics.ts";
import { createResponseObserver } from "../../../src/http/pipeline/response-observer.ts";
import { describeApi } from "../../../.config/openapi/document.ts";
import { templatePathOf } from "../../../.config/openapi/operation.ts";
import { eventSchemaName, loadSchemas } from "../../../src/http/openapi/schemas.ts";
import { isPublished, ROUTES } from "../../support/routes.ts";
import { startServer } from "../../../src/http/server.ts";
import { assertAllDocumented } from "../../support/check-responses.ts";
import {
  checkedResponses,
  findUndocumented,
  findUndocumentedInJson,
} from "../../support/openapi-conformance.ts";
import { createTestApi, SALON } from "../support/api.ts";

type Content = { [type: string]: { schema: object; example?: unknown } };
type Operation = {
  operationId: string;
  parameters: { name: string; in: string }[];
  requestBody?: { content: Content };
  responses: Record<string, { headers: object; content?: Content }>;
};
type Document = {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: Operation }>;
  components: {
    parameters: Record<string, { name: string; required?: boolean }>;
    responses: Record<string, { content?: Content }>;
  };
};

const SCHEMAS = await loadSchemas();
const described = describeApi({ routes: ROUTES, version: "1.2.3" }) as unknown as Document;
const operations = Object.values(described.paths).flatMap((path) => Object.values(path));

test("the example of a rejected body names a field of its operation", () => {
  const issueOf = (id: string): unknown => {
    const { content } = operations.find(({ operationId }) => operationId === id)!.responses[422]!;
    const example = content?.["application/problem+json"]?.example;
    return (example as { errors: { detail: string }[] }).errors.map(({ detail }) => detail);
  };
  expect(issueOf("createEndpoint")).toEqual([expect.stringContaining("'service.updated'")]);
  expect(issueOf("createBooking")).toEqual(["Unknown field 'startAt'. Did you mean 'startsAt'?"]);
  expect(issueOf("cancelBooking")).toEqual(["Unknown field 'comment'. Known fields: reason."]);
  expect(issueOf("approveBooking")).toEqual(["Unknown field 'comment'. Known fields: none."]);
});

function redocly(document: unknown) {
  const folder = mkdtempSync(join(tmpdir(), "deskbell-openapi-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "openapi.json"), JSON.stringify(document));
  const bin = fileURLToPath(new URL("../../../node_modules/.bin/redocly", import.meta.url));
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  return spawnSync(process.execPath, [bin, "lint", "--format", "json", "openapi.json"], {
    cwd: folder,
    env,
    encoding: "utf8",
  });
}

test("the OpenAPI document passes the linter", { timeout: 60_000 }, () => {
  const { status, stdout, stderr } = redocly(described);
  expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
  expect((JSON.parse(stdout) as { totals: unknown }).totals).toEqual({
    errors: 0,
    warnings: 0,
    ignored: 0,
  });
});

test("the OpenAPI document contains every route exactly once", () => {
  const documented = Object.entries(described.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(documented.toSorted()).toEqual(
    ROUTES.map((route) => `${route.method} ${templatePathOf(route)}`).toSorted(),
  );
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(ROUTES.length);
});

test("the problem too_many_holds is documented for the routes that create holds or ticket orders", () => {
  const shared = JSON.stringify(described.components.responses);
  expect(shared).not.toContain("too_many_holds");
  expect(
    operations
      .filter((operation) => JSON.stringify(operation.responses).includes("too_many_holds"))
      .map(({ operationId }) => operationId),
  ).toEqual(
    ROUTES.filter(({ problems }) => problems?.includes("too_many_holds")).map(
      ({ operationId }) => operationId,
    ),
  );
});

describe("parameters", () => {
  const routes = ROUTES.filter(
    ({ method, scope, isAboveBusinesses }) =>
      method === "GET" && scope !== "open" && !isAboveBusinesses,
  );

  test.each(routes)("$operationId accepts exactly the documented parameters", async (route) => {
    const api = createTestApi();
    const { secret: key } = api.createKey({ limitMinute: 1000 });
    const ask = async (name: string) => {
      const path = route.path.replace(":slug", SALON).replace(":id", "x");
      const { errors = [] } = await api.requestProblem(`${path}?${name}=%01`, { key });
      return errors
        .filter(({ code }) => code === "unknown_parameter")
        .map(({ parameter }) => parameter);
    };
    const parameters = described.paths[templatePathOf(route)]?.["get"]?.parameters ?? [];
    for (const { name, in: location } of parameters)
      if (location === "query") expect(await ask(name), name).toEqual([]);
    expect(await ask("nope")).toEqual(["nope"]);
  });
});

describe("examples", () => {
  const bodiesOf = ({ operationId, requestBody, responses }: Operation) =>
    [{ content: requestBody?.content }, ...Object.values(responses)].flatMap(({ content = {} }) =>
      Object.values(content).flatMap(({ schema, example }) =>
        example === undefined ? [] : [{ id: operationId, schema, example }],
      ),
    );
  const bodies = [
    ...operations,
    ...Object.values(described.webhooks).map(({ post }) => post),
  ].flatMap(bodiesOf);

  test.each([
    ["cancelBooking", { status: "CANCELLED", cancelReason: "ill" }],
    ["declineReservation", { status: "CANCELLED", cancelledBy: "BUSINESS" }],
    ["completeReservation", { status: "COMPLETED" }],
    ["markNoShowBooking", { status: "NO_SHOW" }],
    ["approveBooking", { status: "CONFIRMED" }],
  ])("the response of %s has the status that the operation sets", (operation, changed) => {
    const examples = bodies.filter(({ id }) => id === operation).map(({ example }) => example);
    expect(examples).toContainEqual({ data: expect.objectContaining(changed) });
  });

  test(
    "examples match their schemas and exist for every operation with a JSON body",
    { timeout: 60_000 },
    () => {
      expect(
        bodies.flatMap(({ id, schema, example }) =>
          findUndocumentedInJson(schema, example).map((issue) => `${id} ${issue}`),
        ),
      ).toEqual([]);
      const exemplified = new Set(bodies.map(({ id }) => id));
      const bare = operations
        .filter(({ operationId }) => !exemplified.has(operationId))
        .map(({ operationId }) => operationId);
      const texts = ROUTES.filter(({ responses }) => responses[200]?.body?.startsWith("text/"));
      expect(bare).toContain("getMetrics");
      expect(bare).toEqual(texts.map(({ operationId }) => operationId));
    },
  );

  test("examples of problems contain their issues and policies", () => {
    const { responses } = described.paths["/v1/businesses/{businessSlug}/webhooks"]?.["post"] ?? {};
    const exampleOf = (response?: { content?: Content }) =>
      response?.content?.["application/problem+json"]?.example;
    expect(exampleOf(responses?.["400"])).toMatchObject({ errors: [{ parameter: "limit" }] });
    expect(exampleOf(responses?.["422"])).toMatchObject({ errors: [{ pointer: "#/events/0" }] });
    expect(exampleOf(described.components.responses["TooManyRequests"])).toMatchObject({
      violatedPolicies: ["per-minute"],
    });
  });
});

test("the schema Event accepts an event type that was added later", () => {
  const event = SCHEMAS["Event"];
  const known = (described.webhooks["staff.updated"]?.post.requestBody?.content ?? {})[
    "application/json"
  ]?.example as Envelope;
  const schema = { $ref: "#/components/schemas/Event" };
  const later = {
    ...known,
    type: "staff.promoted",
    data: { ...known.data, action: "promoted", changed: { rank: true }, object: { rank: 1 } },
  };
  for (const body of [known, later]) {
    expect(event?.safeParse(body).success).toBe(true);
    expect(findUndocumentedInJson(schema, body)).toEqual([]);
  }
  const incomplete = { ...known, data: { ...known.data, object: {} } };
  expect(findUndocumentedInJson(schema, incomplete)).not.toEqual([]);
});

describe("webhooks", () => {
  test("webhooks of the OpenAPI document have every event type, with its schema, an example and the signature", () => {
    expect(Object.keys(described.webhooks)).toEqual([...ALL_EVENT_TYPES]);
    for (const type of ALL_EVENT_TYPES) {
      const { requestBody, parameters } = described.webhooks[type]?.post ?? {};
      const { schema, example } = requestBody?.content["application/json"] ?? {};
      expect(schema).toEqual({ $ref: `#/components/schemas/${eventSchemaName(type)}` });
      if (!isPublished(type)) continue;
      expect(example).toMatchObject({
        type,
        data: {
          changed: Object.fromEntries(
            CHANGED_FLAGS[prefixOf(type)].map((flag) => [flag, expect.any(Boolean)]),
          ),
        },
      });
      expect(parameters).toContainEqual({ $ref: "#/components/parameters/X-Service-Signature" });
    }
  });

  test("webhooks of the OpenAPI document have every header of a delivery, and the additional header of a test event", () => {
    const cover = {
      deliveryId: "dlv_1",
      eventId: "evt_1",
      eventType: "catalog.changed",
      attempt: 1,
      sequence: 1,
    };
    const {
      "Content-Type": _type,
      "User-Agent": _agent,
      ...sent
    } = deliveryHeaders(cover, "", [], 0, Buffer.alloc(0));
    const documented = Object.values(described.components.parameters).filter(({ name }) =>
      /^(X-Service|webhook)-/.test(name),
    );
    expect(documented.filter(({ required }) => required).map(({ name }) => name)).toEqual(
      Object.keys(sent),
    );
    expect(documented.filter(({ required }) => !required).map(({ name }) => name)).toEqual([
      "X-Service-Test",
    ]);
  });

  test("webhook examples contain complete objects, including parts that a GET omits by default", () => {
    const { example } =
      described.webhooks["service.updated"]?.post.requestBody?.content["application/json"] ?? {};
    const schema = SCHEMAS["ServiceUpdatedEvent"];
    expect(schema?.safeParse(example).success).toBe(true);
    for (const name of ["variants", "addonLinks", "translations"]) {
      const { [name]: _missing, ...object } = (example as Envelope).data.object as Record<
        string,
        unknown
      >;
      const without = { ...(example as Envelope), data: { ...(example as Envelope).data, object } };
      expect(schema?.safeParse(without).success, name).toBe(false);
    }
  });
});

describe("GET /openapi.json", () => {
  test("GET /openapi.json needs no key, supports gzip and has an ETag", async () => {
    const api = createTestApi();
    const plain = await api.request("/openapi.json", { key: null });
    expect(plain.status).toBe(200);
    const document = (await plain.json()) as Document;
    expect(document).toMatchObject({ openapi: "3.1.1", servers: [{ url: "/" }] });
    const zipped = await api.request("/openapi.json", {
      key: null,
      headers: { "accept-encoding": "gzip" },
    });
    expect(JSON.parse(gunzipSync(await zipped.arrayBuffer()).toString())).toEqual(document);
    const etag = plain.headers.get("etag") ?? "";
    expect(
      (await api.request("/openapi.json", { key: null, headers: { "if-none-match": etag } }))
        .status,
    ).toBe(304);
  });

  test("GET /openapi.json returns the document that describeApi creates from the table of routes", async () => {
    const response = await createTestApi().request("/openapi.json", { key: null });
    const document = describeApi({ routes: ROUTES, version: readVersion() });
    expect(await response.text()).toBe(JSON.stringify(document));
  });

  test("GET /openapi.json contains the contact of the operator before the license", async () => {
    const api = createTestApi("salon", undefined, { contact: "mailto:ana@example.com" });
    const document = (await (await api.request("/openapi.json", { key: null })).json()) as {
      info: object;
    };
    expect(document.info).toMatchObject({ contact: { email: "ana@example.com" } });
    expect(Object.keys(document.info).slice(-2)).toEqual(["contact", "license"]);
  });

  test("GET /openapi.json contains the public URL", async () => {
    const api = createTestApi("salon", undefined, { publicUrl: "https://api.example.com/bell/" });
    const document = (await (await api.request("/openapi.json", { key: null })).json()) as Document;
    expect(document.servers).toEqual([{ url: "https://api.example.com/bell" }]);
  });
});

test("the daemon does not load the schemas of the OpenAPI document", () => {
  const src = fileURLToPath(new URL("../../../src/", import.meta.url));
  const heavy = /^import (?!type ).*"[^"]*(public\/schemas\/|openapi\/(headers|schemas)\.ts)/m;
  const loading = readdirSync(src, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && heavy.test(readFileSync(join(src, path), "utf8")))
    .filter(
      (path) =>
        !/^(http\/openapi\/|domain\/public\/schemas\/|features\/[\w-]+\/(?:[\w-]+-schema|openapi)\.ts)/.test(
          path,
        ),
    );
  expect(loading).toEqual([]);
});

test.each([
  { bytes: "nonsense\r\n\r\n", status: 400 },
  { bytes: "GET /healthz HTTP/1.1\r\n\r\n", status: 400 },
  {
    bytes: `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${"x".repeat(20_000)}\r\n\r\n`,
    status: 431,
  },
  { bytes: "CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n", status: 501 },
  { bytes: "GET /healthz HTTP/9.9\r\nHost: x\r\n\r\n", status: 505 },
])(
  "a request that is rejected with $status before routing gets a documented problem",
  async ({ bytes, status }) => {
    const server = await startServer(createTestApi(), { host: "127.0.0.1", port: 0 });
    onTestFinished(() => server.close());
    const socket = connect(server.port, "127.0.0.1").end(bytes);
    const response = await text(socket);
    expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    for (const header of ["API-Version: 1.0", "Cache-Control: no-store"])
      expect(response).toContain(`\r\n${header}\r\n`);
    const body: unknown = JSON.parse(response.slice(response.indexOf("\r\n\r\n")));
    expect(findUndocumentedInJson({ $ref: "#/components/schemas/Problem" }, body)).toEqual([]);
  },
);

test("every response is checked against the OpenAPI document, with and without a socket", async () => {
  const api = createTestApi();
  const server = await startServer(api, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => server.close());
  const before = checkedResponses.count;
  await api.request(`/v1/businesses/${SALON}/staff`);
  await fetch(`${server.url}/v1/businesses/${SALON}/staff`);
  await fetch(`${server.url}/nowhere`);
  expect(checkedResponses.count - before).toBe(3);
});

test("an undocumented response fails its test, even if an earlier test file has created the app", async () => {
  const health = ROUTES.find(({ path }) => path === "/healthz")!;
  const { handle } = health;
  onTestFinished(() => void Object.assign(health, { handle }));
  Object.assign(health, { handle: () => () => ({ status: 418, headers: [], body: null }) });
  await createTestApi().request("/healthz", { key: null });
  expect(assertAllDocumented).toThrow("418: this status is not documented");
});

describe("the check of responses reports", () => {
  const path = groupByPath(
    ROUTES.map((route) => ({ ...route, handle: () => response }) as never),
  ).find(({ path }) => path === "/healthz") as RoutePath;
  const request = { method: "GET", path: "/healthz", search: "" } as HttpRequest;
  const headers = [
    "request-id",
    "req_1",
    "api-version",
    "1.0",
    "ratelimit-policy",
    '"per-minute";q=600;w=60',
    "ratelimit",
    '"per-minute";r=599;t=60',
    "cache-control",
    "no-store",
    "content-type",
    "application/json",
  ];
  const response: HttpResponse = { status: 200, headers, body: Buffer.from('{"status":"ok"}') };

  test("the check of responses reports an undocumented response by failing the test", () => {
    const rt = { monotonic: () => 0, config: { http: { accessLog: false } } } as Runtime;
    const observe = createResponseObserver(rt, createMetrics(), () => "");
    observe(path, { request, startedAt: 0 } as RequestContext, { ...response, status: 418 });
    expect(assertAllDocumented).toThrow("418: this status is not documented");
  });

  test("the check of responses reports nothing for a documented response", () =>
    expect(findUndocumented(path, request, response)).toEqual([]));

  test.each([
    {
      what: "an undocumented status",
      change: { status: 418 },
      expected: "status is not documented",
    },
    {
      what: "an undocumented header",
      change: { headers: [...headers, "x-more", "1"] },
      expected: "x-more is not documented",
    },
    {
      what: "a missing header",
      change: { headers: headers.slice(2) },
      expected: "request-id is missing",
    },
    {
      what: "an undocumented field",
      change: { body: Buffer.from('{"status":"ok","more":1}') },
      expected: "additional properties",
    },
    {
      what: "an invalid value",
      change: { body: Buffer.from('{"status":"well"}') },
      expected: "allowed values",
    },
    { what: "a missing body", change: { body: null }, expected: "body is missing" },
  ])("the check of responses reports $what", ({ change, expected }) => {
    expect(findUndocumented(path, request, { ...response, ...change }).join()).toContain(expected);
  });

  test("the check of responses reports an undocumented route", () => {
    expect(findUndocumented({ ...path, path: "/elsewhere" }, request, response).join()).toContain(
      "route is not documented",
    );
  });
});
