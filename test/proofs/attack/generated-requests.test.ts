import { Agent, request } from "node:http";
import { fc } from "../../support/property.ts";
import { expect, onTestFinished, test } from "vitest";
import { ROUTES } from "../../support/routes.ts";
import { startServer } from "../../../src/http/server.ts";
import { isRecording, recordClaim } from "../../support/claims.ts";
import type { GeneratedRequest } from "../../support/hostile/generated-requests.ts";
import { arbitraryTenantRequests, keysOf, sabotage } from "../support/tenant-requests.ts";
import { chooseScale, chooseSeed } from "../../support/scale.ts";
import { createTenants, type Tenant } from "../support/tenants.ts";
import { type TestRuntime, createTestRuntime } from "../../support/test-runtime.ts";
import { patient } from "../../support/patience.ts";

// This proof sends valid and invalid requests, which are generated from the OpenAPI document.
// test/support/check-responses.ts checks, as in all tests, that the document allows every response.

const SEED = chooseSeed(17);
const RUNS = chooseScale(1500, 400_000, 5000);
const IS_FULL = chooseScale(false, true);
/** Each round starts with a new business, because many requests change it. */
const PER_ROUND = chooseScale(500, 5000, 500);
/** One round of most seeds has an ID with an unusual character. */
const CONTROL_ROUNDS = 20;
const CONTROL_RUNS_PER_ROUND = 500;

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

type Round = { runs: number; seed: number; sabotage?: (rt: TestRuntime) => void };

/** Sends generated requests to a new server. @throws if a response is not the documented one */
async function runRound(
  seen: Map<string, Set<number>>,
  { runs, seed, sabotage: prepare = () => {} }: Round,
): Promise<TestRuntime> {
  const rt = createTestRuntime();
  const [tenant] = (await createTenants(rt, 1)) as [Tenant];
  const server = await startServer(rt, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => server.close());
  const send = createClient(server.port);
  const keys = keysOf(tenant);
  prepare(rt);
  await fc.assert(
    fc.asyncProperty(arbitraryTenantRequests(tenant), async (asked) => {
      // The clock advances, so that the rate limit by address is never reached.
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
    { numRuns: runs, seed },
  );
  await server.close();
  return rt;
}

test(
  `${RUNS} generated requests, valid and invalid, get documented responses`,
  { timeout: patient(60_000 + RUNS * 30) },
  async () => {
    const seen = new Map<string, Set<number>>();
    for (let left = RUNS; left > 0; left -= PER_ROUND) {
      const { logged } = await runRound(seen, {
        runs: Math.min(left, PER_ROUND),
        seed: SEED + left,
      });
      expect(logged.filter(({ level }) => level === "error")).toEqual([]);
    }
    // Every operation with a key must have refused a request. The full run is so large that every
    // operation must also have succeeded.
    const untested = ROUTES.filter(({ operationId: id, scope }) => {
      const statuses = [...(seen.get(id) ?? [])];
      const isRefused = scope === "open" || statuses.some((status) => status >= 400);
      return !isRefused || (IS_FULL && !statuses.some((status) => status < 300));
    });
    expect(untested.map(({ operationId: id }) => [id, seen.get(id)])).toEqual([]);
    if (!isRecording()) return;
    const statuses = [...new Set([...seen.values()].flatMap((some) => [...some]))].sort();
    recordClaim({
      group: "attack",
      claim: "Every generated request gets a response that the OpenAPI document allows",
      done: `${RUNS} requests to all ${seen.size} operations were generated from the OpenAPI document: valid ones, and ones with naughty strings, wrong types, broken JSON, unknown names, methods and keys.`,
      figure: `The document allows every response, no status was 500 or above, and no error was logged. The statuses were ${statuses.join(", ")}.`,
      control: await runControl(),
      seed: SEED,
    });
  },
);

async function runControl(): Promise<{ done: string; figure: string; hasFailed: boolean }> {
  const most = CONTROL_ROUNDS * CONTROL_RUNS_PER_ROUND;
  let sent = 0;
  let hasFailed = false;
  for (let round = 0; round < CONTROL_ROUNDS && !hasFailed; round++) {
    const seed = SEED + round;
    const failure = await runRound(new Map(), {
      runs: CONTROL_RUNS_PER_ROUND,
      seed,
      sabotage,
    }).then(
      () => undefined,
      (error: Error) => error,
    );
    const after = /after (\d+) tests/.exec(failure?.message ?? "")?.[1];
    hasFailed = after !== undefined;
    sent += Number(after ?? CONTROL_RUNS_PER_ROUND);
  }
  return {
    done: `An API that throws for IDs with an unusual character got up to ${most} such requests.`,
    figure: hasFailed
      ? `It responded with 500 after ${sent} requests.`
      : "It never responded with 500.",
    hasFailed,
  };
}
