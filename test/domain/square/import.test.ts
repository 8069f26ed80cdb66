import { describe, expect, test } from "vitest";
import { mapSquareCatalog } from "../../../src/domain/square/import.ts";
import { parseSquareObjects } from "../../../src/domain/square/objects.ts";

const map = (...objects: object[]) => mapSquareCatalog(parseSquareObjects(objects).objects, "USD");
const leftOf = (...objects: object[]) =>
  map(...objects).report.left.map(({ what, why }) => `${what}: ${why}`);

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
  test("several are sizes of a dish, in Square's order", () => {
    const { sections } = map(
      item("TEA", {
        variations: [
          variation("POT", { ordinal: 2, priceMoney: { amount: 950, currency: "CURRENCY" } }),
          variation("CUP", { ordinal: 1, priceMoney: { amount: "450" } }),
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
        ],
      },
    ]);
  });

  test("several are variants of a service, the first the default", () => {
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

  test("prices made at the sale become MARKET for a dish and ON_REQUEST for a service", () => {
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

  test("a service that cannot be booked in any variation is not bookable", () => {
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
      "priced below nothing",
      [variation("A"), variation("B", { priceMoney: { amount: -1 } })],
      "its price is negative",
    ],
    [
      "priced at the sale, beside a fixed one",
      [variation("A"), variation("B", { pricingType: "VARIABLE_PRICING" })],
      "its price is made at the sale",
    ],
  ])("one that is %s is left", (_, variations, line) => {
    const dish = item("X", { variations });
    expect(map(dish).sections.menu?.items?.[0]?.sizes).toEqual([
      { key: "A", name: "a", price: "9.00" },
    ]);
    expect(leftOf(dish)).toEqual([expect.stringContaining(line)]);
  });

  test.each<[string, object, string]>([
    [
      "no duration",
      service("X", [variation("A")]),
      "variation 'a' (A) of service 'x' (X): it says no duration",
    ],
    [
      "more than a day",
      service("X", [variation("A", { serviceDuration: 90_000_000 })]),
      "its durationMin must be",
    ],
    [
      "no variation",
      item("X", { variations: [] }),
      "item 'x' (X): none of its variations could be taken",
    ],
    ["no name", item("X", { name: "" }), "item 'X': its name must be one line"],
    [
      "another kind",
      item("X", { productType: "GIFT_CARD" }),
      "gift card is neither a dish nor a service",
    ],
  ])("an item with %s is left, the others are taken", (_, broken, line) => {
    const { sections, report } = map(broken, item("SOUND"));
    expect(sections.menu?.items?.map(({ key }) => key)).toEqual(["SOUND"]);
    expect(sections.services).toBeUndefined();
    expect(report.left.map(({ what, why }) => `${what}: ${why}`)).toContainEqual(
      expect.stringContaining(line),
    );
  });

  test("a duration in seconds is rounded up, and says so", () => {
    const cut = service("CUT", [variation("A", { serviceDuration: 1_830_000 })]);
    expect(map(cut).sections.services?.[0]?.durationMin).toBe(31);
    expect(leftOf(cut)).toEqual([expect.stringContaining("rounded up to 31 minutes")]);
  });
});

describe("categories", () => {
  test("go where their items go, their parents with them", () => {
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
    expect(report.taken).toEqual([
      "2 service categories",
      "1 service with 1 variant",
      "3 menu categories",
      "1 dish with 1 size",
    ]);
    expect(report.left).toEqual([]);
  });

  test("the reporting category counts where there is no other, and is named where it differs", () => {
    const objects = [category("A"), category("B"), item("X", { reportingCategory: { id: "A" } })];
    expect(map(...objects).sections.menu?.items?.[0]?.categories).toEqual(["A"]);
    expect(leftOf(...objects)).toEqual([]);
    const other = item("Y", { categoryId: "B", reportingCategory: { id: "A" } });
    expect(leftOf(category("A"), category("B"), other)).toEqual([
      expect.stringMatching(/^reportingCategory on 1 item: /),
    ]);
  });

  test("references to nowhere are left out of the file and named", () => {
    expect(leftOf(item("X", { categoryId: "GONE" }))).toEqual([
      "category GONE of item 'x' (X): it is not in the file, or was not taken",
    ]);
    expect(leftOf(category("A", { parentCategory: { id: "GONE" } }))).toEqual([
      "parent GONE of category 'A' (A): it is not in the file, or was not taken",
    ]);
  });

  test("a ring of parents is cut", () => {
    const ring = [
      category("A", { parentCategory: { id: "B" } }),
      category("B", { parentCategory: { id: "A" } }),
    ];
    expect(map(...ring).sections.menu?.categories).toEqual([
      { key: "A", name: "A" },
      { key: "B", name: "B", parent: "A" },
    ]);
    expect(leftOf(...ring)).toEqual([
      "parent B of category 'A' (A): the categories go round in a ring",
    ]);
  });
});

describe("modifier lists", () => {
  const milks = [
    modifier("OAT", { ordinal: 2, priceMoney: { amount: 80, currency: "USD" } }),
    modifier("WHOLE", { ordinal: 1, onByDefault: true }),
  ];

  test("are groups of options, which their dishes refer to", () => {
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
      taken: ["1 modifier group with 2 options", "1 dish with 1 size"],
      left: [],
    });
  });

  test.each<[string, Data, Data[], { min: number; max: number }]>([
    ["any number where nothing is said", {}, [{}], { min: 0, max: 2 }],
    [
      "the list's own",
      { minSelectedModifiers: 1, maxSelectedModifiers: 2 },
      [{ minSelectedModifiers: -1 }],
      { min: 1, max: 2 },
    ],
    [
      "the dishes' where they agree",
      {},
      [
        { minSelectedModifiers: 1, maxSelectedModifiers: 1 },
        { minSelectedModifiers: 1, maxSelectedModifiers: 1 },
      ],
      { min: 1, max: 1 },
    ],
    [
      "no more than there are options",
      { minSelectedModifiers: 3, maxSelectedModifiers: 5 },
      [],
      { min: 2, max: 2 },
    ],
  ])("how many may be chosen: %s", (_, own, rules, expected) => {
    const dishes = rules.map((rule, at) => item(`DISH${at}`, uses("MILK", rule)));
    expect(
      map(list("MILK", milks, own), ...dishes).sections.menu?.modifierGroups?.[0],
    ).toMatchObject(expected);
  });

  test("dishes that disagree on how many are named", () => {
    const lines = leftOf(
      list("MILK", milks),
      item("A", uses("MILK")),
      item("B", uses("MILK", { minSelectedModifiers: 1 })),
    );
    expect(lines).toEqual([
      "1 to any number choices of modifier list 'milk' (MILK) with 'b': the dishes disagree, and a group has one rule",
    ]);
  });

  test.each<[string, object[], string]>([
    ["a text", [list("NOTE", [], { modifierType: "TEXT" })], "guests choose from options here"],
    ["an empty one", [list("NONE", [])], "it has no option"],
    [
      "a deleted option",
      [list("L", [modifier("A"), modifier("B", {}, { isDeleted: true })])],
      "'b' (B) of modifier list 'l' (L): it is deleted",
    ],
    [
      "an option that lowers the price",
      [list("L", [modifier("A"), modifier("B", { priceMoney: { amount: -50 } })])],
      "an option cannot lower the price",
    ],
    [
      "a default too many",
      [
        list("L", [modifier("A", { onByDefault: true }), modifier("B", { onByDefault: true })], {
          selectionType: "SINGLE",
        }),
      ],
      "onByDefault of 'b' (B)",
    ],
    [
      "one of a service",
      [list("L", [modifier("A")]), service("CUT", [variation("V", HALF_HOUR)], uses("L"))],
      "modifiers belong to dishes",
    ],
    [
      "one switched off",
      [list("L", [modifier("A")]), item("X", uses("L", { enabled: false }))],
      "it is switched off there",
    ],
  ])("%s is left", (_, objects, line) => {
    expect(leftOf(...objects, item("SOUND"))).toEqual([expect.stringContaining(line)]);
  });
});

describe("images", () => {
  const photo = (data: Data) => ({ type: "IMAGE", id: "P", imageData: data });

  test("web addresses are kept, with their captions", () => {
    const { sections, report } = map(
      photo({ url: "https://joes.example/soup.jpg", caption: "A bowl" }),
      item("SOUP", { imageIds: ["P"] }),
      { data: item("TEA"), image: { url: "http://joes.example/tea.jpg" } },
    );
    expect(sections.menu?.items?.map(({ images }) => images)).toEqual([
      [{ url: "https://joes.example/soup.jpg", alt: "A bowl" }],
      [{ url: "http://joes.example/tea.jpg" }],
    ]);
    expect(report).toEqual({ taken: ["2 dishes with 2 sizes", "2 images"], left: [] });
  });

  test("what is no web address, not there or not used is named", () => {
    const lines = leftOf(
      photo({ url: "https://joes.example/soup.jpg" }),
      item("SOUP", { imageIds: ["Q"] }),
      {
        data: item("TEA"),
        image: { url: "./tea.png" },
      },
    );
    expect(lines).toEqual([
      "image Q of SOUP: the image itself is not in the file",
      expect.stringMatching(/^image \.\/tea\.png of TEA: an image is a web address/),
      "image 'P': no item or category that was taken uses it",
    ]);
  });
});

describe("nothing is lost without a line", () => {
  test.each<[string, object, string]>([
    [
      "a deleted object",
      item("X", {}, { isDeleted: true }),
      "item 'x' (X): it is deleted in Square",
    ],
    [
      "a tax",
      { type: "TAX", id: "T", taxData: { name: "VAT" } },
      "tax 'VAT' (T): prices are served as they are written",
    ],
    [
      "a kind unknown here",
      { type: "QUICK_AMOUNTS_SETTINGS", id: "Q" },
      "quick amounts settings 'Q': deskbell has nothing of this kind",
    ],
    [
      "a kind named like a property of every object",
      { type: "constructor", id: "Q" },
      "constructor 'Q': deskbell has nothing of this kind",
    ],
    [
      "a field unknown here",
      item("X", { novelty: 1 }),
      "novelty on 1 item: deskbell has no field for it",
    ],
    [
      "a false flag",
      item("X", {}, { presentAtAllLocations: false }),
      "presentAtAllLocations on 1 item: the catalog is that of one location",
    ],
    [
      "a formatted description",
      item("X", { description: "Hot", descriptionHtml: "<b>Hot</b>" }),
      "descriptionHtml on 1 item: descriptions are plain text",
    ],
    [
      "a second text",
      item("X", { description: "Old", descriptionPlaintext: "New" }),
      "description on 1 item: deskbell has no field for it",
    ],
    [
      "a variation's field",
      item("X", { variations: [variation("A", { upc: "1" })] }),
      "upc on 1 variation: deskbell has no field for it",
    ],
  ])("%s", (_, object, line) => {
    expect(leftOf(object, item("SOUND"))).toEqual([line]);
  });

  test("the same id again", () => {
    expect(leftOf(item("X"), item("X"))).toEqual([
      "item 'x' (X): an object before it has the same id",
    ]);
  });

  test("an empty field is nothing to lose", () => {
    expect(
      leftOf(item("X", { taxIds: [], abbreviation: "", labelColor: null, itemOptions: {} })),
    ).toEqual([]);
  });
});

test("an archived item, alcohol and an only variation's SKU are kept", () => {
  const wine = item("WINE", {
    isArchived: true,
    isAlcoholic: true,
    variations: [variation("GLASS", { sku: "W-1" })],
  });
  expect(map(wine)).toMatchObject({
    sections: { menu: { items: [{ status: "ARCHIVED", containsAlcohol: true, sku: "W-1" }] } },
    report: { left: [] },
  });
});
