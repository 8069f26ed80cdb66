import {
  ALL_KINDS,
  type Catalog,
  type ImageDoc,
  type Kind,
  type MenuItemDoc,
  type ServiceDoc,
  KIND_NAMES,
} from "../catalog.ts";
import { CSV_COLUMNS, CSV_SEPARATOR, type CsvCells, type CsvType, writeCell } from "./format.ts";
import { countOf } from "../../text.ts";
import { formatMoney } from "../../money.ts";

const CSV_KINDS: readonly Kind[] = [
  "service_category",
  "addon",
  "service",
  "menu_category",
  "menu_item",
];

/**
 * The services and menu as CSV. `skipped` counts the objects of kinds that CSV does not support.
 */
export function writeCsv({ business, objects }: Catalog): { content: string; skipped: string[] } {
  const money = (cents: number) => formatMoney(cents, business);
  const rows: CsvCells[] = [
    ...objects.service_category.map((doc) => ({
      ...cellsOf("service_category", doc),
      parent_key: doc.parent ?? "",
    })),
    ...objects.addon.map((doc) => ({
      ...cellsOf("addon", doc),
      price: money(doc.priceCents),
      duration_min: String(doc.durationMin),
    })),
    ...objects.service.flatMap((doc) => serviceRows(doc, money)),
    ...objects.menu_category.map((doc) => ({
      ...cellsOf("menu_category", doc),
      parent_key: doc.parent ?? "",
    })),
    ...objects.menu_item.flatMap((doc) => dishRows(doc, money)),
  ];
  const lines = rows.map((cells) =>
    CSV_COLUMNS.map((column) => writeCell(cells[column] ?? "")).join(","),
  );
  return {
    content: [CSV_COLUMNS.join(","), ...lines, ""].join("\r\n"),
    skipped: ALL_KINDS.filter((kind) => !CSV_KINDS.includes(kind) && objects[kind].length > 0).map(
      (kind) => countOf(objects[kind].length, KIND_NAMES[kind]),
    ),
  };
}

type Money = (cents: number) => string;
type Doc = {
  key: string;
  name: string;
  status?: string;
  description?: string | null;
  images?: ImageDoc[];
};

const cellsOf = (type: CsvType, { key, name, status, description, images }: Doc): CsvCells => ({
  type,
  key,
  name,
  description: description ?? "",
  image: images?.[0]?.url ?? "",
  status: status ?? "",
});

const serviceRows = (doc: ServiceDoc, money: Money): CsvCells[] => [
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

const dishRows = (doc: MenuItemDoc, money: Money): CsvCells[] => [
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

/** `35.00`, `from 35.00`, or the price type in lower case, such as `free`. */
function priceCell(
  { priceType, priceCents }: { priceType: string; priceCents: number },
  money: Money,
): string {
  if (priceType === "FIXED") return money(priceCents);
  return priceType === "FROM" ? `from ${money(priceCents)}` : priceType.toLowerCase();
}
