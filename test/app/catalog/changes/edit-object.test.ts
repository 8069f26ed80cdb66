import { expect, test, vi } from "vitest";
import { getBusiness } from "../../../../src/app/businesses.ts";
import { changeCatalog } from "../../../../src/app/catalog/changes/change-catalog.ts";
import { editObject } from "../../../../src/app/catalog/changes/edit-object.ts";
import { loadCatalog } from "../../../../src/app/catalog/load-catalog.ts";
import { getObject, getStoredObject } from "../../../../src/app/catalog/objects.ts";
import { publishClockChanges } from "../../../../src/app/catalog/publish.ts";
import { setSoldOut } from "../../../../src/app/catalog/sold-out.ts";
import { ALL_KINDS, type DocOf, type Kind } from "../../../../src/domain/catalog/catalog.ts";
import type { AppError } from "../../../../src/domain/errors.ts";
import { withShownTexts } from "../../../../src/domain/catalog/shown-texts.ts";
import { assertValidObject } from "../../../../src/domain/catalog/validate.ts";
import { createRandomInt } from "../../../support/random-edits.ts";
import {
  HOUR_MS,
  type ObjectEditor,
  pick,
  randomEdit,
} from "../../../support/random-object-edit.ts";
import { createTestRuntime, type TestRuntime } from "../../../support/test-runtime.ts";
import { createCountingRuntime, createRowReader, SLUG } from "../../../support/twin-runtimes.ts";
import {
  applyCatalogBody,
  captureError,
  eventTypesOf,
  recordEvents,
} from "../../../support/use-case.ts";

/**
 * Edits an object without shortcuts: compares the whole catalog before the edit with that after it.
 */
function editInWholeCatalog(rt: TestRuntime, kind: Kind, key: string, edit: ObjectEditor) {
  return rt.tx(() => {
    const { catalog } = loadCatalog(rt, getBusiness(rt, SLUG));
    const doc = getObject(catalog, kind, key);
    const edited = edit(doc);
    assertValidObject(catalog, kind, edited, false);
    const docs = (catalog.objects[kind] as DocOf[Kind][]).map((one) =>
      one === doc ? edited : one,
    );
    const next = { ...catalog, objects: { ...catalog.objects, [kind]: docs } };
    return changeCatalog(rt, { catalog: next, origin: "local", loaded: null });
  });
}

test.each([1, 2])(
  "an edit of one object writes the same rows and events as the same edit of the whole catalog (seed %i)",
  (seed) => {
    const randomInt = createRandomInt(seed);
    const [rt, reference] = [createCountingRuntime(60, seed), createCountingRuntime(60, seed)];
    const [read, readReference] = [rt, reference].map((one) =>
      createRowReader(one, ["catalog_object", "representation", "event", "business"]),
    ) as [() => string[], () => string[]];
    const { listObjects } = rt.store.catalog;
    let wholeLoads = 0;
    rt.store.catalog.listObjects = (id) => (wholeLoads++, listObjects(id));
    let written = 0;
    const rounds = 80;
    for (let round = 0; round < rounds; round++) {
      const { catalog } = loadCatalog(reference, getBusiness(reference, SLUG));
      if (randomInt(8) === 0) {
        const dish = pick(catalog.objects.menu_item, randomInt).key;
        const until = pick([null, reference.now() + randomInt(30) * HOUR_MS + HOUR_MS], randomInt);
        for (const one of [rt, reference]) setSoldOut(one, getBusiness(one, SLUG), dish, until);
        const ms = randomInt(3) * HOUR_MS;
        for (const one of [rt, reference]) {
          one.advance(ms);
          publishClockChanges(one);
        }
      }
      const kind = pick(ALL_KINDS, randomInt);
      const { key } = pick(catalog.objects[kind] as DocOf[Kind][], randomInt);
      const edit = randomEdit(randomInt(2 ** 31), catalog);
      wholeLoads = 0;
      const result = captureError(() => editObject(rt, SLUG, kind, key, edit as never));
      if (wholeLoads === 0) written += 1;
      expect(result).toBe(captureError(() => editInWholeCatalog(reference, kind, key, edit)));
      expect(read()).toEqual(readReference());
    }
    // An edit that loads the whole catalog runs the same code as `editInWholeCatalog`, so its
    // comparison proves nothing. Enough edits must not load the whole catalog.
    expect(written).toBeGreaterThan(rounds / 4);
  },
);

test("editing a price reads only the edited object and the objects that it refers to", () => {
  const rt = createCountingRuntime(100, 1);
  const { catalog: store, objectVersions } = rt.store;
  const { service } = loadCatalog(rt, getBusiness(rt, SLUG)).catalog.objects;
  const { key } = service.find(({ staff, addons }) => staff.length > 0 && addons.length > 0) ?? {};
  const wholeReads = [
    vi.spyOn(store, "listObjects"),
    vi.spyOn(store, "listByKind"),
    vi.spyOn(store, "listSortOrders"),
    vi.spyOn(objectVersions, "list"),
  ];
  const { changes } = editObject(rt, SLUG, "service", key ?? "", (doc) => ({
    ...doc,
    priceCents: doc.priceCents + 100,
  }));
  expect(changes).toHaveLength(1);
  for (const read of wholeReads) expect(read).not.toHaveBeenCalled();
});

test("an edit that sets a price to 0 changes nothing unless it is confirmed", () => {
  const rt = createTestRuntime();
  applyCatalogBody(rt, "services: [{ key: cut, name: Cut, durationMin: 30, price: 35.00 }]");
  const setPrice = (priceCents: number, confirmed?: boolean) =>
    captureError(() =>
      editObject(rt, SLUG, "service", "cut", (doc) => ({ ...doc, priceCents }), confirmed),
    );
  const price = () => getStoredObject(rt, getBusiness(rt, SLUG), "service", "cut").priceCents;
  expect(setPrice(0, false)).toBe(
    "state_refuses: This would set 1 price to 0 (cut 35.00 -> 0.00). Nothing was changed.",
  );
  expect(price()).toBe(3500);
  expect(setPrice(3000, false)).toMatch(/^no error/);
  expect(price()).toBe(3000);
  expect(setPrice(0)).toMatch(/^no error/);
  expect(price()).toBe(0);
});

test.each<[Kind, string]>([
  ["service", "There is no service 'cat'. Did you mean 'cut'? fix: deskbell services list"],
  ["table", "There is no table 'cat'. fix: deskbell catalog export"],
])("an edit of a %s that does not exist names the command that lists the objects", (kind, text) => {
  const rt = createTestRuntime();
  applyCatalogBody(rt, "services: [{ key: cut, name: Cut, durationMin: 30, price: 35.00 }]");
  expect(() => editObject(rt, SLUG, kind, "cat", (doc) => doc)).toThrow(
    expect.toSatisfy(({ message, fix }: AppError) => `${message} fix: ${fix}` === text),
  );
});

const CATEGORIES = ["a", "b", "c"].map(
  (key) =>
    `{key: ${key}, name: ${key}${key === "a" ? "" : `, parent: ${key === "b" ? "a" : "b"}`}}`,
);

test("an edit that makes a category its own ancestor is rejected", () => {
  const rt = createTestRuntime();
  applyCatalogBody(rt, `serviceCategories: [${CATEGORIES.join(", ")}]`);
  const edit = () =>
    editObject(rt, SLUG, "service_category", "a", (doc) => ({ ...doc, parent: "c" }));
  expect(captureError(edit)).toContain("These categories form a cycle");
});

test("postponing the next scheduled change of a business makes the change of another object the next one", () => {
  const rt = createTestRuntime();
  const startsAt = (hour: number) => Date.parse(`2026-11-20T${hour}:00:00Z`);
  const line = (key: string, hour: number) =>
    `{key: ${key}, name: ${key}, benefit: {type: PERCENT_OFF, percent: 10}, schedule: {startsAt: 2026-11-20T${hour}:00Z}}`;
  applyCatalogBody(rt, `promotions: [${line("first", 13)}, ${line("second", 15)}]`);
  const next = () => getBusiness(rt, SLUG).nextTransitionAt;
  expect(next()).toBe(startsAt(13));
  const move = (key: string, hour: number) =>
    editObject(rt, SLUG, "promotion", key, (doc) => ({
      ...doc,
      schedule: { ...doc.schedule, startsAt: startsAt(hour) },
    }));
  move("first", 17);
  expect(next()).toBe(startsAt(15));
  move("first", 14);
  expect(next()).toBe(startsAt(14));
});

test("an edit that withdraws a ticket type also updates the promotions for it", () => {
  const rt = createTestRuntime();
  applyCatalogBody(
    rt,
    `
events: [{key: jazz, name: Jazz, startsAt: 2026-12-01T19:00, durationMin: 60, ticketTypes: [{key: all, name: All, price: 9.00}]}]
promotions: [{key: deal, name: Deal, benefit: {type: PERCENT_OFF, percent: 10}, appliesTo: {ticketTypes: [jazz/all]}, schedule: {startsAt: 2026-11-21T10:00Z}}]`,
  );
  const { events } = editObject(rt, SLUG, "public_event", "jazz", (doc) => ({
    ...doc,
    ticketTypes: doc.ticketTypes.map((type) => ({ ...type, status: "INACTIVE" as const })),
  }));
  expect(events.map(({ type }) => type)).toContain("promotion.updated");
});

test("an edit finds a ticket type of the event 'gala/2026' although another event has the key 'gala'", () => {
  const rt = createTestRuntime();
  // An edit that concerns the event with the next transition loads the whole catalog. The event
  // `first` has that transition, so the edit below does not load it.
  const event = (key: string, day: number) =>
    `{key: ${key}, name: Gala, startsAt: 2026-12-0${day}T19:00, durationMin: 60, ticketTypes: [{key: all, name: All, price: 9.00}]}`;
  applyCatalogBody(
    rt,
    `
events: [${event("first", 1)}, ${event("gala", 2)}, ${event("gala/2026", 3)}]
promotions: [{key: deal, name: Deal, benefit: {type: PERCENT_OFF, percent: 10}, appliesTo: {ticketTypes: [gala/2026/all]}}]`,
  );
  const { changes } = editObject(rt, SLUG, "promotion", "deal", (doc) => ({
    ...doc,
    name: "Offer",
  }));
  expect(changes).toHaveLength(1);
});

test("an edit during which a promotion ends loses neither an object nor the promotion's event", () => {
  /**
   * Edits a service. The promotion's end is reached after the clock has been read `earlyCalls`
   * times.
   */
  const editAt = (earlyCalls: number) => {
    const rt = createTestRuntime();
    applyCatalogBody(
      rt,
      `promotions: [{ key: deal, name: Deal, benefit: {type: PERCENT_OFF, percent: 10}, schedule: {endsAt: 2026-11-20T14:00} }]
services: [{ key: cut, name: Cut, durationMin: 30, price: 35.00 }, { key: dye, name: Dye, durationMin: 30, price: 60.00 }]`,
    );
    const { id, nextTransitionAt } = getBusiness(rt, SLUG);
    let calls = 0;
    rt.now = () => nextTransitionAt! - (calls++ < earlyCalls ? 1 : 0);
    const events = recordEvents(rt, () => {
      editObject(rt, SLUG, "service", "cut", (doc) => ({ ...doc, priceCents: 4000 }));
      rt.now = () => nextTransitionAt!;
      publishClockChanges(rt);
    });
    return [
      ...rt.store.catalog.listKeys(id, "service"),
      ...eventTypesOf(events).filter((type) => type.startsWith("promotion")),
    ];
  };
  for (let earlyCalls = 0; earlyCalls < 12; earlyCalls++)
    expect(editAt(earlyCalls), `after ${earlyCalls} calls`).toEqual([
      "cut",
      "dye",
      "promotion.updated",
    ]);
});

const translations = { en: { name: "Cut" }, de: { name: "Schnitt" } };
const BEFORE = { key: "cut", name: "Haircut", description: "Wash and cut", translations };

test("an edit of a text also changes its translation into the business's own language", () => {
  expect(withShownTexts(BEFORE, { ...BEFORE, name: "Trim" }, "en")).toEqual({
    ...BEFORE,
    name: "Trim",
    translations: { ...translations, en: { name: "Trim" } },
  });
});

test("editing a translation, or a text without one in the business's own language, changes no other text", () => {
  const described = { ...BEFORE, description: "Only cut" };
  expect(withShownTexts(BEFORE, described, "en")).toBe(described);
  const renamed = { ...BEFORE, name: "Trim" };
  expect(withShownTexts(BEFORE, renamed, "fr")).toBe(renamed);
  const translated = { ...renamed, translations: { en: { name: "Other" } } };
  expect(withShownTexts(BEFORE, translated, "en")).toBe(translated);
});

test("a removed text also loses its translation into the business's own language", () => {
  const texts = { en: { name: "Cut", description: "Wash" }, de: { description: "Waschen" } };
  const before = { ...BEFORE, translations: texts };
  expect(withShownTexts(before, { ...before, description: null as never }, "en")).toEqual({
    ...before,
    description: null,
    translations: { en: { name: "Cut" }, de: { description: "Waschen" } },
  });
  const only = { ...BEFORE, translations: { en: { description: "Wash" } } };
  expect(withShownTexts(only, { ...only, description: null as never }, "en").translations).toEqual(
    {},
  );
});

test("an edit of the name of a variant also changes its translation into the business's own language", () => {
  const rt = createTestRuntime();
  applyCatalogBody(
    rt,
    "services: [{ key: cut, name: Cut, durationMin: 30, price: 35.00, variants: [{ key: long, name: Long, translations: { en: { name: Long } } }] }]",
  );
  editObject(rt, SLUG, "service", "cut", (doc) => ({
    ...doc,
    variants: doc.variants.map((variant) => ({ ...variant, name: "Extra long" })),
  }));
  expect(getStoredObject(rt, getBusiness(rt, SLUG), "service", "cut").variants).toMatchObject([
    { name: "Extra long", translations: { en: { name: "Extra long" } } },
  ]);
});
