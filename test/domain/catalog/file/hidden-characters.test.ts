import { expect, test } from "vitest";
import type { Catalog } from "../../../../src/domain/catalog/catalog.ts";
import { MAX_ISSUES } from "../../../../src/domain/errors.ts";
import { readEdit, validateCatalog } from "../../../../src/domain/catalog/validate.ts";

const ZERO_WIDTH = "\u200b";

const contentWith = (hidden: string) => ({
  catalog: 1,
  business: { slug: "salon", name: `Salon${hidden}`, timezone: "Europe/Zurich", currency: "CHF" },
  closures: [{ date: "2030-12-24", name: `Eve${hidden}` }],
  staff: [{ key: "mia", name: `Mia${hidden}`, title: `Boss${hidden}` }],
  services: [
    {
      key: "cut",
      name: `Cut${hidden}`,
      description: "Soft\u00adhyphen",
      durationMin: 30,
      price: "35.00",
      tags: [`short${hidden}`],
      translations: { de: { name: `Schnitt${hidden}` } },
    },
  ],
});

const validate = (content: object, current: Catalog | null, isRestored = false) =>
  validateCatalog([content], { current: () => current, prune: false, seedingAt: null, isRestored });

const fieldsWith = (content: object, current: Catalog | null) =>
  validate(content, current).issues.map(({ path }) => path.slice(1).join("."));

test.each([ZERO_WIDTH, "\u202e", "\u2066", "\u{e0041}"])(
  "a catalog file with the invisible character %j in a name, title or tag is refused (%#)",
  (hidden) => {
    expect(fieldsWith(contentWith(hidden), null).sort()).toEqual([
      "business.name",
      "closures.0.name",
      "services.0.name",
      "services.0.tags.0",
      "services.0.translations.de.name",
      "staff.0.name",
      "staff.0.title",
    ]);
    expect(fieldsWith(contentWith(""), null)).toEqual([]);
    expect(fieldsWith(contentWith(" 👩‍🔬"), null)).toEqual([]);
  },
);

test("a catalog that an earlier version stored with invisible characters can still be applied, edited and restored", () => {
  const content = contentWith(ZERO_WIDTH);
  const { merged, issues } = validate(content, null, true);
  expect(issues).toEqual([]);
  const stored = merged?.catalog ?? null;
  expect(fieldsWith(contentWith(ZERO_WIDTH), stored)).toEqual([]);
  const [service] = content.services;
  const repriced = { ...service, price: "40.00" };
  expect(fieldsWith({ ...contentWith(ZERO_WIDTH), services: [repriced] }, stored)).toEqual([]);
  const renamed = { ...service, name: `Trim${ZERO_WIDTH}` };
  expect(fieldsWith({ ...contentWith(ZERO_WIDTH), services: [renamed] }, stored)).toEqual([
    "services.0.name",
  ]);
  const staff = [{ key: "tom", name: `Tom${ZERO_WIDTH}` }];
  expect(() => readEdit(stored as Catalog, { staff }, "staff member 'tom'")).toThrow("U+200B");
});

test("a file with a thousand invisible characters gets only one more issue than an error can list", () => {
  const tags = Array.from({ length: 1000 }, (_, i) => `${i}${ZERO_WIDTH}`);
  const issues = validate({ ...contentWith(""), unknown: tags }, null).issues;
  expect(issues.filter(({ detail }) => detail.includes("U+200B"))).toHaveLength(MAX_ISSUES + 1);
});
