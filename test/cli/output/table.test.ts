import { expect, test } from "vitest";
import { type Column, toTable, toTsv } from "../../../src/cli/output/table.ts";

type Dish = { key: string; name: string; price: number | null };

const columns = [
  { title: "KEY", value: ({ key }) => key },
  { title: "NAME", value: ({ name }) => name },
  { title: "PRICE", value: ({ price }) => price, align: "right" },
] satisfies Column<Dish>[];

test("a table aligns its columns under their titles", () => {
  const rows = [
    { key: "soup", name: "Soup", price: 9 },
    { key: "tea", name: "Green tea", price: 12 },
  ];
  expect(toTable(rows, columns, 80)).toEqual([
    "KEY   NAME       PRICE",
    "soup  Soup           9",
    "tea   Green tea     12",
  ]);
});

test("East Asian characters and emoji take two terminal cells, and combining marks none", () => {
  const rows = [
    { key: "a", name: "夜市", price: 1 },
    { key: "b", name: "🍣", price: 2 },
    { key: "c", name: "cafe\u0301", price: 3 },
  ];
  expect(toTable(rows, columns, 80)).toEqual([
    "KEY  NAME  PRICE",
    "a    夜市      1",
    "b    🍣        2",
    "c    cafe\u0301      3",
  ]);
});

test("the widest column of a table is truncated, so that a row fits on a line", () => {
  const lines = toTable([{ key: "long", name: "x".repeat(300), price: 5 }], columns, 40);
  expect(Math.max(...lines.map((line) => line.length))).toBe(40);
  expect(lines[1]).toMatch(/^long {2}x+… +5$/);
});

test("an optional column is omitted before anything is truncated, but never from TSV", () => {
  const spared = columns.map((column) =>
    column.title === "PRICE" ? { ...column, optional: true as const } : column,
  );
  const rows = [{ key: "catalog", name: "catalog.changed", price: 12_345 }];
  expect(toTable(rows, spared, 31)).toEqual([
    "KEY      NAME             PRICE",
    "catalog  catalog.changed  12345",
  ]);
  expect(toTable(rows, spared, 30)).toEqual(["KEY      NAME", "catalog  catalog.changed"]);
  expect(toTsv(rows, spared)).toBe("catalog\tcatalog.changed\t12345\n");
});

test("columns that wrap move to a second line if the terminal is too narrow for all", () => {
  const wrapping: Column<Dish>[] = [
    ...columns.map((column) =>
      column.title === "NAME" ? { ...column, wraps: true as const } : column,
    ),
    { title: "ID", value: "key", isPipeOnly: true },
  ];
  const rows = [
    { key: "soup", name: "Soup of the day", price: 9 },
    { key: "tea", name: "", price: 12 },
  ];
  expect(toTable(rows, wrapping, 28)).toEqual([
    "KEY   NAME             PRICE",
    "soup  Soup of the day      9",
    "tea                       12",
  ]);
  expect(toTable(rows, wrapping, 27)).toEqual([
    "KEY   PRICE\n  NAME",
    "soup      9\n  Soup of the day",
    "tea      12",
  ]);
  expect(toTsv(rows.slice(1), wrapping)).toBe("tea\t\t12\ttea\n");
});

test("TSV has a line per row, no titles, and an empty cell for null", () => {
  expect(toTsv([{ key: "a", name: "A b", price: null }], columns)).toBe("a\tA b\t\n");
});

test("control characters in a cell are escaped", () => {
  const hostile = [{ key: "a\tb\nc", name: "\u001b]0;title\u0007\u202e", price: 1 }];
  expect(toTsv(hostile, columns)).toBe("a␉b␊c\t␛]0;title␇\ufffd\t1\n");
  expect(toTable(hostile, columns, 80).join("")).not.toMatch(/[\t\n\u001b\u0007\u202e]/);
});
