import type { z } from "zod";
import { formatMoney } from "../money.ts";
import type { Money, SquareObject } from "./objects.ts";
import type { SkippedLog } from "./skipped.ts";

/** What mapping an object needs besides the object. */
export type Mapping = {
  currency: string;
  left: SkippedLog;
  /** Currencies met that are not the business's. */
  foreign: Set<string>;
  picturesOf: (object: SquareObject, imageIds: readonly string[]) => Pictures;
};

export type Pictures = { images?: { url: string; alt?: string }[] };

/** Fields of every object that its mapping accounts for. */
export const READ_OF_OBJECT = [
  "type",
  "id",
  "isDeleted",
  "itemData",
  "categoryData",
  "modifierListData",
  "imageData",
];

/** What the samples write for the currency of whoever loads them. */
const PLACEHOLDER = "CURRENCY";

export const labelOf = (name: string, id: string): string =>
  name === "" ? `'${id}'` : `'${name}' (${id})`;

/** The document if a catalog file may hold it; else it is reported with what is wrong. */
export function sound<T>(schema: z.ZodType<T>, doc: T, what: string, left: SkippedLog): T[] {
  const issue = schema.safeParse(doc).error?.issues[0];
  if (issue === undefined) return [doc];
  left.one(what, `its ${issue.path.join(".")} must be ${issue.message}`);
  return [];
}

/** Decimal text in the business's currency. A foreign one is remembered: the import as a whole refuses it. */
export function priceOf(money: Money | undefined, m: Mapping): string | undefined {
  if (money?.amount === undefined) return undefined;
  const { currency = m.currency } = money;
  if (currency !== m.currency && currency !== PLACEHOLDER) m.foreign.add(currency);
  return formatMoney(money.amount, m.currency);
}
