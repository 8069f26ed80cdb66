import { describe, expect, test } from "vitest";
import { mapSquareCatalog } from "../../../src/features/square/import.ts";
import { parseSquareObjects } from "../../../src/features/square/objects.ts";
import { AppError } from "../../../src/domain/errors.ts";
import { captureIssues } from "../../support/use-case.ts";

const map = (...objects: object[]) => mapSquareCatalog(parseSquareObjects(objects).objects, "USD");
const skippedIn = (...objects: object[]) =>
  map(...objects).report.skipped.map(({ part, reason }) => `${part}: ${reason}`);

type Data = Record<string, unknown>;

const variation = (id: string, data: Data = {}, object: Data = {}) => ({
  type: "ITEM_VARIATION",
  id,
  itemVariationData: {
    name: id.toLowerCase(),
    priceMoney: { amount: 900, currency: "USD" },
    ...data,
  },
  ...object,
});
const item = (id: string, data: Data = {}, object: Data = {}) => ({
  type: "ITEM",
  id,
  itemData: { name: id.toLowerCase(), variations: [variation(`${id}-V`)], ...data },
  ...object,
});
const service = (id: string, variations: object[], data: Data = {}) =>
  item(id, { productType: "APPOINTMENTS_SERVICE", variations, ...data });
const HALF_HOUR = { serviceDuration: 1_800_000 };
const category = (id: string, data: Data = {}) => ({
  type: "CATEGORY",
  id,
  categoryData: { name: id, ...data },
});
const modifier = (id: string, data: Data = {}, object: Data = {}) => ({
  type: "MODIFIER",
  id,
  modifierData: { name: id.toLowerCase(), ...data },
  ...object,
});
const list = (id: string, modifiers: object[], data: Data = {}) => ({
  type: "MODIFIER_LIST",
  id,
  modifierListData: { name: id.toLowerCase(), modifiers, ...data },
});
const uses = (modifierListId: string, data: Data = {}) => ({
  modifierListInfo: [{ modifierListId, ...data }],
});

describe("variations", () => {
  test("Square variations become the sizes of a dish, in Square's order", () => {
    const { sections, report } = map(
      item("TEA", {
        variations: [
          variation("POT", {
            itemId: "TEA",
            ordinal: 2,
            pricingType: "FIXED_PRICING",
            priceMoney: { amount: 950, currency: "CURRENCY" },
          }),
          variation("CUP", { ordinal: 1, priceMoney: { amount: "450" } }),
          variation("TASTE", { ordinal: 3, priceMoney: { amount: 0 } }),
        ],
      }),
    );
    expect(sections.menu?.items).toEqual([
      {
        key: "TEA",
        name: "tea",
        sizes: [
          { key: "CUP", name: "cup", price: "4.50" },
          { key: "POT", name: "pot", price: "9.50" },
          { key: "TASTE", name: "taste", price: "0.00" },
        ],
      },
    ]);
    expect(report.skipped).toEqual([]);
  });

  test("Square variations become the variants of a service, the first as the default", () => {
    const { sections } = map(
      service("CUT", [
        variation("SHORT", HALF_HOUR),
        variation("LONG", { serviceDuration: 3_600_000 }),
      ]),
    );
    expect(sections.services).toEqual([
      {
        key: "CUT",
        name: "cut",
        durationMin: 30,
        price: "9.00",
        variants: [
          { key: "SHORT", name: "short", durationMin: 30, price: "9.00", default: true },
          { key: "LONG", name: "long", durationMin: 60, price: "9.00" },
        ],
      },
    ]);
  });

  test("Square variations with variable prices give a dish the price type MARKET and a service ON_REQUEST", () => {
    const open = { pricingType: "VARIABLE_PRICING", priceMoney: undefined };
    const { sections } = map(
      item("FISH", { variations: [variation("F", open)] }),
      service("DYE", [variation("D", { ...open, ...HALF_HOUR })]),
    );
    expect(sections.menu?.items?.[0]).toMatchObject({
      priceType: "MARKET",
      sizes: [{ price: "0.00" }],
    });
    expect(sections.services?.[0]).toMatchObject({
      priceType: "ON_REQUEST",
      variants: [{ price: "0.00" }],
    });
    expect(sections.services?.[0]).not.toHaveProperty("price");
  });

  test("a Square service is not bookable if all its variations are closed for booking", () => {
    const closed = { ...HALF_HOUR, availableForBooking: false };
    expect(map(service("CUT", [variation("A", closed)])).sections.services?.[0]).toMatchObject({
      bookable: false,
    });
  });

  test.each<[string, object[], string]>([
    [
      "deleted",
      [variation("A"), variation("B", {}, { isDeleted: true })],
      "'b' (B) of item 'x' (X): it is deleted in Square",
    ],
    [
      "negative in price",
      [variation("A"), variation("B", { priceMoney: { amount: -1 } })],
      "its price is negative",
    ],
    [
      "variable in price while another is fixed",
      [variation("A"), variation("B", { pricingType: "VARIABLE_PRICING" })],
      "its price is entered at the time of sale",
    ],
  ])("a Square variation that is %s is skipped", (_, variations, line) => {
    const dish = item("X", { variations });
    expect(map(dish).sections.menu?.items?.[0]?.sizes).toEqual([
      { key: "A", name: "a", price: "9.00" },
    ]);
    expect(skippedIn(dish)).toEqual([expect.stringContaining(line)]);
  });

  test.each<[string, object, string]>([
    [
      "no duration",
      service("X", [variation("A")]),
      "variation 'a' (A) of service 'x' (X): it has no duration",
    ],
    [
      "a duration of more than a day",
      service("X", [variation("A", { serviceDuration: 90_000_000 })]),
      "its durationMin must be",
    ],
    [
      "no variation",
      item("X", { variations: [] }),
      "item 'x' (X): none of its variations could be imported",
    ],
    ["an empty name", item("X", { name: "" }), "item 'X': its name must be one line"],
    ["no name", item("X", { name: undefined }), "item 'X': its name must be one line"],
    [
      "a product type that is neither a dish nor a service",
      item("X", { productType: "GIFT_CARD" }),
      "gift card is neither a dish nor a service",
    ],
  ])("a Square item with %s is skipped, and the others are imported", (_, broken, line) => {
    const { sections, report } = map(broken, item("VALID"));
    expect(sections.menu?.items?.map(({ key }) => key)).toEqual(["VALID"]);
    expect(sections.services).toBeUndefined();
    expect(report.skipped.map(({ part, reason }) => `${part}: ${reason}`)).toContainEqual(
      expect.stringContaining(line),
    );
  });

  test("a Square duration with seconds is rounded up and reported", () => {
    const cut = service("CUT", [variation("A", { serviceDuration: 1_830_000 })]);
    expect(map(cut).sections.services?.[0]?.durationMin).toBe(31);
    expect(skippedIn(cut)).toEqual([expect.stringContaining("rounded up to 31 minutes")]);
  });
});

describe("categories", () => {
  test("Square categories and their parents become service categories or menu categories, depending on their items", () => {
    const { sections, report } = map(
      category("HAIR", { parentCategory: { id: "ALL" } }),
      category("ALL"),
      category("LUNCH"),
      category("EMPTY"),
      service("CUT", [variation("A", HALF_HOUR)], { categories: [{ id: "HAIR" }] }),
      item("SOUP", { categoryId: "LUNCH", categories: [{ id: "LUNCH" }, { id: "ALL" }] }),
    );
    expect(sections.serviceCategories).toEqual([
      { key: "HAIR", name: "HAIR", parent: "ALL" },
      { key: "ALL", name: "ALL" },
    ]);
    expect(sections.menu?.categories?.map(({ key }) => key)).toEqual(["ALL", "LUNCH", "EMPTY"]);
    expect(sections.services?.[0]?.category).toBe("HAIR");
    expect(sections.menu?.items?.[0]?.categories).toEqual(["LUNCH", "ALL"]);
    expect(report.imported).toEqual([
      "2 service categories",
      "1 service with 1 variant",
      "3 menu categories",
      "1 dish with 1 size",
    ]);
    expect(report.skipped).toEqual([]);
  });

  test("Square categories without items join the services if all items are services, and otherwise the menu", () => {
    const ofServices = map(category("EMPTY"), service("CUT", [variation("A", HALF_HOUR)])).sections;
    expect(ofServices.serviceCategories).toEqual([{ key: "EMPTY", name: "EMPTY" }]);
    expect(ofServices.menu).toBeUndefined();
    const { serviceCategories, menu } = map(category("EMPTY")).sections;
    expect(serviceCategories).toBeUndefined();
    expect(menu?.categories).toEqual([{ key: "EMPTY", name: "EMPTY" }]);
  });

  test("Square's reporting category is imported for an item without other categories, and otherwise reported", () => {
    const objects = [category("A"), category("B"), item("X", { reportingCategory: { id: "A" } })];
    expect(map(...objects).sections.menu?.items?.[0]?.categories).toEqual(["A"]);
    expect(skippedIn(...objects)).toEqual([]);
    const other = item("Y", { categoryId: "B", reportingCategory: { id: "A" } });
    expect(skippedIn(category("A"), category("B"), other)).toEqual([
      expect.stringMatching(/^reportingCategory on 1 item: /),
    ]);
  });

  test("references to unknown Square objects are skipped and reported", () => {
    expect(skippedIn(item("X", { categoryId: "GONE" }))).toEqual([
      "category GONE of item 'x' (X): it is not in the file, or was not imported",
    ]);
    expect(skippedIn(category("A", { parentCategory: { id: "GONE" } }))).toEqual([
      "parent GONE of category 'A' (A): it is not in the file, or was not imported",
    ]);
  });

  test("a cycle of parent categories in Square is broken", () => {
    const ring = [
      category("A", { parentCategory: { id: "B" } }),
      category("B", { parentCategory: { id: "A" } }),
    ];
    expect(map(...ring).sections.menu?.categories).toEqual([
      { key: "A", name: "A" },
      { key: "B", name: "B", parent: "A" },
    ]);
    expect(skippedIn(...ring)).toEqual([
      "parent B of category 'A' (A): the categories form a cycle",
    ]);
  });
});

describe("modifier lists", () => {
  const milks = [
    modifier("OAT", { ordinal: 2, priceMoney: { amount: 80, currency: "USD" } }),
    modifier("WHOLE", { ordinal: 1, onByDefault: true }),
  ];

  test("Square modifier lists become modifier groups to which their dishes refer", () => {
    const { sections, report } = map(
      list("MILK", milks, { selectionType: "SINGLE" }),
      item("LATTE", uses("MILK")),
    );
    expect(sections.menu?.modifierGroups).toEqual([
      {
        key: "MILK",
        name: "milk",
        min: 0,
        max: 1,
        options: [
          { key: "WHOLE", name: "whole", price: "0.00", default: true },
          { key: "OAT", name: "oat", price: "0.80" },
        ],
      },
    ]);
    expect(sections.menu?.items?.[0]?.modifierGroups).toEqual(["MILK"]);
    expect(report).toEqual({
      imported: ["1 modifier group with 2 options", "1 dish with 1 size"],
      skipped: [],
    });
  });

  test.each<[string, Data, Data[], { min: number; max: number }]>([
    ["any number by default", {}, [{}], { min: 0, max: 2 }],
    [
      "the limits of the list",
      { minSelectedModifiers: 1, maxSelectedModifiers: 2 },
      [{ minSelectedModifiers: -1 }],
      { min: 1, max: 2 },
    ],
    [
      "the limits of the dishes if they are equal",
      {},
      [
        { minSelectedModifiers: 1, maxSelectedModifiers: 1 },
        { minSelectedModifiers: 1, maxSelectedModifiers: 1 },
      ],
      { min: 1, max: 1 },
    ],
    [
      "at most the number of options",
      { minSelectedModifiers: 3, maxSelectedModifiers: 5 },
      [],
      { min: 2, max: 2 },
    ],
  ])("the limits of a modifier group are %s", (_, own, rules, expected) => {
    const dishes = rules.map((rule, at) => item(`DISH${at}`, uses("MILK", rule)));
    expect(
      map(list("MILK", milks, own), ...dishes).sections.menu?.modifierGroups?.[0],
    ).toMatchObject(expected);
  });

  test("dishes with different limits of one modifier list are reported", () => {
    const lines = skippedIn(
      list("MILK", milks),
      item("A", uses("MILK")),
      item("B", uses("MILK", { minSelectedModifiers: 1 })),
    );
    expect(lines).toEqual([
      "1 to any number of choices of modifier list 'milk' (MILK) with 'b': the dishes have different limits, but a modifier group has only one minimum and maximum",
    ]);
  });

  test.each<[string, object[], string]>([
    [
      "a text modifier",
      [list("NOTE", [], { modifierType: "TEXT" })],
      "text modifiers are not supported",
    ],
    ["an empty list", [list("NONE", [])], "it has no options"],
    [
      "a deleted option",
      [list("L", [modifier("A"), modifier("B", {}, { isDeleted: true })])],
      "'b' (B) of modifier list 'l' (L): it is deleted",
    ],
    [
      "an option with a negative price",
      [list("L", [modifier("A"), modifier("B", { priceMoney: { amount: -50 } })])],
      "an option cannot have a negative price",
    ],
    [
      "a second default option where one can be chosen",
      [
        list("L", [modifier("A", { onByDefault: true }), modifier("B", { onByDefault: true })], {
          selectionType: "SINGLE",
        }),
      ],
      "onByDefault of 'b' (B)",
    ],
    [
      "a list of a service",
      [list("L", [modifier("A")]), service("CUT", [variation("V", HALF_HOUR)], uses("L"))],
      "services have no modifiers",
    ],
    [
      "a disabled list",
      [list("L", [modifier("A")]), item("X", uses("L", { enabled: false }))],
      "it is disabled for this item",
    ],
  ])("the import of modifier lists skips %s and reports it", (_, objects, line) => {
    expect(skippedIn(...objects, item("VALID"))).toEqual([expect.stringContaining(line)]);
  });
});

describe("images", () => {
  const photo = (data: Data) => ({ type: "IMAGE", id: "P", imageData: data });

  test("Square images with a web address are imported with their captions", () => {
    const { sections, report } = map(
      photo({ url: "https://joes.example/soup.jpg", caption: "A bowl" }),
      item("SOUP", { imageIds: ["P"] }),
      { data: item("TEA"), image: { url: "http://joes.example/tea.jpg" } },
    );
    expect(sections.menu?.items?.map(({ images }) => images)).toEqual([
      [{ url: "https://joes.example/soup.jpg", alt: "A bowl" }],
      [{ url: "http://joes.example/tea.jpg" }],
    ]);
    expect(report).toEqual({ imported: ["2 dishes with 2 sizes", "2 images"], skipped: [] });
  });

  test("Square images that are unused, missing or without a web address are reported", () => {
    const lines = skippedIn(
      photo({ url: "https://joes.example/soup.jpg" }),
      item("SOUP", { imageIds: ["Q"] }),
      {
        data: item("TEA"),
        image: { url: "./tea.png" },
      },
    );
    expect(lines).toEqual([
      "image Q of SOUP: the image is not in the file",
      expect.stringMatching(/^image \.\/tea\.png of TEA: an image must be a web address/),
      "image 'P': no imported item or category uses it",
    ]);
  });
});

describe("the report of a Square import has a line for", () => {
  test.each<[string, object, string]>([
    [
      "a deleted object",
      item("X", {}, { isDeleted: true }),
      "item 'x' (X): it is deleted in Square",
    ],
    [
      "a tax",
      { type: "TAX", id: "T", taxData: { name: "VAT" } },
      "tax 'VAT' (T): deskbell does not calculate taxes",
    ],
    [
      "an unknown type",
      { type: "QUICK_AMOUNTS_SETTINGS", id: "Q" },
      "quick amounts settings 'Q': deskbell has no equivalent",
    ],
    [
      "a type with the name of a JavaScript property",
      { type: "constructor", id: "Q" },
      "constructor 'Q': deskbell has no equivalent",
    ],
    [
      "an unknown field",
      item("X", { novelty: 1 }),
      "novelty on 1 item: deskbell has no field for it",
    ],
    [
      "a flag that is false",
      item("X", {}, { presentAtAllLocations: false }),
      "presentAtAllLocations on 1 item: a deskbell catalog is for a single location",
    ],
    [
      "a formatted description",
      item("X", { description: "Hot", descriptionHtml: "<b>Hot</b>" }),
      "descriptionHtml on 1 item: descriptions are plain text",
    ],
    [
      "a second description",
      item("X", { description: "Old", descriptionPlaintext: "New" }),
      "description on 1 item: deskbell has no field for it",
    ],
    [
      "a field of a variation",
      item("X", { variations: [variation("A", { upc: "1" })] }),
      "upc on 1 variation: deskbell has no field for it",
    ],
  ])("the report of a Square import has a line for %s", (_, object, line) => {
    expect(skippedIn(object, item("VALID"))).toEqual([line]);
  });

  test("the report of a Square import has a line for a repeated ID", () => {
    expect(skippedIn(item("X"), item("X"))).toEqual([
      "item 'x' (X): an earlier object has the same ID",
    ]);
  });

  test("the report of a Square import has no line for an empty field", () => {
    expect(
      skippedIn(item("X", { taxIds: [], abbreviation: "", labelColor: null, itemOptions: {} })),
    ).toEqual([]);
  });
});

test("the SKUs of a Square item with several variations are reported, because a dish has only one", () => {
  const tea = item("TEA", {
    variations: [variation("CUP", { sku: "T-1" }), variation("POT", { sku: "T-2" })],
  });
  expect(map(tea).sections.menu?.items?.[0]).not.toHaveProperty("sku");
  expect(skippedIn(tea)).toEqual([expect.stringContaining("sku on 2 variations")]);
});

test("the status, alcohol flag and SKU of a Square item are imported", () => {
  const wine = item("WINE", {
    isArchived: true,
    isAlcoholic: true,
    variations: [variation("GLASS", { sku: "W-1" })],
  });
  expect(map(wine)).toMatchObject({
    sections: { menu: { items: [{ status: "ARCHIVED", containsAlcohol: true, sku: "W-1" }] } },
    report: { skipped: [] },
  });
});

const discount = (id: string, data: Data) => ({
  type: "DISCOUNT",
  id,
  discountData: { name: id.toLowerCase(), ...data },
});

describe("discounts", () => {
  test("Square discounts with a fixed value become promotions that are not published yet", () => {
    const { sections, report } = map(
      item("TEA"),
      discount("TEN", { discountType: "FIXED_PERCENTAGE", percentage: "10.0" }),
      discount("FIVE", { discountType: "FIXED_AMOUNT", amountMoney: { amount: 500 } }),
    );
    expect(sections.promotions).toEqual([
      {
        key: "TEN",
        name: "ten",
        status: "inactive",
        benefit: { type: "percent_off", percent: "10" },
      },
      {
        key: "FIVE",
        name: "five",
        status: "inactive",
        benefit: { type: "amount_off", amount: "5.00" },
      },
    ]);
    expect(report.imported).toContain("2 promotions");
    expect(report.skipped.map(({ part }) => part)).toEqual([
      "publication of discount 'ten' (TEN)",
      "publication of discount 'five' (FIVE)",
    ]);
  });

  test("Square discounts without a fixed value are reported", () => {
    const open = discount("ANY", { discountType: "VARIABLE_PERCENTAGE" });
    const odd = discount("ODD", { discountType: "FIXED_PERCENTAGE", percentage: "33.333" });
    const none = discount("NONE", { discountType: "FIXED_PERCENTAGE", percentage: "0" });
    const least = discount("LEAST", { discountType: "FIXED_PERCENTAGE", percentage: "0.01" });
    expect(map(item("TEA"), none).sections).not.toHaveProperty("promotions");
    expect(map(item("TEA"), least).sections.promotions).toMatchObject([
      { benefit: { type: "percent_off", percent: "0.01" } },
    ]);
    expect(map(item("TEA"), open, odd).sections).not.toHaveProperty("promotions");
    expect(skippedIn(item("TEA"), open, odd)).toEqual([
      expect.stringMatching(/^discount 'any' \(ANY\): it has no fixed percentage/),
      expect.stringMatching(/^discount 'odd' \(ODD\): it has no fixed percentage/),
    ]);
  });
});

test.each([
  [{ type: "ITEM" }, "[0].id is missing; it must be text"],
  [item("TEA", { name: 5 }), "[0].itemData.name must be text, not 5"],
  [
    item("TEA", { variations: {} }),
    "[0].itemData.variations must be a list, not a group of fields",
  ],
  [
    item("TEA", { variations: [variation("A", { priceMoney: { amount: "x" } })] }),
    "[0].itemData.variations[0].itemVariationData.priceMoney.amount must be a whole number, not 'x'",
  ],
])(
  "an invalid value of a Square object is reported in words, with its path",
  (object, expected) => {
    const error = captureAppError(() => map(object));
    expect(error.issues.map(({ place, detail }) => `${place} ${detail}`)).toEqual([expected]);
  },
);

function captureAppError(work: () => unknown): AppError {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error("No AppError was thrown.");
}

test("an empty description of Square gives a dish no description", () => {
  const { sections, report } = map(item("TEA", { description: "" }));
  expect(sections.menu?.items?.[0]).not.toHaveProperty("description");
  expect(report.skipped).toEqual([]);
});

test.each([{ id: "response-1" }, { type: "LIST" }])(
  "a response of Square with %o beside its objects is read as a list",
  (field) => {
    const { objects } = parseSquareObjects({ ...field, objects: [item("TEA"), item("CUP")] });
    expect(objects.map(({ id }) => id)).toEqual(["TEA", "CUP"]);
  },
);

test("a file of which nothing can be imported is refused with the reason for each part", () => {
  const issues = captureIssues(() =>
    map(item("SOUP", { variations: [] }), service("CUT", [variation("V")])),
  );
  expect(issues.map(({ detail }) => detail)).toEqual([
    "variation 'v' (V) of service 'cut' (CUT): it has no duration",
    "service 'cut' (CUT): none of its variations could be imported, so it has no duration and no price",
    "item 'soup' (SOUP): none of its variations could be imported, so it has no price",
  ]);
});
