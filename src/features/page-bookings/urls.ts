import type { PageRequest } from "../../http/pages/page-request.ts";
import type { BookingShop } from "./read-offer.ts";

// The URLs of the steps of a booking. Their queries have all that the guest has chosen.

export type Fields = readonly (readonly [string, string])[];

export const bookPath = ({ shop }: BookingShop): string => `${shop.path}/book`;

/** Returns the field that keeps the language which the reader has chosen. */
export function languageFields({ context }: PageRequest): Fields {
  const lang = new URLSearchParams(context.request.search).get("lang");
  return lang !== null && /^[a-z]{2}$/.test(lang) ? [["lang", lang]] : [];
}

export const toQuery = (fields: Fields): string =>
  new URLSearchParams(fields as [string, string][]).toString();

export const urlOfStep = (page: BookingShop, fields: Fields): string =>
  `${bookPath(page)}?${toQuery(fields)}`;
