import { describe, expect, test } from "vitest";
import { groupByBusiness } from "../../../src/app/catalog/business-files.ts";
import { parseSources } from "../../../src/domain/catalog/source/read-catalog.ts";

/** Returns the names of each group; a file's content is its slug, "" for a file without business. */
const groups = (files: Record<string, string>): string[][] =>
  groupByBusiness(
    parseSources(
      Object.entries(files).map(([name, slug]) => ({
        name,
        text: slug === "" ? "catalog: 1\n" : `catalog: 1\nbusiness: {slug: ${slug}}\n`,
      })),
    ),
  ).map((group) => group.map(({ name }) => name));

describe("groupByBusiness", () => {
  test("groupByBusiness merges all files if they describe at most one business", () => {
    expect(groups({ "a/x.yaml": "bern", "y.yaml": "", "b/z.yaml": "" })).toHaveLength(1);
    expect(groups({ "x.yaml": "", "y.yaml": "" })).toHaveLength(1);
    expect(groups({ "x.yaml": "bern", "y.yaml": "bern" })).toHaveLength(1);
  });

  test("groupByBusiness assigns a file without business to the only business in its folder, in the order of the files", () => {
    expect(
      groups({ "a/prices.yaml": "", "a/x.yaml": "bern", "b/x.yaml": "chur", "b/y.yaml": "" }),
    ).toEqual([
      ["a/prices.yaml", "a/x.yaml"],
      ["b/x.yaml", "b/y.yaml"],
    ]);
  });

  test("groupByBusiness leaves a file alone if its folder has no business or several", () => {
    expect(
      groups({ "a/x.yaml": "bern", "a/y.yaml": "chur", "a/z.yaml": "", "z.yaml": "" }),
    ).toEqual([["a/x.yaml"], ["a/y.yaml"], ["a/z.yaml"], ["z.yaml"]]);
  });
});
