import { load } from "js-yaml";
import { expect, test } from "vitest";
import { PRESETS, readPreset } from "../../../../src/platform/assets.ts";
import { patient } from "../../../support/patience.ts";
import { chooseScale } from "../../../support/scale.ts";
import { collectIssues, readCatalogSources } from "../../../support/catalog-file.ts";

const WRONG: unknown[] = [null, 7, "", [], [7], {}, [{}], undefined];
/** The test suite tries two of these values at each part, and each value at every fourth part. */
const STRIDE = chooseScale(4, 1);

/** Returns a value with the first element of each list. */
function shorten(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shorten);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shorten(one)]));
}

/** Yields a copy of the value for each of its parts, in which `by` replaces the part. */
function* replaceParts(value: unknown, by: unknown): Generator<unknown> {
  if (typeof value !== "object" || value === null) return;
  for (const [name, part] of Object.entries(value)) {
    const replaceBy = (other: unknown): unknown =>
      Array.isArray(value)
        ? value.map((one, index) => (String(index) === name ? other : one))
        : { ...value, [name]: other };
    yield replaceBy(by);
    for (const changed of replaceParts(part, by)) yield replaceBy(changed);
  }
}

const read = (file: unknown) =>
  collectIssues(() =>
    readCatalogSources([{ name: "catalog.yaml", text: JSON.stringify(file) }], { seedingAt: 0 }),
  );

test.each(PRESETS)(
  "a check of the sample catalog '%s' with wrong values never crashes, and reports at least a quarter of the values",
  { timeout: patient(60_000) },
  (preset) => {
    const file = shorten(load(readPreset(preset)));
    // The shortened file has issues even before a change, because it refers to objects that it
    // lacks.
    const before = read(file).join();
    for (const [i, wrong] of WRONG.entries()) {
      const changes = [...replaceParts(file, wrong)].filter((_, part) => (part + i) % STRIDE === 0);
      const found = changes.map((changed) => read(changed).join());
      expect(found.length).toBeGreaterThan(100 / STRIDE);
      // Each of these values has the wrong type for many parts.
      expect(found.filter((issues) => issues !== before).length).toBeGreaterThan(found.length / 4);
    }
  },
);

test("an invalid object in a list of the business is reported", () => {
  const lists = { links: [{ name: "Instagram" }], images: [{ url: "front", alt: "Front" }] };
  const business = { slug: "salon", name: "Salon", timezone: "UTC", currency: "EUR", ...lists };
  expect(read({ catalog: 1, business })).toEqual([
    expect.stringContaining("'url' is missing"),
    expect.stringContaining("a web address"),
  ]);
});
