import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  CATALOG_HEADER,
  collectIssues,
  readCatalogBody,
  readCatalogSources,
} from "../../../support/catalog-file.ts";

/** The body of a file after its four header lines, then `line:column detail` of each issue. */
const INVALID_FILES: [name: string, body: string, ...expected: string[]][] = [
  // The first files have invalid fields and values.
  [
    "a misspelled field",
    "addons:\n  - key: mask\n    name: Mask\n    pric: 5.00\n",
    "8:5 Unknown field 'pric'. Did you mean 'price'?",
  ],
  [
    "an unknown field",
    "areas: [{key: hall, name: Hall, xyzzy: 1}]\n",
    "5:33 Unknown field 'xyzzy'. Known fields: key, name, previousKeys, status, images, translations.",
  ],
  [
    "a misspelled section",
    "servces: []\n",
    "5:1 Unknown field 'servces'. Did you mean 'services'?",
  ],
  [
    "a missing key",
    "areas:\n  - name: Hall\n",
    "6:5 'key' is missing; it must be 1 to 80 characters in one line, with no space at either end.",
  ],
  [
    "an empty name",
    "areas:\n  - key: hall\n    name:\n",
    "7:5 'name' is missing; it must be one line of 1 to 200 characters.",
  ],
  [
    "a number instead of text",
    "areas: [{key: hall, name: 12}]\n",
    "5:21 'name' must be one line of 1 to 200 characters, not 12. Put it in quotes: name: \"12\".",
  ],
  [
    "a key with a line break",
    'areas: [{key: "a\\nb", name: A}]\n',
    "5:10 'key' must be 1 to 80 characters in one line, with no space at either end, not 'a␊b'.",
  ],
  ["a section that is not a list", "areas: hall\n", "5:1 'areas' must be a list, not 'hall'."],
  [
    "an item that is not a group of fields",
    "areas: [hall]\n",
    "5:9 Each of 'areas' must be a group of fields, not 'hall'.",
  ],
  [
    "an unknown status",
    "areas: [{key: a, name: A, status: actve}]\n",
    "5:27 'status' must be active, inactive or archived, not 'actve'. Did you mean 'active'?",
  ],
  [
    "yes instead of true",
    "staff: [{key: a, name: A, public: yes}]\n",
    "5:27 'public' must be true or false, not 'yes'.",
  ],
  [
    "an unknown allergen",
    "menu: {items: [{key: a, name: A, price: 1, allergens: [glutn]}]}\n",
    "5:56 Each of 'allergens' must be gluten, crustaceans, eggs, fish, peanuts, soybeans, milk, nuts, celery, mustard, sesame, sulphites, lupin or molluscs, not 'glutn'. Did you mean 'gluten'?",
  ],
  [
    "an image that is not a web address",
    "areas: [{key: a, name: A, images: ['javascript:alert(1)']}]\n",
    "5:36 Each of 'images' must be a web address such as https://example.com/soup.jpg, not 'javascript:alert(1)'.",
  ],
  [
    "an unknown field of an image",
    "areas: [{key: a, name: A, images: [{url: 'https://a.example/b.png', with: 3}]}]\n",
    "5:69 Unknown field 'with'. Did you mean 'width'?",
  ],
  [
    "an invalid language",
    "areas: [{key: a, name: A, translations: {deutsch!: {name: B}}}]\n",
    "5:42 A name in 'translations' must be a language such as de or pt-BR, not 'deutsch!'.",
  ],
  ["a field named __proto__", "__proto__: {polluted: true}\n", "5:1 Unknown field '__proto__'."],
  // These files have invalid amounts of money.
  [
    "more decimals than the currency has",
    "addons: [{key: a, name: A, price: 35.555}]\n",
    "5:28 'price' has 3 decimals in '35.555', but USD has 2.",
  ],
  [
    "a price with a comma",
    "addons: [{key: a, name: A, price: '35,00'}]\n",
    "5:28 'price' must be an amount such as 35.00, not '35,00'.",
  ],
  [
    "a price in exponent notation",
    "addons: [{key: a, name: A, price: 1e3}]\n",
    "5:28 'price' must be an amount such as 35.00, not '1e3'.",
  ],
  [
    "a negative price",
    "addons: [{key: a, name: A, price: -5}]\n",
    "5:28 'price' must not be negative.",
  ],
  [
    "a price and a price in cents",
    "addons: [{key: a, name: A, price: 5, priceCents: 500}]\n",
    "5:38 'price' and 'priceCents' set the same value. Keep one of them.",
  ],
  [
    "a missing price",
    "addons: [{key: a, name: A}]\n",
    "5:10 'price' is missing: an add-on needs one.",
  ],
  [
    "a price for a service on request",
    "services: [{key: a, name: A, durationMin: 5, priceType: on_request, price: 3}]\n",
    "5:69 'price' conflicts with 'on_request'. Remove one of them.",
  ],
  [
    "a deposit that is not an amount",
    "services: [{key: a, name: A, durationMin: 5, price: 3, deposit: half}]\n",
    "5:56 'deposit' must be an amount such as 35.00, not 'half'.",
  ],
  // These files have invalid times and dates.
  [
    "an invalid time of day",
    "hours: [{days: mon, start: '25:00', end: '26:00'}]\n",
    "5:21 'start' must be a time of day such as 09:30, not '25:00'.",
  ],
  [
    "an end past 48:00",
    "hours: [{days: mon, start: '09:00', end: '48:01'}]\n",
    "5:37 'end' must be a time such as 18:00, at most 48:00 (02:00 the next day is 26:00), not '48:01'.",
  ],
  [
    "an end before its start",
    "hours: [{days: fri-sat, start: '18:00', end: '02:00'}]\n",
    "5:41 'end' 02:00 is not after 'start' 18:00. For 02:00 on the next day, write 26:00.",
  ],
  [
    "an unknown day",
    "hours: [{days: [mon, monday], start: '09:00', end: '18:00'}]\n",
    "5:22 Each of 'days' must be mon, tue, wed, thu, fri, sat, sun or a range such as mon-fri, not 'monday'.",
  ],
  [
    "a nonexistent date",
    "closures: [{date: 2027-02-29}]\n",
    "5:13 'date' must be a date from 1900 to 2199 that exists, such as 2026-12-25, not '2027-02-29'.",
  ],
  [
    "a nonexistent yearly date",
    "closures: [{yearly: 02-30}]\n",
    "5:13 'yearly' must be a month and day such as 12-25, not '02-30'.",
  ],
  [
    "a closure with two forms",
    "closures: [{date: 2027-02-01, yearly: 02-03}]\n",
    "5:12 A closure needs exactly one of: 'date'; 'from' and 'to'; 'yearly'.",
  ],
  [
    "a closure without an end",
    "closures: [{from: 2027-02-01}]\n",
    "5:12 'to' is missing: a closure over several days has 'from' and 'to'.",
  ],
  [
    "an exception without hours",
    "exceptions: [{date: 2027-02-01, mode: add}]\n",
    "5:14 'intervals' is missing: list the hours to add.",
  ],
  [
    "a relative time outside seeding",
    "events: [{key: gala, name: Gala, startsIn: 12d 19:30, durationMin: 90}]\n",
    "5:34 '12d 19:30' is relative to the day of seeding and works only with 'seed'. Write a date and time such as 2026-12-31T22:00.",
  ],
  [
    "a nonexistent date and time",
    "events: [{key: gala, name: Gala, startsAt: '2026-11-31T19:00', durationMin: 90}]\n",
    "5:34 'startsAt' must be a date and time from 1900 to 2199 such as 2026-12-31T22:00, alone or with an offset (+01:00), not '2026-11-31T19:00'.",
  ],
  [
    "an event that ends before it starts",
    "events: [{key: gala, name: Gala, startsAt: 2026-12-31T22:00, endsAt: 2026-12-31T21:00}]\n",
    "5:62 'endsAt' is not after 'startsAt'.",
  ],
  [
    "an event without an end",
    "events: [{key: gala, name: Gala, startsAt: 2026-12-31T22:00}]\n",
    "5:10 'endsAt' is missing: an event needs it, or 'durationMin'.",
  ],
  [
    "an event with neither start nor end",
    "events: [{key: gala, name: Gala, doorsAt: '18:30'}]\n",
    "5:10 'startsAt' is missing: an event needs a date and time such as 2026-12-31T22:00.",
    "5:10 'endsAt' is missing: an event needs it, or 'durationMin'.",
  ],
  [
    "doors that open after the start",
    "events: [{key: gala, name: Gala, startsAt: 2026-12-31T22:00, durationMin: 60, doorsAt: '22:30'}]\n",
    "5:79 'doorsAt' 22:30 is after the start of the event.",
  ],
  // These files have invalid numbers.
  [
    "a duration of 0 minutes",
    "services: [{key: a, name: A, durationMin: 0, price: 1}]\n",
    "5:30 'durationMin' must be a whole number from 1 to 1440, not 0.",
  ],
  [
    "a duration that is not a whole number",
    "services: [{key: a, name: A, durationMin: 30.5, price: 1}]\n",
    "5:30 'durationMin' must be a whole number from 1 to 1440, not 30.5.",
  ],
  [
    "a table with fewer maxSeats than minSeats",
    "tables: [{key: t1, minSeats: 4, maxSeats: 2}]\n",
    "5:33 'maxSeats' 2 is less than 'minSeats' 4.",
  ],
  [
    "a modifier group with fewer options than its minimum",
    "menu: {modifierGroups: [{key: g, name: G, min: 2, options: [{key: o, name: O}]}]}\n",
    "5:43 'min' 2 is more than the number of options, 1.",
  ],
  [
    "a required add-on with a minimum of 0",
    "addons: [{key: m, name: M, price: 1}]\nservices: [{key: a, name: A, durationMin: 5, price: 1, addons: [{addon: m, required: true, min: 0}]}]\n",
    "6:92 'min' cannot be 0, because the add-on is required.",
  ],
  [
    "two default variants",
    "services:\n  - key: a\n    name: A\n    durationMin: 5\n    price: 1\n    variants:\n      - {key: s, name: S, default: true}\n      - {key: l, name: L, default: true}\n",
    "12:27 Another variant is already the default. Keep one.",
  ],
  // These files have invalid promotions and tickets.
  [
    "a benefit with a field of another type",
    "promotions: [{key: p, name: P, benefit: {type: amount_off, amount: 5, percent: 3}}]\n",
    "5:71 'percent' is not allowed in a benefit of type amount_off, which has amount, amountCents.",
  ],
  [
    "a benefit without a percentage",
    "promotions: [{key: p, name: P, benefit: {type: percent_off}}]\n",
    "5:32 'percent' is missing: a benefit of type percent_off needs one.",
  ],
  [
    "a discount of more than 100 percent",
    "promotions: [{key: p, name: P, benefit: {type: percent_off, percent: 120}}]\n",
    "5:61 'percent' must be at most 100.00, not '120'.",
  ],
  [
    "a promotion that applies to nothing",
    "promotions: [{key: p, name: P, benefit: {type: percent_off, percent: 10}, appliesTo: {services: []}}]\n",
    "5:75 This promotion applies to nothing. Write 'all: true', or list what it applies to.",
  ],
  [
    "a quota with an unknown ticket type",
    "events: [{key: gala, name: Gala, startsAt: 2026-12-31T22:00, durationMin: 60, ticketTypes: [{key: seat, name: Seat, price: 9}], quotas: [{key: q, size: 9, ticketTypes: [seats]}]}]\n",
    "5:170 This event has no ticket type 'seats'. Did you mean 'seat'?",
  ],
  [
    "an event whose key cannot become a slug",
    "events: [{key: 忘年会, name: 忘年会, startsAt: 2026-12-31T22:00, durationMin: 60}]\n",
    "5:10 'slug' is missing and cannot be derived from the key '忘年会'. Add one of a-z, 0-9 and -.",
  ],
  // These files repeat keys, or refer to unknown objects.
  [
    "a repeated key",
    "areas:\n  - {key: hall, name: Hall}\n  - {key: hall, name: Hall 2}\n",
    "7:6 The area 'hall' is listed twice. The other is at catalog.yaml:6:6.",
  ],
  [
    "a repeated variant",
    "services: [{key: a, name: A, durationMin: 5, price: 1, variants: [{key: s, name: S}, {key: s, name: T}]}]\n",
    "5:87 The variant 's' is listed twice. The other is at catalog.yaml:5:68.",
  ],
  [
    "an unknown staff member",
    "staff: [{key: maria, name: Maria}]\nservices: [{key: a, name: A, durationMin: 5, price: 1, staff: [maria, mara]}]\n",
    "6:71 There is no staff member 'mara'. Did you mean 'maria'?",
  ],
  [
    "an unknown category, add-on and resource in one service",
    "services:\n  - key: a\n    name: A\n    durationMin: 5\n    price: 1\n    category: hair\n    addons: [mask]\n    resources: [{resource: room}]\n",
    "10:5 There is no service category 'hair'.",
    "11:14 There is no add-on 'mask'.",
    "12:18 There is no resource 'room'.",
  ],
  [
    "a reference to a renamed object",
    "areas: [{key: garden, name: Garden, previousKeys: [yard]}]\ntables: [{key: t1, maxSeats: 2, area: yard}]\n",
    "6:33 There is no area 'yard'. It was renamed to 'garden'.",
  ],
  [
    "a promotion with an unknown add-on and ticket type",
    "events: [{key: gala, name: Gala, startsAt: 2026-12-31T22:00, durationMin: 60, ticketTypes: [{key: seat, name: Seat, price: 9}]}]\npromotions: [{key: p, name: P, benefit: {type: free_addon, addon: cake}, appliesTo: {ticketTypes: [gala/seta]}}]\n",
    "6:60 There is no add-on 'cake'.",
    "6:100 There is no ticket type 'gala/seta'. Did you mean 'gala/seat'?",
  ],
  [
    "a cycle of categories",
    "serviceCategories:\n  - {key: a, name: A, parent: b}\n  - {key: b, name: B, parent: a}\n",
    "6:23 These categories form a cycle: 'a' in 'b' in 'a'.",
  ],
  [
    "a category that is its own parent",
    "menu: {categories: [{key: a, name: A, parent: a}]}\n",
    "5:39 A category cannot be its own parent.",
  ],
  [
    "two events with the same slug",
    "events:\n  - {key: gala, name: Gala, startsAt: 2026-12-31T22:00, durationMin: 60}\n  - {key: Gala!, name: Gala, startsAt: 2027-12-31T22:00, durationMin: 60}\n",
    "7:5 The event 'gala' already has the slug 'gala'. Choose another slug.",
  ],
  [
    "a key that the ID of another object is derived from",
    "areas:\n  - {key: garden, name: Garden, previousKeys: [yard]}\n  - {key: yard, name: Yard}\n",
    "7:6 The ID of 'garden' is already derived from the key 'yard'. Choose another key.",
  ],
  [
    "a ticket type with a key that the ID of another one is derived from",
    "events:\n  - key: gala\n    name: Gala\n    startsAt: 2026-12-31T22:00\n    durationMin: 60\n    ticketTypes:\n      - {key: early, name: Early, price: 20, previousKeys: [std]}\n      - {key: std, name: Standard, price: 35}\n",
    "12:10 The ID of 'early' is already derived from the key 'std'. Choose another key.",
  ],
  [
    "a variant with a previous key that the ID of another one is derived from",
    "services: [{key: a, name: A, durationMin: 5, price: 1, variants: [{key: s, name: S}, {key: t, name: T, previousKeys: [s]}]}]\n",
    "5:104 The ID of 's' is already derived from the key 's'. Choose another key.",
  ],
  [
    "several objects without a valid key",
    "areas: [hall, garden, {name: A}, {name: B}, {key: 1, name: C}, {key: 1, name: D}]\n",
    "5:9 Each of 'areas' must be a group of fields, not 'hall'.",
    "5:15 Each of 'areas' must be a group of fields, not 'garden'.",
    "5:23 'key' is missing; it must be 1 to 80 characters in one line, with no space at either end.",
    "5:34 'key' is missing; it must be 1 to 80 characters in one line, with no space at either end.",
    "5:46 'key' must be 1 to 80 characters in one line, with no space at either end, not 1. Put it in quotes: key: \"1\".",
    "5:65 'key' must be 1 to 80 characters in one line, with no space at either end, not 1. Put it in quotes: key: \"1\".",
  ],
  // These files are not valid YAML.
  [
    "a repeated field",
    "areas: []\nareas: []\n",
    "6:1 'areas' appears twice here. Keep one of them.",
  ],
  [
    "a price with a comma in a flow map",
    "addons: [{key: a, name: A, price: 4,50}]\n",
    "5:37 Unknown field '50'. To write an amount, use a decimal point: 4.50.",
  ],
  [
    "a tab, without follow-up errors",
    "areas:\n  - key: a\n\tname: A\n    images: []\n",
    "7:1 A tab is used for indentation here; YAML takes spaces only.",
  ],
  [
    "a tab",
    "areas:\n\t- key: a\n",
    "6:1 A tab is used for indentation here; YAML takes spaces only.",
  ],
  [
    "a colon in an unquoted text",
    "areas: [{key: a, name: A}]\nstaff:\n  - key: x\n    name: Tom: the cat\n",
    "8:14 Unexpected ': ' in a value. Put the text in quotes, or begin a new line.",
  ],
  [
    "a YAML tag",
    "areas: !list []\n",
    "5:8 Tags such as '!name' have no meaning in a catalog (unresolved tag: !list).",
  ],
  [
    "an alias without an anchor",
    "areas: *halls\n",
    "5:8 No anchor '&halls' is defined before this alias.",
  ],
  ["a list as a field name", "? [a, b]\n: 3\n", "5:3 The name of a field must be text."],
];

describe("readCatalog reports", () => {
  it.each(INVALID_FILES)("readCatalog reports %s", (_name, body, ...expected) => {
    expect(collectIssues(() => readCatalogBody(body))).toEqual(
      expected.map((line) => `catalog.yaml:${line}`),
    );
  });
});

describe("readCatalog", () => {
  it("readCatalog reports all issues, including several in one object, in the order of the file", () => {
    const body = `promotions: [{key: p, name: P, benefit: {type: percent_off, percent: 10}, appliesTo: {services: [ct]}}]
services:
  - key: cut
    name: Cut
    durationMin: 9999
    price: 1.234
    staff: [nobody]
    colour: red
  - {key: cut, name: Cut again, durationMin: 5, price: 1}
`;
    expect(collectIssues(() => readCatalogBody(body))).toEqual([
      "catalog.yaml:5:98 There is no service 'ct'. Did you mean 'cut'?",
      "catalog.yaml:9:5 'durationMin' must be a whole number from 1 to 1440, not 9999.",
      "catalog.yaml:10:5 'price' has 3 decimals in '1.234', but USD has 2.",
      "catalog.yaml:11:13 There is no staff member 'nobody'.",
      expect.stringContaining("catalog.yaml:12:5 Unknown field 'colour'."),
      "catalog.yaml:13:6 The service 'cut' is listed twice. The other is at catalog.yaml:7:5.",
    ]);
  });

  it("readCatalog reports no unknown reference to an object that has issues of its own", () => {
    const body =
      "areas: [{key: hall, name: Hall}]\nevents: [{key: gala, name: 3, startsAt: never, quotas: 5, ticketTypes: [7]}]\npromotions: [{key: p, name: P, benefit: {type: percent_off, percent: 10}, appliesTo: {events: [gala], ticketTypes: [gala/seat]}}]\n";
    const found = collectIssues(() => readCatalogBody(body));
    expect(found).toHaveLength(5);
    expect(found[0]).toContain("'endsAt' is missing");
    expect(found.every((line) => line.startsWith("catalog.yaml:6:"))).toBe(true);
  });

  it("readCatalog names the number of issues and the file in the error message", () => {
    expect(() => readCatalogBody("areas: 1\n")).toThrow(
      "1 error in catalog.yaml. Nothing was changed.",
    );
    const other = { name: "b.yaml", text: "catalog: 1\nareas: 1\n" };
    expect(() =>
      readCatalogSources([{ name: "a.yaml", text: `${CATALOG_HEADER}areas: 1\n` }, other]),
    ).toThrow("2 errors in 2 files. Nothing was changed.");
  });

  it.each([
    ["", "catalog.yaml:1:1 The file is empty. It must begin with 'catalog: 1'."],
    ["# nothing\n", "catalog.yaml:1:1 The file is empty. It must begin with 'catalog: 1'."],
    [
      "- a\n",
      "catalog.yaml:1:1 A catalog file must be a map of sections that begins with 'catalog: 1', not a list of 1 entry.",
    ],
    [
      "hello\n",
      "catalog.yaml:1:1 A catalog file must be a map of sections that begins with 'catalog: 1', not 'hello'.",
    ],
    [
      "areas: []\n",
      "catalog.yaml:1:1 'catalog' is missing; it must be 1, the version of this format.",
      "catalog.yaml:1:1 'business' is missing: one of the files must describe the business.",
    ],
    [
      "catalog: 2\n",
      "catalog.yaml:1:1 'catalog' must be 1, the version of this format, not 2.",
      "catalog.yaml:1:1 'business' is missing: one of the files must describe the business.",
    ],
    [
      "catalog: 1\n",
      "catalog.yaml:1:1 'business' is missing: one of the files must describe the business.",
    ],
    [
      "catalog: 1\n---\ncatalog: 1\n",
      "catalog.yaml:2:1 A second document begins here ('---'). Move it to a separate file.",
    ],
  ])("readCatalog rejects a file that is not a catalog: %#", (text, ...expected) => {
    const issues = collectIssues(() => readCatalogSources([{ name: "catalog.yaml", text }]));
    expect(issues.toSorted()).toEqual(expected.toSorted());
  });

  it.each([
    ["unclosed brackets", "[".repeat(100_000)],
    ["nested lists", `catalog: 1\nareas: ${"[".repeat(60)}${"]".repeat(60)}\n`],
    ["a list that contains itself", "catalog: 1\nareas: &a [*a]\n"],
  ])("readCatalog rejects %s as nested too deeply", (_name, text) => {
    const [first] = collectIssues(() => readCatalogSources([{ name: "catalog.yaml", text }]));
    expect(first).toContain("This is nested too deeply for a catalog.");
  });

  it.each([
    ["slug: Salon", "'slug' must be 2 to 60 characters of a-z, 0-9 and -, not 'Salon'."],
    [
      "timezone: Europe/Zürich",
      "'timezone' must be a time zone's IANA name such as Europe/Zurich, not 'Europe/Zürich'. Did you mean 'Europe/Zurich'?",
    ],
    [
      "timezone: europe/zurich",
      "'timezone' must be a time zone's IANA name such as Europe/Zurich, not 'europe/zurich'. Did you mean 'Europe/Zurich'?",
    ],
    [
      "timezone: '+01:00'",
      "'timezone' must be a time zone's IANA name such as Europe/Zurich, not '+01:00'.",
    ],
    [
      "timezone: PST",
      "'timezone' must be a time zone's IANA name such as Europe/Zurich, not 'PST'.",
    ],
    [
      "currency: USd",
      "'currency' must be a currency's ISO 4217 code such as CHF, not 'USd'. Did you mean 'USD'?",
    ],
    ["email: nobody", "'email' must be an e-mail address, not 'nobody'."],
    [
      "bookingPolicy: {maxAdvanceDays: 2000}",
      "'maxAdvanceDays' must be a whole number from 1 to 1095, not 2000.",
    ],
  ])("readCatalog rejects a business with %s", (field, detail) => {
    const fields = { slug: "a-b", name: "A", timezone: "UTC", currency: "EUR" };
    const [name = ""] = field.split(":");
    const lines = Object.entries(fields)
      .filter(([other]) => other !== name)
      .map(([other, value]) => `  ${other}: ${value}\n`);
    const text = `catalog: 1\nbusiness:\n${lines.join("")}  ${field}\n`;
    expect(collectIssues(() => readCatalogSources([{ name: "a.yaml", text }]))).toEqual([
      expect.stringMatching(/^a\.yaml:\d+:\d+ /),
    ]);
    expect(collectIssues(() => readCatalogSources([{ name: "a.yaml", text }]))[0]).toContain(
      detail,
    );
  });

  it("readCatalog rejects aliases that expand exponentially", () => {
    const bomb = ["a: &a0 [x, x, x, x, x, x, x, x, x, x]"];
    for (let n = 1; n < 12; n++)
      bomb.push(`a${n}: &a${n} [${Array.from({ length: 10 }, () => `*a${n - 1}`).join(", ")}]`);
    const found = collectIssues(() => readCatalogBody(`${bomb.join("\n")}\n`));
    expect(found).toEqual([
      expect.stringContaining("The aliases (*name) in this file expand to too many values."),
    ]);
  });

  it("readCatalog rejects a file of more than 50 MB without parsing it", () => {
    const text = `catalog: 1\n#${"x".repeat(50_000_000)}`;
    expect(collectIssues(() => readCatalogSources([{ name: "big.yaml", text }]))).toEqual([
      "big.yaml:1:1 The file is larger than 50 MB.",
    ]);
  });

  it("readCatalog rejects an object of more than 200 KB", () => {
    const texts = Array.from(
      { length: 25 },
      (_, n) => `a${String.fromCharCode(97 + n)}: {description: "${"é".repeat(5000)}"}`,
    );
    const found = collectIssues(() =>
      readCatalogBody(`areas:\n  - {key: hall, name: Hall, translations: {${texts.join(", ")}}}\n`),
    );
    expect(found).toEqual(["catalog.yaml:6:5 This object is 251 KB; the maximum is 200 KB."]);
  });

  it("readCatalog does not change object prototypes", () => {
    collectIssues(() =>
      readCatalogBody(
        "__proto__: {polluted: true}\nareas: [{key: a, name: A, __proto__: {polluted: true}}]\n",
      ),
    );
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it("readCatalog replaces control characters of the file in messages", () => {
    const [issue] = collectIssues(() =>
      readCatalogBody('areas: [{key: a, name: A, "\\e[31mred": 1}]\n'),
    );
    expect(issue).toContain("Unknown field '␛[31mred'.");
  });

  it("readCatalog reads JSON like YAML, and reports the same places", () => {
    const file = {
      catalog: 1,
      business: { slug: "kita-live", name: "Kita 😀", timezone: "Asia/Tokyo", currency: "JPY" },
      addons: [
        { key: "towel", name: "Towel", price: "300" },
        { key: "robe", name: "Robe", price: 500 },
      ],
    };
    const text = JSON.stringify(file, null, "\t");
    const catalog = readCatalogSources([{ name: "kita.json", text }]);
    expect(catalog.business.name).toBe("Kita 😀");
    expect(catalog.objects.addon.map((addon) => addon.priceCents)).toEqual([300, 500]);
    expect(
      collectIssues(() =>
        readCatalogSources([{ name: "kita.json", text: text.replace("500", "5.5") }]),
      ),
    ).toEqual(["kita.json:18:4 'price' has 1 decimal in '5.5', but JPY has none."]);
  });

  it("readCatalog reads a price from its digits in the file, quoted or not", () => {
    const catalog = readCatalogBody(
      "addons: [{key: a, name: A, price: 35.00}, {key: b, name: B, price: '35.00'}, {key: c, name: C, priceCents: 3500}, {key: d, name: D, price: 0.29}]\n",
    );
    expect(catalog.objects.addon.map((addon) => addon.priceCents)).toEqual([3500, 3500, 3500, 29]);
  });

  it("readCatalog resolves aliases", () => {
    const catalog = readCatalogBody(
      "hours: &week [{days: mon-fri, start: '09:00', end: '18:00'}]\nstaff: [{key: a, name: A, hours: *week}]\n",
    );
    expect(catalog.objects.staff[0]?.hours).toEqual(catalog.schedule.hours);
  });

  describe("with several files", () => {
    const business = { name: "business.yaml", text: CATALOG_HEADER };

    it("readCatalog joins each section of several files in the order of the files", () => {
      const catalog = readCatalogSources([
        {
          name: "b.yaml",
          text: "catalog: 1\nareas: [{key: garden, name: Garden}]\nclosures: [{yearly: 12-25}]\n",
        },
        business,
        {
          name: "c.yaml",
          text: "catalog: 1\nareas: [{key: hall, name: Hall}]\nclosures: [{yearly: 01-01}]\ntables: [{key: t1, maxSeats: 2, area: garden}]\n",
        },
      ]);
      expect(catalog.objects.area.map((area) => area.key)).toEqual(["garden", "hall"]);
      expect(catalog.schedule.closures).toEqual([
        { name: null, yearly: "12-25" },
        { name: null, yearly: "01-01" },
      ]);
    });

    it("readCatalog names both places of a key that is in two files", () => {
      const found = collectIssues(() =>
        readCatalogSources([
          business,
          { name: "b.yaml", text: "catalog: 1\nareas: [{key: hall, name: Hall}]\n" },
          { name: "c.yaml", text: "catalog: 1\n\nareas: [{key: hall, name: Hall}]\n" },
        ]),
      );
      expect(found).toEqual([
        "c.yaml:3:10 The area 'hall' is listed twice. The other is at b.yaml:2:10.",
      ]);
    });

    it("readCatalog requires exactly one business in several files, and the format version in each", () => {
      expect(
        collectIssues(() => readCatalogSources([business, { ...business, name: "again.yaml" }])),
      ).toEqual([
        "again.yaml:2:1 The business is described twice. The other is at business.yaml:2:1.",
      ]);
      expect(
        collectIssues(() =>
          readCatalogSources([business, { name: "b.yaml", text: "areas: []\n" }]),
        ),
      ).toEqual(["b.yaml:1:1 'catalog' is missing; it must be 1, the version of this format."]);
    });

    it("readCatalog reports YAML errors in each of several files", () => {
      const found = collectIssues(() =>
        readCatalogSources([
          { name: "a.yaml", text: "a: 'b\n" },
          { name: "b.yaml", text: "a: [1\n" },
        ]),
      );
      expect(found.map((line) => line.slice(0, 7))).toEqual(["a.yaml:", "b.yaml:"]);
    });
  });

  it.each(["restaurant", "salon", "venue"])(
    "readCatalog reads the shipped catalog of a %s without issues",
    (preset) => {
      const text = readFileSync(
        new URL(`../../../../data/${preset}.yaml`, import.meta.url),
        "utf8",
      );
      const seedingAt = Date.parse("2026-11-20T12:00:00Z");
      expect(
        collectIssues(() => readCatalogSources([{ name: preset, text }], { seedingAt })),
      ).toEqual([]);
    },
  );
});
