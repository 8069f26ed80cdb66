import { hash } from "node:crypto";
import { readPageFile } from "../../platform/assets.ts";
import { type CachedResponse, createHashedResponse } from "../pipeline/cached-response.ts";
import type { PageLocation } from "./page-request.ts";

// The build writes the scripts and the style of each feature's pages. The name of a file contains
// the hash of its content, so browsers can keep the file for ever: a changed file has another name.

const MEDIA_TYPES = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
} as const;

type PageFile = { name: string; response: CachedResponse };

const KEPT_FOREVER = ["cache-control", "public, max-age=31536000, immutable"];

const files = new Map<string, PageFile>();

/**
 * Returns a file of a feature's pages, which is read once.
 * @param laterScript the name of a script that the page loads when it needs it
 */
function loadPageFile(
  feature: string,
  type: keyof typeof MEDIA_TYPES,
  laterScript?: string,
): PageFile {
  const source = `${feature}${laterScript === undefined ? "" : `.${laterScript}`}.${type}`;
  let file = files.get(source);
  if (file === undefined) {
    const bytes = readPageFile(source);
    const version = hash("sha256", bytes, "hex").slice(0, 16);
    file = {
      name: `${laterScript === undefined ? "" : `${laterScript}-`}${version}.${type}`,
      response: createHashedResponse(bytes, KEPT_FOREVER, ["content-type", MEDIA_TYPES[type]]),
    };
    files.set(source, file);
  }
  return file;
}

/**
 * Returns the response with a file of a feature's pages; undefined for another version of the file.
 * @param laterScripts the names of the scripts that pages load when they need them
 */
export function findPageFile(
  feature: string,
  name: string,
  laterScripts: readonly string[],
): CachedResponse | undefined {
  const script = laterScripts.find((later) => name.startsWith(`${later}-`));
  const candidates =
    script === undefined
      ? [loadPageFile(feature, "js"), loadPageFile(feature, "css")]
      : [loadPageFile(feature, "js", script)];
  return candidates.find((file) => file.name === name)?.response;
}

const folderOf = ({ feature, slug, base }: PageLocation): string =>
  `${base}/b/${encodeURIComponent(slug)}/assets/${feature}`;

/** Returns the paths of the files that every page of a feature loads. */
export const pathsOfPageFiles = (page: PageLocation): { style: string; script: string } => ({
  style: `${folderOf(page)}/${loadPageFile(page.feature, "css").name}`,
  script: `${folderOf(page)}/${loadPageFile(page.feature, "js").name}`,
});

/** Returns the path of a script that a page loads when it needs it. */
export const pathOfLaterScript = (page: PageLocation, name: string): string =>
  `${folderOf(page)}/${loadPageFile(page.feature, "js", name).name}`;
