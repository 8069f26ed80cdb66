import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { createBooking } from "../../../src/app/bookings/bookings.ts";
import { cancelBooking, getBooking } from "../../../src/app/bookings/operator-changes.ts";
import { findCustomer, saveCustomer } from "../../../src/app/bookings/guests.ts";
import { createTicketOrder } from "../../../src/app/bookings/ticket-orders.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { eraseExpiredGuests, eraseGuests } from "../../../src/app/guests/erase-guests.ts";
import { erasureListPath, readErasureList } from "../../../src/app/guests/erasure-list.ts";
import { exportGuests } from "../../../src/app/guests/export-guests.ts";
import { findGuests } from "../../../src/app/guests/find-guests.ts";
import { adviseOnCopies } from "../../../src/app/operations/backup-conditions.ts";
import { copyBackup } from "../../../src/app/operations/backup-copies.ts";
import { isMaintenanceDue, runMaintenance } from "../../../src/app/operations/maintenance.ts";
import { createBackup } from "../../../src/app/operations/backups.ts";
import { restoreBackup } from "../../../src/app/operations/restore.ts";
import { findNewestCopy, takeOver } from "../../../src/app/operations/take-over.ts";
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
events:
  - { key: gala, name: Gala, startsAt: 2026-12-01T19:00, durationMin: 60, status: PUBLISHED, ticketTypes: [{ key: seat, name: Seat, price: 9.00 }] }
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

const erase = (rt: TestRuntime, query: Parameters<typeof eraseGuests>[2]) =>
  eraseGuests(rt, getBusiness(rt, SLUG), query).guests.map(({ visitId }) => visitId);
const bookingOf = (rt: TestRuntime, id: string) => getBooking(rt, getBusiness(rt, SLUG).id, id);

test.each([
  [{ email: " ana@qanary.EXAMPLE" }, true],
  [{ phone: "17185550142" }, true],
  [{ customerRef: REFERENCE }, true],
  [{ email: "ana@other.example", phone: "0142" }, false],
  [{ customerRef: "ref-of" }, false],
])("a guest is found by %j: %s", (query, isFound) => {
  const rt = openSalon();
  const id = book(rt, ANA);
  book(rt, null, "other");
  const { guests } = findGuests(rt, getBusiness(rt, SLUG).id, query);
  expect(guests).toEqual(isFound ? [{ visitId: id, customer: ANA }] : []);
});

test("erasing a guest removes the data and the reference, also from events, and nothing else", async () => {
  const rt = openSalon();
  const business = getBusiness(rt, SLUG);
  await subscribe(rt, business, "http://10.0.0.1/", ["booking.created", "ticket_order.created"]);
  const sent: string[] = [];
  const worker = createTestWorker(rt, async ({ body }) => {
    sent.push(body.toString());
    return { kind: "responded", statusCode: 200, retryAfter: null, responseText: "" };
  });
  const [ana, leo] = [book(rt, ANA), book(rt, { ...ANA, email: "leo@example.com" }, "leo")];
  const order = createTicketOrder(rt, SLUG, {
    event: "gala",
    items: ["seat"],
    customerRef: REFERENCE,
  });
  expect(erase(rt, { email: "ana@qanary.example", customerRef: REFERENCE })).toEqual([
    ana,
    order.id,
  ]);

  expect(bookingOf(rt, ana)).toMatchObject({ customerRef: null, version: 2, status: "CONFIRMED" });
  expect(findCustomer(rt, ana)).toBeNull();
  expect(rt.store.orders.findByIdOrCode(business.id, order.id, "")).toMatchObject({
    customerRef: null,
    version: 2,
  });
  expect(bookingOf(rt, leo)).toMatchObject({ customerRef: "leo", version: 1 });
  expect(findCustomer(rt, leo)).toMatchObject({ email: "leo@example.com" });
  for (const visitId of [ana, order.id])
    for (const { body } of rt.store.events.listByVisit(visitId))
      expect(JSON.parse(body.toString())).toMatchObject({
        data: { object: { id: visitId, customerRef: null } },
      });

  worker.wake();
  await worker.whenIdle();
  expect(sent).toHaveLength(3);
  expect(sent.join()).not.toContain(REFERENCE);
  expect(erase(rt, { customerRef: REFERENCE })).toEqual([]);
  expect(rt.store.audit.list({}, 1)).toMatchObject([
    { action: "guests.erased", details: { visits: 2 } },
  ]);
});

test("a stored event still matches its hash after the erasure", () => {
  const rt = openSalon();
  const id = book(rt, ANA);
  erase(rt, { customerRef: REFERENCE });
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
  book(rt, ANA);
  worker.wake();
  await worker.whenIdle();
  const [delivery] = rt.store.deliveries.list({}, 1);
  const texts = () =>
    rt.store.deliveries.listAttempts(delivery!.id).map(({ responseText }) => responseText);
  expect(texts()).toEqual([expect.stringContaining(REFERENCE)]);
  erase(rt, { customerRef: REFERENCE });
  expect(texts()).toEqual([null]);
});

test("a dry run erases nothing and writes no list", () => {
  const rt = openSalon();
  const id = book(rt, ANA);
  rt.startDryRun();
  expect(erase(rt, { customerRef: REFERENCE })).toEqual([id]);
  const other = createTestRuntime({ dataDir: rt.config.dataDir });
  expect(findCustomer(other, id)).toEqual(ANA);
  expect(readErasureList(rt.config)).toEqual([]);
});

test("guest data is erased `guestRetentionDays` after the visit, or after its planned start", async () => {
  const rt = openSalon();
  const [visited, cancelled] = [book(rt, ANA), book(rt, ANA)];
  cancelBooking(rt, SLUG, cancelled);
  const order = createTicketOrder(rt, SLUG, { event: "gala", items: ["seat"] });
  rt.tx(() => saveCustomer(rt, getBusiness(rt, SLUG).id, order.id, ANA));
  const kept = () => [visited, cancelled, order.id].filter((id) => findCustomer(rt, id) !== null);
  const advanceTo = async (time: string) => {
    rt.advance(Date.parse(time) - rt.now());
    await eraseExpiredGuests(rt);
  };
  // 90 days after the start at 10:00 in New York, the end at 11:00, and the end of the gala at 20:00.
  await advanceTo("2027-03-01T15:00:00Z");
  expect(kept()).toEqual([visited, cancelled, order.id]);
  await advanceTo("2027-03-01T15:00:01Z");
  expect(kept()).toEqual([visited, order.id]);
  await advanceTo("2027-03-01T16:00:01Z");
  expect(kept()).toEqual([order.id]);
  expect(bookingOf(rt, visited).customerRef).toBeNull();
  await advanceTo("2027-03-02T01:00:01Z");
  expect(kept()).toEqual([]);
  expect(readErasureList(rt.config)).toEqual([]);
});

test("restoring a backup erases again the guests that were erased since", async () => {
  const rt = openSalon(join(createTempFolder(), "data"));
  const { config } = rt;
  const [ana, leo] = [book(rt, ANA), book(rt, { ...ANA, email: "leo@example.com" }, "leo")];
  const backup = await createBackup(rt);
  erase(rt, { customerRef: REFERENCE });
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
  erase(rt, { customerRef: REFERENCE });
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
  for (const [id, customerRef] of [
    [ana, REFERENCE],
    [leo, "leo"],
  ] as const) {
    erase(terminal, { customerRef });
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
  erase(rt, { customerRef: REFERENCE });
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
  expect(findGuests(rt, businessId, { email: ANA.email! })).toMatchObject({
    guests: [{ visitId: ana }],
    undecryptable: [lost],
  });
});

test("guest data is in no event, log or backup, and after erasing it in no file", async () => {
  const rt = openSalon();
  const sealed = rt.store.guests.findByVisit(book(rt, ANA))!.sealed.toString("latin1");
  const files = () =>
    readdirSync(rt.config.dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name)).toString("latin1"));
  const plain = new RegExp(`qanary|718 555`, "i");
  const { path } = await createBackup(rt);
  expect(files().filter((text) => plain.test(text))).toEqual([]);
  expect(JSON.stringify(rt.logged)).not.toMatch(plain);
  expect(readFileSync(path).toString("latin1")).toContain(REFERENCE);

  erase(rt, { phone: ANA.phone! });
  for (const text of [REFERENCE, sealed])
    // The backup.
    expect(files().filter((content) => content.includes(text))).toHaveLength(1);
});

test("guests whose data cannot be decrypted are erased by their reference; others are counted", () => {
  const rt = openSalon();
  const lost = [book(rt, ANA), book(rt, ANA, "other")] as const;
  const business = getBusiness(rt, SLUG);
  for (const visitId of lost)
    rt.store.guests.replace({ visitId, businessId: business.id, sealed: Buffer.alloc(64) });
  const query = { customerRef: REFERENCE };
  expect(exportGuests(rt, business, query)).toMatchObject({
    visits: [{ object: { id: lost[0] }, customer: null }],
    undecryptable: 2,
  });
  expect(eraseGuests(rt, business, query)).toEqual({
    guests: [{ visitId: lost[0], customer: null }],
    undecryptable: 1,
    remains: { inLog: false, inFreeSpace: false },
  });
  expect(lost.map((id) => rt.store.guests.findByVisit(id)?.visitId)).toEqual([undefined, lost[1]]);
});

test("other programs can write while the guest is searched for", () => {
  const rt = openSalon();
  const id = book(rt, ANA);
  const other = createTestRuntime({ dataDir: rt.config.dataDir });
  const { decrypt } = rt.secrets;
  rt.secrets.decrypt = (...sealed) => {
    book(other, null, "other");
    return decrypt(...sealed);
  };
  expect(erase(rt, { email: ANA.email! })).toEqual([id]);
});
