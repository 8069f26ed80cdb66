import { expect, test } from "vitest";
import { summarizeSkipped } from "../../../src/domain/catalog/import-report.ts";

test("the report of an import has one line for many parts that were left out for the same reason", () => {
  const images = Array.from({ length: 21 }, (_, i) => ({
    part: `image ${i}.png`,
    reason: "not a web address",
  }));
  expect(summarizeSkipped([...images, { part: "tax 'VAT'", reason: "no taxes" }])).toEqual([
    "image 0.png, image 1.png and 19 more: not a web address",
    "tax 'VAT': no taxes",
  ]);
  expect(summarizeSkipped(images.slice(0, 3))).toHaveLength(3);
});
