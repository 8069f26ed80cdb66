import { copyFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { createBooking } from "../../../src/app/bookings/bookings.ts";
import { saveCustomer } from "../../../src/app/bookings/guests.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { eraseGuests } from "../../../src/features/guest-data/erase-guests.ts";
import { copyErasureList } from "../../../src/features/backups/erasure-list.ts";
import { createBackup } from "../../../src/features/backups/backups.ts";
import { readConfig } from "../../../src/config.ts";
import { createSeededRandom } from "../../../src/domain/seeded-random.ts";
import { openRuntime, type Runtime } from "../../../src/app/runtime.ts";
import { isSqliteError } from "../../../src/store/database/db.ts";
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

const MOMENTS = chooseScale(2, 20, 3);
const SEED = chooseSeed(7);
const LONGEST_PAUSE_MS = 300;
const SALON = "salon-aurora";
const PATIENCE_MS = 20_000;

/**
 * A backup, the prices that it must contain (`acknowledged`), and the prices and pending deliveries
 * that it does contain.
 */
type Backup = {
  path: string;
  acknowledged: number[];
  storedPrices: Set<number | undefined>;
  pending: Set<string>;
  /** The visits whose guests are in the backup. */
  guests: string[];
};

const listGuests = (db: Database.Database): string[] =>
  db.prepare("SELECT visit_id FROM guest").pluck().all() as string[];

/**
 * The number of first times that are not booked, because they can become too soon to book while the
 * proof runs.
 */
const SOON = 8;

/** Books a visit for each backup, with the data of a guest. */
async function bookGuests(
  rt: Runtime,
  deskbell: (...args: string[]) => Promise<string>,
): Promise<string[]> {
  const next = ["--next", String(2 * MOMENTS + SOON), "--json"];
  const { data } = JSON.parse(
    await deskbell("availability", "--service", "beard-trim", ...next),
  ) as { data: { slots: { startsAt: string }[] } };
  return data.slots
    .slice(SOON)
    .filter((_, i) => i % 2 === 0)
    .map(({ startsAt }) => {
      const { id } = createBooking(rt, SALON, { service: "beard-trim", start: startsAt });
      const guest = { name: "Ana", email: emailOf(id), phone: null, notes: null };
      rt.tx(() => saveCustomer(rt, getBusiness(rt, SALON).id, id, guest));
      return id;
    });
}

const emailOf = (visitId: string): string => `${visitId}@guests.example`;

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
  const guests = listGuests(db);
  db.close();
  const prices = bodies.map(
    (body) => (JSON.parse(body.toString()) as { data: { object: { priceCents?: number } } }).data,
  );
  return {
    path,
    acknowledged,
    storedPrices: new Set(prices.map(({ object }) => object.priceCents)),
    pending: new Set(pending),
    guests,
  };
}

function copyWithoutLog(dataDir: string, acknowledged: number[]): Backup {
  const copy = join(createTempFolder(), "copy.db");
  copyFileSync(join(dataDir, "deskbell.db"), copy);
  try {
    return inspectBackup(copy, acknowledged);
  } catch (error) {
    if (!isSqliteError(error) || !/^SQLITE_(?:CORRUPT|NOTADB)/.test(error.code)) throw error;
    // The daemon moved changes from the write-ahead log into the file during the copy, which is
    // therefore damaged.
    return { path: copy, acknowledged, storedPrices: new Set(), pending: new Set(), guests: [] };
  }
}

const missingFrom = ({ acknowledged, storedPrices }: Backup): number[] =>
  acknowledged.filter((price) => !storedPrices.has(price));

test(
  `each of ${MOMENTS} backups made under load contains every acknowledged change and resumes pending deliveries`,
  { timeout: patient(chooseScale(90_000, 600_000)) },
  async () => {
    const random = createSeededRandom(SEED);
    const { dataDir, deskbell, partner } = await createSalonWithPartner(random);
    const daemon = spawnDaemon(dataDir);
    await waitForUrl(daemon);
    const editor = startPriceEditor(dataDir);
    await expect
      .poll(() => editor.acknowledged.length, { timeout: patient(PATIENCE_MS), interval: 20 })
      .toBeGreaterThan(MOMENTS);
    const backups: Backup[] = [];
    const fileCopies: Backup[] = [];
    /**
     * The time of the newest backup. If several backups are made within a second, each is dated a
     * second after the one before, so this time can be ahead of the clock.
     */
    let newestAt = 0;
    const other = openRuntime(readConfig({ dataDir }, {}), 5000, { log: () => {} });
    onTestFinished(other.close);
    const visits = await bookGuests(other, deskbell);
    for (let moment = 0; moment < MOMENTS; moment++) {
      await sleep(random.integer(20, LONGEST_PAUSE_MS));
      const acknowledged = [...editor.acknowledged];
      // An erasure moves all changes from the write-ahead log into the file, so the file is copied
      // before it.
      if (isRecording()) fileCopies.push(copyWithoutLog(dataDir, acknowledged));
      const { path, createdAt } = await createBackup(other);
      newestAt = createdAt;
      // The backup is copied to a folder of its own, in which there is no list of erased guests of
      // a newer backup.
      const own = join(createTempFolder(), `${moment}.db`);
      copyFileSync(path, own);
      backups.push(inspectBackup(own, acknowledged));
      eraseGuests(other, getBusiness(other, SALON), { email: emailOf(visits[moment] ?? "") });
    }
    await editor.stop();
    daemon.child.kill("SIGTERM");
    await daemon.waitForExit();

    let erasedInBackups = 0;
    const erased = new Set(visits.slice(0, MOMENTS));
    for (const backup of backups) {
      const { path, pending, guests } = backup;
      erasedInBackups += guests.filter((id) => erased.has(id)).length;
      expect(missingFrom(backup)).toEqual([]);
      const restored = join(createTempFolder(), "data");
      mkdirSync(restored);
      copyFileSync(join(dataDir, "master.key"), join(restored, "master.key"));
      copyErasureList(other.config, dirname(path), {
        server: other.store.file.getServerId(),
        asOf: Math.max(Date.now(), newestAt),
      });
      const { code, stderr } = await runProgram(["restore", path, "--data-dir", restored]);
      expect(code, stderr).toBe(0);
      const db = new Database(join(restored, "deskbell.db"), { readonly: true });
      expect(listGuests(db).toSorted()).toEqual(guests.filter((id) => !erased.has(id)).toSorted());
      db.close();
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
    expect(erasedInBackups).toBeGreaterThan(0);
    const pendingCount = sum(backups.map(({ pending }) => pending.size));
    expect(pendingCount).toBeGreaterThan(0);
    if (!isRecording()) return;
    const missing = sum(fileCopies.map((copy) => missingFrom(copy).length));
    const acknowledged = sum(backups.map((backup) => backup.acknowledged.length));
    recordClaim({
      group: "faults",
      claim:
        "A backup that is made while others write contains every change that was confirmed before",
      done: `${MOMENTS} backups were made at random moments, while prices changed and a partner received them; each was restored to another folder and started.`,
      figure: `None of ${acknowledged} confirmed changes was missing; all ${pendingCount} pending deliveries arrived after the restore, and ${erasedInBackups} guests in the backups who had been erased since were erased again.`,
      control: {
        done: "The database file was copied at the same moments, without its log.",
        figure: `${missing} of ${acknowledged} confirmed changes were missing.`,
        hasFailed: missing > 0,
      },
      seed: SEED,
    });
  },
);

const sum = (counts: readonly number[]): number =>
  counts.reduce((total, count) => total + count, 0);
