import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import {
  createSeededRandom,
  type SeededRandom,
} from "../../../src/app/sample-catalog/generator.ts";
import { breakProgram } from "../../support/broken-program.ts";
import { isRecording, recordClaim } from "../../support/claims.ts";
import { spawnDaemonOf, waitForUrl } from "../../support/daemon.ts";
import { PROGRAM } from "../../support/program.ts";
import {
  waitForDeliveries,
  createSalonWithPartner,
  startPriceEditor,
} from "../../support/salon-with-partner.ts";
import { chooseScale, chooseSeed } from "../../support/scale.ts";

/** Daemons that are killed side by side, each with data of its own. */
const DAEMONS = chooseScale(1, 4, 2);
const ROUNDS = chooseScale(15, 250, 30);
const CONTROL_ROUNDS = 5;
/** How long a daemon lives after it has started, at most. */
const LONGEST_LIFE_MS = 300;
/**
 * The share of daemons that are killed after they have started; others are killed during startup.
 */
const STARTED_SHARE = 0.8;
/** The outcome of a delivery is stored this long after it was received. */
const IN_FLIGHT_MS = 1000;
/** A request sent right before a kill may be read this long after it. */
const READ_AFTER_MS = 100;
const SEED = chooseSeed(5);

/** Kills a daemon many times, and lets it complete all deliveries in the end. */
async function killRepeatedly(random: SeededRandom, rounds: number, program = PROGRAM) {
  const { dataDir, partner } = await createSalonWithPartner(random, "--max-in-flight", "16");
  const editor = startPriceEditor(dataDir);
  const kills: number[] = [];
  const starts: number[] = [];
  for (let round = 0; round < rounds; round++) {
    starts.push(performance.now());
    const daemon = spawnDaemonOf(program, dataDir);
    if (random.chance(STARTED_SHARE)) await daemon.waitForOutput(/"serving"/);
    await sleep(random.integer(0, LONGEST_LIFE_MS));
    daemon.child.kill("SIGKILL");
    kills.push(performance.now());
    await daemon.waitForExit();
  }
  await editor.stop();
  starts.push(performance.now());
  await waitForUrl(spawnDaemonOf(program, dataDir));
  const delivered = await waitForDeliveries(dataDir);
  const { received } = partner;
  const receivedPrices = new Set(
    received.filter(({ type }) => type === "service.updated").map(({ priceCents }) => priceCents),
  );
  const lost = editor.acknowledged.filter((price) => !receivedPrices.has(price));
  return { kills, starts, delivered, received, acknowledged: editor.acknowledged, lost };
}

type Outcome = Awaited<ReturnType<typeof killRepeatedly>>;

/** The deliveries that arrived again: when they arrived first, and again. */
const listRepeated = ({ received }: Outcome) =>
  [...Map.groupBy(received, ({ deliveryId }) => deliveryId).values()].flatMap((arrivals) =>
    arrivals.slice(1).map(({ at }, i) => ({ first: arrivals[i]!.at, again: at })),
  );

/** Asserts that nothing was lost. Returns how long after a start each repeated delivery arrived. */
function checkOutcome(outcome: Outcome): number[] {
  const { kills, starts, received, delivered, lost } = outcome;
  expect(new Set(received.map(({ deliveryId }) => deliveryId)).size).toBe(delivered);
  expect(lost).toEqual([]);
  // A delivery arrives twice only if it was in flight at a kill.
  const repeated = listRepeated(outcome);
  const isExplained = ({ first, again }: (typeof repeated)[number]) =>
    kills.some(
      (kill) => kill > first - READ_AFTER_MS && kill < Math.min(again, first + IN_FLIGHT_MS),
    );
  expect(repeated.filter((pair) => !isExplained(pair))).toEqual([]);
  const afterStartMs = repeated.map(
    ({ again }) => again - starts.findLast((start) => start < again)!,
  );
  expect(Math.max(...afterStartMs)).toBeLessThan(10_000);
  return afterStartMs;
}

async function runControl(): Promise<{ done: string; figure: string; hasFailed: boolean }> {
  const program = breakProgram({
    file: "src/delivery/delivery-worker.ts",
    find: "  clock.repair();\n",
    replace: `  for (const id of due.listDueEndpoints(rt.now()))
    try {
      const businessId = rt.store.endpoints.findTarget(id)!.businessId;
      const settlement = { status: "DELIVERED", nextAttemptAt: null, deliveredAt: rt.now(), error: null } as const;
      const unsent = { endpointId: id, businessId, host: null, settlement, attempt: null, isGone: false };
      recordResults(rt, due.listForEndpoint(id, rt.now(), 1e6).map((row) => ({ due: row, ...unsent })));
    } catch {}\n`,
  });
  const { lost, acknowledged } = await killRepeatedly(
    createSeededRandom(SEED),
    CONTROL_ROUNDS,
    program,
  );
  return {
    done: `${CONTROL_ROUNDS} kills of a daemon that takes pending deliveries for sent ones when it starts`,
    figure: `${lost.length} of ${acknowledged.length} acknowledged changes lost`,
    hasFailed: lost.length > 0,
  };
}

test(
  `killed ${DAEMONS * ROUNDS} times under load, the daemon loses no acknowledged change`,
  { timeout: chooseScale(240_000, 3_600_000) },
  async () => {
    const outcomes = await Promise.all(
      Array.from({ length: DAEMONS }, (_, i) =>
        killRepeatedly(createSeededRandom(SEED + i), ROUNDS),
      ),
    );
    const afterStartMs = outcomes.flatMap((outcome) => checkOutcome(outcome));
    const sum = (count: (outcome: Outcome) => number) =>
      outcomes.reduce((total, outcome) => total + count(outcome), 0);
    expect(sum(({ acknowledged }) => acknowledged.length)).toBeGreaterThan(DAEMONS * ROUNDS);
    if (!isRecording()) return;
    recordClaim({
      group: "crash",
      claim: "A daemon that is killed loses no acknowledged change",
      done: `${DAEMONS * ROUNDS} times kill -9, of ${DAEMONS} daemons side by side, during startup and up to ${LONGEST_LIFE_MS} ms after it, while prices change and a partner receives them`,
      figure: `${sum(({ acknowledged }) => acknowledged.length)} acknowledged changes and ${sum(({ delivered }) => delivered)} deliveries, 0 lost; ${afterStartMs.length} that were in flight arrived twice, at most ${Math.round(Math.max(0, ...afterStartMs))} ms after the start of the process`,
      control: await runControl(),
      seed: SEED,
    });
  },
);
