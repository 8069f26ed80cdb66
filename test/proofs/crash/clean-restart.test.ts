import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createSeededRandom } from "../../../src/domain/seeded-random.ts";
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
import { patient } from "../../support/patience.ts";

/** The number of daemons that are stopped side by side. Each has its own data. */
const DAEMONS = chooseScale(1, 4, 2);
const ROUNDS = chooseScale(2, 50, 3);
const CONTROL_ROUNDS = 6;
const LONGEST_LIFE_MS = 300;
const STOPS_WITHIN_MS = 10_000;
const SEED = chooseSeed(11);

/** Stops a daemon many times under load, and lets it complete all deliveries in the end. */
async function stopRepeatedly(seed: number, rounds: number, program = PROGRAM) {
  const random = createSeededRandom(seed);
  const { dataDir, partner } = await createSalonWithPartner(random);
  const editor = startPriceEditor(dataDir);
  let slowestMs = 0;
  for (let round = 0; round < rounds; round++) {
    const daemon = spawnDaemonOf(program, dataDir);
    await waitForUrl(daemon);
    await sleep(random.integer(0, LONGEST_LIFE_MS));
    const signalledAt = performance.now();
    daemon.child.kill("SIGTERM");
    expect(await daemon.waitForExit(patient(STOPS_WITHIN_MS))).toMatchObject({
      code: 0,
      signal: null,
    });
    slowestMs = Math.max(slowestMs, performance.now() - signalledAt);
  }
  await editor.stop();
  await waitForUrl(spawnDaemonOf(program, dataDir));
  const delivered = await waitForDeliveries(dataDir);
  const receivedPrices = new Set(partner.received.map(({ priceCents }) => priceCents));
  return {
    delivered,
    received: new Set(partner.received.map(({ deliveryId }) => deliveryId)).size,
    repeated: partner.received.length - delivered,
    acknowledged: editor.acknowledged.length,
    lost: editor.acknowledged.filter((price) => !receivedPrices.has(price)),
    slowestMs,
  };
}

async function runControl(): Promise<{ done: string; figure: string; hasFailed: boolean }> {
  const program = breakProgram({
    file: "src/delivery/thread.ts",
    find: "const GRACE_MS = 10_000;",
    replace: "const GRACE_MS = 0;",
  });
  const { repeated, delivered } = await stopRepeatedly(SEED, CONTROL_ROUNDS, program);
  return {
    done: `A daemon that does not wait for deliveries in flight was stopped ${CONTROL_ROUNDS} times.`,
    figure: `${repeated} of ${delivered} deliveries were repeated.`,
    hasFailed: repeated > 0,
  };
}

test(
  `stopped ${DAEMONS * ROUNDS} times under load, the daemon exits with 0 within ten seconds and neither loses nor repeats a delivery`,
  { timeout: patient(chooseScale(60_000, 1_800_000, 300_000)) },
  async () => {
    const outcomes = await Promise.all(
      Array.from({ length: DAEMONS }, (_, i) => stopRepeatedly(SEED + i, ROUNDS)),
    );
    for (const { delivered, received, repeated, lost, acknowledged } of outcomes) {
      // Each delivery was sent once: stopping waits for deliveries in flight.
      expect({ received, repeated, lost }).toEqual({ received: delivered, repeated: 0, lost: [] });
      expect(acknowledged).toBeGreaterThan(ROUNDS);
    }
    if (!isRecording()) return;
    const sum = (name: "acknowledged" | "delivered") =>
      outcomes.reduce((total, outcome) => total + outcome[name], 0);
    const slowestMs = Math.max(...outcomes.map((outcome) => outcome.slowestMs));
    recordClaim({
      group: "crash",
      claim: "A daemon that is stopped neither loses nor repeats a delivery",
      done: `${DAEMONS} daemons side by side were stopped with SIGTERM, ${DAEMONS * ROUNDS} times in all, up to ${LONGEST_LIFE_MS} ms after their start, while prices changed and a partner received them.`,
      figure: `None of ${sum("acknowledged")} acknowledged changes and ${sum("delivered")} deliveries was lost or repeated; every exit code was 0, and the slowest stop took ${Math.round(slowestMs)} ms.`,
      control: await runControl(),
      seed: SEED,
    });
  },
);
