import { expect, test } from "vitest";
import { fitObject, MAX_BYTES, ResultPage } from "../../../src/features/mcp/fit.ts";

const sizeOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

test("an MCP result leaves out empty fields and fields that only a copy of the catalog needs", () => {
  expect(
    fitObject({
      id: "svc_1",
      name: "Cut",
      description: null,
      tags: [],
      allergens: { contains: [] },
      images: [{ url: "https://a.example/a.jpg" }],
      translations: { de: { name: "Schnitt" } },
      status: "ACTIVE",
      version: 3,
      priceCents: 0,
      bookable: false,
      event: { status: "CANCELLED", sortOrder: 1 },
    }),
  ).toEqual({
    id: "svc_1",
    name: "Cut",
    priceCents: 0,
    bookable: false,
    event: { status: "CANCELLED" },
  });
});

test("an object that is too large is shortened and marked as shortened", () => {
  const variants = Array.from({ length: 500 }, (_, i) => ({
    id: `svv_${i}`,
    name: "🔥".repeat(200),
  }));
  const fitted = fitObject({ id: "svc_1", description: "x".repeat(5000), variants });
  expect(sizeOf(fitted)).toBeLessThanOrEqual(MAX_BYTES);
  expect(fitted).toMatchObject({ id: "svc_1", shortened: true });
});

test("an MCP result cuts a text after 600 characters and adds an ellipsis", () => {
  expect(fitObject({ name: "x".repeat(600), description: "y".repeat(601) })).toEqual({
    name: "x".repeat(600),
    description: `${"y".repeat(600)}…`,
    shortened: true,
  });
});

test("characters that hide or reorder text become visible", () => {
  expect(fitObject({ name: "Cut\u{e0049}\u202enow" })).toEqual({ name: "Cut\ufffd\ufffdnow" });
});

test("a page of results ends at its limit, or before it grows too large", () => {
  const few = new ResultPage(2);
  expect([few.add({ id: 1 }), few.add({ id: 2 }), few.add({ id: 3 })]).toEqual([true, true, false]);
  const large = new ResultPage(1000);
  let count = 0;
  while (large.add({ text: "x".repeat(500) })) count += 1;
  expect(large.objects).toHaveLength(count);
  expect(sizeOf(large.objects)).toBeLessThanOrEqual(MAX_BYTES);
  expect(sizeOf(large.objects)).toBeGreaterThan(MAX_BYTES - 600);
  const shared = new ResultPage(1000, { text: "x".repeat(MAX_BYTES / 2) });
  while (shared.add({ text: "x".repeat(500) }));
  expect(sizeOf(shared.objects)).toBeLessThanOrEqual(MAX_BYTES / 2);
});
