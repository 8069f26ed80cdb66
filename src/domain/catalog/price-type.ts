import type { ServiceDoc } from "./catalog.ts";

export type PriceType = ServiceDoc["priceType"];

/** Returns how exact the total of services is: no more than the least exact of their prices. */
export const priceTypeOfAll = (types: readonly PriceType[]): PriceType =>
  (["ON_REQUEST", "FROM"] as const).find((type) => types.includes(type)) ?? "FIXED";
