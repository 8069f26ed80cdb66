import { expect, test } from "vitest";
import { collectIssues, readCatalogSources } from "../../../support/catalog-file.ts";

/** The lines of a file. An invalid line comes with a part of its expected message. */
const LINES: [line: string, fix?: string][] = [
  ["catalog: 1"],
  ["business:"],
  ["  slug: salon"],
  ["  name: Salon"],
  ["  timezone: America/NewYork", "Did you mean 'America/New_York'?"],
  ["  currency: USD"],
  ["  locale: english", "a language such as de or pt-BR"],
  ["  email: hello", "an e-mail address"],
  ["  websiteUrl: salon.example", "a web address such as https://"],
  ["  bookingPolicy: { slotIntervalMin: 1 }", "from 5 to 1440"],
  ["  type: Restorant", "Did you mean 'Restaurant'?"],
  [
    "  postalAddress: { street: 1 Pine St, locality: Albany, country: UK }",
    "a country's ISO 3166-1 code such as CH",
  ],
  ["  geo: { latitude: 91, longitude: 8.3 }", "a number of degrees from -90 to 90"],
  ["  publicPage:"],
  ["    booking: maybe", "off, request or confirm"],
  ['    embedOrigins: ["https://example.com/salon"]', "an origin such as"],
  ["    orders: { payWithinHours: 0 }", "from 1 to 720"],
  ["    theme: { accent: blue }", "a colour such as #aa3366"],
  ["  fone: 12", "Did you mean 'phone'?"],
  ["hours:"],
  ['  - { days: mon-fry, start: "09:00", end: "18:00" }', "a range such as mon-fri"],
  ['  - { start: "9:00", end: "18:00" }', "a time of day such as 09:30"],
  ['  - { start: "18:00", end: "02:00" }', "write 26:00"],
  [
    '  - { start: "09:00", end: "18:00", validFrom: 2026-02-30 }',
    "a date from 1900 to 2199 that exists",
  ],
  [
    '  - { start: "09:00", end: "18:00", validFrom: 2026-03-01, validTo: 2026-02-01 }',
    "is before 'validFrom'",
  ],
  ["closures:"],
  ["  - { name: Empty }", "A closure needs exactly one of"],
  ["  - { from: 2026-12-27, to: 2026-12-24 }", "is before 'from'"],
  ['  - { yearly: "13-01" }', "a month and day such as 12-25"],
  ["exceptions:"],
  ["  - { date: 2026-12-24, mode: add }", "list the hours to add"],
  ["  - { date: 2026-12-24, mode: extend }", "replace, add, remove or only"],
  ["serviceCategories:"],
  ["  - { key: cuts, name: Cuts, parent: cuts }", "A category cannot be its own parent."],
  ["  - { key: colour, name: Colour, color: red }", "a colour such as #aa3366"],
  ["addons:"],
  ["  - { key: oil, name: Oil, price: -3.00 }", "must not be negative"],
  ["  - { key: wax, name: Wax, price: 3.005 }", "USD has 2"],
  ["  - { key: tea, name: Tea }", "'price' is missing"],
  ["  - { key: oil, name: Oil again, price: 1.00 }", "is listed twice. The other is at"],
  ["  - { key: gel, name: Gel, price: 1.00, maxQuantity: 0 }", "from 1 to 100"],
  ["  - { key: foil, name: Foil, price: 1.00, priceCents: 100 }", "Keep one of them."],
  ["services:"],
  ["  - { key: a, name: A, durationMin: 30, price: 1.00, category: cutz }", "Did you mean 'cuts'?"],
  ["  - { key: b, name: B, durationMin: soon, price: 1.00 }", "a whole number from 1 to 1440"],
  ["  - { key: c, name: C, price: 1.00 }", "'durationMin' is missing"],
  ["  - { key: d, name: D, durationMin: 30, price: 1.00, priceType: free }", "Remove one of them."],
  ["  - { key: e, name: E, durationMin: 30, price: 1.00, staff: [ana] }", "Did you mean 'anna'?"],
  [
    "  - { key: f, name: F, durationMin: 30, price: 1.00, addons: [{ addon: oil, min: 3, max: 2 }] }",
    "is less than 'min' 3",
  ],
  [
    "  - { key: g, name: G, durationMin: 30, price: 1.00, variants: [{ key: x, name: X }, { key: x, name: Y }] }",
    "The variant 'x' is listed twice.",
  ],
  [
    "  - { key: h, name: H, durationMin: 30, price: 1.00, resources: [chair] }",
    "There is no resource 'chair'.",
  ],
  [
    "  - { key: i, name: I, durationMin: 30, price: 1.00, status: hidden }",
    "active, inactive or archived",
  ],
  [
    "  - { key: j, name: J, durationMin: 30, price: 1.00, priceType: form }",
    "Did you mean 'from'?",
  ],
  [
    "  - { key: k, name: K, durationMin: 30, price: 1.00, bufferafterMin: 5 }",
    "Did you mean 'bufferAfterMin'?",
  ],
  ["staff:"],
  [
    "  - { key: anna, name: Anna, timeOff: [{ from: 2026-12-27, to: 2026-12-20 }] }",
    "is not after 'from'",
  ],
  [
    "  - { key: ben, name: Ben, serviceOverrides: [{ service: zz, price: 1.00 }] }",
    "There is no service 'zz'.",
  ],
  ["  - { key: cy, name: 12 }", 'Put it in quotes: name: "12".'],
  ["menu:"],
  ["  items:"],
  ["    - { key: soup, name: Soup, price: 8.00, allergens: [glutn] }", "Did you mean 'gluten'?"],
  ["    - { key: stew, name: Stew, price: 8.00, spicyLevel: 9 }", "from 0 to 5"],
  [
    "    - { key: tart, name: Tart, price: 8.00, categories: [cakes] }",
    "There is no menu category 'cakes'.",
  ],
  ["  modifierGroups:"],
  [
    "    - { key: size, name: Size, min: 2, options: [{ key: s, name: S }] }",
    "is more than the number of options",
  ],
  ["tables:"],
  ["  - { key: t1, minSeats: 6, maxSeats: 2 }", "is less than 'minSeats' 6"],
  ["promotions:"],
  ["  - { key: p, name: P, benefit: { type: percent_off } }", "'percent' is missing"],
  ["  - { key: q, name: Q, benefit: { type: percent_off, percent: 120 } }", "at most 100.00"],
  [
    "  - { key: r, name: R, benefit: { type: amount_off, amount: 1.00, percent: 5 } }",
    "which has amount",
  ],
  [
    "  - { key: s, name: S, benefit: { type: amount_off, amount: 1.00 }, appliesTo: { all: false } }",
    "applies to nothing",
  ],
  ["events:"],
  [
    "  - { key: gig, name: Gig, startsAt: 2026-12-31T22:00, endsAt: 2026-12-31T21:00 }",
    "'endsAt' is not after 'startsAt'",
  ],
  ["  - { key: jam, name: Jam, durationMin: 60 }", "'startsAt' is missing"],
  ["  - { key: rave, name: Rave, startsIn: 3d 20:00, durationMin: 60 }", "Write a date and time"],
  [
    "  - { key: bal, name: Bal, startsAt: 2026-12-31, durationMin: 60 }",
    "a date and time from 1900 to 2199 such as",
  ],
  [
    "  - { key: fest, name: Fest, startsAt: 2026-12-31T22:00, durationMin: 60, quotas: [{ key: hall, size: 10, ticketTypes: [std] }] }",
    "This event has no ticket type 'std'.",
  ],
];

test("a file with more than fifty different errors reports each with its line and how to fix it", () => {
  const invalid = LINES.filter(([, fix]) => fix !== undefined);
  const text = LINES.map(([line]) => line).join("\n");
  const issues = collectIssues(() => readCatalogSources([{ name: "catalog.yaml", text }]));
  const lines = text.split("\n");
  const expected = invalid.map(([line, fix = ""]) => [lines.indexOf(line) + 1, fix] as const);
  expect(invalid.length).toBeGreaterThanOrEqual(50);
  for (const [line, fix] of expected) {
    const ofLine = issues.filter((issue) => issue.startsWith(`catalog.yaml:${line}:`));
    expect(ofLine.join("\n"), lines[line - 1]).toContain(fix);
  }
  expect(issues).toHaveLength(invalid.length);
});

test.each([
  ['catalog: "1"', "Write it without quotes: catalog: 1."],
  ["services: [{ key: a, name: 5, durationMin: 5, price: 1 }]", 'Put it in quotes: name: "5".'],
  [
    "services: [{ key: a, name: A, durationMin: 5, price: 1, tags: [5] }]",
    'Put it in quotes: "5".',
  ],
  [
    "services: [{ key: 1.50, name: A, durationMin: 5, price: 1 }]",
    'Put it in quotes: key: "1.50".',
  ],
  [
    "promotions: [{ key: p, name: P, code: 007, benefit: { type: percent_off, percent: 5 } }]",
    'not 007. Put it in quotes: code: "007".',
  ],
  ["staff: [{ key: a, name: 0x1F }]", 'not 0x1F. Put it in quotes: name: "0x1F".'],
])("the type of a value is corrected by quotes or their removal (%s)", (line, fix) => {
  const header = "business: { slug: salon, name: Salon, timezone: UTC, currency: EUR }";
  const version = line.startsWith("catalog") ? "" : "catalog: 1\n";
  const text = `${version}${header}\n${line}`;
  const issues = collectIssues(() => readCatalogSources([{ name: "catalog.yaml", text }]));
  expect(issues).toEqual([expect.stringContaining(fix)]);
});

test("a number that is too large for an integer is reported once", () => {
  const header = "business: { slug: salon, name: Salon, timezone: UTC, currency: EUR }";
  const line = "services: [{ key: a, name: A, durationMin: 99999999999999999999, price: 1 }]";
  const text = `catalog: 1\n${header}\n${line}`;
  const issues = collectIssues(() => readCatalogSources([{ name: "catalog.yaml", text }]));
  expect(issues).toHaveLength(1);
});

test.each([
  "closures: [{ date: 20261224 }]",
  'hours: [{ days: mon, start: 9, end: "18:00" }]',
  "services: [{ key: a, name: A, durationMin: 5, price: 1, tags: 5 }]",
])("a value that is as wrong in quotes is not put in quotes (%s)", (line) => {
  const header = "business: { slug: salon, name: Salon, timezone: UTC, currency: EUR }";
  const text = `catalog: 1\n${header}\n${line}`;
  const issues = collectIssues(() => readCatalogSources([{ name: "catalog.yaml", text }]));
  expect(issues).toHaveLength(1);
  expect(issues[0]).not.toContain("quotes");
});
