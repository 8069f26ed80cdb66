import type { Runtime } from "../../app/runtime.ts";
import type { Variant } from "./content/content.ts";

/** Returns the URL of the server without its path; empty if no URL is known. */
export function originOf({ config, store }: Runtime): string {
  const url = config.http.publicUrl || store.daemon.find()?.url;
  return URL.parse(url ?? "")?.origin ?? "";
}

/**
 * Returns the paths of the pages of a business.
 * @param path the path of the first page
 */
export const pathsOf = (path: string) => ({
  menu: `${path}/menu`,
  services: `${path}/services`,
  events: `${path}/events`,
  event: (slug: string): string => `${path}/events/${encodeURIComponent(slug)}`,
  calendar: `${path}/events.ics`,
  jsonLd: `${path}.jsonld`,
  markdown: `${path}.md`,
});

/**
 * Returns the URL of a page in a language.
 * @param url an absolute URL or a path, with or without a query, but without a fragment
 */
export const withLanguage = (url: string, language: string): string =>
  `${url}${url.includes("?") ? "&" : "?"}lang=${language}`;

/** Returns a link to another page of a business, which keeps the language that the reader chose. */
export const linkTo = ({ language, isChosen }: Variant, url: string): string =>
  isChosen ? withLanguage(url, language) : url;

/** Returns the number of a page in a query, from 1; undefined if the query has no valid number. */
export function parsePage(query: URLSearchParams): number | undefined {
  const page = /^[1-9]\d{0,5}$/.exec(query.get("page") ?? "");
  return page ? Number(page[0]) : undefined;
}
