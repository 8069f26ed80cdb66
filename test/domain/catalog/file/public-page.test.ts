import { expect, test } from "vitest";
import { writeBusiness } from "../../../../src/domain/catalog/file/business.ts";
import { collectIssues, readCatalogSources } from "../../../support/catalog-file.ts";

const HEADER =
  "catalog: 1\nbusiness:\n  slug: salon\n  name: Salon\n  timezone: UTC\n  currency: CHF\n";

const read = (lines = "") =>
  readCatalogSources([{ name: "catalog.yaml", text: HEADER + lines }]).business;

const ALL = {
  type: "HairSalon",
  postalAddress: {
    street: "Seestrasse 12",
    locality: "Luzern",
    region: "LU",
    postalCode: "6006",
    country: "CH",
  },
  geo: { latitude: 47.05, longitude: 8.31 },
  images: ["https://salon.example/a.jpg", { url: "https://salon.example/b.jpg", alt: "The room" }],
  priceRange: "CHF 20-90",
  links: ["https://social.example/salon", { url: "https://maps.example/salon", name: "Map" }],
  legal: { privacyUrl: "https://salon.example/privacy", imprint: "Salon GmbH\nLuzern" },
  publicPage: {
    enabled: true,
    booking: "CONFIRM",
    embedOrigins: ["https://www.salon.example", "http://127.0.0.1:3000"],
    orders: { payWithinHours: 24, maxQuotaPercent: 50 },
    theme: { accent: "#aa3366", logo: "https://salon.example/logo.svg" },
  },
};

test("exporting a business writes the fields for its public page as its file has them", () => {
  const lines = Object.entries(ALL).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}\n`);
  expect(writeBusiness(read(lines.join("")))).toMatchObject(ALL);
});

test("exporting a business without a public page writes no fields for one", () => {
  expect(Object.keys(writeBusiness(read()))).toEqual(["slug", "name", "timezone", "currency"]);
});

test.each([
  "https://a.example/",
  "https://a.example;script-src",
  "https://*.example",
  "https://A.example",
  "javascript:alert(1)",
  "https://a.example:99999",
  "https://a.example:443",
])("'%s' is refused as the origin of a website that may show the booking page", (origin) => {
  const page = `  publicPage: { embedOrigins: [${JSON.stringify(origin)}] }\n`;
  expect(collectIssues(() => read(page)).join("\n")).toContain("an origin such as");
});

test.each([
  ["{ imprint: Salon }", "'privacyUrl' is missing"],
  ['{ privacyUrl: "https://salon.example/privacy" }', "'imprint' is missing"],
  [
    '{ privacyUrl: "https://salon.example/privacy", imprintUrl: "https://salon.example/i" }',
    undefined,
  ],
])("a public page with the legal texts %s has the issue %s", (legal, issue) => {
  const page = `  legal: ${legal}\n  publicPage: { enabled: true }\n`;
  const issues = collectIssues(() => read(page)).join("\n");
  if (issue === undefined) expect(issues).toBe("");
  else expect(issues).toContain(issue);
});
