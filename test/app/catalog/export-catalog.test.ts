import { fc } from "../../support/property.ts";
import { expect, test } from "vitest";
import { applyCatalog } from "../../../src/app/catalog/catalog.ts";
import { readStoredCatalog, writeCatalogText } from "../../../src/app/catalog/export-catalog.ts";
import type { Catalog, Kind } from "../../../src/domain/catalog/catalog.ts";
import { businessId, objectId } from "../../../src/domain/catalog/object-id.ts";
import type { AuthoredFile } from "../../../src/domain/catalog/file/schema.ts";
import { catalogPair } from "../../support/arbitrary-catalog.ts";
import { patient } from "../../support/patience.ts";
import { chooseScale } from "../../support/scale.ts";
import { type TestRuntime, createTestRuntime } from "../../support/test-runtime.ts";

/** `npm run test:thorough` draws more catalogs. */
const NUM_RUNS = chooseScale(15, 200);
const TIMEOUT_MS = patient(20_000 + 1000 * NUM_RUNS);

const apply = (rt: TestRuntime, file: AuthoredFile | string, prune = false) =>
  applyCatalog(
    rt,
    [{ name: "catalog", text: typeof file === "string" ? file : JSON.stringify(file) }],
    {
      prune,
      allowMassDelete: true,
      confirmed: true,
      seedingAt: rt.now(),
    },
  );

/** Returns the stored catalog of the business, with the IDs of its objects. */
function storedCatalog(rt: TestRuntime, slug = "linden"): { catalog: Catalog; ids: string[] } {
  const row = rt.store.businesses.findById(businessId(slug));
  if (!row) throw new Error("no business");
  const objects = rt.store.catalog.listObjects(row.id);
  const ids = (Object.keys(objects) as Kind[]).flatMap((kind) =>
    objects[kind].map((doc) => objectId(kind, slug, doc)),
  );
  return { catalog: { business: row.doc, schedule: row.schedule, objects }, ids };
}

const exportText = (rt: TestRuntime, format: "yaml" | "json"): string => {
  const row = rt.store.businesses.findById(businessId("linden"));
  if (!row) throw new Error("no business");
  return writeCatalogText(readStoredCatalog(rt, row), format).content;
};

test(
  "applying an export changes nothing, and recreates the same catalog on an empty server",
  { timeout: TIMEOUT_MS },
  () => {
    const [rt, emptyRt] = [createTestRuntime(), createTestRuntime()];
    fc.assert(
      fc.property(
        catalogPair,
        fc.constantFrom("yaml" as const, "json" as const),
        ({ second }, format) => {
          apply(rt, second, true);
          const exported = exportText(rt, format);
          const again = apply(rt, exported, true);
          expect(again).toMatchObject({ changes: [], businessFields: [], events: [] });
          emptyRt.store.businesses.delete(businessId("linden"));
          apply(emptyRt, exported);
          expect(storedCatalog(emptyRt)).toEqual(storedCatalog(rt));
          expect(exportText(emptyRt, format)).toBe(exported);
        },
      ),
      { numRuns: NUM_RUNS },
    );
  },
);

test(
  "applying a file with --prune gives the same objects and IDs with or without an earlier catalog",
  { timeout: TIMEOUT_MS },
  () => {
    const [old, empty] = [createTestRuntime(), createTestRuntime()];
    fc.assert(
      fc.property(catalogPair, ({ first, second }) => {
        for (const rt of [old, empty]) rt.store.businesses.delete(businessId("linden"));
        apply(old, first);
        apply(old, second, true);
        apply(empty, second);
        expect(storedCatalog(old)).toEqual(storedCatalog(empty));
      }),
      { numRuns: NUM_RUNS },
    );
  },
);

test("applying the same file twice changes nothing", { timeout: TIMEOUT_MS }, () => {
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
