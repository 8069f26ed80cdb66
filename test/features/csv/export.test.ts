import { parse } from "csv-parse/sync";
import { fc } from "../../support/property.ts";
import { expect, test } from "vitest";
import { getBusiness } from "../../../src/app/businesses.ts";
import { applyCatalog } from "../../../src/app/catalog/catalog.ts";
import { readStoredCatalog } from "../../../src/app/catalog/export-catalog.ts";
import { writeCatalog } from "../../../src/features/csv/export.ts";
import { planCsvImport } from "../../../src/features/csv/import-csv.ts";
import { replaceCatalog } from "../../../src/app/catalog/changes/replace-catalog.ts";
import type { CatalogObjects } from "../../../src/domain/catalog/catalog.ts";
import type { CsvCells, CsvColumn } from "../../../src/features/csv/format.ts";
import { businessId } from "../../../src/domain/catalog/object-id.ts";
import type { AuthoredFile } from "../../../src/domain/catalog/file/schema.ts";
import { readPartOfSample } from "../../support/sample-catalog.ts";
import { chooseScale } from "../../support/scale.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";

type Doc = Record<string, unknown> & { key: string; priceCents: number };

const TEXTS = ["=1+1", "'=x", "-5 %", 'a;b,"c" d', "Crème & Größe", "one|two", "12. Mai", "#NAME?"];

/** Adds to the objects what CSV simplifies or cannot contain. */
function decorate(file: AuthoredFile): AuthoredFile {
  const text = (index: number) => TEXTS[index % TEXTS.length] ?? "";
  for (const [index, service] of (file.services ?? []).entries()) {
    service.images = [
      { url: "https://example.com/a.jpg", alt: text(index), width: 3 },
      "https://example.com/b.jpg",
    ];
    service.translations = { de: { name: text(index) } };
    service.description = `${text(index)}\n\n${text(index + 1)}`;
    if (index % 3 === 0) service.name = `${service.name} ${text(index)}`;
    if (index % 4 === 0) service.tags = ["one|two", text(index)];
    if (index % 5 === 0 && service.price !== undefined) service.priceType = "from";
    for (const variant of service.variants ?? []) variant.attributes = { hair: text(index) };
  }
  for (const [index, item] of (file.menu?.items ?? []).entries()) {
    if (index % 3 === 0) item.name = `${text(index)} ${item.name}`;
    if (index % 6 === 0) item.status = "ARCHIVED";
    if (index % 7 === 0)
      Object.assign(item, { price: undefined, sizes: undefined, priceType: "market" });
    item.mayContain = ["nuts"];
  }
  return file;
}

const catalogs = fc
  .record({ seed: fc.nat(100_000), size: fc.integer({ min: 5, max: 80 }) })
  .map(({ seed, size }) => decorate(readPartOfSample(size, seed)));

type Edit = { at: number; column: CsvColumn; value: number };

const edits: fc.Arbitrary<Edit> = fc.record({
  at: fc.nat(10_000),
  column: fc.constantFrom(
    ...(["price", "duration_min", "name", "description", "status", "tags"] as const),
  ),
  value: fc.integer({ min: 1, max: 1440 }),
});

/** Ways in which a spreadsheet or a person writes the table. */
const styles = fc.record({
  separator: fc.constantFrom(",", ";", "\t"),
  bytes: fc.constantFrom<(text: string) => Buffer>(
    (text) => Buffer.from(text),
    (text) => Buffer.from(`\ufeff${text}`),
    (text) => Buffer.from(`\ufeff${text}`, "utf16le"),
  ),
  money: fc.constantFrom<(amount: string) => string>(
    (amount) => amount,
    (amount) => amount.replace(".", ","),
    (amount) => `CHF ${amount}`,
    (amount) => `1'000.00 Fr.`.replace("1'000.00", amount),
    (amount) => amount.replace(/\.00$/, ".-"),
  ),
  germanTitles: fc.boolean(),
  onlyEditedColumn: fc.boolean(),
  withoutKeys: fc.boolean(),
  /** Random numbers that decide which rows are left out and how the others are ordered. */
  rows: fc.infiniteStream(fc.nat(100)),
});

const GERMAN: Partial<Record<CsvColumn, string>> = {
  name: "Bezeichnung",
  price: "Preis (CHF)",
  duration_min: "Dauer",
};

const docsOf = (objects: CatalogObjects, type: string): Doc[] =>
  objects[type as "service"] as unknown as Doc[];

/** Returns the object, variant or size that a row of an export describes. */
function findDoc(objects: CatalogObjects, row: CsvCells): { doc: Doc; parent: Doc | undefined } {
  const [list, parentType] =
    row.type === "variant" ? ["variants", "service"] : ["sizes", "menu_item"];
  const isPart = row.type === "variant" || row.type === "size";
  const parent = isPart
    ? docsOf(objects, parentType).find(({ key }) => key === row.parent_key)
    : undefined;
  const docs = parent === undefined ? docsOf(objects, row.type ?? "") : (parent[list] as Doc[]);
  return { doc: docs.find(({ key }) => key === row.key) as Doc, parent };
}

/**
 * Edits a cell, and changes the document as a person would expect. Returns false if the row lacks
 * the column.
 */
function edit(row: CsvCells, { column, value }: Edit, { doc }: { doc: Doc }): boolean {
  const isCell = (column !== "price" && column !== "duration_min") || /^\d/.test(row[column] ?? "");
  const field = { price: "priceCents", duration_min: "durationMin" }[column as string] ?? column;
  if (!isCell || !(field in doc)) return false;
  const text = TEXTS[value % 6] ?? "";
  const typed = /^'*[=-]/.test(text) ? `'${text}` : text;
  const [cell, expected] = {
    price: [`${value}.05`, value * 100 + 5],
    duration_min: [String(value), value],
    status: ["inactive", "INACTIVE"],
    tags: ["one | two", ["one", "two"]],
    description: value % 2 === 0 ? ["", null] : [typed, text],
    name: [typed, text],
  }[column as string] as [string, unknown];
  row[column] = cell;
  doc[field] = expected;
  return true;
}

const write = (rows: readonly (readonly string[])[], separator: string): string =>
  rows
    .map((cells) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(separator))
    .join("\r\n");

const load = (rt: TestRuntime) => {
  const business = getBusiness(rt, "linden");
  const { doc, schedule } = business;
  return { business, doc, schedule, objects: rt.store.catalog.listObjects(business.id) };
};

const importRows = (rt: TestRuntime, bytes: Buffer) =>
  replaceCatalog(
    rt,
    planCsvImport(rt, load(rt).business, { name: "prices.csv", bytes }).replacement,
    {},
  );

test("an export edited in a spreadsheet changes the edited cell and nothing else", () => {
  const rt = createTestRuntime();
  let edited = 0;
  fc.assert(
    fc.property(catalogs, edits, styles, (file, change, style) => {
      rt.store.businesses.delete(businessId("linden"));
      const source = { name: "linden.json", text: JSON.stringify(file) };
      applyCatalog(rt, [source], { seedingAt: rt.now() });
      const before = load(rt);
      const { content } = writeCatalog(readStoredCatalog(rt, before.business));
      expect(importRows(rt, Buffer.from(content)).changes).toEqual([]);

      const rows = parse(content, { columns: true }) as CsvCells[];
      const expected = structuredClone(before.objects);
      const row = rows[change.at % rows.length] as CsvCells;
      const found = findDoc(expected, row);
      const isEdited = edit(row, change, found);
      const isListed = new Map(
        rows.map((one) => [one, one === row || (style.rows.next().value as number) < 70]),
      );
      const dish = rows.find(({ type, key }) => type === "menu_item" && key === row.parent_key);
      // A dish without a price in its own row costs as much as its cheapest size.
      if (
        isEdited &&
        row.type === "size" &&
        change.column === "price" &&
        !isListed.get(dish ?? row)
      ) {
        const old = findDoc(before.objects, row).parent as Doc;
        const lowest = (sizes: unknown) =>
          Math.min(...(sizes as Doc[]).map(({ priceCents }) => priceCents));
        if (found.parent && old.priceCents === lowest(old.sizes))
          found.parent.priceCents = lowest(found.parent.sizes);
      }

      const scope = ({ type, parent_key, name }: CsvCells) =>
        [
          type,
          type === "variant" || type === "size" ? parent_key : "",
          name?.trim().toLowerCase(),
        ].join("\0");
      const areNamesUnique = new Set(rows.map(scope)).size === rows.length;
      const columns = (Object.keys(rows[0] ?? {}) as CsvColumn[]).filter((column) => {
        if (column === "key")
          return !style.withoutKeys || !areNamesUnique || change.column === "name";
        if (column === "type" || column === "parent_key" || column === "name") return true;
        return !style.onlyEditedColumn || column === change.column;
      });
      // An empty cell changes nothing in a list without keys.
      if (isEdited && !columns.includes("key") && row[change.column] === "")
        Object.assign(found.doc, {
          [change.column]: findDoc(before.objects, row).doc[change.column],
        });
      const listed = rows
        .filter((one) => isListed.get(one))
        .map((one) => ({ one, rank: style.rows.next().value as number }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ one }) =>
          columns.map((column) => {
            const cell = one[column] ?? "";
            return column === "price" ? cell.replace(/\d[\d.]*$/, style.money) : cell;
          }),
        );
      const titles = columns.map((column) => (style.germanTitles && GERMAN[column]) || column);
      const result = importRows(rt, style.bytes(write([titles, ...listed], style.separator)));

      expect(load(rt).objects).toEqual(expected);
      expect(load(rt)).toMatchObject({ doc: before.doc, schedule: before.schedule });
      expect(result.changes.length).toBeLessThanOrEqual(1);
      expect(result.changes.every(({ action }) => action === "update")).toBe(true);
      edited += result.changes.length;
    }),
    { numRuns: chooseScale(8, 300) },
  );
  expect(edited).toBeGreaterThan(3);
}, 300_000);
