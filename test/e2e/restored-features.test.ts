import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { getBusiness } from "../../src/app/businesses.ts";
import { readStoredCatalog, writeCatalogText } from "../../src/app/catalog/export-catalog.ts";
import { replaceCatalog } from "../../src/app/catalog/changes/replace-catalog.ts";
import { revokeKey } from "../../src/app/key-end.ts";
import { createKey } from "../../src/app/keys.ts";
import { createBackup } from "../../src/features/backups/backups.ts";
import { erasureListPath } from "../../src/features/backups/erasure-list.ts";
import { restoreBackup } from "../../src/features/backups/restore/restore.ts";
import { openRuntime } from "../../src/app/runtime.ts";
import { createCalendar, revokeCalendar } from "../../src/features/calendars/calendars.ts";
import { createCalendarStore } from "../../src/features/calendars/store.ts";
import {
  createDesk,
  createDeskLink,
  findDeskByLink,
  findSession,
  pairDevice,
  revokeDesk,
} from "../../src/features/desk/desks.ts";
import {
  createAlertLinks,
  findLinkedVisit,
} from "../../src/features/desk/alert-links/alert-links.ts";
import { createDeskStore } from "../../src/features/desk/store.ts";
import { createBooking } from "../../src/app/bookings/bookings.ts";
import { cancelTicketOrder } from "../../src/features/tickets/orders/change-order.ts";
import { confirmTicketOrder, createTicketOrder } from "../../src/features/tickets/orders/orders.ts";
import { planUndo } from "../../src/features/undo/undo-catalog.ts";
import { createTempFolder } from "../support/cli.ts";
import { addBusiness } from "../support/delivery.ts";
import { createStandbyConfig, createTestRuntime } from "../support/test-runtime.ts";
import { applyCatalogBody } from "../support/use-case.ts";

const SLUG = "salon-aurora";

test("a ticket order never reuses a version after a restore", async () => {
  const rt = createTestRuntime({ dataDir: join(createTempFolder(), "data") });
  applyCatalogBody(
    rt,
    `events: [{ key: gala, name: Gala, slug: gala, startsAt: 2026-12-01T19:00, durationMin: 180,
      status: PUBLISHED, ticketTypes: [{ key: seat, name: Seat, kind: PAID, price: 25.00 }] }]`,
  );
  const { id } = createTicketOrder(rt, SLUG, { event: "gala", items: ["seat"] });
  const { path } = await createBackup(rt);
  const cancelled = cancelTicketOrder(rt, SLUG, id);
  rt.close();
  await restoreBackup(rt.config, path, { now: rt.now(), confirm: async () => {} });
  const restored = createTestRuntime({ dataDir: rt.config.dataDir });
  const { order: confirmed } = confirmTicketOrder(restored, SLUG, id);
  expect(confirmed.version).toBeGreaterThan(cancelled.version);
});

test("a restored backup keeps the history of its catalogs, which can be undone", async () => {
  const rt = createTestRuntime();
  const exportText = (from: typeof rt) =>
    writeCatalogText(readStoredCatalog(from, getBusiness(from, SLUG)), "yaml").content;
  const priced = (price: string) =>
    `services: [{ key: cut, name: Cut, durationMin: 30, price: ${price} }]`;
  applyCatalogBody(rt, priced("35.00"));
  const before = exportText(rt);
  applyCatalogBody(rt, priced("40.00"), { confirmed: true });
  const { path } = await createBackup(rt);
  const config = createStandbyConfig(rt.config);
  await restoreBackup(config, path, { now: rt.now(), confirm: async () => {} });
  const restored = createTestRuntime({ dataDir: config.dataDir });
  expect(exportText(restored)).not.toBe(before);
  replaceCatalog(restored, planUndo(restored, SLUG).replacement, { confirmed: true });
  expect(exportText(restored)).toBe(before);
});

test.each([true, false])(
  "restore --untrusted lists a calendar that only the backup has, and revokes it unless kept (kept: %s)",
  async (keepAdded) => {
    const rt = createTestRuntime({ dataDir: join(createTempFolder(), "data") });
    const business = addBusiness(rt);
    const { calendar } = createCalendar(rt, business, { staffId: null, withGuests: true });
    rt.advance(60_000);
    const { path } = await createBackup(rt);
    rt.close();
    for (const [file, sql] of [
      [rt.config.databasePath, "DELETE FROM calendar"],
      // This change makes the tag of the backup wrong.
      [path, "UPDATE calendar SET created_at = created_at + 1"],
    ] as const) {
      const db = new Database(file);
      db.exec(sql);
      db.close();
    }
    rmSync(join(path, "../SHA256SUMS"));
    const options = { now: rt.now(), confirm: async () => {}, untrusted: true, keepAdded };
    const { access } = await restoreBackup(rt.config, path, options);
    expect(access).toMatchObject([{ kind: "calendar", id: calendar.id, change: "new" }]);
    const restored = openRuntime(rt.config, 5000, { now: rt.now });
    const revokedAt = restored.openStore(createCalendarStore).findById(calendar.id)?.revokedAt;
    const [, entry] = restored.store.audit.list({}, 2);
    restored.close();
    expect(revokedAt === null).toBe(keepAdded);
    if (!keepAdded)
      expect(entry).toMatchObject({ action: "calendar.revoked", subjectId: calendar.id });
  },
);

test("a restore brings back neither devices nor links of a desk, whether they were revoked or not", async () => {
  const rt = createTestRuntime({ dataDir: join(createTempFolder(), "data") });
  const business = addBusiness(rt);
  const pair = (from: typeof rt, name: string) =>
    pairDevice(from, business.slug, createDeskLink(from, business.id, name).token, {
      userAgent: undefined,
      address: null,
    })!;
  for (const name of ["Kept", "Lost"])
    createDesk(rt, business, { name, staffId: null, allow: ["visits"] });
  const devices = ["Kept", "Lost"].map((name) => pair(rt, name));
  const { token: link } = createDeskLink(rt, business.id, "Kept");
  rt.advance(60_000);
  const { path } = await createBackup(rt);
  revokeDesk(rt, business.id, "Lost");
  rt.close();
  await restoreBackup(rt.config, path, { now: rt.now(), confirm: async () => {} });
  const restored = createTestRuntime({ dataDir: rt.config.dataDir }, rt.now());
  const isPaired = (device: string) => findSession(restored, business.slug, device) !== undefined;
  expect(devices.map(isPaired)).toEqual([false, false]);
  expect(findDeskByLink(restored, business.slug, link)).toBeUndefined();
  expect(isPaired(pair(restored, "Kept"))).toBe(true);
});

test.each(["this machine", "a standby"])(
  "a restore on %s revokes again the keys, desks and calendars that were revoked since the backup",
  async (place) => {
    const rt = createTestRuntime({ dataDir: join(createTempFolder(), "data") });
    const business = addBusiness(rt);
    const create = (name: string) => ({
      key: createKey(rt, { businessId: business.id, name, kind: "SECRET", scopes: [] }).key.id,
      desk: createDesk(rt, business, { name, staffId: null, allow: ["visits"] }).id,
      calendar: createCalendar(rt, business, { staffId: null, withGuests: false }).calendar.id,
    });
    const [kept, revoked] = [create("kept"), create("revoked")];
    rt.advance(60_000);
    const { path } = await createBackup(rt);
    revokeKey(rt, revoked.key);
    revokeDesk(rt, business.id, revoked.desk);
    revokeCalendar(rt, business.id, revoked.calendar);
    rt.close();
    const config = place === "this machine" ? rt.config : createStandbyConfig(rt.config);
    const restored = await restoreBackup(config, path, { now: rt.now(), confirm: async () => {} });
    expect(new Set(restored.revoked.map(({ id }) => id))).toEqual(new Set(Object.values(revoked)));
    expect(restored.access.map(({ id }) => id)).not.toContain(revoked.key);

    const after = createTestRuntime({ dataDir: config.dataDir }, rt.now());
    const isActive = ({ key, desk, calendar }: typeof kept) => [
      after.store.keys.findById(key)?.revokedAt === null,
      after.openStore(createDeskStore).findById(desk) !== undefined,
      after.openStore(createCalendarStore).findById(calendar)?.revokedAt === null,
    ];
    expect(isActive(kept)).toEqual([true, true, true]);
    expect(isActive(revoked)).toEqual([false, false, false]);
  },
);

test("a key is revoked even if its revocation cannot be added to the list for restores, and the log names the key", () => {
  const rt = createTestRuntime();
  const { id: businessId } = addBusiness(rt);
  const { key } = createKey(rt, { businessId, name: "till", kind: "SECRET", scopes: [] });
  mkdirSync(erasureListPath(rt.config));
  revokeKey(rt, key.id);
  expect(rt.store.keys.findById(key.id)?.revokedAt).toBe(rt.now());
  expect(rt.logged).toMatchObject([{ level: "warn", fields: { ids: key.id } }]);
});

test("a restore brings back no link of an alert, whether the link was used or not", async () => {
  const flags = { alertLinks: true, publicUrl: "https://desk.example.com" };
  const rt = createTestRuntime({ dataDir: join(createTempFolder(), "data"), ...flags });
  applyCatalogBody(
    rt,
    `services: [{ key: cut, name: Cut, durationMin: 30, price: 35.00, capacity: 9 }]
hours: [{ days: [mon-sun], start: "00:00", end: "24:00" }]`,
  );
  const tokens = ["2026-12-01T10:00", "2026-12-01T11:00"].map((start) => {
    const { id } = createBooking(rt, SLUG, { service: "cut", start });
    const booking = rt.store.bookings.findById(getBusiness(rt, SLUG).id, id)!;
    rt.tx(() =>
      rt.store.bookings.update({ ...booking, status: "PENDING", decideBy: booking.startsAt }),
    );
    return createAlertLinks(rt, SLUG, id)!.accept.split("/").at(-2)!;
  });
  const works = (from: typeof rt) =>
    tokens.map((token) => findLinkedVisit(from, SLUG, token) !== undefined);
  expect(works(rt)).toEqual([true, true]);
  const { path } = await createBackup(rt);
  rt.close();
  await restoreBackup(rt.config, path, { now: rt.now(), confirm: async () => {} });
  const restored = createTestRuntime({ dataDir: rt.config.dataDir, ...flags }, rt.now());
  expect(works(restored)).toEqual([false, false]);
});
