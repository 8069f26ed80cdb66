import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { createBooking } from "../../../src/app/bookings/bookings.ts";
import { cancelBooking, getBooking } from "../../../src/app/bookings/operator-changes.ts";
import { findCustomer, saveCustomer } from "../../../src/app/bookings/guests.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { eraseExpiredGuests, eraseForGood } from "../../../src/app/guests/erase-visits.ts";
import { erasureListPath, readErasureList } from "../../../src/features/backups/erasure-list.ts";
import { adviseOnCopies } from "../../../src/features/backups/checks.ts";
import { copyBackup } from "../../../src/features/backups/copies/copies.ts";
import {
  isMaintenanceDue,
  runMaintenance,
} from "../../../src/features/backups/upkeep/maintenance.ts";
import { createBackup } from "../../../src/features/backups/backups.ts";
import { restoreBackup } from "../../../src/features/backups/restore/restore.ts";
import { findNewestCopy, takeOver } from "../../../src/features/backups/restore/take-over.ts";
import { rotateMasterKey } from "../../../src/app/webhooks/endpoint-secrets.ts";
import type { Customer } from "../../../src/domain/bookings/customer.ts";
import { createTempFolder } from "../../support/cli.ts";
import { createTestWorker, subscribe } from "../../support/delivery.ts";
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

test("erasing a guest removes the data and the reference, also from events, and nothing else", async () => {
  const rt = openSalon();
  const business = getBusiness(rt, SLUG);
  await subscribe(rt, business, "http://10.0.0.1/", ["booking.created"]);
  const sent: string[] = [];
  const worker = createTestWorker(rt, async ({ body }) => {
    sent.push(body.toString());
    return { kind: "responded", statusCode: 200, retryAfter: null, responseText: "" };
  });
  const [ana, leo] = [book(rt, ANA), book(rt, { ...ANA, email: "leo@example.com" }, "leo")];
  eraseForGood(rt, [ana]);

  expect(bookingOf(rt, ana)).toMatchObject({ customerRef: null, version: 2, status: "CONFIRMED" });
  expect(findCustomer(rt, ana)).toBeNull();
  expect(bookingOf(rt, leo)).toMatchObject({ customerRef: "leo", version: 1 });
  expect(findCustomer(rt, leo)).toMatchObject({ email: "leo@example.com" });
  for (const { body } of rt.store.events.listByVisit(ana))
    expect(JSON.parse(body.toString())).toMatchObject({
      data: { object: { id: ana, customerRef: null } },
    });

  worker.wake();
  await worker.whenIdle();
  expect(sent).toHaveLength(2);
  expect(sent.join()).not.toContain(REFERENCE);
});

test("a stored event still matches its hash after the erasure", () => {
  const rt = openSalon();
  const id = book(rt, ANA);
  eraseForGood(rt, [id]);
  const [event] = rt.store.events.listByVisit(id);
  const { body, sha256 } = rt.store.events.findById(event!.id)!;
  expect(sha256).toEqual(createHash("sha256").update(body).digest());
});

test("responses of receivers to an event of the guest are deleted", async () => {
  const rt = openSalon();
  await subscribe(rt, getBusiness(rt, SLUG), "http://10.0.0.1/", ["booking.created"]);
  const worker = createTestWorker(rt, async ({ body }) => ({
    kind: "responded",
    statusCode: 200,
    retryAfter: null,
    responseText: `You sent ${body.toString()}`,
  }));
  const id = book(rt, ANA);
  worker.wake();
  await worker.whenIdle();
  const [delivery] = rt.store.deliveries.list({}, 1);
  const texts = () =>
    rt.store.deliveries.listAttempts(delivery!.id).map(({ responseText }) => responseText);
  expect(texts()).toEqual([expect.stringContaining(REFERENCE)]);
  eraseForGood(rt, [id]);
  expect(texts()).toEqual([null]);
});

test("a dry run erases nothing and writes no list", () => {
  const rt = openSalon();
  const id = book(rt, ANA);
  rt.startDryRun();
  eraseForGood(rt, [id]);
  expect(findCustomer(rt, id)).toBeNull();
  const other = createTestRuntime({ dataDir: rt.config.dataDir });
  expect(findCustomer(other, id)).toEqual(ANA);
  expect(readErasureList(rt.config)).toEqual([]);
});

test("guest data is erased `guestRetentionDays` after the visit, or after its planned start", async () => {
  const rt = openSalon();
  const [visited, cancelled] = [book(rt, ANA), book(rt, ANA)];
  cancelBooking(rt, SLUG, cancelled);
  const kept = () => [visited, cancelled].filter((id) => findCustomer(rt, id) !== null);
  const advanceTo = async (time: string) => {
    rt.advance(Date.parse(time) - rt.now());
    await eraseExpiredGuests(rt);
  };
  // 90 days after the start at 10:00 in New York, and the end at 11:00.
  await advanceTo("2027-03-01T15:00:00Z");
  expect(kept()).toEqual([visited, cancelled]);
  await advanceTo("2027-03-01T15:00:01Z");
  expect(kept()).toEqual([visited]);
  await advanceTo("2027-03-01T16:00:01Z");
  expect(kept()).toEqual([]);
  expect(bookingOf(rt, visited).customerRef).toBeNull();
  expect(readErasureList(rt.config)).toEqual([]);
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

test("on another machine, restoring an old copy erases again the guests that were erased since", async () => {
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

test("a guest erased in a terminal after the last copy is erased again in a takeover", async () => {
  const dir = createTempFolder();
  const log = join(createTempFolder(), "uploads");
  const rt = createTestRuntime({ backupDir: dir, backupCommand: `echo uploaded >>'${log}'` });
  applyCatalogBody(rt, CATALOG);
  const [ana, leo] = [book(rt, ANA), book(rt, ANA, "leo")];
  await createBackup(rt);
  /** What the daemon does every minute. */
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
  // The command has got this backup already.
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

test("rotating the master key re-encrypts guest data, of which a lost row stays", () => {
  const rt = openSalon();
  const [ana, lost] = [book(rt, ANA), book(rt, ANA)];
  const { businessId } = rt.store.guests.findByVisit(lost)!;
  rt.store.guests.replace({ visitId: lost, businessId, sealed: Buffer.alloc(64) });
  const before = rt.store.guests.findByVisit(ana)!.sealed;
  const terminal = createTestRuntime({ dataDir: rt.config.dataDir });
  expect(rotateMasterKey(terminal)).toMatchObject({ secrets: 0, guests: 1 });
  expect(readFileSync(rt.config.masterKeyPath, "utf8").trim().split("\n")).toHaveLength(1);
  expect(rt.store.guests.findByVisit(ana)!.sealed).not.toEqual(before);
  expect(findCustomer(rt, ana)).toEqual(ANA);
  expect(() => findCustomer(rt, lost)).toThrow("master key");
});

test("guest data is in no event, log or backup, and after erasing it in no file", async () => {
  const rt = openSalon();
  const id = book(rt, ANA);
  const sealed = rt.store.guests.findByVisit(id)!.sealed.toString("latin1");
  const files = () =>
    readdirSync(rt.config.dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name)).toString("latin1"));
  const plain = new RegExp(`qanary|718 555`, "i");
  const { path } = await createBackup(rt);
  expect(files().filter((text) => plain.test(text))).toEqual([]);
  expect(JSON.stringify(rt.logged)).not.toMatch(plain);
  expect(readFileSync(path).toString("latin1")).toContain(REFERENCE);

  eraseForGood(rt, [id]);
  for (const text of [REFERENCE, sealed])
    // The backup.
    expect(files().filter((content) => content.includes(text))).toHaveLength(1);
});
