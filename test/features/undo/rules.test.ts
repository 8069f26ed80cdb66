import { fc } from "../../support/property.ts";
import { expect, test } from "vitest";
import type { Catalog } from "../../../src/domain/catalog/catalog.ts";
import {
  diffCatalog,
  type SortOrderOf,
  sortOrdersAfter,
} from "../../../src/domain/catalog/change/diff.ts";
import { findReplaced, type Replaced, revertChanges } from "../../../src/features/undo/rules.ts";
import { exportCatalog } from "../../../src/domain/catalog/file/sections.ts";
import { buildCatalog, buildService } from "../../support/catalog-builders.ts";
import { applyRandomEdits, createRandomInt, type RandomInt } from "../../support/random-edits.ts";
import { chooseScale } from "../../support/scale.ts";

const NOW = Date.parse("2026-11-20T12:00:00Z");

type Version = { catalog: Catalog; sortOrderOf: SortOrderOf; replaced: Replaced };

function startCatalog(randomInt: RandomInt): Catalog {
  let catalog = buildCatalog();
  for (let i = 0; i < 20; i++) catalog = applyRandomEdits(catalog, randomInt, NOW);
  return catalog;
}

/**
 * Makes random changes.
 * @returns the catalog after each change, and what the change replaced
 */
function createVersions(seed: number, changes: number): Version[] {
  const randomInt = createRandomInt(seed);
  const versions: Version[] = [];
  let before: Catalog | null = null;
  let sortOrderOf: SortOrderOf = () => 0;
  for (let change = 0; change <= changes; change++) {
    const catalog: Catalog = applyRandomEdits(before ?? startCatalog(randomInt), randomInt, NOW);
    const diff = diffCatalog(before, catalog, sortOrderOf);
    const replaced = findReplaced(before, catalog, diff, sortOrderOf, () => false);
    sortOrderOf = sortOrdersAfter(diff, sortOrderOf);
    // The store saves `replaced` as JSON, so this test also converts it to JSON and back.
    versions.push({ catalog, sortOrderOf, replaced: JSON.parse(JSON.stringify(replaced)) });
    before = catalog;
  }
  return versions;
}

test(
  "each earlier catalog can be restored from the objects that random changes replaced",
  { timeout: 120_000 },
  () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 6 }), (seed, changes) => {
        const versions = createVersions(seed, changes);
        const last = versions.at(-1) as Version;
        versions.forEach(({ catalog }, index) => {
          const later = versions.slice(index + 1).reverse();
          const reverted = revertChanges(
            last.catalog,
            last.sortOrderOf,
            later.map(({ replaced }) => replaced),
          );
          expect(JSON.stringify(reverted?.file)).toBe(JSON.stringify(exportCatalog(catalog)));
        });
      }),
      { numRuns: chooseScale(20, 500) },
    );
  },
);

test("a change that creates a business replaces nothing", () => {
  const [first] = createVersions(1, 1);
  expect(first?.replaced).toEqual({
    isNew: true,
    fields: null,
    changedFields: {},
    objects: [],
  });
  expect(revertChanges(buildCatalog(), () => 0, [first?.replaced as Replaced])).toBeNull();
});

test("an edit of one object replaces only that object", () => {
  const [cut, spa] = [buildService("cut"), buildService("spa")];
  const before = buildCatalog({ service: [cut, spa] });
  const after = buildCatalog({ service: [{ ...cut, name: "New" }, spa] });
  const diff = diffCatalog(before, after, () => 1024);
  const { fields, objects } = findReplaced(
    before,
    after,
    diff,
    () => 1024,
    () => true,
  );
  expect({ fields, objects }).toMatchObject({
    fields: null,
    objects: [{ kind: "service", item: { key: "cut", name: cut.name }, isEdited: true }],
  });
});
