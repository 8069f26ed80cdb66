import { expect, test } from "vitest";
import { loadCatalog } from "../../../src/app/catalog/load-catalog.ts";
import {
  ALL_LISTS,
  kindsAffecting,
  toPublicCatalog,
} from "../../../src/domain/public/public-catalog.ts";
import { applyCatalog } from "../../../src/app/catalog/catalog.ts";
import {
  buildAddon,
  buildCatalog,
  buildMenuItem,
  buildModifierGroup,
  buildPromotion,
  buildPublicEvent,
  buildService,
  buildServiceCategory,
  buildStaffMember,
} from "../../support/catalog-builders.ts";
import { readSampleCatalog } from "../../support/sample-catalog.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

test("each public list is the same if only the kinds of objects that affect the list are loaded", () => {
  const rt = createTestRuntime();
  const text = JSON.stringify(readSampleCatalog());
  const { slug } = applyCatalog(rt, [{ name: "catalog.json", text }], { seedingAt: rt.now() });
  const business = rt.store.businesses.findBySlug(slug)!;
  const stored = loadCatalog(rt, business);
  const complete = toPublicCatalog(stored, rt.now());
  for (const list of ALL_LISTS) {
    const objects = rt.store.catalog.listObjects(business.id, kindsAffecting([list]));
    const reduced = { ...stored, catalog: { ...stored.catalog, objects } };
    expect(complete[list].length, list).toBeGreaterThan(0);
    expect(toPublicCatalog(reduced, rt.now(), [list])[list], list).toEqual(complete[list]);
  }
});

test("the ID of each public object has the prefix of its kind", () => {
  const catalog = buildCatalog({
    service_category: [buildServiceCategory("hair")],
    addon: [buildAddon("mask")],
    service: [buildService("cut")],
    staff: [buildStaffMember("ann")],
    menu_item: [buildMenuItem("soup")],
    modifier_group: [buildModifierGroup("bread")],
    promotion: [buildPromotion("autumn")],
    public_event: [buildPublicEvent("jazz")],
  });
  const lists = toPublicCatalog(
    {
      catalog,
      versionOf: () => ({ version: 1, updatedAt: 0 }),
      sortOrderOf: () => 0,
      stock: { soldOut: new Map(), taken: new Map() },
    },
    Date.parse("2026-11-20T12:00:00Z"),
  );
  const prefixes = ALL_LISTS.flatMap((list) => lists[list].map(({ id }) => id.split("_")[0]));
  expect(prefixes).toEqual(["svc", "sct", "adn", "stf", "mit", "mgr", "prm", "pev"]);
});
