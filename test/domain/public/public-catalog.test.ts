import { expect, test } from "vitest";
import { loadCatalog } from "../../../src/app/catalog/load-catalog.ts";
import {
  ALL_LISTS,
  kindsAffecting,
  toPublicCatalog,
} from "../../../src/domain/public/public-catalog.ts";
import { applyCatalog } from "../../../src/app/catalog/catalog.ts";
import { readSampleCatalog } from "../../support/sample-catalog.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

test("each public list is the same if only the kinds that affect it are loaded", () => {
  const rt = createTestRuntime();
  const text = JSON.stringify(readSampleCatalog());
  const { slug } = applyCatalog(rt, [{ name: "catalog.json", text }], { seedingAt: rt.now() });
  const business = rt.store.businesses.findBySlug(slug)!;
  const complete = toPublicCatalog(loadCatalog(rt, business), rt.now());
  for (const list of ALL_LISTS) {
    const stored = loadCatalog(rt, business, kindsAffecting([list]));
    expect(complete[list].length, list).toBeGreaterThan(0);
    expect(toPublicCatalog(stored, rt.now(), [list])[list], list).toEqual(complete[list]);
  }
});
