import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createSeededRandom } from "../../src/app/sample-catalog/seeded-random.ts";
import { createSeededSalon, spawnDaemon, waitForUrl } from "../support/daemon.ts";
import {
  waitForDeliveries,
  createSalonWithPartner,
  startPriceEditor,
} from "../support/salon-with-partner.ts";
import { chooseScale } from "../support/scale.ts";

// R9: whoever stops a daemon in order loses nothing by it, and two never have the data at once.

const ROUNDS = chooseScale(6, 200);
const RACES = chooseScale(5, 100);
const LONGEST_LIFE_MS = 300;
const STOPS_WITHIN_MS = 10_000;

test(
  `a daemon that is told to stop ${ROUNDS} times under load ends with 0 within ten seconds, and nothing is lost or sent twice`,
  { timeout: chooseScale(60_000, 1_800_000) },
  async () => {
    const random = createSeededRandom(chooseScale(11, Date.now()));
    const { dataDir, partner } = await createSalonWithPartner(random);
    const editor = startPriceEditor(dataDir);
    let slowestMs = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const daemon = spawnDaemon(dataDir);
      await waitForUrl(daemon);
      await sleep(random.integer(0, LONGEST_LIFE_MS));
      const toldAt = performance.now();
      daemon.child.kill("SIGTERM");
      expect(await daemon.waitForExit(STOPS_WITHIN_MS)).toMatchObject({ code: 0, signal: null });
      slowestMs = Math.max(slowestMs, performance.now() - toldAt);
    }
    await editor.stop();
    await waitForUrl(spawnDaemon(dataDir));
    const delivered = await waitForDeliveries(dataDir);
    // Each once: what was on the wire was waited for.
    expect(new Set(partner.book.map(({ deliveryId }) => deliveryId)).size).toBe(delivered);
    expect(partner.book).toHaveLength(delivered);
    const told = new Set(partner.book.map(({ priceCents }) => priceCents));
    expect(editor.acknowledged.filter((price) => !told.has(price))).toEqual([]);
    expect(editor.acknowledged.length).toBeGreaterThan(ROUNDS);
    console.log(
      `${ROUNDS} stops, ${editor.acknowledged.length} changes, the slowest ${Math.round(slowestMs)} ms`,
    );
  },
);

test(
  `of two daemons that start at once, ${RACES} times, one serves and the other ends with 5 and says why`,
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
