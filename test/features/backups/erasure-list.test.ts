import { mkdirSync, readFileSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { createBooking } from "../../../src/app/bookings/bookings.ts";
import { findCustomer, saveCustomer } from "../../../src/app/bookings/guests.ts";
import { getBooking } from "../../../src/app/bookings/operator-changes.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { eraseExpiredGuests, eraseForGood } from "../../../src/app/guests/erase-visits.ts";
import type { Customer } from "../../../src/domain/bookings/customer.ts";
import { createBackup } from "../../../src/features/backups/backups.ts";
import { adviseOnCopies } from "../../../src/features/backups/checks.ts";
import { copyBackup } from "../../../src/features/backups/copies/copies.ts";
import {
  ERASURE_LIST,
  erasureListPath,
  readErasureList,
} from "../../../src/features/backups/erasure-list.ts";
import { restoreBackup } from "../../../src/features/backups/restore/restore.ts";
import { findNewestCopy, takeOver } from "../../../src/features/backups/restore/take-over.ts";
import {
  isMaintenanceDue,
  runMaintenance,
} from "../../../src/features/backups/upkeep/maintenance.ts";
import { createTempFolder, createTerminal } from "../../support/cli.ts";
import { SALON } from "../../support/samples.ts";
import {
  createStandbyConfig,
  createTestRuntime,
  type TestRuntime,
} from "../../support/test-runtime.ts";
import { applyCatalogBody } from "../../support/use-case.ts";

const SLUG = "salon-aurora";
const CATALOG = `
hours: [{ days: [mon-sun], start: "00:00", end: "24:00" }]
services: [{ key: cut, name: Cut, durationMin: 60, price: 40.00, capacity: 9 }]
`;
const ANA: Customer = {
  name: "Ana Qanary",
  email: "Ana@Qanary.example",
  phone: "+1 718 555-0142",
  notes: "qanary: allergic to ammonia",
};
const REFERENCE = "ref-of-ana-4711";

function openSalon(dataDir?: string): TestRuntime {
  const rt = createTestRuntime(dataDir === undefined ? {} : { dataDir });
  applyCatalogBody(rt, CATALOG);
  return rt;
}

function book(rt: TestRuntime, customer: Customer | null, customerRef = REFERENCE): string {
  const { id } = createBooking(rt, SLUG, {
    service: "cut",
    start: "2026-12-01T10:00",
    customerRef,
  });
  rt.tx(() => saveCustomer(rt, getBusiness(rt, SLUG).id, id, customer));
  return id;
}

const bookingOf = (rt: TestRuntime, id: string) => getBooking(rt, getBusiness(rt, SLUG).id, id);

test("a dry run adds no guest to the list of erased guests", () => {
  const rt = openSalon();
  const id = book(rt, ANA);
  rt.startDryRun();
  eraseForGood(rt, [id]);
  expect(readErasureList(rt.config)).toEqual([]);
});

test("the error about a list of erased guests that is a folder names its path", async () => {
  const { deskbell, dataDir } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  const { stdout } = await deskbell("backup --json");
  const { path } = (JSON.parse(stdout) as { data: { path: string } }).data;
  const list = join(dataDir, ERASURE_LIST);
  mkdirSync(list);
  expect(await deskbell(`restore ${path} --yes`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`Cannot use the path ${list}: `),
  });
});

test("a guest whose retention has ended is not listed as erased, because a restored server erases such guests itself", async () => {
  const rt = openSalon();
  const id = book(rt, ANA);
  rt.advance(Date.parse("2027-03-02T00:00:00Z") - rt.now());
  await eraseExpiredGuests(rt);
  expect(findCustomer(rt, id)).toBeNull();
  expect(readErasureList(rt.config)).toEqual([]);
});

test("a backup contains guest data only in encrypted form, and keeps them after an erasure", async () => {
  const rt = openSalon();
  const id = book(rt, ANA);
  const sealed = rt.store.guests.findByVisit(id)!.sealed;
  const { path } = await createBackup(rt);
  eraseForGood(rt, [id]);
  const backup = readFileSync(path);
  for (const part of [REFERENCE, sealed]) expect(backup.includes(part)).toBe(true);
  expect(backup.toString("latin1")).not.toMatch(/qanary|718 555/i);
});

test("restoring a backup erases again the guests that were erased since", async () => {
  const rt = openSalon(join(createTempFolder(), "data"));
  const { config } = rt;
  const [ana, leo] = [book(rt, ANA), book(rt, { ...ANA, email: "leo@example.com" }, "leo")];
  const backup = await createBackup(rt);
  eraseForGood(rt, [ana]);
  rt.close();
  await restoreBackup(config, backup.path, { now: rt.now(), confirm: async () => {} });
  const restored = createTestRuntime({ dataDir: config.dataDir });
  expect(findCustomer(restored, ana)).toBeNull();
  expect(bookingOf(restored, ana).customerRef).toBeNull();
  expect(findCustomer(restored, leo)).toMatchObject({ email: "leo@example.com" });
  expect(readFileSync(erasureListPath(config), "utf8")).toBe(`\n${ana}`);
});

test("restoring an old copy on another machine erases again the guests that were erased since", async () => {
  const dir = createTempFolder();
  const rt = createTestRuntime({ backupDir: dir });
  applyCatalogBody(rt, CATALOG);
  const ana = book(rt, ANA);
  const old = await createBackup(rt);
  await copyBackup(rt, old);
  eraseForGood(rt, [ana]);
  rt.advance(1000);
  await copyBackup(rt, await createBackup(rt));
  const config = createStandbyConfig(rt.config);
  const copy = join(dir, basename(old.path));
  await restoreBackup(config, copy, { now: rt.now(), confirm: async () => {} });
  const restored = createTestRuntime({ dataDir: config.dataDir });
  expect(restored.store.guests.findByVisit(ana)).toBeUndefined();
  expect(bookingOf(restored, ana).customerRef).toBeNull();
  expect(readErasureList(config)).toEqual([ana]);
});

test("a guest whom a command erases after the last copy is erased again by a takeover", async () => {
  const dir = createTempFolder();
  const log = join(createTempFolder(), "uploads");
  const rt = createTestRuntime({ backupDir: dir, backupCommand: `echo uploaded >>'${log}'` });
  applyCatalogBody(rt, CATALOG);
  const [ana, leo] = [book(rt, ANA), book(rt, ANA, "leo")];
  await createBackup(rt);
  /** Copies the newest backup if that is due, as the daemon does every minute. */
  const tick = async () => {
    const isDue = isMaintenanceDue(rt);
    if (isDue) await runMaintenance(rt, { backUp: false });
    return isDue;
  };
  expect(await tick()).toBe(true);
  const terminal = createTestRuntime({ dataDir: rt.config.dataDir });
  for (const id of [ana, leo]) {
    eraseForGood(terminal, [id]);
    expect(await tick()).toBe(true);
    expect(readFileSync(join(dir, "erased-guests.txt"), "utf8")).toContain(id);
    expect(await tick()).toBe(false);
  }
  // The command received this backup before, so only the list is copied again.
  expect(readFileSync(log, "utf8")).toBe("uploaded\n");
  const config = createStandbyConfig(rt.config);
  const { copy } = await findNewestCopy(config, dir);
  await takeOver(config, dir, copy, { now: rt.now(), confirm: async () => {} });
  const restored = createTestRuntime({ dataDir: config.dataDir });
  expect([ana, leo].map((id) => restored.store.guests.findByVisit(id))).toEqual([
    undefined,
    undefined,
  ]);
});

test("the copy of the list of erased guests is retried each minute after a failure", async () => {
  const dir = join(createTempFolder(), "nas");
  mkdirSync(dir);
  const rt = createTestRuntime({ backupDir: dir });
  applyCatalogBody(rt, CATALOG);
  const ana = book(rt, ANA);
  await createBackup(rt);
  const tick = () => runMaintenance(rt, { backUp: false });
  await tick();
  eraseForGood(rt, [ana]);
  renameSync(dir, `${dir}.away`);
  const failures = () => rt.logged.filter(({ message }) => message.includes("not be copied"));
  for (let minute = 0; minute < 3; minute++) {
    expect(isMaintenanceDue(rt)).toBe(true);
    await tick();
    rt.advance(60_000);
  }
  expect(failures()).toMatchObject([
    { fields: { erasedGuests: expect.stringContaining("tried again each minute") } },
  ]);
  expect(adviseOnCopies(rt, false).map(({ text }) => text)).toEqual([
    expect.stringContaining("is on the disk of the data"),
    expect.stringContaining("a takeover would restore these guests"),
  ]);
  renameSync(`${dir}.away`, dir);
  await tick();
  expect(readFileSync(join(dir, "erased-guests.txt"), "utf8")).toContain(ana);
  expect(isMaintenanceDue(rt)).toBe(false);
});
