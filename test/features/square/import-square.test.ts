import { describe, expect, test } from "vitest";
import { importSquare } from "../../../src/features/square/import-square.ts";
import { readCatalog } from "../../../src/domain/catalog/source/read-catalog.ts";
import type { CatalogObjects } from "../../../src/domain/catalog/catalog.ts";
import { readSharedData } from "../../support/shared-data.ts";
import { captureIssues } from "../../support/use-case.ts";

const BUSINESS = { businessSlug: "joes", timezone: "America/New_York", currency: "USD" };

/** Imports a catalog, and reads the resulting file as `apply` does. */
function importAndRead(text: string, business = BUSINESS) {
  const { yaml, report } = importSquare(text, business);
  const options = { current: () => null, prune: false, seedingAt: null };
  const { catalog } = readCatalog([{ name: "import.yaml", text: yaml }], options);
  return { yaml, report, catalog, objects: catalog.objects as CatalogObjects };
}

type SampleVariation = {
  id: string;
  itemVariationData: { name: string; priceMoney: { amount: number }; serviceDuration?: number };
};
type SampleObject = {
  type: string;
  id: string;
  itemData: {
    name: string;
    description?: string;
    categoryId?: string;
    abbreviation?: string;
    variations: SampleVariation[];
  };
  categoryData: { name: string };
};

describe("the catalogs that Square publishes", () => {
  test("each appointment service of Square keeps its name, text, price, duration and variations", (context) => {
    const text = readSharedData(context, "square/salon-services.json");
    const { objects, report } = importAndRead(text);
    const source = Object.values(JSON.parse(text) as Record<string, SampleObject>);
    expect(source).toHaveLength(4);
    expect(
      objects.service.map(({ key, name, description, durationMin, priceCents, variants }) => [
        [key, name, description, durationMin, priceCents],
        variants.map((one) => [one.key, one.name, one.durationMin, one.priceCents, one.isDefault]),
      ]),
    ).toEqual(
      source.map(({ id, itemData: { name, description, variations } }) => {
        const variants = variations.map(({ id, itemVariationData: data }, at) => {
          const minutes = (data.serviceDuration ?? 0) / 60_000;
          return [id, data.name, minutes, data.priceMoney.amount, at === 0];
        });
        return [[id, name, description, variants[0]?.[2], variants[0]?.[3]], variants];
      }),
    );
    expect(report).toEqual({
      imported: ["4 services with 4 variants"],
      skipped: [
        {
          part: "presentAtAllLocations on 4 items",
          reason: "a deskbell catalog is for a single location",
        },
        {
          part: "presentAtAllLocations on 4 variations",
          reason: "a deskbell catalog is for a single location",
        },
        { part: "inventoryAlertType on 4 variations", reason: "deskbell does not track stock" },
      ],
    });
  });

  test("each dish of Square keeps its name, text, category, price and variations", (context) => {
    const text = readSharedData(context, "square/restaurant-catalog.json");
    const { objects } = importAndRead(text);
    const source = Object.values(JSON.parse(text) as Record<string, { data: SampleObject }>).map(
      ({ data }) => data,
    );
    const ofType = (type: string) => source.filter((one) => one.type === type);
    expect(ofType("ITEM")).toHaveLength(12);
    expect(
      objects.menu_item.map(({ key, name, description, categories, priceCents, sizes }) => [
        [key, name, description, categories, priceCents],
        sizes.map((size) => [size.key, size.name, size.priceCents]),
      ]),
    ).toEqual(
      ofType("ITEM").map(({ id, itemData: { name, description, categoryId, variations } }) => {
        const sizes = variations.map(({ id, itemVariationData: data }) => [
          id,
          data.name,
          data.priceMoney.amount,
        ]);
        const categories = categoryId === undefined ? [] : [categoryId];
        return [[id, name, description ?? null, categories, sizes[0]?.[2]], sizes];
      }),
    );
    expect(objects.menu_category.map(({ key, name }) => [key, name])).toEqual(
      ofType("CATEGORY").map(({ id, categoryData: { name } }) => [id, name]),
    );
  });

  test("each part of Square's dishes that is skipped is reported with a reason", (context) => {
    const text = readSharedData(context, "square/restaurant-catalog.json");
    const { report } = importAndRead(text);
    const source = Object.values(JSON.parse(text) as Record<string, { image?: { url: string } }>);
    expect(report.imported).toEqual(["2 menu categories", "12 dishes with 12 sizes"]);
    const what = report.skipped.map((line) => line.part);
    for (const { image } of source.filter((one) => one.image !== undefined))
      expect(what.filter((line) => line.startsWith(`image ${image?.url} of #`))).toHaveLength(1);
    expect(what.filter((line) => !line.startsWith("image "))).toEqual([
      "tax 'Sales Tax' (#Sales Tax)",
      "presentAtAllLocations on 2 categories",
      "presentAtAllLocations on 1 item",
      "taxIds on 12 items",
      "presentAtAllLocations on 12 variations",
      "abbreviation on 11 items",
    ]);
    for (const { reason } of report.skipped)
      expect(reason).not.toBe("deskbell has no field for it");
  });
});

const soup = {
  type: "ITEM",
  id: "SOUP",
  item_data: {
    name: "Soup",
    variations: [
      {
        type: "ITEM_VARIATION",
        id: "BOWL",
        item_variation_data: {
          item_id: "SOUP",
          name: "Bowl",
          price_money: { amount: 850, currency: "USD" },
        },
      },
    ],
  },
};

describe("the formats of the API", () => {
  test.each([
    ["a list response", { objects: [soup] }],
    ["a search response with related objects", { objects: [], related_objects: [soup] }],
    [
      "the body of a batch upsert",
      { idempotency_key: "k", batches: [{ objects: [] }, { objects: [soup] }] },
    ],
    ["a response with one object", { object: soup }],
    ["an array", [soup]],
    ["a single object", soup],
    ["a map by ID", { SOUP: soup }],
    ["a map by ID with wrapped objects", { SOUP: { data: soup } }],
  ])("%s of Square's API is read", (_, shape) => {
    const { objects } = importAndRead(JSON.stringify(shape));
    expect(objects.menu_item).toMatchObject([
      { key: "SOUP", priceCents: 850, sizes: [{ key: "BOWL", name: "Bowl" }] },
    ]);
  });

  test("a Square response with a cursor reports that more pages follow", () => {
    const { report } = importSquare(JSON.stringify({ objects: [soup], cursor: "next" }), BUSINESS);
    expect(report.skipped[0]?.part).toBe("the following pages");
  });
});

test("a catalog file imported from Square names its origin and has decimal prices", () => {
  const { yaml, catalog } = importAndRead(JSON.stringify([soup]), { ...BUSINESS, currency: "USD" });
  expect(yaml).toMatch(/^# Imported from a Square catalog\./);
  expect(yaml).toContain("price: 8.50 }\n");
  expect(catalog.business).toMatchObject({
    slug: "joes",
    name: "joes",
    timezone: "America/New_York",
    currency: "USD",
  });
});

test("Square amounts in a currency without minor units are whole numbers", () => {
  const ramen = JSON.stringify([soup]).replace('"USD"', '"CURRENCY"');
  const { yaml, objects } = importAndRead(ramen, { ...BUSINESS, currency: "JPY" });
  expect(yaml).toContain("price: 850 }\n");
  expect(objects.menu_item[0]?.priceCents).toBe(850);
});

describe("importSquare rejects", () => {
  test.each([
    ["broken JSON", '{"objects": [\n  }', BUSINESS, /^Invalid JSON: /],
    [
      "a response with errors",
      '{"errors": [{"code": "UNAUTHORIZED"}]}',
      BUSINESS,
      /^This file is no catalog, but an error response of Square with the code 'UNAUTHORIZED'\.$/,
    ],
    ["text instead of an object", '"soup"', BUSINESS, /^Invalid Square catalog\./],
    [
      "variations that are not a list",
      '[{"type":"ITEM","id":"A","itemData":{"variations":7}}]',
      BUSINESS,
      /^Invalid Square catalog\./,
    ],
    [
      "an empty object",
      "{}",
      BUSINESS,
      /^This file has no item, category, modifier list or discount/,
    ],
    [
      "prices in another currency than that of the business",
      JSON.stringify([soup]),
      { ...BUSINESS, currency: "EUR" },
      /are in USD, not EUR/,
    ],
  ])("importSquare rejects %s", (_, text, business, message) => {
    expect(() => importSquare(text, business)).toThrow(
      expect.objectContaining({ code: "invalid_input", message: expect.stringMatching(message) }),
    );
  });

  test("an error response of Square is refused with the details that Square gives", () => {
    const error = { category: "AUTHENTICATION_ERROR", code: "UNAUTHORIZED", detail: "No token." };
    const issues = captureIssues(() => importSquare(JSON.stringify({ errors: [error] }), BUSINESS));
    expect(issues).toEqual([{ code: "invalid_input", detail: "No token." }]);
  });

  test.each([
    ["time zone", { timezone: "Mars" }, /timezone must be .*, not 'Mars'/],
    ["currency", { currency: "US" }, /currency must be .*, not 'US'/],
  ])("importSquare rejects an unknown %s", (_, wrong, message) => {
    expect(() => importSquare(JSON.stringify([soup]), { ...BUSINESS, ...wrong })).toThrow(
      expect.objectContaining({
        code: "validation_failed",
        message: expect.stringMatching(message),
      }),
    );
  });

  test.each([
    ['{"objects": [\n  }', "2:3"],
    ['{"objects": [],\n "cursor" "x"}', "2:11"],
  ])("importSquare reports the position of a JSON syntax error: %j", (text, place) => {
    expect(() => importSquare(text, BUSINESS)).toThrow(
      expect.objectContaining({ issues: [expect.objectContaining({ place })] }),
    );
  });

  test("importSquare says that a price is too large and that an ID is repeated", () => {
    const variation = (amount: number) => ({
      type: "ITEM_VARIATION",
      id: "V",
      item_variation_data: { price_money: { amount } },
    });
    const issuesOf = (...variations: object[]) => {
      const text = JSON.stringify([{ type: "ITEM", id: "A", item_data: { variations } }]);
      return captureIssues(() => importSquare(text, BUSINESS));
    };
    expect(issuesOf(variation(1e15))).toMatchObject([
      {
        detail: "the amount is too large",
        place: "[0].itemData.variations[0].itemVariationData.priceMoney.amount",
      },
    ]);
    expect(issuesOf(variation(1), variation(2))).toMatchObject([
      { detail: "an ID is repeated", place: "[0].itemData.variations" },
    ]);
  });

  test("importSquare reports the path of an invalid value", () => {
    const text = JSON.stringify({
      objects: [soup, { type: "ITEM", id: "B", item_data: { name: 7 } }],
    });
    expect(() => importSquare(text, BUSINESS)).toThrow(
      expect.objectContaining({
        issues: [expect.objectContaining({ place: "objects[1].itemData.name" })],
      }),
    );
  });
});

test.each(["[", '{"a":'])("JSON with 100,000 nested %s is rejected without a crash", (opening) => {
  const closing = opening === "[" ? "]" : "}";
  const text = `${opening.repeat(100_000)}1${closing.repeat(100_000)}`;
  expect(() => importSquare(text, BUSINESS)).toThrow("nested more than 100 levels deep");
  expect(() => importSquare(opening.repeat(100_000), BUSINESS)).toThrow("Invalid JSON");
});
