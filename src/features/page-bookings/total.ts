import type { PriceType } from "../../domain/catalog/price-type.ts";
import { fillText } from "../../pages/languages.ts";
import type { BookedAmount, Format } from "../public-pages/format.ts";
import type { BookingShop } from "./show/read-offer.ts";
import type { BookingTexts } from "./texts.ts";

/** The price of all services for all guests, and whether it is exact. */
export type Total = BookedAmount & { priceType: PriceType };

/** Returns a total as guests read it; null if it is zero or if a price is on request. */
export function writeTotal(
  texts: BookingTexts,
  format: Format,
  { priceType, ...amount }: Total,
): string | null {
  if (amount.cents === 0 || priceType === "ON_REQUEST") return null;
  const price = format.bookedMoney(amount);
  return priceType === "FROM" ? fillText(texts.fromPrice, { price }) : price;
}

/**
 * Returns the total of a free time as guests read it; null for a table, and if the total is zero or
 * on request.
 */
export function writeTotalOfTime(
  { shop, business, texts }: BookingShop,
  priceType: PriceType,
  cents: number | null,
): string | null {
  const { currency, currencyDigits } = business.doc;
  const total = cents === null ? null : { cents, currency, currencyDigits, priceType };
  return total && writeTotal(texts, shop.format, total);
}
