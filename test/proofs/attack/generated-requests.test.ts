import { Agent, request } from "node:http";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { describeApi } from "../../../src/http/openapi/document.ts";
import { ROUTES } from "../../../src/http/routes.ts";
import { startServer } from "../../../src/http/server.ts";
import {
  type GeneratedRequest,
  type OpenApiDocument,
  type KnownValues,
  arbitraryRequests,
} from "../../support/hostile/generated-requests.ts";
import { chooseScale } from "../../support/scale.ts";
import { unknownId, createTenants, type Tenant } from "../../support/tenants.ts";
import { type TestRuntime, createTestRuntime } from "../../support/test-runtime.ts";

// A4: valid and invalid requests generated from the OpenAPI document. As in all tests,
// test/support/check-responses.ts checks that the document allows every response.

const RUNS = chooseScale(1000, 20_000);
/** Each round starts with a new business, because many requests change it. */
const PER_ROUND = 500;

const document = describeApi({
  routes: ROUTES,
  publicUrl: "",
  version: "0",
}) as unknown as OpenApiDocument;

const allOf = ({ identifiers }: Tenant, prefix: string): string[] =>
  [...identifiers].filter((name) => name.startsWith(`${prefix}_`));

function idsFor(tenant: Tenant, operationId: string): string[] {
  if (/deliver(y|)$/i.test(operationId)) return allOf(tenant, "dlv");
  const endpoints = allOf(tenant, "whe");
  // Keep one endpoint for the other operations.
  return operationId === "deleteEndpoint" ? endpoints.slice(1) : endpoints;
}

const knownValuesOf =
  (tenant: Tenant) =>
  (operationId: string): KnownValues => ({
    businessSlug: [tenant.slug],
    id: idsFor(tenant, operationId),
    ids: [tenant.ownId("svc"), unknownId("svc")],
    categoryId: [tenant.ownId("sct")],
    staffId: [tenant.ownId("stf")],
    staffIds: [tenant.ownId("stf")],
    serviceIds: [tenant.ownId("svc"), tenant.ownId("svc"), unknownId("svc")],
    serviceId: [tenant.ownId("svc")],
    variantIds: [tenant.ownId("svv")],
    addonIds: [tenant.ownId("adn")],
    areaId: [tenant.ownId("are")],
    partySize: ["2", "3"],
    date: ["2026-11-24"],
    from: ["2026-11-21", "2026-11-23"],
    to: ["2026-11-25"],
    timezone: ["Asia/Tokyo", "UTC"],
    cursor: [tenant.cursors.list("services"), tenant.cursors.list("webhooks")],
    after: [tenant.cursors.changes],
    wait: ["0"],
    name: ["Website", "Kiosk"],
    url: ["https://8.8.8.8/hook", "https://8.8.4.4/", "https://1.1.1.1/", "https://127.0.0.1/"],
  });

type ApiResponse = { status: number; headers: Record<string, unknown>; text: string };

function createClient(port: number) {
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  return ({ method, url, headers, body }: GeneratedRequest, secret: string | null) =>
    new Promise<ApiResponse>((resolve, reject) => {
      const sent = request({
        agent,
        host: "127.0.0.1",
        port,
        method,
        path: url,
        headers: { ...headers, ...(secret !== null && { authorization: `Bearer ${secret}` }) },
      });
      sent.on("error", reject);
      sent.on("response", (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        );
      });
      sent.end(body);
    });
}

async function runRound(seen: Map<string, Set<number>>, runs: number): Promise<TestRuntime> {
  const rt = createTestRuntime();
  const [tenant] = (await createTenants(rt, 1)) as [Tenant];
  const server = await startServer(rt, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => server.close());
  const send = createClient(server.port);
  const secretOf = (what: string) =>
    tenant.keys.find((key) => key.description === what)?.secret ?? "";
  const keys = {
    good: secretOf("secret"),
    restricted: secretOf("restricted to services.read"),
    wrong: "deskbell_sk_wrong",
    none: null,
  };
  await fc.assert(
    fc.asyncProperty(arbitraryRequests(document, knownValuesOf(tenant)), async (asked) => {
      // Advance the clock, so that the rate limit by address is never reached.
      rt.advance(4000);
      const { status, headers, text } = await send(asked, keys[asked.key]);
      seen.set(asked.operationId, (seen.get(asked.operationId) ?? new Set()).add(status));
      expect(status).toBeLessThan(500);
      expect(status).not.toBe(429);
      expect(headers["request-id"]).toMatch(/^req_/);
      if (asked.method === "HEAD" || status < 400) return;
      expect(JSON.parse(text)).toMatchObject({
        status,
        code: expect.any(String),
        detail: expect.any(String),
      });
    }),
    { numRuns: runs },
  );
  await server.close();
  return rt;
}

test(
  `${RUNS} generated requests, valid and invalid, get documented responses`,
  { timeout: 60_000 + RUNS * 30 },
  async () => {
    const seen = new Map<string, Set<number>>();
    for (let left = RUNS; left > 0; left -= PER_ROUND) {
      const { logged } = await runRound(seen, Math.min(left, PER_ROUND));
      expect(logged.filter(({ level }) => level === "error")).toEqual([]);
    }
    // Every operation with a key must have refused a request. In the full run, which is large
    // enough to guarantee it, every operation must also have succeeded.
    const untested = ROUTES.filter(({ operationId: id, scope }) => {
      const statuses = [...(seen.get(id) ?? [])];
      const isRefused = scope === "open" || statuses.some((status) => status >= 400);
      return !isRefused || (RUNS >= 10_000 && !statuses.some((status) => status < 300));
    });
    expect(untested.map(({ operationId: id }) => [id, seen.get(id)])).toEqual([]);
  },
);
