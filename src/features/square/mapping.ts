import type { z } from "zod";
import type { Money, SquareObject } from "./objects.ts";
import type { SkippedLog } from "./skipped.ts";
import { isoCurrency, formatMoney } from "../../domain/money.ts";

export type MappingContext = {
  currency: string;
  skipped: SkippedLog;
  /** Currencies in the file other than that of the business. */
  foreignCurrencies: Set<string>;
  imagesOf: (object: SquareObject, imageIds: readonly string[]) => AuthoredImages;
};

export type AuthoredImages = { images?: { url: string; alt?: string }[] };

/** The fields of an object that are read, and therefore not reported as left out. */
export const OBJECT_FIELDS = [
  "type",
  "id",
  "isDeleted",
  "itemData",
  "categoryData",
  "modifierListData",
  "imageData",
  "discountData",
];

/** The text that Square's sample files have in place of a currency. */
const PLACEHOLDER = "CURRENCY";

export const labelOf = (name: string, id: string): string =>
  name === "" ? `'${id}'` : `'${name}' (${id})`;

/** Returns a list with the document if it is valid in a catalog file; otherwise an empty list. */
export function validOrSkipped<T>(
  schema: z.ZodType<T>,
  doc: T,
  what: string,
  skipped: SkippedLog,
): T[] {
  const issue = schema.safeParse(doc).error?.issues[0];
  if (issue === undefined) return [doc];
  skipped.add(what, `its ${issue.path.join(".")} must be ${issue.message}`);
  return [];
}

/** Returns a price. A currency other than the business's is recorded, and fails the import. */
export function priceOf(money: Money | undefined, context: MappingContext): string | undefined {
  if (money?.amount === undefined) return undefined;
  const { currency = context.currency } = money;
  if (currency !== context.currency && currency !== PLACEHOLDER)
    context.foreignCurrencies.add(currency);
  return formatMoney(money.amount, isoCurrency(context.currency));
}
