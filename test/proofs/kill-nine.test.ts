import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createSeededRandom } from "../../src/app/sample-catalog/seeded-random.ts";
import { spawnDaemon, waitForUrl } from "../support/daemon.ts";
import {
  waitForDeliveries,
  createSalonWithPartner,
  startPriceEditor,
} from "../support/salon-with-partner.ts";
import { chooseScale } from "../support/scale.ts";

const ROUNDS = chooseScale(100, 1000);
/** Most daemons live so long after they have come up; the others are killed while they do. */
const LONGEST_LIFE_MS = 300;
const COMES_UP = 0.8;
/** What was sent so long before a death is answered, and its outcome written. */
const ON_THE_WIRE_MS = 1000;
/** What was sent right before a death may be read after it. */
const READ_AFTER_MS = 100;

test(
  `a daemon that is killed ${ROUNDS} times under load loses nothing that was acknowledged`,
  {
    timeout: chooseScale(240_000, 3_600_000),
  },
  async () => {
    const random = createSeededRandom(chooseScale(5, Date.now()));
    const { dataDir, partner } = await createSalonWithPartner(random, "--max-in-flight", "16");
    const editor = startPriceEditor(dataDir);
    const deaths: number[] = [];
    const births: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      births.push(performance.now());
      const daemon = spawnDaemon(dataDir);
      if (random.chance(COMES_UP)) await daemon.waitForOutput(/"serving"/);
      await sleep(random.integer(0, LONGEST_LIFE_MS));
      daemon.child.kill("SIGKILL");
      deaths.push(performance.now());
      await daemon.waitForExit();
    }
    await editor.stop();

    births.push(performance.now());
    await waitForUrl(spawnDaemon(dataDir));
    const delivered = await waitForDeliveries(dataDir);
    expect(new Set(partner.book.map(({ deliveryId }) => deliveryId)).size).toBe(delivered);

    const told = new Set(
      partner.book
        .filter(({ type }) => type === "service.updated")
        .map(({ priceCents }) => priceCents),
    );
    expect(editor.acknowledged.filter((price) => !told.has(price))).toEqual([]);
    expect(editor.acknowledged.length).toBeGreaterThan(ROUNDS);

    // Whatever came twice was on the wire when a daemon died, and came again soon after the start of the next one.
    const repeated = [
      ...Map.groupBy(partner.book, ({ deliveryId }) => deliveryId).values(),
    ].flatMap((arrivals) =>
      arrivals.slice(1).map(({ at }, i) => ({ first: arrivals[i]!.at, again: at })),
    );
    const isExplained = ({ first, again }: (typeof repeated)[number]) =>
      deaths.some(
        (death) => death > first - READ_AFTER_MS && death < Math.min(again, first + ON_THE_WIRE_MS),
      );
    expect(repeated.filter((pair) => !isExplained(pair))).toEqual([]);
    const afterStartMs = repeated.map(
      ({ again }) => again - births.findLast((birth) => birth < again)!,
    );
    expect(Math.max(...afterStartMs)).toBeLessThan(10_000);
    const [acknowledged, slowestMs] = [
      editor.acknowledged.length,
      Math.round(Math.max(...afterStartMs)),
    ];
    console.log(
      `${ROUNDS} deaths, ${acknowledged} changes, ${delivered} deliveries, ${repeated.length} of them twice,`,
    );
    console.log(`the slowest of these ${slowestMs} ms after the start of the process`);
  },
);
