import fc from "fast-check";
import { expect, test } from "vitest";
import { applyCatalog } from "../../../src/app/catalog/catalog.ts";
import { exportCatalogText } from "../../../src/app/catalog/export-catalog.ts";
import type { Catalog, Kind } from "../../../src/domain/catalog/catalog.ts";
import { businessId, objectId } from "../../../src/domain/catalog/object-id.ts";
import type { AuthoredFile } from "../../../src/domain/catalog/file/schema.ts";
import { catalogPair } from "../../support/arbitrary-catalog.ts";
import { type TestRuntime, createTestRuntime } from "../../support/test-runtime.ts";

const NUM_RUNS = 60;

const apply = (rt: TestRuntime, file: AuthoredFile | string, prune = false) =>
  applyCatalog(
    rt,
    [{ name: "catalog", text: typeof file === "string" ? file : JSON.stringify(file) }],
    {
      prune,
      allowMassDelete: true,
      seedingAt: rt.now(),
    },
  );

/** Everything that the box holds of the business, with its ids. */
function held(rt: TestRuntime, slug = "linden"): { catalog: Catalog; ids: string[] } {
  const row = rt.store.businesses.findById(businessId(slug));
  if (!row) throw new Error("no business");
  const objects = rt.store.catalog.listObjects(row.id);
  const ids = (Object.keys(objects) as Kind[]).flatMap((kind) =>
    objects[kind].map((doc) => objectId(kind, slug, doc)),
  );
  return { catalog: { business: row.doc, schedule: row.schedule, objects }, ids };
}

const text = (rt: TestRuntime, format: "yaml" | "json"): string => {
  const row = rt.store.businesses.findById(businessId("linden"));
  if (!row) throw new Error("no business");
  return exportCatalogText(rt, row, format).content;
};

test("an export is a fixed point: applied here it changes nothing, on an empty box it makes the same", () => {
  const [here, there] = [createTestRuntime(), createTestRuntime()];
  fc.assert(
    fc.property(
      catalogPair,
      fc.constantFrom("yaml" as const, "json" as const),
      ({ second }, format) => {
        apply(here, second, true);
        const exported = text(here, format);
        const again = apply(here, exported, true);
        expect(again).toMatchObject({ changes: [], businessFields: [], events: [] });
        there.store.businesses.delete(businessId("linden"));
        apply(there, exported);
        expect(held(there)).toEqual(held(here));
        expect(text(there, format)).toBe(exported);
      },
    ),
    { numRuns: NUM_RUNS },
  );
});

test("a file with --prune leaves the same on a box with a past as on an empty one, ids included", () => {
  const [old, fresh] = [createTestRuntime(), createTestRuntime()];
  fc.assert(
    fc.property(catalogPair, ({ first, second }) => {
      for (const rt of [old, fresh]) rt.store.businesses.delete(businessId("linden"));
      apply(old, first);
      apply(old, second, true);
      apply(fresh, second);
      expect(held(old)).toEqual(held(fresh));
    }),
    { numRuns: NUM_RUNS },
  );
});

test("a catalog does not differ from itself, also when it was written in another way", () => {
  const rt = createTestRuntime();
  fc.assert(
    fc.property(catalogPair, ({ second }) => {
      rt.store.businesses.delete(businessId("linden"));
      const { version } = apply(rt, second);
      expect(apply(rt, second)).toMatchObject({
        fromVersion: version,
        version,
        changes: [],
        events: [],
        webhooks: [],
      });
    }),
    { numRuns: NUM_RUNS },
  );
});
