import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createSeededRandom } from "../../../src/app/sample-catalog/generator.ts";
import { spawnDaemon, waitForUrl } from "../../support/daemon.ts";
import {
  waitForDeliveries,
  createSalonWithPartner,
  startPriceEditor,
} from "../../support/salon-with-partner.ts";
import { chooseScale, chooseSeed } from "../../support/scale.ts";

const ROUNDS = chooseScale(15, 1000);
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

test(
  `killed ${ROUNDS} times under load, the daemon loses no acknowledged change`,
  {
    timeout: chooseScale(240_000, 3_600_000),
  },
  async () => {
    const random = createSeededRandom(chooseSeed(5));
    const { dataDir, partner } = await createSalonWithPartner(random, "--max-in-flight", "16");
    const editor = startPriceEditor(dataDir);
    const kills: number[] = [];
    const starts: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      starts.push(performance.now());
      const daemon = spawnDaemon(dataDir);
      if (random.chance(STARTED_SHARE)) await daemon.waitForOutput(/"serving"/);
      await sleep(random.integer(0, LONGEST_LIFE_MS));
      daemon.child.kill("SIGKILL");
      kills.push(performance.now());
      await daemon.waitForExit();
    }
    await editor.stop();

    starts.push(performance.now());
    await waitForUrl(spawnDaemon(dataDir));
    const delivered = await waitForDeliveries(dataDir);
    expect(new Set(partner.received.map(({ deliveryId }) => deliveryId)).size).toBe(delivered);

    const receivedPrices = new Set(
      partner.received
        .filter(({ type }) => type === "service.updated")
        .map(({ priceCents }) => priceCents),
    );
    expect(editor.acknowledged.filter((price) => !receivedPrices.has(price))).toEqual([]);
    expect(editor.acknowledged.length).toBeGreaterThan(ROUNDS);

    // A delivery arrives twice only if it was in flight at a kill.
    const repeated = [
      ...Map.groupBy(partner.received, ({ deliveryId }) => deliveryId).values(),
    ].flatMap((arrivals) =>
      arrivals.slice(1).map(({ at }, i) => ({ first: arrivals[i]!.at, again: at })),
    );
    const isExplained = ({ first, again }: (typeof repeated)[number]) =>
      kills.some(
        (kill) => kill > first - READ_AFTER_MS && kill < Math.min(again, first + IN_FLIGHT_MS),
      );
    expect(repeated.filter((pair) => !isExplained(pair))).toEqual([]);
    const afterStartMs = repeated.map(
      ({ again }) => again - starts.findLast((start) => start < again)!,
    );
    expect(Math.max(...afterStartMs)).toBeLessThan(10_000);
    const [acknowledged, slowestMs] = [
      editor.acknowledged.length,
      Math.round(Math.max(...afterStartMs)),
    ];
    console.log(
      `${ROUNDS} kills, ${acknowledged} changes, ${delivered} deliveries, ${repeated.length} repeated,`,
    );
    console.log(`the last of them ${slowestMs} ms after the start of the process`);
  },
);
