import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { createBackup } from "../../../src/app/operations/backups.ts";
import { readConfig } from "../../../src/config.ts";
import { createSeededRandom } from "../../../src/app/sample-catalog/generator.ts";
import { openRuntime } from "../../../src/app/runtime.ts";
import { isRecording, recordClaim } from "../../support/claims.ts";
import { runProgram, createTempFolder } from "../../support/cli.ts";
import { spawnDaemon, waitForUrl } from "../../support/daemon.ts";
import {
  waitForDeliveries,
  createSalonWithPartner,
  startPriceEditor,
} from "../../support/salon-with-partner.ts";
import { chooseScale, chooseSeed } from "../../support/scale.ts";
import { patient } from "../../support/patience.ts";

const MOMENTS = chooseScale(3, 20);
const SEED = chooseSeed(7);
const LONGEST_PAUSE_MS = 300;
const PATIENCE_MS = 20_000;

/** A backup, the prices that it must contain, and its stored events and pending deliveries. */
type Backup = {
  path: string;
  acknowledged: number[];
  storedPrices: Set<number | undefined>;
  pending: Set<string>;
};

function inspectBackup(path: string, acknowledged: number[]): Backup {
  const db = new Database(path, { readonly: true });
  const bodies = db
    .prepare("SELECT body FROM event WHERE type = 'service.updated'")
    .pluck()
    .all() as Buffer[];
  const pending = db
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
    storedPrices: new Set(prices.map(({ object }) => object.priceCents)),
    pending: new Set(pending),
  };
}

const missingFrom = ({ acknowledged, storedPrices }: Backup): number[] =>
  acknowledged.filter((price) => !storedPrices.has(price));

test(
  `each of ${MOMENTS} backups made under load contains every acknowledged change and resumes pending deliveries`,
  { timeout: patient(chooseScale(90_000, 600_000)) },
  async () => {
    const random = createSeededRandom(SEED);
    const { dataDir, partner } = await createSalonWithPartner(random);
    const daemon = spawnDaemon(dataDir);
    await waitForUrl(daemon);
    const editor = startPriceEditor(dataDir);
    await expect
      .poll(() => editor.acknowledged.length, { timeout: patient(PATIENCE_MS), interval: 20 })
      .toBeGreaterThan(MOMENTS);
    const backups: Backup[] = [];
    const fileCopies: Backup[] = [];
    const other = openRuntime(readConfig({ dataDir }, {}), 5000, { log: () => {} });
    onTestFinished(other.close);
    for (let moment = 0; moment < MOMENTS; moment++) {
      await sleep(random.integer(20, LONGEST_PAUSE_MS));
      const acknowledged = [...editor.acknowledged];
      const { path } = await createBackup(other);
      // Backups of the same second have the same name.
      const own = join(createTempFolder(), `${moment}.db`);
      copyFileSync(path, own);
      backups.push(inspectBackup(own, acknowledged));
      if (!isRecording()) continue;
      // In a transaction, in which nobody moves changes from the log into the file.
      const fileCopy = join(createTempFolder(), "copy.db");
      other.tx(() => copyFileSync(join(dataDir, "deskbell.db"), fileCopy));
      fileCopies.push(inspectBackup(fileCopy, acknowledged));
    }
    await editor.stop();
    daemon.child.kill("SIGTERM");
    await daemon.waitForExit();

    for (const backup of backups) {
      const { path, pending } = backup;
      expect(missingFrom(backup)).toEqual([]);
      const restored = join(createTempFolder(), "data");
      mkdirSync(restored);
      copyFileSync(join(dataDir, "master.key"), join(restored, "master.key"));
      expect(await runProgram(["restore", path, "--data-dir", restored])).toMatchObject({
        code: 0,
      });
      const receivedBefore = partner.received.length;
      const again = spawnDaemon(restored);
      await waitForUrl(again);
      const delivered = await waitForDeliveries(restored);
      expect(delivered).toBeGreaterThan(pending.size);
      const received = partner.received.slice(receivedBefore);
      expect(
        [...pending].filter((id) => !received.some(({ deliveryId }) => deliveryId === id)),
      ).toEqual([]);
      // The restore adds one event, which tells partners to fetch everything again.
      const added = received.filter(({ deliveryId }) => !pending.has(deliveryId));
      expect(added.map(({ type }) => type)).toEqual(["catalog.changed"]);
      again.child.kill("SIGTERM");
      expect(await again.waitForExit()).toMatchObject({ code: 0 });
    }
    const pendingCount = sum(backups.map(({ pending }) => pending.size));
    expect(pendingCount).toBeGreaterThan(0);
    if (!isRecording()) return;
    const missing = sum(fileCopies.map((copy) => missingFrom(copy).length));
    const acknowledged = sum(backups.map((backup) => backup.acknowledged.length));
    recordClaim({
      group: "faults",
      claim:
        "A backup that is made while others write contains every change that was confirmed before",
      done: `${MOMENTS} backups at random moments, while prices change and a partner receives them; each is restored on another folder and started`,
      figure: `0 of ${acknowledged} confirmed changes missing; all ${pendingCount} pending deliveries arrived after the restore`,
      control: {
        done: "copies of the database file at the same moments, without its log",
        figure: `${missing} of ${acknowledged} confirmed changes missing`,
        hasFailed: missing > 0,
      },
      seed: SEED,
    });
  },
);

const sum = (counts: readonly number[]): number =>
  counts.reduce((total, count) => total + count, 0);
