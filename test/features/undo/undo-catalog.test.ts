import { fc } from "../../support/property.ts";
import { createCatalogChangeStore } from "../../../src/features/undo/store.ts";
import { describe, expect, test } from "vitest";
import { createBooking } from "../../../src/app/bookings/bookings.ts";
import { createTimeOff } from "../../../src/app/bookings/time-off.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { deleteBusiness } from "../../../src/app/delete-business.ts";
import { applyCatalog, type ApplyOptions } from "../../../src/app/catalog/catalog.ts";
import { loadCancelAffected } from "../../../src/app/catalog/changes/affected-visits.ts";
import { readEarlierCatalog } from "../../../src/features/undo/catalog-history.ts";
import { editObject } from "../../../src/app/catalog/changes/edit-object.ts";
import { readStoredCatalog, writeCatalogText } from "../../../src/app/catalog/export-catalog.ts";
import { replaceCatalog } from "../../../src/app/catalog/changes/replace-catalog.ts";
import { deleteStaffMember } from "../../../src/app/catalog/staff.ts";
import { setSoldOut } from "../../../src/app/catalog/sold-out.ts";
import { listMarksSinceChange, planUndo } from "../../../src/features/undo/undo-catalog.ts";
import { createKey } from "../../../src/app/keys.ts";
import { updateHours } from "../../../src/app/catalog/schedule.ts";
import { createPruner } from "../../../src/app/operations/retention.ts";
import type { AuthoredFile } from "../../../src/domain/catalog/file/schema.ts";
import { createTestApp } from "../../support/app.ts";
import { catalogPair } from "../../support/arbitrary-catalog.ts";
import { createMirror, type Get, PATHS } from "../../support/mirror.ts";
import { chooseScale } from "../../support/scale.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";
import {
  applyCatalogBody,
  captureError,
  eventTypesOf,
  recordEvents,
} from "../../support/use-case.ts";

const SLUG = "salon-aurora";
const DAY_MS = 86_400_000;
const FILE = `
hours: [{ days: [mon-sun], start: "09:00", end: "17:00" }]
staff: [{ key: mia, name: Mia }]
services:
  - { key: cut, name: Cut, durationMin: 30, price: 35.00, staff: [mia] }
  - { key: spa, name: Spa, durationMin: 60, price: 60.00, staff: [mia] }
menu: { categories: [{ key: food, name: Food }], items: [{ key: soup, name: Soup, price: 9.00, categories: [food] }] }
`;

const apply = (rt: TestRuntime, body: string, options: ApplyOptions = {}) =>
  applyCatalogBody(rt, body, { confirmed: true, ...options });

const undo = (rt: TestRuntime, { slug = SLUG, version = undefined as number | undefined } = {}) =>
  replaceCatalog(rt, planUndo(rt, slug, version).replacement, {
    confirmed: true,
  });

const exportText = (rt: TestRuntime, slug = SLUG): string =>
  writeCatalogText(readStoredCatalog(rt, getBusiness(rt, slug)), "yaml").content;

const changesOf = (rt: TestRuntime) =>
  rt.openStore(createCatalogChangeStore).list(getBusiness(rt, SLUG).id, 100);

const reprice = (rt: TestRuntime, key: string, priceCents: number) =>
  editObject(rt, SLUG, "service", key, (doc) => ({ ...doc, priceCents }));

const localEdits = (rt: TestRuntime) =>
  [...rt.store.catalog.listLocalEdits(getBusiness(rt, SLUG).id).values()].map(({ key }) => key);

/** Reads all lists without the fields that every change increases, such as `version`. */
async function readLists(get: Get): Promise<string> {
  const lists = await Promise.all(
    Object.values(PATHS).map(async (path) => {
      const { data } = (await (await get(path)).json()) as { data: unknown };
      return data;
    }),
  );
  return withoutRising(lists);
}

const RISING = ["version", "updatedAt", "sortOrder"];
const withoutRising = (lists: readonly unknown[]): string =>
  JSON.stringify(lists, (name, value: unknown) => (RISING.includes(name) ? undefined : value));

function openMirror(rt: TestRuntime, slug: string) {
  const app = createTestApp(rt);
  const { secret } = createKey(rt, {
    businessId: getBusiness(rt, slug).id,
    name: "mirror",
    kind: "RESTRICTED",
    scopes: ["services.read", "webhooks.read"],
    limitMinute: 1_000_000,
    limitHour: 1_000_000,
  });
  const get: Get = async (path, headers = {}) =>
    app.request(`/v1/businesses/${slug}${path}`, {
      headers: { ...headers, authorization: `Bearer ${secret}` },
    });
  const mirror = createMirror(get, rt.now);
  const synchronize = async () => {
    await mirror.catchUp();
    await mirror.refresh();
  };
  return { get, synchronize, shown: () => withoutRising(Object.values(mirror.shown())) };
}

test("an undo restores the export and a partner's copy of the catalog exactly, and a second undo repeats the change", async () => {
  const slug = "linden";
  const rt = createTestRuntime();
  const applyFile = (file: AuthoredFile, prune: boolean) =>
    applyCatalog(rt, [{ name: "catalog.json", text: JSON.stringify(file) }], {
      prune,
      allowMassDelete: true,
      confirmed: true,
      seedingAt: rt.now(),
    });
  await fc.assert(
    fc.asyncProperty(catalogPair, fc.boolean(), async ({ first, second }, prune) => {
      if (rt.store.businesses.findBySlug(slug)) deleteBusiness(rt, getBusiness(rt, slug));
      applyFile(first, true);
      const { get, synchronize, shown } = openMirror(rt, slug);
      await synchronize();
      const [before, listsBefore] = [exportText(rt, slug), await readLists(get)];
      const { fromVersion, version } = applyFile(second, prune);
      fc.pre(version > fromVersion);
      await synchronize();
      const after = exportText(rt, slug);
      undo(rt, { slug });
      expect(exportText(rt, slug)).toBe(before);
      await synchronize();
      expect(shown()).toBe(listsBefore);
      undo(rt, { slug });
      expect(exportText(rt, slug)).toBe(after);
    }),
    { numRuns: chooseScale(8, 500) },
  );
}, 600_000);

test("an undo is a normal change with a new version, events and an audit entry, and keeps all IDs", () => {
  const rt = createTestRuntime();
  apply(rt, FILE);
  const before = rt.store.catalog.listObjects(getBusiness(rt, SLUG).id);
  apply(
    rt,
    "services: [{ key: trim, previousKeys: [cut], name: Trim, durationMin: 30, price: 1.00 }]",
    {
      prune: true,
      allowMassDelete: true,
    },
  );
  const events = recordEvents(rt, () =>
    expect(undo(rt)).toMatchObject({ fromVersion: 2, version: 3 }),
  );
  expect(eventTypesOf(events)).toEqual(
    expect.arrayContaining(["service.created", "service.updated", "catalog.changed"]),
  );
  expect(rt.store.catalog.listObjects(getBusiness(rt, SLUG).id)).toEqual(before);
  expect(rt.store.audit.list({}, 1)).toMatchObject([
    {
      action: "catalog.undone",
      subjectName: SLUG,
      details: { restored: 1, fromVersion: 2, version: 3, created: 1, updated: 1, deleted: 0 },
    },
  ]);
});

test("the history has every catalog change with its entry in the audit log", () => {
  const rt = createTestRuntime();
  apply(rt, FILE);
  reprice(rt, "cut", 4000);
  apply(rt, FILE);
  apply(rt, FILE);
  undo(rt);
  expect(changesOf(rt)).toMatchObject([
    { version: 4, fromVersion: 3, entry: { action: "catalog.undone", actorName: "ada" } },
    { version: 3, fromVersion: 2, entry: { action: "catalog.applied" } },
    { version: 2, fromVersion: 1, entry: { action: "catalog.edited", details: { key: "cut" } } },
    { version: 1, fromVersion: 0, entry: { details: { files: ["catalog.yaml"], created: 5 } } },
  ]);
});

test("the catalog of each version can be read, even if a sale or the clock caused the version", () => {
  const rt = createTestRuntime();
  apply(rt, FILE);
  const first = exportText(rt);
  setSoldOut(rt, getBusiness(rt, SLUG), "soup", null);
  reprice(rt, "cut", 4000);
  const second = exportText(rt);
  apply(rt, FILE.replace("name: Spa", "name: Sauna"));
  const textAt = (version: number) =>
    writeCatalogText(readEarlierCatalog(rt, SLUG, version).catalog, "yaml").content;
  expect([1, 2, 3, 4].map(textAt)).toEqual([first, first, second, exportText(rt)]);
  expect(captureError(() => textAt(5))).toBe(
    "resource_not_found: salon-aurora has no version 5: the newest is 4.",
  );
  expect(captureError(() => textAt(0))).toBe(
    "resource_not_found: salon-aurora was created after version 0, so it had no catalog then.",
  );
  undo(rt, { version: 2 });
  expect(exportText(rt)).toBe(first);
});

test("an undo restores what affects every object, such as the currency", () => {
  const rt = createTestRuntime();
  apply(rt, FILE);
  const before = exportText(rt);
  const text = before.replace("currency: USD", "currency: JPY").replaceAll(".00", "");
  applyCatalog(rt, [{ name: "yen.yaml", text }], { acceptCurrencyChange: true });
  undo(rt);
  expect(exportText(rt)).toBe(before);
});

describe("local edits", () => {
  test("local edits that an apply overwrote are local edits again after an undo", () => {
    const rt = createTestRuntime();
    apply(rt, FILE);
    reprice(rt, "cut", 4500);
    apply(rt, FILE.replace("name: Spa", "name: Sauna"));
    expect(localEdits(rt)).toEqual([]);
    undo(rt);
    expect(localEdits(rt)).toEqual(["cut"]);
    undo(rt);
    expect(localEdits(rt)).toEqual([]);
  });

  test("local edits that an undo reverts are no longer local edits", () => {
    const rt = createTestRuntime();
    apply(rt, FILE);
    reprice(rt, "cut", 4500);
    expect(undo(rt).changes).toMatchObject([{ key: "cut", overwrittenEdits: ["priceCents"] }]);
    expect(localEdits(rt)).toEqual([]);
  });

  test("local edits of hours that an apply overwrote are local edits again after an undo", () => {
    const rt = createTestRuntime();
    const editedSections = () =>
      Object.keys(rt.store.businesses.getSectionEdits(getBusiness(rt, SLUG).id));
    apply(rt, FILE);
    updateHours(rt, SLUG, ["sun"], []);
    apply(rt, FILE);
    expect(editedSections()).toEqual([]);
    undo(rt);
    expect(editedSections()).toEqual(["hours"]);
    undo(rt, { version: 1 });
    expect(editedSections()).toEqual([]);
  });

  test("local edits of other objects stay after an undo", () => {
    const rt = createTestRuntime();
    apply(rt, FILE);
    reprice(rt, "cut", 4500);
    apply(rt, "staff: [{ key: mia, name: Mia B. }]");
    undo(rt);
    expect(localEdits(rt)).toEqual(["cut"]);
  });
});

test("a deleted dish that an undo restores is still sold out", () => {
  const rt = createTestRuntime();
  apply(rt, FILE);
  setSoldOut(rt, getBusiness(rt, SLUG), "soup", null);
  apply(rt, "menu: { items: [] }", { prune: true });
  undo(rt);
  expect(rt.store.soldOut.list(getBusiness(rt, SLUG).id).size).toBe(1);
});

test("an undo that deletes a booked object is refused unless it is told to cancel the booking", async () => {
  const rt = createTestRuntime();
  apply(rt, FILE);
  apply(
    rt,
    FILE.replace(
      "menu:",
      "  - { key: dye, name: Dye, durationMin: 30, price: 9.00, staff: [mia] }\nmenu:",
    ),
  );
  const { id } = createBooking(rt, SLUG, { service: "dye", start: "2026-12-01T10:00" });
  expect(captureError(() => undo(rt))).toBe(
    `state_refuses: This would delete objects of the catalog that are booked: 1 future booking: 2026-12-01 10:00 · Dye · Mia · …${id.slice(-6)}. Nothing was changed.`,
  );
  const { replacement } = planUndo(rt, SLUG);
  replaceCatalog(rt, replacement, { cancelAffected: await loadCancelAffected(), confirmed: true });
  const business = getBusiness(rt, SLUG);
  expect(rt.store.bookings.findById(business.id, id)?.status).toBe("CANCELLED");
  expect(rt.store.catalog.listKeys(business.id, "service")).toEqual(["cut", "spa"]);
});

test("an undo is refused if the catalog has changed since it was planned", () => {
  const rt = createTestRuntime();
  apply(rt, FILE);
  reprice(rt, "cut", 4000);
  const { replacement } = planUndo(rt, SLUG);
  reprice(rt, "spa", 7000);
  expect(captureError(() => replaceCatalog(rt, replacement, {}))).toMatch(/^conflict: /);
});

test("a business that was deleted and created again has nothing to undo", () => {
  const rt = createTestRuntime();
  apply(rt, FILE);
  reprice(rt, "cut", 4000);
  deleteBusiness(rt, getBusiness(rt, SLUG));
  apply(rt, FILE);
  expect(changesOf(rt)).toHaveLength(1);
  expect(captureError(() => undo(rt))).toBe(
    "resource_not_found: salon-aurora was created after version 2, so it had no catalog then.",
  );
});

test("catalog changes are deleted from a history that is too large, except the newest", async () => {
  const rt = createTestRuntime();
  apply(rt, FILE);
  reprice(rt, "cut", 4000);
  rt.advance(1000);
  reprice(rt, "cut", 5000);
  reprice(rt, "cut", 6000);
  // `saveCutUntil` makes the history look as if the events of the first second were deleted to save
  // space.
  rt.store.history.saveCutUntil(rt.now() - 1);
  await createPruner(rt)();
  expect(changesOf(rt).map(({ version }) => version)).toEqual([4, 3]);
});

test("catalog changes are deleted at the same age as events, except the newest of a business", async () => {
  const rt = createTestRuntime({ keepDays: 9 });
  const prune = createPruner(rt);
  apply(rt, FILE);
  reprice(rt, "cut", 4000);
  rt.advance(9 * DAY_MS);
  await prune();
  expect(changesOf(rt)).toHaveLength(2);
  rt.advance(1);
  await prune();
  expect(changesOf(rt)).toMatchObject([{ version: 2 }]);
  expect(captureError(() => readEarlierCatalog(rt, SLUG, 0))).toBe(
    "resource_not_found: Version 0 of salon-aurora is not kept: the oldest is 1.",
  );
  undo(rt);
  // The pruner starts again at the oldest change after an hour. Until then, it does not read
  // changes that it has passed.
  rt.advance(3_600_000);
  await prune();
  expect(changesOf(rt)).toMatchObject([{ version: 3 }]);
});

test("deleting old catalog changes leaves no gap in the history after the clock was set back", async () => {
  const rt = createTestRuntime({ keepDays: 9 });
  apply(rt, FILE);
  rt.advance(9 * DAY_MS);
  reprice(rt, "cut", 4000);
  rt.shiftClock(-9 * DAY_MS);
  reprice(rt, "spa", 7000);
  reprice(rt, "cut", 5000);
  const { catalog } = readEarlierCatalog(rt, SLUG, 1);
  rt.advance(9 * DAY_MS + 1);
  await createPruner(rt)();
  expect(changesOf(rt).map(({ version }) => version)).toEqual([4, 3, 2]);
  expect(readEarlierCatalog(rt, SLUG, 1).catalog).toEqual(catalog);
});

test("a dish whose sold-out mark has ended does not stay sold out after an undo", () => {
  const rt = createTestRuntime();
  apply(rt, FILE);
  const markedKeys = () => listMarksSinceChange(rt, getBusiness(rt, SLUG)).map(({ key }) => key);
  setSoldOut(rt, getBusiness(rt, SLUG), "soup", rt.now() + DAY_MS);
  expect(markedKeys()).toEqual(["soup"]);
  rt.advance(DAY_MS);
  expect(markedKeys()).toEqual([]);
  setSoldOut(rt, getBusiness(rt, SLUG), "soup", null);
  expect(markedKeys()).toEqual(["soup"]);
});

test.for(["staff delete", "catalog apply --prune"])(
  "an undo of a %s restores the staff member with the dates of time off, but without the reasons",
  (change) => {
    const rt = createTestRuntime();
    apply(rt, FILE.replace("staff: [{", "staff: [{ key: bob, name: Bob }, {"));
    const { id } = getBusiness(rt, SLUG);
    const listTimeOff = () => rt.store.timeOff.listEndingAfter(id, rt.now());
    const request = { staff: "bob", from: "2026-12-01", to: "2026-12-02", reason: "flu" };
    createTimeOff(rt, SLUG, request);
    const before = listTimeOff();
    if (change === "staff delete") deleteStaffMember(rt, SLUG, "bob", {});
    else apply(rt, FILE, { prune: true });
    undo(rt);
    expect(rt.store.catalog.findByKeyOrId(id, "staff", "bob")).toBeDefined();
    expect(before).toMatchObject([{ reason: "flu" }]);
    expect(listTimeOff()).toEqual(before.map((row) => ({ ...row, reason: null })));
  },
);
