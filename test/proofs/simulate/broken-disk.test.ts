import { expect, test } from "vitest";
import { isRecording, recordClaim } from "../../support/claims.ts";
import { chooseScale, chooseSeed } from "../../support/scale.ts";
import { BUGS } from "../../support/sim/bugs.ts";
import { simulate } from "../../support/sim/simulate.ts";
import { patient } from "../../support/patience.ts";

// The simulation runs with a disk that reports errors. The daemon ends after a failed fsync,
// whether or not the write has reached the disk.

const DAYS = 12;
const RUNS = chooseScale(1, 360, 8);
const FIRST = chooseSeed(500_000);
/**
 * The first seed found a worker that sent one more delivery to an endpoint that it had just
 * disabled after a start. The second found a worker that sent a delivery too early, after a clock
 * jump that a full disk could not store.
 */
const SEEDS_OF_FIXED_BUGS = [314_164, 730_584];
const DISK = { hasBrokenDisk: true };
const BUG = "takes a failed write for a successful one";
/**
 * The maximum number of seeds of the control, which ends with the first seed that finds the bug.
 * About one seed in four does.
 */
const SEEDS_FOR_THE_BUG = 60;

async function runControl(): Promise<{ done: string; figure: string; hasFailed: boolean }> {
  const injectBug = BUGS[BUG]!;
  let seeds = 0;
  let violation: string | undefined;
  while (violation === undefined && (seeds += 1) <= SEEDS_FOR_THE_BUG)
    violation = await simulate(FIRST + seeds, DAYS, { ...DISK, injectBug }).then(
      () => undefined,
      (error: Error) => error.message.split("\n")[0],
    );
  return {
    done: `A worker that ${BUG} ran in the same simulations.`,
    figure:
      violation === undefined
        ? "No violation was found."
        : `A violation was found in simulation ${seeds}.`,
    hasFailed: violation !== undefined,
  };
}

test(
  `a daemon that ends after a failed write loses and repeats nothing in ${RUNS} simulations`,
  { timeout: patient(chooseScale(60_000, 3_600_000, 300_000)) },
  async () => {
    const seen = { days: 0, sent: 0, crashes: 0, brokenWrites: 0 };
    const seeds = Array.from({ length: RUNS }, (_, i) => FIRST + i);
    for (const seed of [...SEEDS_OF_FIXED_BUGS, ...seeds]) {
      const run = await simulate(seed, DAYS, DISK);
      for (const name of Object.keys(seen) as (keyof typeof seen)[]) seen[name] += run[name];
    }
    expect(seen.brokenWrites).toBeGreaterThan(RUNS);
    if (!isRecording()) return;
    recordClaim({
      group: "simulate",
      claim: "A daemon that ends because its disk reports an error loses no delivery",
      done: `${RUNS} random simulations of ${DAYS} days were run, in which single writes fail before or after the commit, besides crashes, clock jumps and full disks.`,
      figure: `No violation was found in ${Math.round(seen.days)} simulated days with ${seen.sent} attempts to deliver and ${seen.brokenWrites} failed writes.`,
      control: await runControl(),
      seed: FIRST,
    });
  },
);
