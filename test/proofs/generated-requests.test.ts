import { Agent, request } from "node:http";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { describeApi } from "../../src/http/openapi/document.ts";
import { ROUTES } from "../../src/http/routes.ts";
import { startServer } from "../../src/http/server.ts";
import {
  type GeneratedRequest,
  type OpenApiDocument,
  type KnownValues,
  arbitraryRequests,
} from "../support/hostile/generated-requests.ts";
import { chooseScale } from "../support/scale.ts";
import { unknownId, createTenants, type Tenant } from "../support/tenants.ts";
import { type TestRuntime, createTestRuntime } from "../support/test-runtime.ts";

// A4: requests that are made from the API's description and then spoiled. That every answer is as described is seen to for
// all tests, by test/support/documented-answers.ts.

const RUNS = chooseScale(1000, 20_000);
/** In each round the business is whole again: much of what is asked changes it. */
const PER_ROUND = 500;

const document = describeApi({
  routes: ROUTES,
  publicUrl: "",
  version: "0",
}) as unknown as OpenApiDocument;

const allOf = ({ names }: Tenant, prefix: string): string[] =>
  [...names].filter((name) => name.startsWith(`${prefix}_`));

function idsFor(tenant: Tenant, operationId: string): string[] {
  if (/deliver(y|)$/i.test(operationId)) return allOf(tenant, "dlv");
  const endpoints = allOf(tenant, "whe");
  // One of them stays, for all else that can be asked of it.
  return operationId === "deleteEndpoint" ? endpoints.slice(1) : endpoints;
}

const knownTo =
  (tenant: Tenant) =>
  (operationId: string): KnownValues => ({
    businessSlug: [tenant.slug],
    id: idsFor(tenant, operationId),
    ids: [tenant.own("svc"), unknownId("svc")],
    categoryId: [tenant.own("sct")],
    staffId: [tenant.own("stf")],
    staffIds: [tenant.own("stf")],
    serviceIds: [tenant.own("svc"), tenant.own("svc"), unknownId("svc")],
    serviceId: [tenant.own("svc")],
    variantIds: [tenant.own("svv")],
    addonIds: [tenant.own("adn")],
    areaId: [tenant.own("are")],
    partySize: ["2", "3"],
    date: ["2026-11-24"],
    from: ["2026-11-21", "2026-11-23"],
    to: ["2026-11-25"],
    timezone: ["Asia/Tokyo", "UTC"],
    cursor: [tenant.cursors.of("services"), tenant.cursors.of("webhooks")],
    after: [tenant.cursors.feed],
    wait: ["0"],
    name: ["Website", "Kiosk"],
    url: ["https://8.8.8.8/hook", "https://8.8.4.4/", "https://1.1.1.1/", "https://127.0.0.1/"],
  });

type Answered = { status: number; headers: Record<string, unknown>; text: string };

function client(port: number) {
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  return ({ method, url, headers, body }: GeneratedRequest, secret: string | null) =>
    new Promise<Answered>((resolve, reject) => {
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

async function round(seen: Map<string, Set<number>>, runs: number): Promise<TestRuntime> {
  const rt = createTestRuntime();
  const [tenant] = (await createTenants(rt, 1)) as [Tenant];
  const server = await startServer(rt, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => server.close());
  const ask = client(server.port);
  const secretOf = (what: string) => tenant.keys.find((key) => key.what === what)?.secret ?? "";
  const keys = {
    good: secretOf("secret"),
    restricted: secretOf("restricted to services.read"),
    wrong: "deskbell_sk_wrong",
    none: null,
  };
  await fc.assert(
    fc.asyncProperty(arbitraryRequests(document, knownTo(tenant)), async (asked) => {
      // By the address: the limit is not what is asked about.
      rt.advance(4000);
      const { status, headers, text } = await ask(asked, keys[asked.key]);
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
  `${RUNS} requests from the description of the API, good and spoiled, are answered as it says`,
  { timeout: 60_000 + RUNS * 30 },
  async () => {
    const seen = new Map<string, Set<number>>();
    for (let left = RUNS; left > 0; left -= PER_ROUND) {
      const { logged } = await round(seen, Math.min(left, PER_ROUND));
      expect(logged.filter(({ level }) => level === "error")).toEqual([]);
    }
    // Each that needs a key refused something; each was asked in earnest, for which a thousand are too few to be sure.
    const unheard = ROUTES.filter(({ operationId: id, scope }) => {
      const statuses = [...(seen.get(id) ?? [])];
      const isRefused = scope === "open" || statuses.some((status) => status >= 400);
      return !isRefused || (RUNS >= 10_000 && !statuses.some((status) => status < 300));
    });
    expect(unheard.map(({ operationId: id }) => [id, seen.get(id)])).toEqual([]);
  },
);
