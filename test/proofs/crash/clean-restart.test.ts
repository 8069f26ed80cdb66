import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createSeededRandom } from "../../../src/app/sample-catalog/generator.ts";
import { createSeededSalon, spawnDaemon, waitForUrl } from "../../support/daemon.ts";
import {
  waitForDeliveries,
  createSalonWithPartner,
  startPriceEditor,
} from "../../support/salon-with-partner.ts";
import { chooseScale, chooseSeed } from "../../support/scale.ts";

// R9: stopping a daemon loses nothing, and two daemons never use the same data.

const ROUNDS = chooseScale(6, 200);
const RACES = chooseScale(5, 100);
const LONGEST_LIFE_MS = 300;
const STOPS_WITHIN_MS = 10_000;

test(
  `stopped ${ROUNDS} times under load, the daemon exits with 0 within ten seconds and neither loses nor repeats a delivery`,
  { timeout: chooseScale(60_000, 1_800_000) },
  async () => {
    const random = createSeededRandom(chooseSeed(11));
    const { dataDir, partner } = await createSalonWithPartner(random);
    const editor = startPriceEditor(dataDir);
    let slowestMs = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const daemon = spawnDaemon(dataDir);
      await waitForUrl(daemon);
      await sleep(random.integer(0, LONGEST_LIFE_MS));
      const signalledAt = performance.now();
      daemon.child.kill("SIGTERM");
      expect(await daemon.waitForExit(STOPS_WITHIN_MS)).toMatchObject({ code: 0, signal: null });
      slowestMs = Math.max(slowestMs, performance.now() - signalledAt);
    }
    await editor.stop();
    await waitForUrl(spawnDaemon(dataDir));
    const delivered = await waitForDeliveries(dataDir);
    // Each delivery was sent once: stopping waits for deliveries in flight.
    expect(new Set(partner.received.map(({ deliveryId }) => deliveryId)).size).toBe(delivered);
    expect(partner.received).toHaveLength(delivered);
    const receivedPrices = new Set(partner.received.map(({ priceCents }) => priceCents));
    expect(editor.acknowledged.filter((price) => !receivedPrices.has(price))).toEqual([]);
    expect(editor.acknowledged.length).toBeGreaterThan(ROUNDS);
    console.log(
      `${ROUNDS} stops, ${editor.acknowledged.length} changes, the slowest ${Math.round(slowestMs)} ms`,
    );
  },
);

test(
  `of two daemons started simultaneously, one serves and the other exits with 5 (${RACES} times)`,
  { timeout: chooseScale(60_000, 600_000) },
  async () => {
    const { dataDir } = await createSeededSalon();
    for (let round = 0; round < RACES; round++) {
      const pair = [spawnDaemon(dataDir), spawnDaemon(dataDir)];
      const outcomes = await Promise.all(
        pair.map(async (daemon) =>
          Promise.race([
            waitForUrl(daemon).then(
              () => "serves" as const,
              () => daemon.waitForExit(),
            ),
            daemon.waitForExit(),
          ]),
        ),
      );
      const refused = outcomes.filter((outcome) => outcome !== "serves");
      expect(refused).toMatchObject([
        {
          code: 5,
          stderr: expect.stringMatching(/^error: Another deskbell daemon is running on .*\nfix: /),
        },
      ]);
      const survivor = pair[outcomes.indexOf("serves")];
      survivor!.child.kill("SIGTERM");
      expect(await survivor!.waitForExit()).toMatchObject({ code: 0 });
    }
  },
);
