import { fc } from "../../../support/property.ts";
import { expect, test } from "vitest";
import { assignSortOrders } from "../../../../src/domain/catalog/change/diff.ts";

test.each<[string, (number | null)[], number[], number[]]>([
  ["new objects leave gaps", [null, null, null], [1024, 2048, 3072], []],
  ["a delete changes no other object", [1024, 3072], [1024, 3072], []],
  ["an inserted object gets a number in the gap", [1024, null, 2048], [1024, 1536, 2048], []],
  [
    "several inserted objects share the gap evenly",
    [1024, null, null, null, 2048],
    [1024, 1280, 1536, 1792, 2048],
    [],
  ],
  ["an appended object continues the numbers", [2048, null], [2048, 3072], []],
  ["an object moved to the front changes alone", [3072, 1024, 2048], [512, 1024, 2048], [0]],
  ["an object moved to the end changes alone", [2048, 3072, 1024], [2048, 3072, 4096], [2]],
  ["an exchange of two neighbours changes one", [2048, 1024, 3072], [512, 1024, 3072], [0]],
  ["all numbers change if a gap is used up", [7, null, 8, 99], [1024, 2048, 3072, 4096], []],
  ["all numbers change above 32 bits", [1, 2 ** 31 - 1, null], [1024, 2048, 3072], []],
  ["an empty list has none", [], [], []],
])("sort orders change as little as possible: %s", (_case, stored, sortOrders, moved) => {
  const assigned = assignSortOrders(stored);
  expect(assigned.sortOrders).toEqual(sortOrders);
  expect([...assigned.moved]).toEqual(moved);
});

test("sort orders ascend, and only moved or new objects get a new sort order, unless all objects are renumbered", () => {
  const list = fc.uniqueArray(fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 5000 })), {
    comparator: (a, b) => a !== null && a === b,
    maxLength: 60,
  });
  fc.assert(
    fc.property(list, (stored) => {
      const { sortOrders, moved } = assignSortOrders(stored);
      expect(sortOrders).toHaveLength(stored.length);
      expect(sortOrders.every((number, i) => number > (sortOrders[i - 1] ?? 0))).toBe(true);
      const isRenumbered = sortOrders.every((number, i) => number === (i + 1) * 1024);
      stored.forEach((number, i) => {
        if (number !== null && !moved.has(i) && !isRenumbered) expect(sortOrders[i]).toBe(number);
      });
      // No smaller set of moves leads to this order.
      const kept = stored.filter((number, i) => number !== null && !moved.has(i)).length;
      expect(kept).toBe(lengthOfLongestAscending(stored.filter((number) => number !== null)));
    }),
  );
});

/** Returns the length of a longest ascending subsequence by its definition, in quadratic time. */
function lengthOfLongestAscending(values: number[]): number {
  const lengths: number[] = [];
  values.forEach((value, i) => {
    const before = lengths.filter((_, j) => (values[j] ?? 0) < value);
    lengths[i] = 1 + Math.max(0, ...before);
  });
  return Math.max(0, ...lengths);
}
