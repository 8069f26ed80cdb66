import type { ServiceDoc } from "./catalog.ts";

export type PriceType = ServiceDoc["priceType"];

/**
 * Returns the price type of the total of several services: ON_REQUEST if any of them has this type,
 * else FROM if any has that, else FIXED.
 */
export const priceTypeOfAll = (types: readonly PriceType[]): PriceType =>
  (["ON_REQUEST", "FROM"] as const).find((type) => types.includes(type)) ?? "FIXED";
