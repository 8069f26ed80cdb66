import { afterAll, describe, expect, test } from "vitest";
import { isRecording, recordClaim } from "../../support/claims.ts";
import { chooseScale, chooseSeed } from "../../support/scale.ts";
import { BUGS } from "../../support/sim/bugs.ts";
import { simulate, type SimulationResult } from "../../support/sim/simulate.ts";
import { patient } from "../../support/patience.ts";

/** The length of a run, before the time in which all deliveries must be completed. */
const DAYS = 12;
const RUNS = chooseScale(1, 360, 12);
const FIRST = chooseSeed(1);
/** Seeds that have found bugs. The last three bugs were in the simulation, not in the worker. */
const REGRESSIONS = [18, 28, 51, 309790, 311399, 20261171, 972728, 782];
/**
 * The seeds that run every time. The test suite runs only the last seed, and `npm run proofs --
 * simulate/simulation` all of them.
 */
const KNOWN = chooseScale(REGRESSIONS.slice(-1), REGRESSIONS, REGRESSIONS);
/** SIM_SEED reproduces a single run. */
const SEEDS =
  process.env.SIM_SEED === undefined
    ? [...KNOWN, ...Array.from({ length: RUNS }, (_, i) => FIRST + i)]
    : [Number(process.env.SIM_SEED)];
/** Every injected bug must be found by one of the seeds from 1 to this number. */
const SEEDS_FOR_A_BUG = 12;
/** The seeds that are tried first for bugs that seed 1 does not find. */
const FINDING_SEEDS: Record<string, number> = {
  "loses deliveries in flight at a crash": 3,
  "stops signing with the old secret before it expires": 2,
  "takes a failed write for a successful one": 2,
};
/** The test suite tries each third bug. */
const INJECTED = Object.entries(BUGS).filter((_, i) => i % chooseScale(3, 1, 1) === 0);
let bugsFound = 0;

describe("the simulation detects a worker that", () => {
  test.each(INJECTED)(
    "the simulation detects a worker that %s",
    { timeout: patient(60_000) },
    async (bug, injectBug) => {
      const all = Array.from({ length: SEEDS_FOR_A_BUG }, (__, i) => i + 1);
      const found = async () => {
        for (const seed of new Set([FINDING_SEEDS[bug] ?? 1, ...all]))
          await simulate(seed, DAYS, { injectBug });
      };
      await expect(found()).rejects.toThrow(/^[^]*\nseed \d+, after\n/);
      bugsFound += 1;
    },
  );
});

describe("the delivery worker in random simulations", () => {
  const seen = { days: 0, sent: 0, events: 0, crashes: 0 };
  const results = new Map<number, SimulationResult>();
  afterAll(() => console.log(`simulated ${Math.round(seen.days)} days:`, seen));

  test(
    `the delivery worker keeps all guarantees in ${SEEDS.length} simulations of ${DAYS} days`,
    { timeout: patient(chooseScale(120_000, 3_600_000, 300_000)) },
    async () => {
      for (const seed of SEEDS) {
        const run = await simulate(seed, DAYS);
        results.set(seed, run);
        for (const name of Object.keys(seen) as (keyof typeof seen)[]) seen[name] += run[name];
      }
      expect(seen.sent).toBeGreaterThan(SEEDS.length * 100);
      expect(seen.crashes).toBeGreaterThan(SEEDS.length);
      if (!isRecording()) return;
      const injected = INJECTED.length;
      recordClaim({
        group: "simulate",
        claim: "Every delivery is made as documented, whatever fails in whatever order",
        done: `${SEEDS.length} random simulations of the delivery worker with its database were run, of ${DAYS} days and the time to complete all deliveries, with crashes, clock jumps, full disks, failing receivers and operator commands.`,
        figure: `No violation was found in ${Math.round(seen.days)} simulated days with ${seen.events} events, ${seen.sent} attempts to deliver and ${seen.crashes} crashes.`,
        control: {
          done: `${injected} bugs were injected into the worker, one at a time.`,
          figure: `${bugsFound} of ${injected} were found.`,
          hasFailed: bugsFound === injected,
        },
        seed: FIRST,
      });
    },
  );

  test(
    "two simulations of the delivery worker with the same seed are identical",
    { timeout: patient(60_000) },
    async () => {
      for (const seed of chooseScale([1], [1, 2])) {
        const once = results.get(seed) ?? (await simulate(seed, DAYS));
        expect(await simulate(seed, DAYS)).toEqual(once);
      }
      expect((await simulate(1, 1)).trace).not.toBe((await simulate(2, 1)).trace);
    },
  );
});
