import { existsSync, readFileSync } from "node:fs";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { createBooking } from "../../../src/app/bookings/bookings.ts";
import { saveCustomer } from "../../../src/app/bookings/guests.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { eraseForGood } from "../../../src/app/guests/erase-visits.ts";
import { emptyErasedLog, rewriteOldSpace } from "../../../src/app/guests/erased-bytes.ts";
import { listDaemonConditions } from "../../../src/app/operations/conditions.ts";
import { CHECKS } from "../../support/checks.ts";
import { acquireDaemonLock } from "../../../src/store/database/database.ts";
import { createTerminal } from "../../support/cli.ts";
import { contains, leaveOldSpace } from "../../support/old-database.ts";
import { applyCatalogBody } from "../../support/use-case.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";
import { createSeededRandom } from "../../../src/domain/seeded-random.ts";

const SLUG = "salon-aurora";
const CATALOG = `
hours: [{ days: [mon-sun], start: "00:00", end: "24:00" }]
services: [{ key: cut, name: Cut, durationMin: 60, price: 40.00, capacity: 50 }]
`;
const VISITS = 120;

test(
  "the data of erased guests are neither in the database file nor in its log, however their rows have moved",
  { timeout: 120_000 },
  () => {
    const rt = createTestRuntime();
    applyCatalogBody(rt, CATALOG);
    const business = getBusiness(rt, SLUG);
    const random = createSeededRandom(4711);
    const sealed: Buffer[] = [];
    const save = (id: string, name: string) => {
      const notes = "x".repeat(random.integer(0, 900));
      rt.tx(() => saveCustomer(rt, business.id, id, { name, email: null, phone: null, notes }));
      sealed.push(rt.store.guests.findByVisit(id)!.sealed);
    };
    const references: string[] = [];
    const visitIds: string[] = [];
    for (let i = 0; i < VISITS; i++) {
      const customerRef = `reference-${i}-${"r".repeat(random.integer(0, 40))}`;
      references.push(customerRef);
      const start = `2026-12-${String(1 + (i % 20)).padStart(2, "0")}T${String(8 + (i % 12)).padStart(2, "0")}:00`;
      const { id } = createBooking(rt, SLUG, { service: "cut", start, customerRef });
      visitIds.push(id);
      save(id, `guest-${i}`);
      if (random.chance(0.7)) save(id, `renamed-guest-${i}`);
    }
    for (const id of visitIds) eraseForGood(rt, [id]);

    const { databasePath } = rt.config;
    const left = [databasePath, `${databasePath}-wal`].flatMap((path) => {
      const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
      const found = [...references, ...sealed].filter((part) => bytes.includes(part));
      return found.length > 0 ? [{ path, found: found.length }] : [];
    });
    expect(left).toEqual([]);
  },
);

const REFERENCE = "reference-of-ana-4711";

function openShop(busyTimeoutMs?: number) {
  const rt = createTestRuntime({}, undefined, busyTimeoutMs);
  applyCatalogBody(rt, CATALOG);
  const visit = { service: "cut", start: "2026-12-01T10:00", customerRef: REFERENCE };
  return Object.assign(rt, { visitId: createBooking(rt, SLUG, visit).id });
}

/**
 * A server whose file was written by version 0.2, which left deleted data in the free space of the
 * file.
 */
function openOldShop() {
  const rt = openShop();
  leaveOldSpace(rt, "old guest");
  expect(contains(rt, "old guest")).toEqual({ file: true, log: false });
  return rt;
}

const rowIds = ({ config }: TestRuntime) => {
  const db = new Database(config.databasePath, { readonly: true });
  const rows = db.prepare("SELECT rowid, id FROM event ORDER BY rowid").all();
  db.close();
  return rows;
};

test("a database file of version 0.2 is rewritten once, and its rows keep their row numbers", () => {
  const rt = openOldShop();
  rt.store.retention.pruneEvents(0, 1, { ended: rt.now() + 1, unresolved: rt.now() + 1 });
  const before = rowIds(rt);
  expect(rewriteOldSpace(rt)).toBe(true);
  expect(contains(rt, "old guest")).toEqual({ file: false, log: false });
  expect(contains(rt, REFERENCE).file).toBe(true);
  // Destinations and the deletion of old events store row numbers at which they continue, so the
  // rewrite must not change any.
  expect(rowIds(rt)).toEqual(before);
  expect(before.length).toBeGreaterThan(0);
  const rewritten = () => rt.logged.filter(({ message }) => message.startsWith("rewrote"));
  expect(rewritten()).toMatchObject([{ level: "info" }]);
  expect(rewriteOldSpace(rt)).toBe(true);
  expect(rewritten()).toHaveLength(1);
});

test("an erasure rewrites a database file of version 0.2 immediately", () => {
  const rt = openOldShop();
  expect(eraseForGood(rt, [rt.visitId])).toEqual({ inLog: false, inFreeSpace: false });
  expect(contains(rt, "old guest")).toEqual({ file: false, log: false });
  expect(contains(rt, REFERENCE)).toEqual({ file: false, log: false });
});

test("while a daemon runs, a large database of version 0.2 is rewritten only at night and with enough disk space", () => {
  const rt = openOldShop();
  const daemon = acquireDaemonLock(rt.config.databasePath);
  onTestFinished(() => daemon.release());
  const { bytes } = rt.store.file;
  rt.store.file.bytes = () => 200_000_000;
  rt.advance((18 - new Date(rt.now()).getHours()) * 3_600_000);
  expect(eraseForGood(rt, [rt.visitId])).toEqual({ inLog: false, inFreeSpace: true });
  rt.advance(9 * 3_600_000);
  const { freeBytes } = rt;
  rt.freeBytes = () => 400_000_000;
  expect(rewriteOldSpace(rt)).toBe(false);
  expect(rt.logged.at(-1)).toMatchObject({
    level: "warn",
    fields: { reason: expect.stringContaining("of free space") },
  });
  expect(contains(rt, "old guest").file).toBe(true);
  rt.freeBytes = freeBytes;
  rt.store.file.bytes = bytes;
  expect(rewriteOldSpace(rt)).toBe(true);
  expect(contains(rt, "old guest").file).toBe(false);
});

test("if no daemon runs, an erasure rewrites even a large database of version 0.2 immediately, by day too", () => {
  const rt = openOldShop();
  rt.store.file.bytes = () => 200_000_000;
  rt.advance((18 - new Date(rt.now()).getHours()) * 3_600_000);
  expect(eraseForGood(rt, [rt.visitId])).toEqual({ inLog: false, inFreeSpace: false });
  expect(contains(rt, "old guest").file).toBe(false);
});

test.for(["", " --moved"])(
  "businesses delete%s leaves no guest data in the database's log, once no program reads the log",
  async (flag) => {
    const rt = openShop(0);
    const reader = new Database(rt.config.databasePath, { readonly: true });
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM booking").get();
    const { deskbell } = createTerminal({ dataDir: rt.config.dataDir });
    const { code, stderr } = await deskbell(`businesses delete ${SLUG} --yes${flag}`);
    expect(code).toBe(0);
    expect(stderr).toContain(
      `${rt.config.databasePath}-wal still has the old data, because a program reads the database.`,
    );
    expect(contains(rt, REFERENCE).log).toBe(true);
    reader.close();
    expect(emptyErasedLog(rt)).toBe(true);
    expect(contains(rt, REFERENCE)).toEqual({ file: false, log: false });
  },
);

test("guests erased while another program reads stay in the database's log, which is reported until the program ends", () => {
  const rt = openShop(0);
  const reader = new Database(rt.config.databasePath, { readonly: true });
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM booking").get();
  expect(eraseForGood(rt, [rt.visitId])).toEqual({ inLog: true, inFreeSpace: false });
  expect(contains(rt, REFERENCE).log).toBe(true);
  const codes = () => listDaemonConditions(rt, CHECKS).map(({ code: found }) => found);
  expect(emptyErasedLog(rt)).toBe(false);
  expect(codes()).not.toContain("guests.in_log");
  rt.advance(31 * 60_000);
  expect(codes()).toContain("guests.in_log");
  reader.close();
  expect(emptyErasedLog(rt)).toBe(true);
  expect(contains(rt, REFERENCE)).toEqual({ file: false, log: false });
  expect(codes()).not.toContain("guests.in_log");
});
