import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { createBackup } from "../../src/app/operations/backups.ts";
import { readConfig } from "../../src/config.ts";
import { createSeededRandom } from "../../src/app/sample-catalog/seeded-random.ts";
import { openRuntime } from "../../src/app/runtime.ts";
import { runProgram, createTempFolder } from "../support/cli.ts";
import { spawnDaemon, waitForUrl } from "../support/daemon.ts";
import {
  waitForDeliveries,
  createSalonWithPartner,
  startPriceEditor,
} from "../support/salon-with-partner.ts";
import { chooseScale } from "../support/scale.ts";

const MOMENTS = chooseScale(3, 20);
const LONGEST_PAUSE_MS = 300;
const PATIENCE_MS = 20_000;

/** What a backup has to have, and what it says itself of its deliveries. */
type Kept = {
  path: string;
  acknowledged: number[];
  told: Set<number | undefined>;
  owed: Set<string>;
};

function readKept(path: string, acknowledged: number[]): Kept {
  const db = new Database(path, { readonly: true });
  const bodies = db
    .prepare("SELECT body FROM event WHERE type = 'service.updated'")
    .pluck()
    .all() as Buffer[];
  const owed = db
    .prepare("SELECT id FROM delivery WHERE status <> 'DELIVERED'")
    .pluck()
    .all() as string[];
  db.close();
  const prices = bodies.map(
    (body) => (JSON.parse(body.toString()) as { data: { object: { priceCents?: number } } }).data,
  );
  return {
    path,
    acknowledged,
    told: new Set(prices.map(({ object }) => object.priceCents)),
    owed: new Set(owed),
  };
}

test(
  `each of ${MOMENTS} backups taken under load is restored whole: nothing accepted is missing, what was owed is sent`,
  { timeout: chooseScale(90_000, 600_000) },
  async () => {
    const random = createSeededRandom(chooseScale(7, Date.now()));
    const { dataDir, partner } = await createSalonWithPartner(random);
    const daemon = spawnDaemon(dataDir);
    await waitForUrl(daemon);
    const editor = startPriceEditor(dataDir);
    await expect
      .poll(() => editor.acknowledged.length, { timeout: PATIENCE_MS, interval: 20 })
      .toBeGreaterThan(MOMENTS);
    const backups: Kept[] = [];
    const beside = openRuntime(readConfig({ dataDir }, {}), 5000, { log: () => {} });
    onTestFinished(beside.close);
    for (let moment = 0; moment < MOMENTS; moment++) {
      await sleep(random.integer(20, LONGEST_PAUSE_MS));
      const acknowledged = [...editor.acknowledged];
      const { path } = await createBackup(beside);
      // Two of the same second have the same name.
      const own = join(createTempFolder(), `${moment}.db`);
      copyFileSync(path, own);
      backups.push(readKept(own, acknowledged));
    }
    await editor.stop();
    daemon.child.kill("SIGTERM");
    await daemon.waitForExit();

    for (const { path, acknowledged, told, owed } of backups) {
      expect(acknowledged.filter((price) => !told.has(price))).toEqual([]);
      const restored = join(createTempFolder(), "data");
      mkdirSync(restored);
      copyFileSync(join(dataDir, "master.key"), join(restored, "master.key"));
      expect(await runProgram(["restore", path, "--data-dir", restored])).toMatchObject({
        code: 0,
      });
      const heardBefore = partner.book.length;
      const again = spawnDaemon(restored);
      await waitForUrl(again);
      const delivered = await waitForDeliveries(restored);
      expect(delivered).toBeGreaterThan(owed.size);
      const heard = partner.book.slice(heardBefore);
      expect([...owed].filter((id) => !heard.some(({ deliveryId }) => deliveryId === id))).toEqual(
        [],
      );
      // The one that was not owed is the word to read everything again.
      const news = heard.filter(({ deliveryId }) => !owed.has(deliveryId));
      expect(news.map(({ type }) => type)).toEqual(["catalog.changed"]);
      again.child.kill("SIGTERM");
      expect(await again.waitForExit()).toMatchObject({ code: 0 });
    }
    expect(backups.reduce((sum, { owed }) => sum + owed.size, 0)).toBeGreaterThan(0);
    const counts = backups.map(({ acknowledged, owed }) => `${acknowledged.length}/${owed.size}`);
    console.log(`changes accepted / deliveries owed at each backup: ${counts.join(" ")}`);
  },
);
