import {
  ALL_KINDS,
  type Catalog,
  type DocOf,
  KIND_NAMES,
  type ServiceDoc,
} from "../../domain/catalog/catalog.ts";
import type { ImageDoc } from "../../domain/catalog/common.ts";
import type { MenuItemDoc } from "../../domain/catalog/menu.ts";
import {
  CSV_COLUMNS,
  CSV_KINDS,
  CSV_SEPARATOR,
  type CsvCells,
  type CsvKind,
  type CsvType,
  writeCell,
} from "./format.ts";
import { countOf } from "../../domain/text.ts";
import { type Currency, formatMoney } from "../../domain/money.ts";

/**
 * Returns the services and menu as CSV. `skipped` lists what CSV cannot contain, such as `3
 * promotions`.
 */
export function writeCatalog({ business, objects }: Catalog): {
  content: string;
  skipped: string[];
} {
  const lines = CSV_KINDS.flatMap((kind) =>
    objects[kind].flatMap((doc) => csvRowsOf(kind, doc, business)),
  ).map((cells) => CSV_COLUMNS.map((column) => writeCell(cells[column] ?? "")).join(","));
  const isWritten = (kind: string) => CSV_KINDS.some((csvKind) => csvKind === kind);
  return {
    content: [CSV_COLUMNS.join(","), ...lines, ""].join("\r\n"),
    skipped: ALL_KINDS.filter((kind) => !isWritten(kind) && objects[kind].length > 0).map((kind) =>
      countOf(objects[kind].length, KIND_NAMES[kind]),
    ),
  };
}

/** Returns the row of an object, followed by the rows of its variants or sizes. */
export const csvRowsOf = <K extends CsvKind>(
  kind: K,
  doc: DocOf[K],
  currency: Currency,
): CsvCells[] => ROWS[kind](doc, (cents) => formatMoney(cents, currency));

type FormatCents = (cents: number) => string;
/** The fields that are written in the same way for every type of row. */
type CommonDoc = {
  key: string;
  name: string;
  status?: string;
  description?: string | null;
  images?: ImageDoc[];
};

const cellsOf = (
  type: CsvType,
  { key, name, status, description, images }: CommonDoc,
): CsvCells => ({
  type,
  key,
  name,
  description: description ?? "",
  image: (images ?? []).map(({ url }) => url).join(CSV_SEPARATOR),
  status: status ?? "",
});

const serviceRows = (doc: ServiceDoc, money: FormatCents): CsvCells[] => [
  {
    ...cellsOf("service", doc),
    category: doc.category ?? "",
    price: priceCell(doc, money),
    duration_min: String(doc.durationMin),
    tags: doc.tags.join(CSV_SEPARATOR),
  },
  ...doc.variants.map((variant) => ({
    ...cellsOf("variant", variant),
    parent_key: doc.key,
    price: money(variant.priceCents),
    duration_min: String(variant.durationMin),
  })),
];

const dishRows = (doc: MenuItemDoc, money: FormatCents): CsvCells[] => [
  {
    ...cellsOf("menu_item", doc),
    category: doc.categories.join(CSV_SEPARATOR),
    price: priceCell(doc, money),
    allergens: doc.allergens.join(CSV_SEPARATOR),
    tags: doc.tags.join(CSV_SEPARATOR),
  },
  ...doc.sizes.map((size) => ({
    ...cellsOf("size", size),
    parent_key: doc.key,
    price: money(size.priceCents),
  })),
];

/** Returns `35.00`, `from 35.00`, or the price type in lower case, such as `free`. */
function priceCell(
  { priceType, priceCents }: { priceType: string; priceCents: number },
  money: FormatCents,
): string {
  if (priceType === "FIXED") return money(priceCents);
  return priceType === "FROM" ? `from ${money(priceCents)}` : priceType.toLowerCase();
}

type CategoryDoc = CommonDoc & { parent: string | null };

const categoryRows = (type: CsvType) => (doc: CategoryDoc) => [
  { ...cellsOf(type, doc), parent_key: doc.parent ?? "" },
];

const ROWS: { [K in CsvKind]: (doc: DocOf[K], money: FormatCents) => CsvCells[] } = {
  service_category: categoryRows("service_category"),
  addon: (doc, money) => [
    {
      ...cellsOf("addon", doc),
      price: money(doc.priceCents),
      duration_min: String(doc.durationMin),
    },
  ],
  service: serviceRows,
  menu_category: categoryRows("menu_category"),
  menu_item: dishRows,
};
