import { availableParallelism } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSeededRandom, type SeededRandom } from "../../../src/domain/seeded-random.ts";
import { breakProgram } from "../../support/broken-program.ts";
import { isRecording, recordClaim } from "../../support/claims.ts";
import { spawnDaemonOf, waitForUrl } from "../../support/daemon.ts";
import { listMissingDeliveries } from "../../support/missing-deliveries.ts";
import { PROGRAM } from "../../support/program.ts";
import {
  waitForDeliveries,
  createSalonWithPartner,
  startPriceEditor,
} from "../../support/salon-with-partner.ts";
import { chooseScale, chooseSeed } from "../../support/scale.ts";
import { assertTook, patient } from "../../support/patience.ts";

/**
 * The number of daemons that are killed side by side. Each has its own data. More daemons than
 * processors would wait for each other for seconds.
 */
const DAEMONS = chooseScale(1, Math.min(4, availableParallelism()), 2);
const ROUNDS = chooseScale(4, Math.ceil(1000 / DAEMONS), 5);
const CONTROL_ROUNDS = 5;
/**
 * The maximum number of control runs. A broken daemon may by chance lose nothing, so further runs
 * use other seeds.
 */
const CONTROL_RUNS = 10;
/** The longest life of a daemon after its start: long enough to send, even on a busy machine. */
const LONGEST_LIFE_MS = Math.round(patient(300));
/** The share of daemons that serve before they are killed; the others may still be starting. */
const STARTED_SHARE = 0.8;
/** The share of rounds in which the process that changes the prices is killed too. */
const WRITER_KILLED_SHARE = 0.3;
/** The share of deliveries that fail at their first attempt. */
const FAILURES = 0.1;
/** The outcome of a delivery is stored at most this long after its arrival. */
const IN_FLIGHT_MS = 1000;
const SEED = chooseSeed(5);

/** Kills a daemon many times, and lets it complete all deliveries in the end. */
async function killRepeatedly(random: SeededRandom, rounds: number, program = PROGRAM) {
  const { dataDir, partner } = await createSalonWithPartner(random, {
    failures: FAILURES,
    flags: ["--max-in-flight", "16"],
  });
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
    if (random.chance(WRITER_KILLED_SHARE)) await editor.killAndStartAgain();
  }
  await editor.stop();
  starts.push(performance.now());
  await waitForUrl(spawnDaemonOf(program, dataDir));
  const delivered = await waitForDeliveries(dataDir);
  const { received, refused } = partner;
  const receivedPrices = new Set(
    received.filter(({ type }) => type === "service.updated").map(({ priceCents }) => priceCents),
  );
  const lost = editor.acknowledged.filter((price) => !receivedPrices.has(price));
  const { acknowledged } = editor;
  const db = new Database(join(dataDir, "deskbell.db"), { readonly: true });
  const missing = listMissingDeliveries(db);
  db.close();
  return { kills, starts, delivered, received, refused, acknowledged, lost, missing };
}

type Outcome = Awaited<ReturnType<typeof killRepeatedly>>;

/**
 * Returns two times for each repeated arrival of a delivery: `again` is its own time, and `first`
 * that of the arrival before.
 */
const listRepeated = ({ received }: Outcome) =>
  [...Map.groupBy(received, ({ deliveryId }) => deliveryId).values()].flatMap((arrivals) =>
    arrivals.slice(1).map(({ at }, i) => ({ first: arrivals[i]!.at, again: at })),
  );

/** Returns the deliveries that were refused and never received. */
function listUnsent({ received, refused }: Outcome): string[] {
  const receivedIds = new Set(received.map(({ deliveryId }) => deliveryId));
  return [...refused].filter((id) => !receivedIds.has(id));
}

/** Asserts that nothing was lost. Returns how long after a start each repeated delivery arrived. */
function checkOutcome(outcome: Outcome): number[] {
  const { kills, starts, received, refused, delivered, lost, missing } = outcome;
  const receivedIds = new Set(received.map(({ deliveryId }) => deliveryId));
  expect(receivedIds.size).toBe(delivered);
  expect(listUnsent(outcome)).toEqual([]);
  expect(refused.size).toBeGreaterThan(0);
  expect(lost).toEqual([]);
  expect(missing).toEqual([]);
  // A delivery arrives twice only if a kill has kept its outcome from being stored. A busy receiver
  // may read a request only after the kill, so the kill is the last one before the next start, even
  // if it came before `first`.
  const repeated = listRepeated(outcome);
  const startBetween = ({ first, again }: (typeof repeated)[number]) =>
    starts.find((start) => start > first && start < again);
  expect(repeated.filter((pair) => startBetween(pair) === undefined)).toEqual([]);
  const inFlightMs = repeated.map((pair) => {
    const start = startBetween(pair) ?? 0;
    return (kills.findLast((kill) => kill < start) ?? 0) - pair.first;
  });
  assertTook(
    "The slowest delivery in flight before a kill",
    Math.max(0, ...inFlightMs),
    IN_FLIGHT_MS,
  );
  const afterStartMs = repeated.map(
    ({ again }) => again - starts.findLast((start) => start < again)!,
  );
  assertTook("The slowest repeated delivery after a start", Math.max(0, ...afterStartMs), 10_000);
  return afterStartMs;
}

const SETTLE_AS_SENT = `
      const businessId = rt.store.endpoints.findTarget(id)!.businessId;
      const settlement = { status: "DELIVERED", nextAttemptAt: null, deliveredAt: rt.now(), error: null } as const;
      const unsent = { endpointId: id, businessId, host: null, settlement, attempt: null, isGone: false };
      recordResults(rt, rows.map((row) => ({ due: row, ...unsent })), () => ({ heldUntil: null, heldReason: null }));`;

/**
 * Returns a broken daemon, which marks the pending deliveries chosen by `rows` as sent at its
 * start.
 */
const forgetAtStart = (rows: string) =>
  breakProgram({
    file: "src/delivery/outcome-writer.ts",
    find: "    this.#listeners = listeners;\n",
    replace: `    this.#listeners = listeners;
  for (const id of rt.store.due.listDueEndpoints(rt.now() + 60_000))
    try {
      const rows = rt.store.due.listForEndpoint(id, rt.now() + 60_000, 1e6)${rows};${SETTLE_AS_SENT}
    } catch {}\n`,
  });

async function runControl(): Promise<{ done: string; figure: string; hasFailed: boolean }> {
  const all = await killUntilFound("", ({ lost }) => lost.length);
  const failedOnce = await killUntilFound(
    ".filter((row) => row.attemptCount > 0)",
    (outcome) => listUnsent(outcome).length,
  );
  const [{ acknowledged }, { refused }] = [all.outcome, failedOnce.outcome];
  return {
    done: `A daemon that marks all pending deliveries as sent when it starts, and one that marks those that have failed once, were killed ${all.kills} and ${failedOnce.kills} times.`,
    figure: `In its last run, the first lost ${all.found} of ${acknowledged.length} acknowledged changes, and the second ${failedOnce.found} of ${refused.size} deliveries that had failed.`,
    hasFailed: all.found > 0 && failedOnce.found > 0,
  };
}

/** Kills a daemon that marks the deliveries chosen by `rows` as sent, until some are missing. */
async function killUntilFound(rows: string, count: (outcome: Outcome) => number) {
  const program = forgetAtStart(rows);
  for (let run = 1; ; run++) {
    const random = createSeededRandom(SEED + run);
    const outcome = await killRepeatedly(random, CONTROL_ROUNDS, program);
    const found = count(outcome);
    if (found > 0 || run === CONTROL_RUNS) return { outcome, found, kills: run * CONTROL_ROUNDS };
  }
}

test(
  `killed ${DAEMONS * ROUNDS} times under load, the daemon loses no acknowledged change`,
  { timeout: patient(chooseScale(240_000, 3_600_000)) },
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
      done: `${DAEMONS} daemons side by side were killed with kill -9, ${DAEMONS * ROUNDS} times in all, during their start and up to ${LONGEST_LIFE_MS} ms after it, while prices changed in a process that was killed too, and a partner refused a tenth of the deliveries at first.`,
      figure: `None of ${sum(({ acknowledged }) => acknowledged.length)} acknowledged changes and ${sum(({ delivered }) => delivered)} deliveries was lost; ${afterStartMs.length} that were in flight arrived twice, at most ${Math.round(Math.max(0, ...afterStartMs))} ms after the start of the process.`,
      control: await runControl(),
      seed: SEED,
    });
  },
);
