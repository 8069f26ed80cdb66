import { describe, expect, test } from "vitest";
import { readCatalog } from "../../src/domain/catalog/source/read-catalog.ts";
import { PRESETS, type Preset, readPreset } from "../../src/platform/assets.ts";
import type { Catalog } from "../../src/domain/catalog/catalog.ts";
import { ALLERGENS } from "../../src/domain/catalog/menu.ts";

const SEEDING_AT = Date.parse("2026-11-20T12:00:00Z");

const load = (preset: Preset): Catalog =>
  readCatalog([{ name: `${preset}.yaml`, text: readPreset(preset) }], {
    current: () => null,
    prune: false,
    seedingAt: SEEDING_AT,
  }).catalog;

describe.each(PRESETS)("the shipped %s", (preset) => {
  test(`the shipped ${preset} has a description, hours, closures and promotions of several kinds, one with a code`, () => {
    const { business, schedule, objects } = load(preset);
    expect(business.description).not.toBeNull();
    expect(schedule.hours).not.toHaveLength(0);
    expect(schedule.closures).not.toHaveLength(0);
    expect(
      new Set(objects.promotion.map(({ benefit }) => benefit.type)).size,
    ).toBeGreaterThanOrEqual(4);
    expect(objects.promotion.some(({ code }) => code !== null)).toBe(true);
    expect(objects.promotion.some(({ schedule }) => schedule.weekly.length > 0)).toBe(true);
    expect(objects.promotion.some(({ schedule }) => schedule.startsAt !== null)).toBe(true);
  });

  test(`the shipped ${preset} has translations for each of its locales`, () => {
    const { business, objects } = load(preset);
    const texts = JSON.stringify(objects);
    for (const locale of business.locales.filter((one) => one !== business.locale))
      expect(texts).toContain(`"${locale}":{"`);
  });

  test(`the shipped ${preset} uses each add-on, person, resource, modifier group and menu category`, () => {
    const { objects } = load(preset);
    const linked = new Set(
      objects.service.flatMap(({ addons }) => addons.map(({ addon }) => addon)),
    );
    const performers = new Set(objects.service.flatMap(({ staff }) => staff));
    const occupied = new Set(
      objects.service.flatMap(({ resources }) => resources.map(({ resource }) => resource)),
    );
    const chosen = new Set(objects.menu_item.flatMap(({ modifierGroups }) => modifierGroups));
    const used = new Set(objects.menu_item.flatMap(({ categories }) => categories));
    const parents = new Set(objects.menu_category.map(({ parent }) => parent));
    const unused = [
      ...objects.addon.filter(({ key }) => !linked.has(key)),
      ...objects.staff.filter(({ key }) => !performers.has(key)),
      ...objects.resource.filter(({ key }) => !occupied.has(key)),
      ...objects.modifier_group.filter(({ key }) => !chosen.has(key)),
      ...objects.menu_category.filter(({ key }) => !used.has(key) && !parents.has(key)),
    ];
    expect(unused.map(({ key }) => key)).toEqual([]);
  });
});

test("Café Lumen has 64 dishes, most allergens, a lunch menu with serving times and 14 tables", () => {
  const { business, objects } = load("restaurant");
  expect(business).toMatchObject({
    slug: "cafe-lumen",
    timezone: "Europe/Zurich",
    currency: "CHF",
  });
  expect(objects.menu_item).toHaveLength(64);
  expect(objects.menu_category.length).toBeGreaterThanOrEqual(8);
  expect(objects.table).toHaveLength(14);
  const named = new Set(objects.menu_item.flatMap(({ allergens }) => allergens));
  expect(ALLERGENS.filter((allergen) => !named.has(allergen))).toEqual([
    "crustaceans",
    "peanuts",
    "lupin",
    "molluscs",
  ]);
  expect(objects.menu_category.find(({ key }) => key === "lunch")?.availability).toEqual([
    { days: ["mon", "tue", "wed", "thu", "fri"], start: "11:30", end: "14:00" },
  ]);
});

test("no dish of Café Lumen has an allergen that contradicts its diet", () => {
  const forbiddenAllergens = {
    vegan: ["eggs", "milk", "fish"],
    vegetarian: ["fish"],
    "gluten-free": ["gluten"],
  };
  const contradictions = load("restaurant").objects.menu_item.flatMap(
    ({ key, dietary, allergens }) =>
      Object.entries(forbiddenAllergens)
        .filter(
          ([diet, forbidden]) =>
            dietary.includes(diet) && forbidden.some((one) => allergens.some((is) => is === one)),
        )
        .map(([diet]) => `${key} is not ${diet}`),
  );
  expect(contradictions).toEqual([]);
});

test("Salon Aurora has 27 services, six people, a class and a shift past midnight", () => {
  const { business, objects } = load("salon");
  expect(business).toMatchObject({
    slug: "salon-aurora",
    timezone: "America/New_York",
    currency: "USD",
  });
  expect(objects.service).toHaveLength(27);
  expect(objects.staff).toHaveLength(6);
  expect(
    objects.service.filter(({ variants }) => variants.length > 1).length,
  ).toBeGreaterThanOrEqual(8);
  expect(objects.service.some(({ capacity }) => capacity > 1)).toBe(true);
  const ends = objects.staff.flatMap(({ hours }) => (hours ?? []).map(({ end }) => end));
  expect(ends).toContain("26:00");
});

test("each service of the sample businesses has the price and duration of its default variant", () => {
  const services = [...load("salon").objects.service, ...load("venue").objects.service];
  const different = services.filter(({ variants, durationMin, priceCents }) => {
    const chosen = variants.find(({ isDefault }) => isDefault);
    return (
      chosen !== undefined &&
      (chosen.durationMin !== durationMin || chosen.priceCents !== priceCents)
    );
  });
  expect(different.map(({ key }) => key)).toEqual([]);
});

test("Kita Live has twelve events after the day of seeding, with prices in yen and shared quotas", () => {
  const { business, objects } = load("venue");
  const events = objects.public_event;
  expect(business).toMatchObject({ slug: "kita-live", timezone: "Asia/Tokyo", currency: "JPY" });
  expect(events).toHaveLength(12);
  expect(new Set(events.map(({ status }) => status))).toEqual(
    new Set(["PUBLISHED", "CANCELLED", "POSTPONED", "DRAFT"]),
  );
  for (const { startsAt, doorsAt, ticketTypes } of events) {
    expect(startsAt).toBeGreaterThan(SEEDING_AT);
    expect(doorsAt).toBeLessThan(startsAt);
    expect(ticketTypes).not.toHaveLength(0);
  }
  expect(events[0]).toMatchObject({
    startsAt: Date.parse("2026-11-23T19:30:00+09:00"),
    doorsAt: Date.parse("2026-11-23T18:30:00+09:00"),
    ticketTypes: [{ priceCents: 5500 }, { priceCents: 4200 }, { priceCents: 2500 }],
  });
  expect(
    new Set(events.flatMap(({ ticketTypes }) => ticketTypes.map(({ kind }) => kind))).size,
  ).toBe(3);
  expect(events.some(({ quotas }) => quotas.some((quota) => quota.ticketTypes.length > 1))).toBe(
    true,
  );
});
