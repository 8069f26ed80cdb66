import { expect, test } from "vitest";
import { BoundedCache } from "../../src/domain/bounded-cache.ts";

test("keeps the entries used last and never more than its maximum", () => {
  const cache = new BoundedCache<number, string>(10);
  for (let key = 0; key < 100; key++) {
    cache.set(key, `value ${key}`);
    // Reading an entry keeps it.
    expect(cache.get(0)).toBe("value 0");
  }
  const kept = Array.from({ length: 100 }, (_, key) => key).filter((key) => cache.get(key));
  expect(kept.length).toBeLessThanOrEqual(10);
  expect(kept).toEqual([0, ...kept.slice(1)]);
  expect(kept.at(-1)).toBe(99);
});

test("counts sizes, and a replaced or deleted entry no longer counts", () => {
  const cache = new BoundedCache<string, string>(10, ({ length }) => length);
  cache.set("kept", "1");
  for (let i = 0; i < 100; i++) cache.set("replaced", "123");
  for (let i = 0; i < 100; i++) {
    cache.set("deleted", "12");
    cache.delete("deleted");
  }
  expect(["kept", "replaced", "deleted"].map((key) => cache.get(key))).toEqual([
    "1",
    "123",
    undefined,
  ]);
  // Larger than everything together: the entries before it go one generation later.
  cache.set("large", "12345678901");
  cache.set("larger", "123456789012");
  expect(["kept", "large", "larger"].map((key) => cache.get(key)?.length)).toEqual([
    undefined,
    undefined,
    12,
  ]);
});
