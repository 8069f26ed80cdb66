import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test, vi } from "vitest";
import { readConfig } from "../../../src/config.ts";
import { createLog } from "../../../src/platform/log.ts";
import { createTestApp } from "../../support/app.ts";
import { createGetClientAddress } from "../../../src/http/auth/client-address.ts";
import { startServer } from "../../../src/http/server.ts";
import { listDaemonConditions } from "../../../src/app/operations/conditions.ts";
import { CHECKS } from "../../support/checks.ts";
import { metricsTokenPath } from "../../../src/app/operations/metrics-token.ts";
import { createTempFolder } from "../../support/cli.ts";
import { createRunningServer } from "../../support/conditions.ts";
import { addBusiness, createTestWorker, emitEvents, subscribe } from "../../support/delivery.ts";
import { asOperator } from "../../support/operator.ts";
import { createTestApi, type Problem, SALON } from "../support/api.ts";

const STAFF = `/v1/businesses/${SALON}/staff`;

describe("health", () => {
  test.each(["/healthz", "/readyz"])(
    "%s is 200 without a key, even for more requests than a client may send to a business",
    async (path) => {
      const api = createTestApi();
      for (let i = 0; i < 70; i++)
        expect((await api.request(path, { key: null })).status).toBe(200);
      expect((await api.request(path, { key: null, method: "POST" })).status).toBe(405);
    },
  );

  test("during shutdown, /healthz is 200 and /readyz is 503", async () => {
    const api = createTestApi();
    api.shutDown();
    expect((await api.request("/healthz", { key: null })).status).toBe(200);
    const response = await api.request("/readyz", { key: null });
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await response.json()).toMatchObject({ code: "shutting_down" });
  });

  test("/readyz fails if the database cannot be read", async () => {
    const api = createTestApi();
    api.store.businesses.findBySlug = () => {
      throw new Error("disk I/O error");
    };
    expect((await api.request("/readyz", { key: null })).status).toBe(500);
    expect((await api.request("/healthz", { key: null })).status).toBe(200);
  });
});

test("/readyz has the time of the last delivery that a receiver accepted", async () => {
  const api = createTestApi();
  const lastDeliveryAt = async () =>
    ((await (await api.request("/readyz", { key: null })).json()) as { lastDeliveryAt?: string })
      .lastDeliveryAt;
  expect(await lastDeliveryAt()).toBeUndefined();
  const business = addBusiness(api, "other");
  await subscribe(api, business, "http://10.0.0.1/");
  let statusCode = 200;
  const worker = createTestWorker(api, async () => ({
    kind: "responded",
    statusCode,
    retryAfter: null,
    responseText: "",
  }));
  const deliver = async () => {
    emitEvents(api, business, "service.updated");
    worker.wake();
    await worker.whenIdle();
  };
  await deliver();
  const acceptedAt = new Date(api.now()).toISOString();
  expect(await lastDeliveryAt()).toBe(acceptedAt);
  api.advance(60_000);
  statusCode = 500;
  await deliver();
  expect(await lastDeliveryAt()).toBe(acceptedAt);
});

test("every response with a body keeps browsers from guessing its type", async () => {
  const api = createTestApi();
  for (const path of [STAFF, "/healthz", "/nowhere", "/openapi.json"]) {
    const response = await api.request(path);
    expect([path, response.headers.get("x-content-type-options")]).toEqual([path, "nosniff"]);
  }
});

/** Returns the status of /readyz, the body of /healthz, and the open conditions in /metrics. */
async function readHealth(api: ReturnType<typeof createTestApi>, operator = asOperator(api)) {
  const request = (path: string) => api.request(path, operator);
  const metrics = await (await request("/metrics")).text();
  return {
    ready: (await request("/readyz")).status,
    health: await (await request("/healthz")).json(),
    open: [...metrics.matchAll(/^deskbell_condition\{code="([^"]+)",severity="\w+"\} 1$/gm)].map(
      ([, code]) => code,
    ),
  };
}

test("a full disk is a condition in the metrics, and the server stays ready", async () => {
  const api = createTestApi();
  const health = { status: "ok" };
  expect(await readHealth(api)).toEqual({ ready: 200, health, open: [] });
  api.freeBytes = () => 1000;
  expect(await readHealth(api)).toEqual({ ready: 200, health, open: ["storage.full"] });
});

test("a server whose data folder is gone is not ready, and refuses writes", async () => {
  const api = createTestApi();
  const { dataDir } = api.config;
  const operator = asOperator(api);
  renameSync(dataDir, `${dataDir}.away`);
  const health = { status: "ok" };
  expect(await readHealth(api, operator)).toEqual({ ready: 503, health, open: ["storage.gone"] });
  const response = await api.request(`/v1/businesses/${SALON}/webhooks`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      name: "a",
      url: "https://93.184.215.14/",
      events: ["service.updated"],
    }),
  });
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ code: "storage_failed" });
  expect((await api.request(STAFF)).status).toBe(200);
  renameSync(`${dataDir}.away`, dataDir);
  expect((await readHealth(api)).ready).toBe(200);
});

test("/readyz names its conditions only with the metrics token, even to a program on the same machine", async () => {
  const metricsTokenFile = join(createTempFolder(), "token");
  writeFileSync(metricsTokenFile, "t0ken");
  const api = createTestApi("salon", undefined, { metricsTokenFile });
  renameSync(api.config.databasePath, `${api.config.databasePath}.away`);
  const forwarded = { "x-forwarded-for": "203.0.113.9" };
  const conditionsFor = async (headers: Record<string, string>) =>
    (
      (await (await api.request("/readyz", { key: null, headers })).json()) as {
        conditions?: string[];
      }
    ).conditions;
  expect(await conditionsFor({})).toBeUndefined();
  expect(await conditionsFor({ ...forwarded, authorization: "Bearer t0ken" })).toEqual([
    "storage.gone",
  ]);
  expect(await conditionsFor(forwarded)).toBeUndefined();
  expect(await conditionsFor({ ...forwarded, authorization: "Bearer x" })).toBeUndefined();
});

test("the metrics show the oldest due delivery, the free disk space, the certificate's expiry and the version", async () => {
  const api = createTestApi();
  api.freeBytes = () => 5000;
  api.tx(() => {
    api.store.daemon.save({ url: "http://127.0.0.1:1", startedAt: api.now() });
    api.store.daemon.saveCertificateExpiry(1_800_000_000_000);
  });
  const metrics = await (await api.request("/metrics", asOperator(api))).text();
  expect(
    metrics.match(/^deskbell_(?:deliveries_oldest|storage_free|tls_not|build_info).*$/gm),
  ).toEqual([
    "deskbell_deliveries_oldest_due_seconds 0",
    "deskbell_storage_free_bytes 5000",
    "deskbell_tls_not_after_timestamp_seconds 1800000000",
    'deskbell_build_info{version="0.2.0"} 1',
  ]);
});

test.each([
  ["SQLITE_IOERR_FSYNC", "storage_failed"],
  ["SQLITE_CORRUPT", "storage_failed"],
  ["SQLITE_READONLY", "storage_failed"],
  ["SQLITE_FULL", "storage_full"],
  ["SQLITE_BUSY_RECOVERY", "busy"],
])(
  "the SQLite error %s gets a 503 with %s, and only the log names the file",
  async (sqliteCode, code) => {
    const api = createTestApi();
    api.store.businesses.findBySlug = () => {
      throw new Database.SqliteError("details", sqliteCode);
    };
    const response = await api.request("/readyz", { key: null });
    expect(response.status).toBe(503);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ code });
    expect(text).not.toContain(api.config.dataDir);
    const logged = api.logged.map(({ fields }) => String(fields["error"]));
    expect(logged.join()).toContain(code === "storage_failed" ? api.config.databasePath : "");
  },
);

describe("metrics", () => {
  test("metrics count and time requests by route, method and status", async () => {
    const api = createTestApi();
    await api.request(STAFF);
    await api.request(`/v1/businesses/${SALON}/staff?nope=1`);
    await api.request("/v1/businesses/anything/at/all");
    const text = await (await api.request("/metrics", asOperator(api))).text();
    const name = "deskbell_http_request_duration_seconds";
    for (const line of [
      `# TYPE ${name} histogram`,
      `${name}_count{route="/v1/businesses/:slug/staff",method="GET",status="200"} 1`,
      `${name}_count{route="/v1/businesses/:slug/staff",method="GET",status="400"} 1`,
      `${name}_bucket{route="/v1/businesses/:slug/staff",method="GET",status="200",le="+Inf"} 1`,
      `${name}_count{route="(none)",method="GET",status="404"} 1`,
      "# TYPE deskbell_deliveries gauge",
    ])
      expect(text.split("\n")).toContain(line);
    expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
    // Each line is a comment or `name{labels} number`.
    expect(
      text.split("\n").filter((line) => !/^(# .*|[a-z_]+(\{[^{}]*\})? [\d.e+-]+|)$/.test(line)),
    ).toEqual([]);
  });

  // Behind a proxy that adds no header, a stranger's request looks like one from this machine.
  test.each([
    { what: "of this machine", headers: {} },
    { what: "of this machine to localhost", headers: { host: "localhost:4100" } },
    { what: "that a proxy forwarded", headers: { "x-forwarded-for": "203.0.113.9" } },
  ])("a request $what gets no metrics without the token", async ({ headers }) => {
    const api = createTestApi();
    const problem = await api.requestProblem("/metrics", { key: null, headers });
    expect([problem.status, problem.code]).toEqual([401, "missing_key"]);
    expect((await api.request("/metrics", { key: api.key, headers })).status).toBe(401);
  });

  test("metrics accept both the token in the data folder and the configured token", async () => {
    const file = join(createTempFolder(), "token");
    writeFileSync(file, "t0ken\n");
    const flags = { publicUrl: "https://api.example.com", metricsTokenFile: file };
    const api = createTestApi("salon", undefined, flags);
    expect((await api.request("/metrics", { key: "t0ken" })).status).toBe(200);
    expect((await api.request("/metrics", asOperator(api))).status).toBe(200);
    expect((await api.request("/metrics", { key: "t0kem" })).status).toBe(401);
  });

  test("metrics keep their token across restarts, in a file that only its owner can read", async () => {
    const api = createTestApi();
    const path = metricsTokenPath(api.config);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const restarted = createTestApp(api);
    expect((await restarted.request("/metrics", asOperator(api))).status).toBe(200);
  });

  test("metrics are refused to everyone if the token could not be created, and the log says so", async () => {
    const api = createTestApi();
    rmSync(metricsTokenPath(api.config));
    mkdirSync(metricsTokenPath(api.config));
    const response = await createTestApp(api).request("/metrics");
    expect([response.status, ((await response.json()) as Problem).code]).toEqual([
      403,
      "address_not_allowed",
    ]);
    expect(api.logged.map(({ message }) => message)).toContain(
      "could not create the metrics token",
    );
  });

  test("a local program without the metrics token causes one log line, and a condition until it sends the token", async () => {
    const rt = await createRunningServer();
    const app = createTestApp(rt);
    const isOpen = () => {
      app.flush();
      return listDaemonConditions(rt, CHECKS).some(({ code }) => code === "metrics.refused");
    };
    await app.request("/metrics", { headers: { "x-forwarded-for": "203.0.113.9" } });
    expect(isOpen()).toBe(false);
    for (let i = 0; i < 3; i++) await app.request("/metrics");
    expect(isOpen()).toBe(true);
    const refusals = rt.logged.filter(({ message }) => message.startsWith("refused a program"));
    expect(refusals.map(({ fields }) => fields)).toEqual([
      expect.objectContaining({ path: "/metrics", fix: expect.stringContaining("metrics token") }),
    ]);
    await app.request("/metrics", asOperator(rt));
    expect(isOpen()).toBe(false);
    await app.request("/metrics");
    expect(isOpen()).toBe(true);
    rt.advance(61 * 60_000);
    expect(isOpen()).toBe(false);
  });

  test("a metrics token file that cannot be read is an error at startup", () => {
    expect(() => readConfig({ metricsTokenFile: "/nowhere" }, {})).toThrow(
      "--metrics-token-file: /nowhere is empty or cannot be read",
    );
  });
});

describe("the access log", () => {
  test("the access log has one line per request, with the key ID and without secrets", async () => {
    const api = createTestApi("salon", undefined, { accessLog: true });
    const { id, secret } = api.createKey();
    const server = await startServer(api, { host: "127.0.0.1", port: 0 });
    const headers = { authorization: `Bearer ${secret}`, "user-agent": "partner/1\u00a0\u0085" };
    const request = (path: string) => fetch(server.url + path, { headers });
    const response = await request(`${STAFF}?_=${secret}`);
    const { length } = await response.text();
    await request(`/v1/businesses/${secret}/staff`);
    await request(`/${secret}`);
    await server.close();
    expect(api.logged.map(({ level, message }) => [level, message])).toEqual(
      Array.from({ length: 3 }, () => ["info", "request"]),
    );
    expect(api.logged[0]?.fields).toMatchObject({
      requestId: response.headers.get("request-id"),
      method: "GET",
      path: STAFF,
      status: 200,
      key: id,
      address: "127.0.0.1",
    });
    expect(length).toBeGreaterThan(0);
    expect(api.logged.map(({ fields }) => fields["status"])).toEqual([200, 403, 404]);
    let written = "";
    const write = vi
      .spyOn(process.stderr, "write")
      .mockImplementation((chunk) => (written += String(chunk)) !== "");
    const log = createLog("json", api.now);
    for (const { message, fields } of api.logged) log("warn", message, fields);
    write.mockRestore();
    expect(written).toContain("deskbell_sk_…");
    expect(written).not.toContain(secret);
  });

  test("the access log is off by default", async () => {
    const api = createTestApi();
    await api.request(STAFF);
    expect(api.logged).toEqual([]);
  });
});

describe("the client address behind proxies", () => {
  const addressOf = (trusted: string[], peer: string, forwarded?: string) =>
    createGetClientAddress(trusted)({
      peerAddress: peer,
      headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
    } as never);

  test.each([
    {
      what: "no trusted proxy",
      trusted: [],
      peer: "10.0.0.1",
      sent: "203.0.113.9",
      is: "10.0.0.1",
    },
    {
      what: "the peer is not a trusted proxy",
      trusted: ["10.0.0.0/8"],
      peer: "192.0.2.1",
      sent: "203.0.113.9",
      is: "192.0.2.1",
    },
    {
      what: "one trusted proxy",
      trusted: ["10.0.0.0/8"],
      peer: "10.0.0.1",
      sent: "203.0.113.9",
      is: "203.0.113.9",
    },
    {
      what: "a proxy without the header",
      trusted: ["10.0.0.0/8"],
      peer: "10.0.0.1",
      sent: undefined,
      is: "10.0.0.1",
    },
    {
      what: "an address invented by the client",
      trusted: ["10.0.0.0/8"],
      peer: "10.0.0.1",
      sent: "1.1.1.1, 203.0.113.9",
      is: "203.0.113.9",
    },
    {
      what: "two trusted proxies",
      trusted: ["10.0.0.0/8"],
      peer: "10.0.0.1",
      sent: "1.1.1.1, 203.0.113.9, 10.0.0.2",
      is: "203.0.113.9",
    },
    {
      what: "only trusted proxies",
      trusted: ["10.0.0.0/8"],
      peer: "10.0.0.1",
      sent: "10.0.0.3, 10.0.0.2",
      is: "10.0.0.3",
    },
    {
      what: "an address with a port",
      trusted: ["127.0.0.1"],
      peer: "::ffff:127.0.0.1",
      sent: "203.0.113.9:4711",
      is: "203.0.113.9",
    },
    {
      what: "IPv6 with a port",
      trusted: ["::1"],
      peer: "::1",
      sent: "[2001:db8::9]:4711",
      is: "2001:db8::9",
    },
    {
      what: "IPv4 mapped to IPv6",
      trusted: ["::1"],
      peer: "::1",
      sent: "::ffff:203.0.113.9",
      is: "203.0.113.9",
    },
    {
      what: "a name instead of an address",
      trusted: ["10.0.0.0/8"],
      peer: "10.0.0.1",
      sent: "1.1.1.1, unknown",
      is: "10.0.0.1",
    },
    {
      what: "only commas",
      trusted: ["10.0.0.0/8"],
      peer: "10.0.0.1",
      sent: ",,,",
      is: "10.0.0.1",
    },
  ])("the client address behind proxies with $what is $is", ({ trusted, peer, sent, is }) =>
    expect(addressOf(trusted, peer, sent)).toBe(is),
  );

  test("the client address behind proxies is used for address restrictions and rate limits", async () => {
    const api = createTestApi("salon", undefined, { trustedProxies: ["127.0.0.1"] });
    const { secret } = api.createKey({ cidrs: ["203.0.113.0/24"] });
    const status = async (forwarded: string) =>
      (await api.request(STAFF, { key: secret, headers: { "x-forwarded-for": forwarded } })).status;
    expect([await status("203.0.113.9"), await status("203.0.113.9, 198.51.100.1")]).toEqual([
      200, 403,
    ]);
    expect(api.logged).toEqual([]);
  });
});

test("--public-url is the base of returned URLs", async () => {
  const api = createTestApi("salon", undefined, { publicUrl: "https://api.example.com/bell/" });
  const { headers } = await api.request(`${STAFF}?limit=1`);
  expect(headers.get("link")).toMatch(
    /^<https:\/\/api\.example\.com\/bell\/v1\/businesses\/salon-aurora\/staff\?/,
  );
  expect(() => readConfig({ publicUrl: "api.example.com" }, {})).toThrow("--public-url");
});
