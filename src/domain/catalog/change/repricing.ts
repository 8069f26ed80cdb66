import { type Currency, formatMoney } from "../../money.ts";
import { countOf } from "../../text.ts";
import { type ObjectChange, pricesOf } from "./diff.ts";

/** Changes of prices that are probably a mistake. */
export type Repricing = {
  /** How many prices change by more than half of what they were. */
  changed: number;
  /** How many prices become 0. */
  free: number;
  /** How many prices the catalog had. */
  total: number;
  /** The largest changes in proportion, at most three. */
  largest: PriceChange[];
};

type PriceChange = {
  key: string;
  /** The key of the variant, add-on, service, size, option or ticket type; "" for the object itself. */
  part: string;
  from: number;
  to: number;
};

/**
 * The share of changed prices is checked only if the catalog has at least this number of prices.
 */
const MIN_PRICES = 10;
const MAX_CHANGED_SHARE = 0.2;
const MAX_NAMED = 3;

/**
 * The number of prices in a catalog. `count` is exact, but reads every object. `exceeds` is fast:
 * true means that there are more prices than the limit, and false means that only `count` can tell.
 */
export type PriceCount = { exceeds: (limit: number) => boolean; count: () => number };

/**
 * Returns the large changes of prices if a price becomes 0, or a fifth of all prices change by more
 * than half; else null.
 * @param prices the prices of the catalog before the change
 */
export function findRepricing(
  changes: readonly ObjectChange[],
  prices: PriceCount,
): Repricing | null {
  const large = changes.flatMap(largePriceChanges);
  if (large.length === 0) return null;
  const free = large.filter(({ to }) => to === 0).length;
  // If `exceeds` returns true, the large changes are less than a fifth of the prices, so the slow
  // `count` is not needed.
  if (free === 0 && prices.exceeds(Math.floor(large.length / MAX_CHANGED_SHARE))) return null;
  const total = prices.count();
  if (free === 0 && (total < MIN_PRICES || large.length < total * MAX_CHANGED_SHARE)) return null;
  const largest = large.toSorted(byLargest).slice(0, MAX_NAMED);
  return { changed: large.length, free, total, largest };
}

/**
 * Returns the prices that change by more than half. An object whose price type changes is left out:
 * its price may intentionally become free or unknown.
 */
const largePriceChanges = ({ key, fields, prices }: ObjectChange): PriceChange[] =>
  fields.includes("priceType")
    ? []
    : prices.flatMap(({ part, from, to }) =>
        from !== null && to !== null && Math.abs(to - from) > from / 2
          ? [{ key, part, from, to }]
          : [],
      );

export function countPrices(docs: Iterable<object>): number {
  let count = 0;
  for (const doc of docs) count += pricesOf(doc).size;
  return count;
}

/**
 * Returns how many times higher the higher price is than the lower one. A fall to a tenth of the
 * price therefore counts as much as a rise to ten times the price, and a change to or from 0 is the
 * largest.
 */
const factorOf = ({ from, to }: PriceChange): number => Math.max(from, to) / Math.min(from, to);

function byLargest(a: PriceChange, b: PriceChange): number {
  const [first, second] = [factorOf(a), factorOf(b)];
  return first === second ? Math.max(b.from, b.to) - Math.max(a.from, a.to) : second - first;
}

/** Returns `change 71 of 80 prices by more than half, 2 of them to 0 (cut 35.00 -> 1.00, …)`. */
export function repricingText(
  { changed, free, total, largest }: Repricing,
  currency: Currency,
): string {
  const named = largest.map((change) => priceChangeText(change, currency));
  const more = changed > named.length ? ", …" : "";
  const freePart = free === 0 ? "" : `, ${free === changed ? "all" : free} of them to 0`;
  return `change ${changed} of ${countOf(total, "price")} by more than half${freePart} (${named.join(", ")}${more})`;
}

/** Returns `set 1 price to 0 (cut 35.00 -> 0.00)`; null if no price becomes 0. */
export function freePricesText(repricing: Repricing | null, currency: Currency): string | null {
  if (repricing === null || repricing.free === 0) return null;
  const { free, largest } = repricing;
  const named = largest.filter(({ to }) => to === 0);
  const more = free > named.length ? ", …" : "";
  return `set ${countOf(free, "price")} to 0 (${named.map((change) => priceChangeText(change, currency)).join(", ")}${more})`;
}

function priceChangeText({ key, part, from, to }: PriceChange, currency: Currency): string {
  const price = (minor: number) => formatMoney(minor, currency);
  return `${key}${part === "" ? "" : `/${part}`} ${price(from)} -> ${price(to)}`;
}
