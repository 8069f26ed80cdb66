import { describe, expect, test } from "vitest";
import { readStoredCatalog } from "../../../src/app/catalog/export-catalog.ts";
import { writeCatalog } from "../../../src/features/csv/export.ts";
import { importCsv } from "../../../src/features/csv/import-csv.ts";
import { applyCatalog } from "../../../src/app/catalog/catalog.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { readCatalog } from "../../../src/domain/catalog/source/read-catalog.ts";
import { readPreset } from "../../../src/platform/assets.ts";
import { collectIssues } from "../../support/catalog-file.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

const BUSINESS = { businessSlug: "joes", timezone: "Europe/Zurich", currency: "CHF" };
const TITLES =
  "type,key,parent_key,name,category,price,duration_min,description,image,status,allergens,tags";

const csvSource = (text: string) => ({ name: "prices.csv", bytes: Buffer.from(text) });

const importAndRead = (text: string, business = BUSINESS) => {
  const { yaml, report } = importCsv(csvSource(text), business);
  const options = { current: () => null, prune: false, seedingAt: null };
  return {
    yaml,
    report,
    objects: readCatalog([{ name: "import.yaml", text: yaml }], options).catalog.objects,
  };
};

const issuesIn = (text: string) => collectIssues(() => importCsv(csvSource(text), BUSINESS));

const TABLE = `${TITLES}
service,cut,,Cut,Hair,40.00,30,"Wash, cut and style",https://example.com/cut.jpg,active,,new|short
variant,long,cut,Long hair,,55.00,45,,,,,
menu_item,soup,,Soup,Starters|Soups,9.50,,"Hot.
With bread.",,,celery|milk,
size,bowl,soup,Bowl,,12.00,,,,,,
addon,mask,,Mask,,12.00,10,,,,,
`;

describe("a CSV table", () => {
  test("a CSV table is imported as services with variants, dishes with sizes, add-ons and categories", () => {
    const { objects, report } = importAndRead(TABLE);
    expect(objects.service).toMatchObject([
      {
        key: "cut",
        priceCents: 4000,
        durationMin: 30,
        category: "hair",
        tags: ["new", "short"],
        variants: [{ key: "long", priceCents: 5500 }],
      },
    ]);
    expect(objects.menu_item).toMatchObject([
      {
        key: "soup",
        categories: ["starters", "soups"],
        description: "Hot.\nWith bread.",
        allergens: ["celery", "milk"],
        sizes: [{ key: "bowl" }],
      },
    ]);
    expect(objects.addon).toMatchObject([{ key: "mask", durationMin: 10 }]);
    expect(objects.service_category.map(({ name }) => name)).toEqual(["Hair"]);
    expect(report.imported).toEqual([
      "1 service category",
      "1 add-on",
      "1 service with 1 variant",
      "2 menu categories",
      "1 dish with 1 size",
      "1 image",
      "3 categories created from the column 'category'",
    ]);
  });

  test.each([
    ["with a byte order mark and CRLF", `\ufeff${TABLE.replaceAll("\n", "\r\n")}`],
    [
      "with semicolons",
      TABLE.replaceAll(",", ";").replace('"Wash; cut and style"', "Wash, cut and style"),
    ],
    [
      "with tabs",
      TABLE.replaceAll(",", "\t").replace('"Wash\t cut and style"', '"Wash, cut and style"'),
    ],
    ["with empty lines", TABLE.replaceAll("\naddon", "\n\n\naddon")],
    ["with blank rows and columns at the end", `${TABLE.replace(/tags$/m, "tags,,")},,,,,\n,,\n`],
    [
      "with Excel's line that names the separator",
      `sep=;\r\n${TABLE.replaceAll(",", ";").replace('"Wash; cut and style"', "Wash, cut and style")}`,
    ],
    [
      "with German titles and types",
      TABLE.replace(
        TITLES,
        "Typ,Schlüssel,Gehört zu,Bezeichnung,Kategorie,Preis (CHF),Dauer in Minuten,Beschreibung,Bild,Status,Allergene,Schlagworte",
      )
        .replaceAll(/^menu_item/gm, "Gericht")
        .replaceAll(/^service/gm, "Dienstleistung"),
    ],
    ["with the help's own word for a menu item", TABLE.replace("menu_item", "dish")],
    [
      "with titles in another case and spelling",
      TABLE.replace("parent_key", "Parent key").replace("duration_min", " Duration-Min"),
    ],
  ])("a CSV table %s is imported with the same result", (_form, text) => {
    const { objects } = importAndRead(text);
    const { objects: expected } = importAndRead(TABLE);
    const lines = (value: unknown) =>
      JSON.parse(JSON.stringify(value).replaceAll(String.raw`\r\n`, String.raw`\n`));
    expect(lines(objects)).toEqual(expected);
  });

  test("a CSV table may omit keys, unused columns, and the price of a service with variants", () => {
    const { objects } = importAndRead(
      'type,name,parent_key,price,duration_min\nservice,Cut & Go,,,\nvariant,Short,cut-go,"40,50",30\n',
    );
    expect(objects.service).toMatchObject([
      { key: "cut-go", priceCents: 4050, durationMin: 30, variants: [{ key: "short" }] },
    ]);
  });

  test.each([
    ["free", { priceType: "FREE", priceCents: 0 }],
    ["on_request", { priceType: "ON_REQUEST", priceCents: 0 }],
    ["from 35.00", { priceType: "FROM", priceCents: 3500 }],
    ["35", { priceType: "FIXED", priceCents: 3500 }],
  ])("a CSV table may have the price %s", (price, expected) => {
    expect(
      importAndRead(`type,name,price,duration_min\nservice,Cut,${price},30\n`).objects.service,
    ).toMatchObject([expected]);
  });

  test("the report of a CSV import names the unknown columns", () => {
    const { report } = importAndRead(
      "type,name,price,duration_min,supplier\nservice,Cut,1,30,Acme\n",
    );
    expect(report.skipped).toEqual([
      { part: "the column 'supplier'", reason: "deskbell has no such column" },
    ]);
    expect(importAndRead("type,name,price,statuss,\naddon,Mask,1,2,3\n").report.skipped).toEqual([
      {
        part: "the column 'statuss'",
        reason: "deskbell has no such column. Did you mean 'status'?",
      },
      { part: "column 5", reason: "it has no title" },
    ]);
  });
});

test("importCsv reports all issues of a file, each with its row and fix", () => {
  const text = `${TITLES}
servise,cut,,Cut,,40.00,30,,,,,
service,a,,A,,4o,30,,,,,
service,b,,B,,40.00,soon,,,,,
variant,v,,V,,40.00,30,,,,,
variant,w,bb,W,,40.00,30,,,,,
menu_item,soup,,"So
up",,9.50,,,,,milk|glutn,
menu_item,soup,,Soup,,9.50,,,,,,,,extra
addon,m,,Mask,,1.005,,,not a url,,,
`;
  expect(issuesIn(text)).toEqual([
    "prices.csv:2 'type' must be one of service_category, addon, service, variant, menu_category, menu_item, size, not 'servise'. Did you mean 'service'?",
    "prices.csv:3 'price' must be an amount such as 35.00, not '4o'.",
    "prices.csv:4 'duration_min' must be a whole number from 1 to 1440, not 'soon'.",
    "prices.csv:5 'parent_key' is missing: a variant belongs to a service.",
    "prices.csv:6 There is no service 'bb' in this file. Did you mean 'b'?",
    "prices.csv:7 'name' must be one line of 1 to 200 characters, not 'So␊up'.",
    expect.stringMatching(/^prices\.csv:7 Each of 'allergens' must be .*Did you mean 'gluten'\?$/),
    expect.stringMatching(/^prices\.csv:8 This row has 14 cells, but there are 12 columns\./),
    "prices.csv:8 The menu item 'soup' is listed twice. The other is in row 7.",
    "prices.csv:9 'price' is ambiguous: the '.' in '1.005' can separate thousands or decimals. Write 1005.00, or an amount with exactly 2 decimals.",
    expect.stringMatching(/^prices\.csv:9 Each of 'image' must be a web address/),
  ]);
});

test("importCsv reports spoiled cells with the row and the title of the column", () => {
  const text = `Typ;Bezeichnung;Preis;Dauer
service;Cut;1.065;30
service;=A1;40,00;30
service;Colour;12. Mai;30
;;;
service;Tint;1,06E+03;1:30
service;#NAME?;$ 5;30
service;Gloss;=B2*2;30
`;
  expect(issuesIn(text)).toEqual([
    "prices.csv:2 'Preis' is ambiguous: the '.' in '1.065' can separate thousands or decimals. Write 1065.00, or an amount with exactly 2 decimals.",
    "prices.csv:3 'Bezeichnung' contains the formula '=A1', not its result. Copy the cell and paste it as a value.",
    "prices.csv:4 'Preis' contains a date, '12. Mai'; spreadsheets turn some texts into dates. Format the column as text and type the value again.",
    "prices.csv:6 'Preis' is in scientific notation: '1,06E+03'. Format the column as text and type the value again.",
    "prices.csv:6 'Dauer' must be a number of minutes, not '1:30'. Write 90.",
    "prices.csv:7 'Bezeichnung' contains the spreadsheet's error '#NAME?'. Correct the formula in this cell.",
    "prices.csv:7 'Preis' is in '$', but the prices of this business are in CHF.",
    "prices.csv:8 'Preis' contains the formula '=B2*2', not its result. Copy the cell and paste it as a value.",
  ]);
});

test("importCsv gives each issue a code", () => {
  const text = `type,key,parent_key,name,price,duration_min
servise,,,Cut,1.00,30
service,,,#NAME?,1.00,30
service,,,,1.00,30
variant,,nobody,Long,1.00,30
addon,oil,,Oil,1.00,
addon,oil,,Oil,1.00,
`;
  expect(() => importCsv(csvSource(text), BUSINESS)).toThrow(
    expect.objectContaining({
      issues: [
        { place: "prices.csv:2", code: "invalid_value", detail: expect.anything() },
        { place: "prices.csv:3", code: "invalid_value", detail: expect.anything() },
        { place: "prices.csv:4", code: "missing_field", detail: expect.anything() },
        { place: "prices.csv:5", code: "unknown_reference", detail: expect.anything() },
        { place: "prices.csv:7", code: "repeated_key", detail: expect.anything() },
      ],
    }),
  );
});

test("importCsv refuses a price column in another currency", () => {
  expect(issuesIn("type,name,Preis (EUR)\naddon,Mask,12.00\n")).toEqual([
    "prices.csv:1 The column 'Preis (EUR)' is in EUR, but the prices of this business are in CHF.",
  ]);
});

describe("importCsv rejects a file with", () => {
  test.each<[string, string, string]>([
    ["no content", "", "is empty"],
    ["no known titles", "a,b\n1,2\n", "The column 'type' is missing."],
    ["another separator", "type|name\nservice|Cut\n", "with a comma, semicolon or tab between two"],
    ["only titles", "type,name\n,\n", "has only the titles of the columns"],
    ["a repeated title", "type,name,name\n", "The column 'name' occurs twice."],
    [
      "two titles for a column",
      "type,name,Preis,price\n",
      "The columns 'Preis' and 'price' mean the same.",
    ],
    ["an unclosed quote", 'type,name\nservice,"Cut\n', "A quote is never closed"],
    ["a quote inside a cell", 'type,name\nservice,"Cut" it\n', "A cell contains a quote"],
    ["a lost letter", "type,name\nservice,Caf\ufffd\n", "contains the character U+FFFD"],
    [
      "a cell of 65 KiB",
      `type,name,description\nservice,Cut,${"x".repeat(66_560)}\n`,
      "Column 3 contains more than 64 KiB.",
    ],
    [
      "an unclosed quote in a row of 1 MB",
      `type,name\nservice,"${"x".repeat(1_000_000)}`,
      "This row is too long",
    ],
    ["100,001 rows", `type,name\n${"a,b\n".repeat(100_001)}`, "has more than 100000 rows"],
  ])("importCsv rejects a file with %s", (_case, text, problem) => {
    const attempt = () => importCsv(csvSource(text), BUSINESS);
    const issues = issuesIn(text);
    if (issues.length > 0) expect(issues.join("\n")).toContain(problem);
    else expect(attempt).toThrow(problem);
  });
});

describe("an export as CSV", () => {
  const exportCsv = (file: string) => {
    const rt = createTestRuntime();
    const { slug } = applyCatalog(rt, [{ name: "catalog.yaml", text: file }], {
      seedingAt: rt.now(),
    });
    return writeCatalog(readStoredCatalog(rt, getBusiness(rt, slug)));
  };

  test("an export as CSV has no cell that spreadsheets execute, and is imported unchanged", () => {
    const cells = ["=HYPERLINK(1)", "+1", "-1", "@SUM(A1)", 'a,"b";c', "'=x"];
    const addons = cells.map(
      (name, i) => `{key: a${i}, name: ${JSON.stringify(name)}, price: 1.00}`,
    );
    const { content } = exportCsv(
      `catalog: 1\nbusiness: {slug: joes, name: Joe's, timezone: Europe/Zurich, currency: CHF}\naddons: [${addons.join(", ")}]`,
    );
    for (const cell of content.split(/[,\r\n]+/)) expect(cell).not.toMatch(/^"?[=+\-@]/);
    expect(content).toContain("'=HYPERLINK(1)");
    expect(importAndRead(content).objects.addon.map(({ name }) => name)).toEqual(cells);
  });

  test("the sample restaurant keeps its dishes, sizes and prices if it is exported as CSV and imported", () => {
    const { content, skipped } = exportCsv(readPreset("restaurant"));
    expect(skipped).toContain("14 tables");
    const { objects } = importAndRead(content, { ...BUSINESS, businessSlug: "cafe-lumen" });
    const { objects: authored } = readCatalog(
      [{ name: "restaurant.yaml", text: readPreset("restaurant") }],
      {
        current: () => null,
        prune: false,
        seedingAt: 0,
      },
    ).catalog;
    const comparable = (dish: (typeof objects.menu_item)[number]) => [
      dish.key,
      dish.name,
      dish.priceType,
      dish.priceCents,
      dish.categories,
      dish.allergens,
      dish.sizes.map(({ key, priceCents }) => [key, priceCents]),
    ];
    expect(objects.menu_item.map(comparable)).toEqual(authored.menu_item.map(comparable));
  });
});
