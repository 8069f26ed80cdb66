import type { PageRequest } from "../../http/pages/page-request.ts";
import type { Variant } from "../public-pages/content/content.ts";

// Each step of a booking has a URL, whose query has all that the guest has chosen.

/** An object whose `shop` has the path of the business's pages, such as the props of a page. */
type PathOwner = { shop: { path: string } };

export type Fields = readonly (readonly [string, string])[];

export const bookPath = ({ shop }: PathOwner): string => `${shop.path}/book`;

/**
 * Returns the fields that every step keeps: `lang` if the reader has chosen a language, and `embed`
 * if the page is in a frame of another website.
 */
export function keptFields(request: PageRequest): Fields {
  const lang = new URLSearchParams(request.context.request.search).get("lang");
  return [
    ...(lang !== null && /^[a-z]{2}$/.test(lang) ? [["lang", lang] as const] : []),
    ...(isEmbedded(request) ? [["embed", "1"] as const] : []),
  ];
}

/**
 * Returns the fields that a link from the page of a visit to the booking page keeps. The URL of a
 * visit lacks the language in which its guest has booked, so these fields have it.
 */
export function fieldsToBook(request: PageRequest, { shop }: { shop: Variant }): Fields {
  const others = keptFields(request).filter(([name]) => name !== "lang");
  return shop.isChosen ? [["lang", shop.language], ...others] : others;
}

/** Returns whether the page is in a frame of another website. */
export const isEmbedded = ({ context }: PageRequest): boolean =>
  new URLSearchParams(context.request.search).has("embed");

/** Returns whether the page is the first in a frame: it must not take the focus of the website. */
export const isFirstOfFrame = ({ context }: PageRequest): boolean =>
  new URLSearchParams(context.request.search).get("embed") === "first";

export const toQuery = (fields: Fields): string =>
  new URLSearchParams(fields as [string, string][]).toString();

export const urlOfStep = (page: PathOwner, fields: Fields): string =>
  fields.length === 0 ? bookPath(page) : `${bookPath(page)}?${toQuery(fields)}`;

/**
 * Returns the URL of the visit or order that a form has made. The query in a frame has `booked`, so
 * that the page tells the website what was booked.
 */
export function urlOfBooked(request: PageRequest, { shop }: PathOwner, token: string): string {
  const query = isEmbedded(request) ? `?${toQuery([...keptFields(request), ["booked", "1"]])}` : "";
  return `${shop.path}/v/${token}${query}`;
}
