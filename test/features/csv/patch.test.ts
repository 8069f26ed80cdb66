import { describe, expect, test } from "vitest";
import type { Catalog } from "../../../src/domain/catalog/catalog.ts";
import { CSV_COLUMNS, type CsvCells } from "../../../src/features/csv/format.ts";
import { patchCatalog } from "../../../src/features/csv/patch.ts";
import { writeBusiness } from "../../../src/domain/catalog/file/business.ts";
import {
  buildArea,
  buildAddon,
  buildAddonLink,
  buildCatalog,
  buildMenuItem,
  buildService,
  buildServiceCategory,
  buildStaffMember,
  buildVariant,
} from "../../support/catalog-builders.ts";

const CATALOG = buildCatalog({
  service_category: [buildServiceCategory("hair", { name: "Hair", color: "#aa3366" })],
  staff: [buildStaffMember("mia")],
  addon: [buildAddon("oil", { name: "Oil", maxQuantity: 3 })],
  service: [
    buildService("cut", {
      name: "Cut",
      description: "With a wash.",
      category: "hair",
      staff: ["mia"],
      addons: [buildAddonLink("oil", { maxQuantity: 3 })],
      images: [
        { url: "https://example.com/a.jpg", alt: "A cut", width: 300, height: 200 },
        { url: "https://example.com/b.jpg", alt: null, width: null, height: null },
      ],
      variants: [
        buildVariant("short", { name: "Short", isDefault: true, staff: ["mia"] }),
        buildVariant("long", { name: "Long", priceCents: 4000 }),
      ],
    }),
    buildService("dye-roots", { name: "Dye", previousKeys: ["dye"] }),
    buildService("dye-all", { name: "Dye" }),
    buildService("perm", {
      name: "Perm",
      variants: [buildVariant("long", { name: "Long" })],
    }),
  ],
  menu_category: [
    {
      ...buildArea("soups", { name: "Soups" }),
      description: null,
      parent: null,
      availability: null,
    },
  ],
  menu_item: [
    buildMenuItem("goulash", {
      name: "Goulash",
      categories: ["soups"],
      allergens: ["celery"],
      priceCents: 900,
      sizes: [
        { key: "cup", previousKeys: [], name: "Cup", priceCents: 900 },
        { key: "bowl", previousKeys: [], name: "Bowl", priceCents: 1200 },
      ],
    }),
  ],
});

function patch(csv: string, catalog: Catalog = CATALOG) {
  const [titles = [], ...lines] = csv
    .trim()
    .split("\n")
    .map((line) => line.trim().split(","));
  const rows = lines.map((cells, index) => ({
    row: index + 2,
    cells: Object.fromEntries(cells.map((cell, at) => [titles[at], cell])) as CsvCells,
  }));
  const known = CSV_COLUMNS.filter((column) => titles.includes(column));
  const table = {
    rows,
    titles: Object.fromEntries(known.map((column) => [column, column])),
    ignored: [],
    issues: [],
  };
  const business = writeBusiness(catalog.business);
  const { merged, issues, cleared } = patchCatalog(table, catalog, business, { isNew: false });
  return {
    catalog: merged?.catalog as Catalog,
    cleared,
    issues: issues.map(({ row, detail }) => `${row} ${detail}`),
  };
}

function withService(key: string, edit: object): Catalog {
  const service = CATALOG.objects.service.map((one) =>
    one.key === key ? { ...one, ...edit } : one,
  );
  return { ...CATALOG, objects: { ...CATALOG.objects, service } };
}

describe("a row changes only its columns of the object", () => {
  const repriced = withService("cut", { priceCents: 3550 });

  test.each([
    ["with its type and key", "type,key,price\nservice,cut,35.50"],
    ["with its key alone", "key,price\ncut,35.50"],
    ["with its name alone", "name,price\nCut,35.50"],
    ["with its name in other letters", "name,price\n  cUT ,35.50"],
    ["whose other cells are as in an export", "key,name,price,status\ncut,Cut,35.50,ACTIVE"],
  ])("a row of a CSV table %s changes only the fields that have columns", (_case, csv) => {
    const { catalog, issues } = patch(csv);
    expect(issues).toEqual([]);
    expect(catalog).toEqual(repriced);
  });

  test("a row of a CSV table finds its object by a former key", () => {
    expect(patch("key,duration_min\ndye,45").catalog).toEqual(
      withService("dye-roots", { durationMin: 45 }),
    );
  });

  test("a row of a CSV table finds its variant by a unique name, or by the parent and a key or name", () => {
    const variants = [buildVariant("long", { name: "Long", priceCents: 5000 })];
    const expected = withService("perm", { variants });
    expect(patch("key,parent_key,price\nlong,perm,50.00").catalog).toEqual(expected);
    expect(patch("type,name,parent_key,price\nvariant,Long,Perm,50.00").catalog).toEqual(expected);
    expect(patch("name,price\nShort,31.00").issues).toEqual([]);
    expect(patch("name,price\nLong,50.00").issues).toEqual([
      "2 'Long' can be any of 2 objects (variant 'long' of 'cut', variant 'long' of 'perm'). Fill in 'key'.",
    ]);
  });

  test("a row of a CSV table with a price or a duration is not matched with a category of the same name", () => {
    const named = withService("perm", { name: "Hair" });
    const find = (csv: string) => {
      const { catalog, issues } = patch(csv, named);
      return { issues, perm: catalog?.objects.service.find(({ key }) => key === "perm") };
    };
    expect(find("name,price\nHair,9.00")).toMatchObject({ issues: [], perm: { priceCents: 900 } });
    expect(find("name,duration_min\nHair,45")).toMatchObject({
      issues: [],
      perm: { durationMin: 45 },
    });
    expect(find("name,description\nHair,With a wash.").issues).toEqual([
      "2 'Hair' can be any of 2 objects (service category 'hair', service 'perm'). Fill in 'key'.",
    ]);
  });

  test("a CSV table with rows for some services keeps all services in their order", () => {
    const { catalog } = patch("key,price\nperm,1.00\ndye-all,2.00");
    expect(catalog.objects.service.map(({ key }) => key)).toEqual([
      "cut",
      "dye-roots",
      "dye-all",
      "perm",
    ]);
  });

  test("a dish gets the new price of its cheapest size, unless the CSV table has a price of the dish itself", () => {
    const [goulash] = CATALOG.objects.menu_item;
    const [cup, bowl] = goulash?.sizes ?? [];
    const sizes = [{ ...cup, priceCents: 950 }, bowl];
    expect(patch("key,parent_key,price\ncup,goulash,9.50").catalog.objects.menu_item).toEqual([
      { ...goulash, priceCents: 950, sizes },
    ]);
    const both = "key,parent_key,price\ngoulash,,9.00\ncup,goulash,9.50";
    expect(patch(both).catalog.objects.menu_item).toEqual([{ ...goulash, sizes }]);
  });
});

describe("an empty cell", () => {
  test("an empty cell of a CSV table clears an optional field if the row has a key", () => {
    const { catalog, cleared } = patch("key,description,category,image,tags\ncut,,,,\nperm,,,,");
    expect(cleared).toEqual([
      { column: "description", objects: 1 },
      { column: "category", objects: 1 },
      { column: "image", objects: 1 },
    ]);
    expect(catalog).toEqual(withService("cut", { description: null, category: null, images: [] }));
  });

  test.each([
    ["leaves a required field", "key,name,price,duration_min,status\ncut,,,,"],
    ["leaves every field of a row without a key", "name,price,description,category,image\nCut,,,,"],
  ])("an empty cell of a CSV table %s", (_case, csv) => {
    const { catalog, issues, cleared } = patch(csv);
    expect({ issues, cleared }).toEqual({ issues: [], cleared: [] });
    expect(catalog).toEqual(CATALOG);
  });
});

test("an image that stays in the row of a CSV table keeps its alternative text and its size", () => {
  const [first] = CATALOG.objects.service[0]?.images ?? [];
  const { catalog } = patch("key,image\ncut,https://example.com/new.jpg|https://example.com/a.jpg");
  const added = { url: "https://example.com/new.jpg", alt: null, width: null, height: null };
  expect(catalog).toEqual(withService("cut", { images: [added, first] }));
});

test("a CSV table that changes or clears a text also updates the translation in the business's own language", () => {
  const translations = {
    en: { name: "Cut", description: "With a wash." },
    de: { name: "Schnitt" },
  };
  const { catalog } = patch(
    "key,name,description\ncut,Trim,",
    withService("cut", { translations }),
  );
  expect(catalog.objects.service[0]).toMatchObject({ name: "Trim", description: null });
  expect(catalog.objects.service[0]?.translations).toEqual({
    en: { name: "Trim" },
    de: { name: "Schnitt" },
  });
});

describe("an unknown row", () => {
  test("a complete CSV row that matches no object adds an object after the existing ones", () => {
    const { catalog, issues } = patch(`type,name,category,price,duration_min,parent_key
      service,Beard trim,Beards,25.00,20,
      variant,Extra long,,60.00,,cut`);
    expect(issues).toEqual([]);
    expect(catalog.objects.service.at(-1)).toEqual(
      buildService("beard-trim", {
        name: "Beard trim",
        category: "beards",
        priceCents: 2500,
        durationMin: 20,
      }),
    );
    expect(catalog.objects.service[0]?.variants.map(({ key }) => key)).toEqual([
      "short",
      "long",
      "extra-long",
    ]);
    expect(catalog.objects.service_category.map(({ name }) => name)).toEqual(["Hair", "Beards"]);
  });

  test("a new variant in a CSV table finds its new service by the name of the service", () => {
    const { catalog, issues } = patch(`type,name,price,duration_min,parent_key
      variant,Royal,60.00,40,Beard trim
      service,Beard trim,25.00,20,`);
    expect(issues).toEqual([]);
    expect(catalog.objects.service.at(-1)).toMatchObject({
      key: "beard-trim",
      variants: [{ key: "royal", name: "Royal", priceCents: 6000 }],
    });
  });

  test.each([
    [
      "type,name,price\nservice,Cutt,1.00",
      "2 There is no service 'Cutt' to update. Did you mean 'Cut'? To create it, fill in 'duration_min'.",
    ],
    [
      "name,price\nPermm,1.00",
      "2 There is no service, dish, add-on or category 'Permm' in salon-aurora. Did you mean 'Perm'? To create it, fill in 'type'.",
    ],
    [
      "type,key,name,price,duration_min\nservice,kut,Cut,1.00,30",
      "2 There is no service with the key 'kut' in salon-aurora, but 'Cut' has the key 'cut'. Write that key, or another name.",
    ],
    [
      "type,name,price,duration_min\nservice,Dye all,1.00,30",
      "2 There is no service named 'Dye all' in salon-aurora, and the key 'dye-all' made from the name belongs to 'Dye'. Fill in 'key'.",
    ],
    [
      "type,name,parent_key,price\nsize,Pot,gulash,1.00",
      "2 There is no menu item 'gulash' in salon-aurora. Did you mean 'goulash'?",
    ],
  ])("an unknown row of a CSV table that looks like a mistake is refused: %j", (csv, issue) => {
    expect(patch(csv).issues).toEqual([issue]);
  });
});

test.each([
  [
    "name,price\nDye,1.00",
    "2 'Dye' can be any of 2 objects (service 'dye-roots', service 'dye-all'). Fill in 'key'.",
  ],
  [
    "name,key,price\nCut,cut,1.00\nCut,,2.00",
    "3 The service 'cut' is listed twice. The other is in row 2.",
  ],
  [
    "key,allergens\ncut,milk",
    "2 'allergens' has no meaning in a row of type service: leave the cell empty.",
  ],
  [
    "key,price\noil,from 3.00",
    "2 'price' must be an amount such as 35.00, not 'from 3.00': only services and dishes have other prices.",
  ],
  [
    "key,category\ncut,Hair|Nails",
    "2 'category' lists several categories in 'Hair|Nails'; a service has one.",
  ],
  ["key,status\ncut,gone", "2 'status' must be active, inactive or archived, not 'gone'."],
  ["key,description\n,x", "2 'name' is missing."],
])("an ambiguous or invalid row of a CSV table is refused: %j", (csv, issue) => {
  expect(patch(csv).issues).toEqual([issue]);
});

test("the error for a CSV row that fits several objects names the first five of these objects", () => {
  const service = Array.from({ length: 6 }, (_, i) =>
    buildService(`dye-${i + 1}`, { name: "Dye" }),
  );
  expect(patch("name,price\nDye,1.00", buildCatalog({ service })).issues).toEqual([
    "2 'Dye' can be any of 6 objects (service 'dye-1', service 'dye-2', service 'dye-3', service 'dye-4', service 'dye-5'). Fill in 'key'.",
  ]);
});

test("an issue of a category without a row of its own in the CSV table is reported for the row of column titles", () => {
  const buildCategory = (key: string, parent: string | null) => ({
    ...buildArea(key),
    description: null,
    parent,
    availability: null,
  });
  const categories = [buildCategory("soups", "starters"), buildCategory("starters", null)];
  const catalog = buildCatalog({ menu_category: categories });
  expect(patch("key,parent_key\nstarters,soups", catalog).issues).toEqual([
    "1 These categories form a cycle: 'soups' in 'starters' in 'soups'.",
  ]);
});

test("a CSV import reports the issues of all rows together", () => {
  const { issues } = patch(`key,price,duration_min
    cut,x,soon
    nope,1.065,1:30
    perm,#####,30`);
  expect(issues.toSorted()).toEqual([
    "2 'duration_min' must be a whole number from 1 to 1440, not 'soon'.",
    "2 'price' must be an amount such as 35.00, not 'x'.",
    expect.stringContaining("3 'duration_min' must be a number of minutes"),
    expect.stringContaining("3 'price' is ambiguous"),
    expect.stringContaining("3 There is no service, dish, add-on or category 'nope'"),
    expect.stringContaining("4 'price' contains '#####'"),
  ]);
});
