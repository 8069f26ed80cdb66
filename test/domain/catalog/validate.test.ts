import { describe, expect, test } from "vitest";
import { assertValidObject } from "../../../src/domain/catalog/validate.ts";
import { collectIssues, readCatalogBody, readCatalogSources } from "../../support/catalog-file.ts";
import { captureError } from "../../support/use-case.ts";

const BUSINESS = "business: {slug: salon, name: Salon, timezone: Europe/Zurich, currency: CHF}";
const HEADER = `catalog: 1\n${BUSINESS}\n`;

/** Returns the issues without the file's name and the column. */
const issuesIn = (...texts: string[]): string[] =>
  collectIssues(() =>
    readCatalogSources(texts.map((text, index) => ({ name: `${index}.yaml`, text }))),
  ).map((issue) => issue.replace(/^\d\.yaml:(\d+):\d+/, "$1"));

describe("all issues are reported together: the dangling references", () => {
  const BODY = `services:
  - {key: cut, name: Cut, durationMin: 30, price: 1.00, staff: [x], addons: [oil]}
  - {key: dye, name: Dye, durationMin: 30, price: 1.00, category: none}
`;
  const DANGLING = [
    "4 There is no staff member 'x'.",
    "4 There is no add-on 'oil'.",
    "5 There is no service category 'none'.",
  ];

  test.each([
    ["wrong currency", HEADER.replace("CHF", "Franken"), "2 'currency' must be a currency's"],
    ["missing currency", HEADER.replace(", currency: CHF", ""), "2 'currency' is missing;"],
    ["wrong format version", HEADER.replace("1", "2"), "1 'catalog' must be 1,"],
    ["wrong time zone", HEADER.replace("Zurich", "Zürich"), "2 'timezone' must be a time zone's"],
    ["wrong slug", HEADER.replace("slug: salon", "slug: My Salon"), "2 'slug' must be 2 to 60"],
    ["slug of one letter", HEADER.replace("slug: salon", "slug: S"), "2 'slug' must be 2 to 60"],
  ])("dangling references are reported together with a %s", (_case, header, issue) => {
    const found = issuesIn(header + BODY);
    expect(found).toEqual([expect.stringContaining(issue), ...DANGLING]);
  });

  test("dangling references are reported for promotions with an unknown or missing kind of benefit", () => {
    const found = issuesIn(`${HEADER}promotions:
  - {key: a, name: A, benefit: {type: percentoff, percent: 120}, appliesTo: {services: [q]}, priority: 9999}
  - {key: b, name: B, benefit: {type: fre_addon, addon: zz}, appliesTo: {services: [q], all: true}}
  - {key: c, name: C, benefit: none, schedule: {startsAt: 2026-02-30, endsAt: 2026-01-01T10:00}}
  - {key: d, name: D, appliesTo: {services: [q]}}
`);
    expect(found).toEqual([
      expect.stringMatching(/^4 'type' must be percent_off, .* Did you mean 'percent_off'\?$/),
      "4 'percent' must be at most 100.00, not '120'.",
      "4 There is no service 'q'.",
      expect.stringContaining("4 'priority' must be a whole number"),
      expect.stringContaining("5 'type' must be percent_off,"),
      "5 There is no add-on 'zz'.",
      "5 There is no service 'q'.",
      "5 A promotion applies either to all or to a list of objects. Remove one of them.",
      "6 'benefit' must be a group of fields, not 'none'.",
      expect.stringContaining("6 'startsAt' must be a date from 1900 to 2199 such as"),
      "7 'benefit' is missing; it must be a group of fields.",
      "7 There is no service 'q'.",
    ]);
  });

  test("dangling references are reported for each of several objects with the same key", () => {
    const found = issuesIn(`${HEADER}services:
  - {key: cut, name: Cut, durationMin: 30, price: 1.00, category: no1}
  - {key: cut, name: Cut, durationMin: 30, price: 1.00, category: no2, staff: [x]}
  - {key: cut, name: Cut, durationMin: 30, price: 1.00, addons: [oil]}
`);
    expect(found).toEqual([
      "4 There is no service category 'no1'.",
      "5 The service 'cut' is listed twice. The other is at 0.yaml:4:6.",
      "5 There is no service category 'no2'.",
      "5 There is no staff member 'x'.",
      "6 The service 'cut' is listed twice. The other is at 0.yaml:4:6.",
      "6 There is no add-on 'oil'.",
    ]);
  });

  test("all issues are reported for objects, variants and options without a valid key", () => {
    const found = issuesIn(`${HEADER}services:
  - {name: A, durationMin: 30, price: 1.005, category: nope, addons: [{addon: wax, min: 3, max: 2}]}
  - {key: 12, name: B, durationMin: 30, price: z, variants: [{name: V, price: y}]}
menu:
  modifierGroups:
    - {key: g, name: G, options: [{name: O, price: 1.005}]}
events:
  - {name: Gig, startsAt: 2026-12-31T22:00, endsAt: 2026-12-31T21:00}
`);
    const missing = "'key' is missing; it must be 1 to 80 characters in one line";
    expect(found).toEqual([
      expect.stringContaining(`4 ${missing}`),
      "4 'price' has 3 decimals in '1.005', but CHF has 2.",
      "4 There is no service category 'nope'.",
      "4 There is no add-on 'wax'.",
      "4 'max' 2 is less than 'min' 3.",
      expect.stringContaining("5 'key' must be 1 to 80 characters in one line"),
      "5 'price' must be an amount such as 35.00, not 'z'.",
      expect.stringContaining(`5 ${missing}`),
      "5 'price' must be an amount such as 35.00, not 'y'.",
      expect.stringContaining(`8 ${missing}`),
      "8 'price' has 3 decimals in '1.005', but CHF has 2.",
      expect.stringContaining(`10 ${missing}`),
      "10 'endsAt' is not after 'startsAt'.",
    ]);
  });

  test("a missing field is reported together with an invalid field", () => {
    const service = (fields: string) =>
      issuesIn(`${HEADER}services: [{key: a, name: A, durationMin: 30, ${fields}}]\n`);
    expect(service("status: x")).toHaveLength(2);
    expect(service("addons: [{min: 1}]")).toHaveLength(2);
  });
});

describe("an issue causes no false issues", () => {
  const REFERRING = `${HEADER}services:
  - {key: a, name: A, durationMin: 30, price: 1, category: hair, staff: [anna], addons: [oil, {addon: wax}]}
promotions:
  - {key: p, name: P, benefit: {type: percent_off, percent: 5}, appliesTo: {menuItems: [soup], events: [gig], ticketTypes: [gig/std]}}
`;

  test.each([
    [
      "in the name of a section",
      "stuff: []\nserviceCategory: []\naddon: []\nmenus: {}\nevent: []\n",
      5,
    ],
    [
      "in a whole section",
      "menu: []\nevents: none\nstaff: {}\naddons: 5\nserviceCategories: 3\n",
      5,
    ],
    [
      "in the key of an object",
      `staff: [{name: Anna}]
serviceCategories: [{key: " hair", name: Hair}]
addons: [oil, {key: "wax ", name: W, price: 1}]
menu: {items: [{name: Soup, price: 1}]}
events: [{key: gig, name: Gig, startsAt: 2026-12-31T22:00, durationMin: 60, ticketTypes: [{name: Std, price: 10}], quotas: [{key: q, size: 1, ticketTypes: [std]}]}]
`,
      6,
    ],
  ])("an issue %s causes no false issues", (_case, body, count) => {
    const found = issuesIn(REFERRING + body);
    expect(found).toHaveLength(count);
    expect(found.join("\n")).not.toContain("There is no");
  });

  test("an issue in a field on which other fields depend causes no false issues", () => {
    const promotion = "key: p, name: P, benefit: {type: percent_off, percent: 5}";
    const bodies = [
      "services: [{key: a, name: A, durationMin: 30, prise: 3}]",
      "services: [{key: a, name: A, durationMin: 30, priceType: form}]",
      "services: [{key: a, name: A, durationMin: 30, priceCents: x}]",
      "menu: {items: [{key: a, name: A, sizes: 3}]}",
      "events: [{key: gala, name: A, startsAt: 2026-12-31T22:00, durationMin: x}]",
      `promotions: [{${promotion}, appliesTo: {services: 3}}]`,
      "promotions: [{key: p, name: P, benefit: {type: x, amount: 3, percent: 5}}]",
    ];
    for (const body of bodies) expect(issuesIn(`${HEADER}${body}\n`), body).toHaveLength(1);
  });

  test("an issue in the business section causes no false issues about objects that may be stored", () => {
    const body = REFERRING.slice(HEADER.length);
    for (const business of [
      "",
      "business: Salon\n",
      BUSINESS.replace("slug: salon, ", "").concat("\n"),
    ])
      expect(issuesIn(`catalog: 1\n${business}${body}`), business).toHaveLength(1);
  });

  test("an issue in the slug of a business causes no false issues about its stored objects", () => {
    const stored = readCatalogSources([
      {
        name: "stored.yaml",
        text: `${HEADER}staff: [{key: anna, name: Anna}]\nserviceCategories: [{key: hair, name: Hair}]\n`,
      },
    ]);
    const text = `${HEADER.replace("slug: salon", "slug: ' Salón'")}services:
  - {key: a, name: A, durationMin: 30, price: 1, category: hair, staff: [anna, ana]}
`;
    const current = (slug: string) => (slug === "salon" ? stored : null);
    expect(
      collectIssues(() => readCatalogSources([{ name: "new.yaml", text }], { current })),
    ).toEqual([
      expect.stringContaining("new.yaml:2:12 'slug' must be 2 to 60"),
      "new.yaml:4:80 There is no staff member 'ana'. Did you mean 'anna'?",
    ]);
  });

  test("a syntax error in another file causes no false issues about what that file may define", () => {
    expect(issuesIn(REFERRING, "catalog: 1\nstaff: [\n")).toHaveLength(1);
    const body = REFERRING.slice(HEADER.length).replace("price: 1", "price: z");
    expect(issuesIn(`catalog: 1\n${body}`, "business: [\n")).toEqual([
      "3 'price' must be an amount such as 35.00, not 'z'.",
      expect.stringContaining("2 This line is not indented enough"),
    ]);
  });
});

test("two ticket types that share an ID are accepted in an edit only if they are stored already", () => {
  const catalog = readCatalogBody(
    "events: [{key: gala, name: Gala, startsAt: 2026-12-31T22:00, durationMin: 60, ticketTypes: [{key: early, name: Early, price: 20}, {key: std, name: Standard, price: 35}]}]",
  );
  const [stored] = catalog.objects.public_event;
  if (stored === undefined) throw new Error("no event");
  const withPair = {
    ...stored,
    ticketTypes: stored.ticketTypes.map((type) =>
      type.key === "early" ? { ...type, previousKeys: ["std"] } : type,
    ),
  };
  const edit = (current: typeof catalog) =>
    captureError(() =>
      assertValidObject(current, "public_event", { ...withPair, name: "Ball" }, false),
    );
  expect(edit(catalog)).toContain("The ID of 'early' is already derived from the key 'std'.");
  const objects = { ...catalog.objects, public_event: [withPair] };
  expect(edit({ ...catalog, objects })).toMatch(/^no error/);
});
