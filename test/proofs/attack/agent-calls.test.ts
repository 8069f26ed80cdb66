import { expect, test } from "vitest";
import { createTestApp } from "../../support/app.ts";
import { isRecording, recordClaim } from "../../support/claims.ts";
import { arbitraryJson } from "../../support/hostile/generated-requests.ts";
import { patient } from "../../support/patience.ts";
import { fc } from "../../support/property.ts";
import { chooseScale, chooseSeed } from "../../support/scale.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";
import { post, statelessRequest } from "../../features/mcp/support/agents.ts";
import { createTenants, type Tenant, unknownId } from "../support/tenants.ts";

// This proof calls the tools of agents with arguments that are generated from the schemas in
// tools/list.

const SEED = chooseSeed(29);
const RUNS = chooseScale(400, 10_000, 2000);
/** Each round starts with a new business, because many calls change it. */
const PER_ROUND = 500;
const CONTROL_RUNS = 500;
const MAX_RESPONSE_BYTES = 32_500;

type Tool = { name: string; inputSchema: Parameters<typeof arbitraryJson>[0] };
type Call = {
  tool: string;
  args: string;
  isStateless: boolean;
  hasKey: boolean;
  isServer: boolean;
};
type Seen = Map<string, { succeeded: number; refused: number }>;

const knownValues = (tenant: Tenant) => {
  const own = (prefix: string) =>
    [...tenant.identifiers].filter((name) => name.startsWith(`${prefix}_`));
  const starts = [24, 25, 26].flatMap((day) =>
    ["10:00", "11:30", "17:00"].map((time) => `2026-11-${day}T${time}:00+00:00`),
  );
  return {
    business: [tenant.slug, tenant.slug, "nowhere"],
    id: [...own("bkg"), ...own("rsv"), ...own("tor"), ...own("hld"), unknownId("bkg")],
    holdId: [...own("hld"), unknownId("hld")],
    serviceIds: own("svc"),
    serviceId: own("svc"),
    variantIds: own("svv"),
    addonIds: own("adn"),
    addonId: own("adn"),
    staffIds: own("stf"),
    eventId: own("pev"),
    ticketTypeId: own("ett"),
    startsAt: starts,
    date: ["2026-11-24", "2026-11-25"],
    from: ["2026-11-23", "2026-11-24"],
    to: ["2026-11-26", "2026-12-01"],
    earliest: ["09:00", "17:00"],
    latest: ["12:00"],
    query: ["cut", "mark000of", "gala"],
  };
};

/** Generates arguments that fit one another. Random arguments rarely do. */
function fittingArguments(tenant: Tenant): Record<string, fc.Arbitrary<string>> {
  const visit = fc.record({
    startsAt: fc.constantFrom(...knownValues(tenant).startsAt),
    segments: fc.constant([{ serviceId: tenant.ownId("svc") }]),
  });
  const idempotencyKey = fc.integer().map((n) => `call-${n}`);
  const booked = fc.record({ visit, idempotencyKey }).map((args) => JSON.stringify(args));
  const searched = { serviceIds: [tenant.ownId("svc")], date: "2026-11-24" };
  const changed = fc
    .constantFrom(
      { visit: { startsAt: "2026-11-26T14:00:00+00:00" } },
      { guest: { customerRef: "c" } },
    )
    .map((change) => JSON.stringify({ id: tenant.ownId("bkg"), ...change }));
  return {
    change_booking: changed,
    hold: booked,
    book: booked,
    find_times: fc.constant(JSON.stringify(searched)),
  };
}

/** Generates calls of all tools with equal probability. */
const arbitraryCalls = (tools: readonly Tool[], tenant: Tenant): fc.Arbitrary<Call> =>
  fc.oneof(
    ...tools.map(({ name, inputSchema }) =>
      fc.record({
        tool: fc.constant(name),
        args: fc.oneof(
          { weight: 5, arbitrary: arbitraryJson(inputSchema, knownValues(tenant)) },
          { weight: 1, arbitrary: fittingArguments(tenant)[name] ?? fc.constant("{}") },
        ),
        isStateless: fc.boolean(),
        hasKey: fc.integer({ min: 0, max: 5 }).map((n) => n > 0),
        isServer: fc.boolean(),
      }),
    ),
  );

/** Calls the tools of a new server. @throws if a response is not a result or an error with a fix */
async function runRound(
  seen: Seen,
  {
    runs,
    seed,
    prepare = () => {},
  }: { runs: number; seed: number; prepare?: (rt: TestRuntime) => void },
): Promise<TestRuntime> {
  const rt = createTestRuntime();
  const [tenant] = (await createTenants(rt, 1)) as [Tenant];
  const secret = tenant.keys.find(({ description }) => description === "secret")?.secret ?? "";
  const app = createTestApp(rt);
  const authorization = { authorization: `Bearer ${secret}` };
  const list = statelessRequest("tools/list");
  const listed = await post({ app }, "/mcp", list.body, { ...list.headers, ...authorization });
  const tools = listed.body.result.tools as Tool[];
  expect(tools).toHaveLength(9);
  prepare(rt);
  await fc.assert(
    fc.asyncProperty(arbitraryCalls(tools, tenant), async (call) => {
      // The clock advances, so that the rate limit by address is never reached.
      rt.advance(1000);
      const { body, headers } = statelessRequest("tools/call", { name: call.tool });
      if (!call.isStateless) body.params = { name: call.tool };
      // The arguments are inserted as text, because assigning `__proto__` sets no field.
      const text = JSON.stringify(body).replace(
        '"params":{',
        () => `"params":{"arguments":${call.args},`,
      );
      const answer = await post({ app }, call.isServer ? "/mcp" : `/b/${tenant.slug}/mcp`, text, {
        ...(call.isStateless && headers),
        ...(call.hasKey && authorization),
      });
      // Nothing is published, so a call without a key finds nothing.
      if (!call.hasKey) {
        expect(answer.status).toBe(404);
        return;
      }
      expect([200, 400, 413]).toContain(answer.status);
      const refusal = answer.body.error?.data ?? answer.body.result.structuredContent.error;
      const counts = seen.get(call.tool) ?? { succeeded: 0, refused: 0 };
      seen.set(call.tool, counts);
      counts[refusal === undefined ? "succeeded" : "refused"] += 1;
      if (refusal !== undefined) expect(refusal.fix.length).toBeGreaterThan(10);
      expect(answer.text.length).toBeLessThan(MAX_RESPONSE_BYTES);
    }),
    { numRuns: runs, seed },
  );
  return rt;
}

test(
  `${RUNS} generated calls of agents get a result, or an error that says what to do`,
  { timeout: patient(60_000 + RUNS * 60) },
  async () => {
    const seen: Seen = new Map();
    for (let left = RUNS; left > 0; left -= PER_ROUND) {
      const { logged } = await runRound(seen, {
        runs: Math.min(left, PER_ROUND),
        seed: SEED + left,
      });
      expect(logged.filter(({ level }) => level === "error")).toEqual([]);
    }
    const untested = [...seen].filter(([, { succeeded, refused }]) => succeeded * refused === 0);
    expect([seen.size, untested]).toEqual([9, []]);
    if (!isRecording()) return;
    const [succeeded, refused] = (["succeeded", "refused"] as const).map((what) =>
      [...seen.values()].reduce((sum, counts) => sum + counts[what], 0),
    );
    recordClaim({
      group: "attack",
      claim: "Every generated call of an agent gets a result or an error with a fix",
      done: `${RUNS} calls of all 9 tools, in both revisions of the protocol, were generated from the schemas that the server lists: valid ones, and ones with naughty strings, wrong types and unknown names.`,
      figure: `${succeeded} succeeded and ${refused} were refused with a fix; no status was 500 or above, no response was larger than ${MAX_RESPONSE_BYTES} bytes, and no error was logged.`,
      control: await runControl(),
      seed: SEED,
    });
  },
);

async function runControl(): Promise<{ done: string; figure: string; hasFailed: boolean }> {
  const prepare = (rt: TestRuntime) => {
    rt.store.catalog.countByKind = () => {
      throw new TypeError("cannot read a property of undefined");
    };
  };
  const failure = await runRound(new Map(), { runs: CONTROL_RUNS, seed: SEED, prepare }).then(
    () => undefined,
    (error: Error) => error,
  );
  const after = /after (\d+) tests/.exec(failure?.message ?? "")?.[1];
  return {
    done: `A server that throws when it counts tables got up to ${CONTROL_RUNS} such calls.`,
    figure:
      after === undefined ? "No call failed." : `A call failed with 500 after ${after} calls.`,
    hasFailed: after !== undefined,
  };
}
