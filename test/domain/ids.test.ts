import { describe, expect, test } from "vitest";
import { catalogId, createIdSource } from "../../src/domain/ids.ts";

describe("time-sortable IDs", () => {
  const zeros = (bytes: number) => new Uint8Array(bytes);

  test("time-sortable IDs increase within a millisecond, past the counter's limit, and if the clock goes back", () => {
    let now = Date.parse("2026-11-20T12:00:00Z");
    const newId = createIdSource(() => now, zeros);
    const ids = Array.from({ length: 70_000 }, () => newId("evt"));
    now -= 3_600_000;
    ids.push(newId("evt"));
    now += 7_200_000;
    ids.push(newId("evt"));
    expect(ids.every((id, i) => i === 0 || id > (ids[i - 1] as string))).toBe(true);
  });

  test("time-sortable IDs have a prefix and 25 unambiguous characters", () => {
    expect(createIdSource(() => 0, zeros)("dlv")).toMatch(/^dlv_[0-9a-hjkmnp-tv-z]{25}$/);
  });
});

test("a catalog ID depends only on the business, the kind and the keys", () => {
  const id = catalogId("svc", "salon-aurora", "cut");
  expect(catalogId("svc", "salon-aurora", "cut")).toBe(id);
  const others = [
    catalogId("svc", "salon-aurora", "cute"),
    catalogId("adn", "salon-aurora", "cut"),
    catalogId("svc", "salon-auror", "acut"),
    catalogId("svc", "salon-aurora", "cu", "t"),
  ];
  expect(new Set([id, ...others]).size).toBe(5);
});
