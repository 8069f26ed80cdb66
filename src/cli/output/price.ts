import { type Currency, formatMoney } from "../../domain/money.ts";

type Priced = { priceType: string; priceCents: number };

/**
 * Returns `35.00`, `from 35.00`, or the price type in words, such as `on request`. The amount of a
 * service or dish without a price is 0.
 */
export function writePrice({ priceType, priceCents }: Priced, currency: Currency): string {
  const amount = formatMoney(priceCents, currency);
  if (priceType === "FIXED") return amount;
  return priceType === "FROM" ? `from ${amount}` : priceType.toLowerCase().replace("_", " ");
}
