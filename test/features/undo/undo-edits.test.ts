import Database from "better-sqlite3";
import { expect, onTestFinished, test, vi } from "vitest";
import { createBooking } from "../../../src/app/bookings/bookings.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { loadCancelAffected } from "../../../src/app/catalog/changes/affected-visits.ts";
import { applyCatalog } from "../../../src/app/catalog/catalog.ts";
import { editObject } from "../../../src/app/catalog/changes/edit-object.ts";
import { readStoredCatalog, writeCatalogText } from "../../../src/app/catalog/export-catalog.ts";
import { loadCatalog } from "../../../src/app/catalog/load-catalog.ts";
import { publishClockChanges } from "../../../src/app/catalog/publish.ts";
import {
  planReplacement,
  replaceCatalog,
} from "../../../src/app/catalog/changes/replace-catalog.ts";
import { setSoldOut } from "../../../src/app/catalog/sold-out.ts";
import { ALL_KINDS, type DocOf, type Kind } from "../../../src/domain/catalog/catalog.ts";
import { readEarlierCatalog } from "../../../src/features/undo/catalog-history.ts";
import { createCatalogChangeStore } from "../../../src/features/undo/store.ts";
import { planUndo } from "../../../src/features/undo/undo-catalog.ts";
import { createRandomInt, type RandomInt } from "../../support/random-edits.ts";
import { HOUR_MS, pick, randomEdit } from "../../support/random-object-edit.ts";
import { chooseScale } from "../../support/scale.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";
import { createCountingRuntime, createRowReader, SLUG } from "../../support/twin-runtimes.ts";
import {
  applyCatalogBody,
  captureError,
  eventTypesOf,
  recordEvents,
} from "../../support/use-case.ts";

/** Undoes without shortcuts: compares the whole catalog before the undo with the whole one after. */
function undoWhole(rt: TestRuntime, restored: number) {
  const { catalog, edited, loaded } = readEarlierCatalog(rt, SLUG, restored);
  const origin = { restored: edited.objects, restoredFields: edited.fields };
  const audited = { action: "catalog.undone", details: { restored } } as const;
  return replaceCatalog(rt, { catalog, origin, loaded, audited }, { confirmed: true });
}

const undo = (rt: TestRuntime, version?: number) =>
  replaceCatalog(rt, planUndo(rt, SLUG, version).replacement, { confirmed: true });

const isByObjects = (rt: TestRuntime, version?: number): boolean =>
  planUndo(rt, SLUG, version).replacement.reload !== undefined;

/** Makes the same random change in several runtimes: mostly an edit of one object. */
function changeRandomly(
  runtimes: readonly [TestRuntime, TestRuntime],
  firstFile: string,
  randomInt: RandomInt,
): void {
  const [first] = runtimes;
  const { catalog } = loadCatalog(first, getBusiness(first, SLUG));
  const dish = pick(catalog.objects.menu_item, randomInt).key;
  const until = pick([null, first.now() + randomInt(30) * HOUR_MS + HOUR_MS], randomInt);
  const ms = randomInt(3) * HOUR_MS;
  const kind = pick(ALL_KINDS, randomInt);
  const { key } = pick(catalog.objects[kind] as DocOf[Kind][], randomInt);
  const edit = randomEdit(randomInt(2 ** 31), catalog);
  const action = randomInt(12);
  for (const rt of runtimes)
    if (action === 0)
      applyCatalog(rt, [{ name: "first.yaml", text: firstFile }], { confirmed: true });
    else if (action === 1) {
      setSoldOut(rt, getBusiness(rt, SLUG), dish, until);
      rt.advance(ms);
      publishClockChanges(rt);
    } else captureError(() => editObject(rt, SLUG, kind, key, edit as never));
}

test.each([1, 2])(
  "an undo that edits single objects writes the same rows and events as an undo of the whole catalog (seed %i)",
  (seed) => {
    const randomInt = createRandomInt(seed);
    const [rt, reference] = [createCountingRuntime(60, seed), createCountingRuntime(60, seed)];
    const [read, readReference] = [createRowReader(rt), createRowReader(reference)];
    const firstFile = writeCatalogText(
      readStoredCatalog(rt, getBusiness(rt, SLUG)),
      "yaml",
    ).content;
    // `npm run test:thorough` makes more rounds.
    const rounds = chooseScale(15, 40);
    let byObjects = 0;
    for (let round = 0; round < rounds; round++) {
      for (let changes = 1 + randomInt(3); changes > 0; changes--)
        changeRandomly([rt, reference], firstFile, randomInt);
      const { catalogVersion } = getBusiness(rt, SLUG);
      const earlier = Math.max(1, catalogVersion - randomInt(5));
      const version = randomInt(2) === 0 ? planUndo(rt, SLUG).version : earlier;
      expect(read()).toEqual(readReference());
      if (captureError(() => isByObjects(rt, version)) === "no error: true") byObjects += 1;
      expect(captureError(() => undo(rt, version))).toBe(
        captureError(() => undoWhole(reference, version)),
      );
      expect(read()).toEqual(readReference());
    }
    // A round whose undo replaces the whole catalog compares that code only with itself, so enough
    // rounds must undo single objects.
    expect(byObjects).toBeGreaterThan(rounds / 4);
  },
  120_000,
);

test("an undo of a price edit reads only the edited object and the objects to which it refers", () => {
  const rt = createCountingRuntime(100, 1);
  const { catalog: store, objectVersions } = rt.store;
  const { service } = loadCatalog(rt, getBusiness(rt, SLUG)).catalog.objects;
  const { key } = service.find(({ staff, addons }) => staff.length > 0 && addons.length > 0) ?? {};
  editObject(rt, SLUG, "service", key ?? "", (doc) => ({
    ...doc,
    priceCents: doc.priceCents * 3,
  }));
  const wholeReads = [
    vi.spyOn(store, "listObjects"),
    vi.spyOn(store, "listByKind"),
    vi.spyOn(store, "listSortOrders"),
    vi.spyOn(store, "listLocalEdits"),
    vi.spyOn(store, "iterateDocs"),
    vi.spyOn(objectVersions, "list"),
  ];
  expect(undo(rt).changes).toMatchObject([{ key, overwrittenEdits: ["priceCents"] }]);
  for (const wholeRead of wholeReads) expect(wholeRead).not.toHaveBeenCalled();
});

const BODY = `
hours: [{ days: [mon-sun], start: "09:00", end: "17:00" }]
services:
  - { key: cut, name: Cut, durationMin: 30, price: 35.00 }
  - { key: spa, name: Spa, durationMin: 60, price: 60.00 }
`;

const keysOfServices = (rt: TestRuntime) =>
  rt.store.catalog.listKeys(getBusiness(rt, SLUG).id, "service");

test("an undo of objects that were created, deleted or moved replaces the whole catalog", () => {
  const rt = createTestRuntime();
  applyCatalogBody(rt, BODY);
  const moved = BODY.replace(/(.*cut.*\n)(.*spa.*\n)/, "$2$1");
  const added = `${BODY}  - { key: dye, name: Dye, durationMin: 30, price: 9.00 }\n`;
  for (const body of [moved, added, BODY]) {
    applyCatalogBody(rt, body, { prune: true, confirmed: true, allowMassDelete: true });
    expect(isByObjects(rt)).toBe(false);
  }
  applyCatalogBody(rt, BODY.replace("35.00", "36.00"));
  expect(isByObjects(rt)).toBe(true);
});

test("an undo keeps a variant's price if deskbell 0.2 also stored the price for the variant's service on request", () => {
  const rt = createTestRuntime();
  applyCatalogBody(
    rt,
    "services: [{ key: wedding, name: Wedding, durationMin: 90, priceType: on_request, variants: [{ key: one, name: One, price: 80.00 }] }]",
  );
  const edit = (fields: object) =>
    editObject(rt, SLUG, "service", "wedding", (doc) => ({ ...doc, ...fields }));
  // Version 0.2 stored the price of the default variant in the service as well, as this edit does.
  edit({ priceCents: 8000 });
  edit({ name: "Weddings" });
  undo(rt);
  const { service } = loadCatalog(rt, getBusiness(rt, SLUG)).catalog.objects;
  expect(service).toMatchObject([{ name: "Wedding", variants: [{ priceCents: 8000 }] }]);
});

test.each([
  ["gala", true],
  // The key of a ticket type is `<event>/<type>`. If the event's key contains a slash itself, the
  // whole catalog is needed to tell which part of `gala/2026/all` is the event's key.
  ["gala/2026", false],
])(
  "an undo of an edit of a promotion for tickets of '%s' restores the promotion, alone: %s",
  (event, isAlone) => {
    const rt = createTestRuntime();
    const promotion = (percent: number) =>
      `promotions: [{ key: deal, name: Deal, benefit: { type: PERCENT_OFF, percent: ${percent} }, appliesTo: { ticketTypes: [${event}/all] } }]`;
    // An edit that concerns the event with the next transition loads the whole catalog, so another
    // event comes before the tested one.
    const gala = (key: string, day: number) =>
      `{ key: ${key}, name: Gala, startsAt: 2026-12-0${day}T19:00, durationMin: 60, ticketTypes: [{ key: all, name: All, price: 9.00 }] }`;
    const events = `events: [${gala("first", 1)}, ${gala(event, 2)}]`;
    applyCatalogBody(rt, `${events}\n${promotion(10)}`);
    applyCatalogBody(rt, `${events}\n${promotion(20)}`);
    expect(isByObjects(rt)).toBe(isAlone);
    expect(undo(rt).changes).toMatchObject([{ action: "update", key: "deal" }]);
  },
);

test("an undo of single objects also publishes that a promotion has ended since the undo was planned", () => {
  const rt = createTestRuntime();
  applyCatalogBody(
    rt,
    `${BODY}promotions: [{ key: deal, name: Deal, benefit: { type: PERCENT_OFF, percent: 10 }, schedule: { endsAt: 2026-11-20T14:00 } }]`,
  );
  editObject(rt, SLUG, "service", "cut", (doc) => ({ ...doc, priceCents: 4000 }));
  const { replacement } = planUndo(rt, SLUG);
  expect(replacement.reload).toBeDefined();
  rt.advance(10 * HOUR_MS);
  const events = recordEvents(rt, () => replaceCatalog(rt, replacement, { confirmed: true }));
  expect(eventTypesOf(events)).toEqual([
    "promotion.updated",
    "catalog.changed",
    "service.updated",
    "service_price.updated",
    "catalog.changed",
  ]);
  expect(keysOfServices(rt)).toEqual(["cut", "spa"]);
});

test("the plan of an undo that edits single objects stays right after another write, such as a sale", () => {
  const rt = createTestRuntime();
  applyCatalogBody(rt, BODY);
  editObject(rt, SLUG, "service", "cut", (doc) => ({ ...doc, priceCents: 4000 }));
  const { replacement } = planUndo(rt, SLUG);
  const plan = planReplacement(rt, replacement);
  rt.store.businesses.upsert(getBusiness(rt, SLUG));
  expect(planReplacement(rt, replacement)).toEqual(plan);
  expect(plan.changes).toMatchObject([{ action: "update", key: "cut" }]);
});

test("an undo that deletes only a booked variant is refused unless it is told to cancel the booking", async () => {
  const rt = createTestRuntime();
  applyCatalogBody(rt, BODY);
  const variant = "variants: [{ key: long, name: Long, price: 50.00 }]";
  applyCatalogBody(rt, BODY.replace("price: 35.00 }", `price: 35.00, ${variant} }`));
  const { id } = createBooking(rt, SLUG, {
    service: "cut",
    variant: "long",
    start: "2026-12-01T10:00",
  });
  expect(isByObjects(rt)).toBe(true);
  expect(captureError(() => undo(rt))).toMatch(/^state_refuses: .*1 future booking/);
  const { replacement } = planUndo(rt, SLUG);
  const cancelAffected = await loadCancelAffected();
  replaceCatalog(rt, replacement, { cancelAffected, confirmed: true });
  const business = getBusiness(rt, SLUG);
  expect(rt.store.bookings.findById(business.id, id)?.status).toBe("CANCELLED");
  const cut = rt.store.catalog.findByKeyOrId(business.id, "service", "cut");
  expect(cut?.variants).toEqual([]);
  expect(keysOfServices(rt)).toEqual(["cut", "spa"]);
});

test("an undo of an edit is refused if this version of deskbell no longer accepts what the edit replaced", () => {
  const rt = createTestRuntime();
  applyCatalogBody(rt, BODY);
  editObject(rt, SLUG, "service", "cut", (doc) => ({ ...doc, priceCents: 4000 }));
  const { id: businessId } = getBusiness(rt, SLUG);
  const history = rt.openStore(createCatalogChangeStore);
  const [replaced] = history.iterateReplacedAfter(businessId, 1);
  for (const object of replaced?.objects ?? [])
    Object.assign(object.item ?? {}, { durationMin: 0 });
  const db = new Database(rt.config.databasePath);
  onTestFinished(() => void db.close());
  db.prepare("DELETE FROM catalog_change WHERE version = 2").run();
  rt.tx(() =>
    history.insert({
      businessId,
      version: 2,
      fromVersion: 1,
      at: rt.now(),
      auditId: null,
      replaced: replaced!,
    }),
  );
  expect(captureError(() => undo(rt))).toMatch(
    /^state_refuses: This version of deskbell does not accept version 1 of /,
  );
  const cut = rt.store.catalog.findByKeyOrId(businessId, "service", "cut");
  expect(cut).toMatchObject({ durationMin: 30, priceCents: 4000 });
});
