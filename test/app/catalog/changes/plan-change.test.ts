import { describe, expect, test } from "vitest";
import { createBooking, createReservation } from "../../../../src/app/bookings/bookings.ts";
import { cancelBooking } from "../../../../src/app/bookings/operator-changes.ts";
import { applyCatalog } from "../../../../src/app/catalog/catalog.ts";
import { editObject } from "../../../../src/app/catalog/changes/edit-object.ts";
import { applyEdits, loadForEdits } from "../../../../src/app/catalog/load-part.ts";
import { getStoredObject } from "../../../../src/app/catalog/objects.ts";
import { planChange } from "../../../../src/app/catalog/changes/plan-change.ts";
import { getBusiness } from "../../../../src/app/businesses.ts";
import { createService } from "../../../../src/app/catalog/changes/edit-catalog.ts";
import type { AppError } from "../../../../src/domain/errors.ts";
import { dryRun } from "../../../support/dry-run.ts";
import { CATALOG_HEADER } from "../../../support/catalog-file.ts";
import { subscribe } from "../../../support/delivery.ts";
import { type TestRuntime, createTestRuntime } from "../../../support/test-runtime.ts";
import { captureError } from "../../../support/use-case.ts";

const FILE = `
services:
  - {key: cut, name: Cut, durationMin: 30, price: 35.00}
  - {key: spa, name: Spa, durationMin: 60, price: 60.00, variants: [{key: long, name: Long, price: 80.00}]}
addons:
  - {key: mask, name: Mask, price: 5.00}
`;

const apply = (rt: TestRuntime, body: string, options = {}) =>
  applyCatalog(rt, [{ name: "catalog.yaml", text: CATALOG_HEADER + body }], options);

const reprice = (rt: TestRuntime, key: string, priceCents: number) =>
  editObject(rt, "salon-aurora", "service", key, (doc) => ({ ...doc, priceCents }));

const undone = (result: { changes: { key: string; overwrittenEdits: string[] }[] }) =>
  result.changes
    .filter(({ overwrittenEdits }) => overwrittenEdits.length > 0)
    .map(({ key, overwrittenEdits }) => [key, ...overwrittenEdits]);

describe("local edits", () => {
  test("local edits are listed in the plan of a file that would undo them", () => {
    const rt = createTestRuntime();
    apply(rt, FILE);
    reprice(rt, "cut", 4500);
    expect(undone(dryRun(rt, () => apply(rt, FILE)))).toEqual([["cut", "priceCents"]]);
    expect(undone(apply(rt, FILE, { confirmed: true }))).toEqual([["cut", "priceCents"]]);
  });

  test.each<[string, string, (rt: TestRuntime) => void]>([
    ["the file says the same", FILE.replace("35.00", "45.00"), (rt) => reprice(rt, "cut", 4500)],
    [
      "they were reverted",
      FILE.replace("35.00", "36.00"),
      (rt) => void (reprice(rt, "cut", 4500), reprice(rt, "cut", 3500)),
    ],
    [
      "the file does not list the object",
      "addons: [{key: mask, name: Masque, price: 5.00}]",
      (rt) => reprice(rt, "cut", 4500),
    ],
    [
      "the file changes another field",
      FILE.replace("name: Cut", "name: Trim").replace("35.00", "45.00"),
      (rt) => reprice(rt, "cut", 4500),
    ],
  ])("the plan of a file undoes no local edits if %s", (_case, file, edit) => {
    const rt = createTestRuntime();
    apply(rt, FILE);
    edit(rt);
    expect(undone(apply(rt, file))).toEqual([]);
  });

  test("a value that a command has edited no longer counts as a local edit once a file sets the same value", () => {
    const rt = createTestRuntime();
    apply(rt, FILE);
    reprice(rt, "cut", 4500);
    apply(rt, FILE.replace("35.00", "45.00"));
    expect(undone(apply(rt, FILE))).toEqual([]);
  });

  test("a local edit stays a local edit if a file that lists only other objects is applied", () => {
    const rt = createTestRuntime();
    apply(rt, FILE);
    reprice(rt, "cut", 4500);
    apply(rt, "services: [{key: spa, name: Spa, durationMin: 90, price: 60.00}]");
    expect(undone(dryRun(rt, () => apply(rt, FILE)))).toContainEqual(["cut", "priceCents"]);
  });

  test.each<[string, Parameters<typeof editObject<"service">>[4], string]>([
    ["a negative price", (doc) => ({ ...doc, priceCents: -1 }), "'price' must not be negative"],
    [
      "no duration",
      (doc) => ({ ...doc, durationMin: 0 }),
      "'durationMin' must be a whole number from 1 to 1440",
    ],
    [
      "an unknown category",
      (doc) => ({ ...doc, category: "cuts" }),
      "There is no service category 'cuts'",
    ],
    ["a name of two lines", (doc) => ({ ...doc, name: "a\nb" }), "'name' must be one line"],
    [
      "an unknown staff member",
      (doc) => ({ ...doc, staff: ["anna"] }),
      "There is no staff member 'anna'",
    ],
  ])("local edits are rejected if they would be invalid in a file: %s", (_case, edit, problem) => {
    const rt = createTestRuntime();
    apply(rt, FILE);
    const attempt = () => editObject(rt, "salon-aurora", "service", "cut", edit);
    expect(attempt).toThrow(
      expect.objectContaining({
        code: "validation_failed",
        message: expect.stringContaining(problem),
      }) as AppError,
    );
    expect(apply(rt, FILE).changes).toEqual([]);
  });

  test("local edits can be previewed in a dry run", () => {
    const rt = createTestRuntime();
    apply(rt, FILE);
    expect(dryRun(rt, () => reprice(rt, "cut", 4500))).toMatchObject({
      fromVersion: 1,
      version: 2,
      events: [{}, {}, {}],
    });
    expect(apply(rt, FILE)).toMatchObject({ version: 1, changes: [] });
  });
});

test("the plan of a change counts the webhooks that the change will send", async () => {
  const rt = createTestRuntime();
  apply(rt, FILE);
  const salon = getBusiness(rt, "salon-aurora");
  await subscribe(rt, salon, "http://127.0.0.1:9/a", ["service.updated", "catalog.changed"]);
  await subscribe(rt, salon, "http://127.0.0.1:9/b", ["catalog.changed"]);
  const dearer = FILE.replace("35.00", "36.00");
  const planned = dryRun(rt, () => apply(rt, dearer));
  expect(planned).toMatchObject({
    deliveries: 3,
    webhooks: [
      { type: "service.updated", events: 1, deliveries: 1 },
      { type: "service_price.updated", events: 1, deliveries: 0 },
      { type: "catalog.changed", events: 1, deliveries: 2 },
    ],
  });
  expect(apply(rt, dearer).webhooks).toEqual(planned.webhooks);
});

test("the plan of a new currency has an event for each object with a price, although only the business changes", () => {
  const rt = createTestRuntime();
  apply(rt, FILE);
  const text = (CATALOG_HEADER + FILE).replace("currency: USD", "currency: EUR");
  const options = { acceptCurrencyChange: true, confirmed: true };
  const { changes, businessFields, events } = applyCatalog(
    rt,
    [{ name: "catalog.yaml", text }],
    options,
  );
  expect({ changes, businessFields }).toEqual({ changes: [], businessFields: ["currency"] });
  const types = events.map(({ type }) => type);
  expect(types.filter((type) => type === "service.updated")).toHaveLength(2);
  expect(types).toContain("addon.updated");
});

test("planning a change with a partly loaded catalog fails if the stored catalog has changed since it was loaded", () => {
  const rt = createTestRuntime();
  apply(rt, FILE);
  const business = getBusiness(rt, "salon-aurora");
  const doc = getStoredObject(rt, business, "service", "cut");
  const edits = [{ kind: "service" as const, doc, edited: { ...doc, priceCents: 4500 } }];
  const stored = loadForEdits(rt, business, edits);
  const plan = () =>
    planChange(rt, applyEdits(stored.catalog, edits), "local", { business, stored });
  expect(plan().result.changes).toHaveLength(1);
  reprice(rt, "spa", 7000);
  expect(plan).toThrow("A part of a catalog has been compared with a later catalog.");
});

describe("future bookings outside the new hours", () => {
  const DAYS = `
hours: [{days: [mon-sun], start: "09:00", end: "18:00"}]
services:
  - {key: cut, name: Cut, durationMin: 60, price: 35.00, staff: [mia]}
  - {key: sauna, name: Sauna, durationMin: 60, price: 20.00}
staff: [{key: mia, name: Mia}]
tables: [{key: t, maxSeats: 2}]
turnTimes: [{upTo: 2, min: 60}]
`;
  const at = (time: string) => `2026-12-01T${time}`;

  function setUp() {
    const rt = createTestRuntime();
    apply(rt, DAYS);
    const { id: early } = createBooking(rt, "salon-aurora", { service: "cut", start: at("09:00") });
    const { id: cut } = createBooking(rt, "salon-aurora", { service: "cut", start: at("16:00") });
    const { id: sauna } = createBooking(rt, "salon-aurora", {
      service: "sauna",
      start: at("16:30"),
    });
    const { id: table } = createReservation(rt, "salon-aurora", { party: 2, start: at("17:00") });
    const names = new Map([
      [early, "early"],
      [cut, "cut"],
      [sauna, "sauna"],
      [table, "table"],
    ]);
    const listOutside = (file: string, options = {}) =>
      dryRun(rt, () => apply(rt, file, options)).outsideHours.map((id) => names.get(id));
    return { rt, cut, listOutside };
  }

  test.each<[string, string, string[]]>([
    ["the day ends earlier", DAYS.replace('"18:00"', '"17:00"'), ["sauna", "table"]],
    ["the day is longer", DAYS.replace('"18:00"', '"19:00"'), []],
    [
      "the day is closed",
      `${DAYS}closures: [{date: 2026-12-01}]`,
      ["early", "cut", "sauna", "table"],
    ],
    ["another day is closed", `${DAYS}closures: [{date: 2026-12-02}]`, []],
    [
      "a person has a break",
      DAYS.replace("name: Mia", 'name: Mia, breaks: [{days: [tue], start: "16:30", end: "17:00"}]'),
      ["cut"],
    ],
    ["prices alone change", DAYS.replace("35.00", "36.00"), []],
  ])("future bookings outside the new hours are listed if %s", (_case, file, expected) => {
    expect(setUp().listOutside(file)).toEqual(expected);
  });

  test("the list of bookings outside new hours includes bookings of a deleted staff member", () => {
    const gone = DAYS.replace("[{key: mia, name: Mia}]", "[]").replace(", staff: [mia]", "");
    expect(setUp().listOutside(gone, { prune: true, allowMassDelete: true })).toEqual([
      "early",
      "cut",
    ]);
  });

  test("the list of bookings outside new hours omits past and cancelled bookings, and those outside the old hours", () => {
    const { rt, cut, listOutside } = setUp();
    apply(rt, DAYS.replace('"18:00"', '"17:00"'));
    cancelBooking(rt, "salon-aurora", cut);
    rt.advance(Date.parse("2026-12-01T15:30:00Z") - rt.now());
    expect(listOutside(DAYS.replace('"18:00"', '"10:00"'))).toEqual([]);
  });
});

test("an object that a command created is deleted with --prune only if the deletion is confirmed", () => {
  const rt = createTestRuntime();
  apply(rt, FILE);
  const item = { key: "dye", name: "Dye", durationMin: 60, price: "9.00" };
  createService(rt, "salon-aurora", item, []);
  const prune = (options = {}) => apply(rt, FILE, { prune: true, ...options });
  expect(captureError(prune)).toBe(
    "state_refuses: This would undo 1 local edit (dye). Nothing was changed.",
  );
  expect(apply(rt, FILE)).toMatchObject({ changes: [] });
  expect(prune({ confirmed: true }).changes).toMatchObject([{ action: "delete", key: "dye" }]);
});

describe("pruning", () => {
  const tables = (count: number) =>
    `tables: [${Array.from({ length: count }, (_, i) => `{key: t${i}, maxSeats: 2}`).join(", ")}]`;

  test.each([
    { before: 10, after: 8, isRejected: false },
    { before: 10, after: 7, isRejected: true },
    { before: 5, after: 4, isRejected: false },
    { before: 5, after: 3, isRejected: true },
    { before: 4, after: 1, isRejected: false },
    { before: 10, after: 0, isRejected: true },
  ])(
    "a prune from $before tables to $after is a mass delete: $isRejected",
    ({ before, after, isRejected }) => {
      const rt = createTestRuntime();
      apply(rt, tables(before));
      expect(dryRun(rt, () => apply(rt, tables(after), { prune: true })).massDeletes).toHaveLength(
        isRejected ? 1 : 0,
      );
      const prune = () => apply(rt, tables(after), { prune: true });
      if (isRejected)
        expect(prune).toThrow(`This would delete ${before - after} of ${before} tables. Nothing`);
      else expect(prune()).toMatchObject({ version: 2 });
      if (isRejected)
        expect(
          apply(rt, tables(after), { prune: true, allowMassDelete: true }).changes,
        ).toHaveLength(before - after);
    },
  );
});
