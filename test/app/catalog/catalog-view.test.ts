import { expect, onTestFinished, test } from "vitest";
import { getBusiness } from "../../../src/app/businesses.ts";
import { readCatalogView } from "../../../src/app/catalog/catalog-view.ts";
import { editObject } from "../../../src/app/catalog/changes/edit-object.ts";
import { openRuntime, type Runtime } from "../../../src/app/runtime.ts";
import { objectId } from "../../../src/domain/catalog/object-id.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { applyCatalogBody } from "../../support/use-case.ts";

const SLUG = "salon-aurora";

test.each<[what: string, shown: object, change: (rt: Runtime) => void]>([
  [
    "the catalog",
    { name: "Pot of tea" },
    (rt) =>
      void editObject(rt, SLUG, "menu_item", "tea", (doc) => ({ ...doc, name: "Pot of tea" })),
  ],
  [
    "the stock alone",
    { soldOut: true },
    (rt) => {
      const tea = objectId("menu_item", SLUG, { key: "tea", previousKeys: [] });
      rt.store.soldOut.upsert(getBusiness(rt, SLUG).id, tea, null);
    },
  ],
])("a view is read again if another process changes %s meanwhile", (_what, shown, change) => {
  const rt = createTestRuntime();
  applyCatalogBody(rt, "menu: { items: [{ key: tea, name: Tea, price: 4.00 }] }");
  const other = openRuntime(rt.config, 1000);
  onTestFinished(() => other.close());
  const changes = [change];
  const result = readCatalogView(
    rt,
    ["menuItems"],
    () => getBusiness(rt, SLUG),
    () => rt.now(),
    ({ business, forms, select }) => {
      const dishes = select("menu_item", {}).docs.map(forms.menuItems);
      changes.pop()?.(other);
      return { business, dishes };
    },
  );
  expect(result).toMatchObject({ business: getBusiness(rt, SLUG), dishes: [shown] });
});
