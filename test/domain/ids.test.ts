import { describe, expect, test } from "vitest";
import { catalogId, createIdSource } from "../../src/domain/ids.ts";

describe("time-sortable ids", () => {
  const zeros = (bytes: number) => new Uint8Array(bytes);

  test("rise within a millisecond, past what its count holds, and while the clock goes back", () => {
    let now = Date.parse("2026-11-20T12:00:00Z");
    const newId = createIdSource(() => now, zeros);
    const ids = Array.from({ length: 70_000 }, () => newId("evt"));
    now -= 3_600_000;
    ids.push(newId("evt"));
    now += 7_200_000;
    ids.push(newId("evt"));
    expect(ids.every((id, i) => i === 0 || id > (ids[i - 1] as string))).toBe(true);
  });

  test("have a prefix and 25 characters that can be read over the telephone", () => {
    expect(createIdSource(() => 0, zeros)("dlv")).toMatch(/^dlv_[0-9a-hjkmnp-tv-z]{25}$/);
  });
});

test("a catalog id is the same for the same business, type and keys, and for nothing else", () => {
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
