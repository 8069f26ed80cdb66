import { hash } from "node:crypto";
import { readPageFile } from "../../platform/assets.ts";
import { type CachedResponse, createHashedResponse } from "../pipeline/cached-response.ts";

// The script and the style of each feature's pages, which the build writes. The name of a file
// contains its hash, so that browsers keep it for as long as pages name it.

const MEDIA_TYPES = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
} as const;

type PageFile = { name: string; response: CachedResponse };
type PageFiles = Record<keyof typeof MEDIA_TYPES, PageFile>;

const KEPT_FOREVER = ["cache-control", "public, max-age=31536000, immutable"];

const filesByFeature = new Map<string, PageFiles>();

function loadPageFile(feature: string, type: keyof typeof MEDIA_TYPES): PageFile {
  const bytes = readPageFile(`${feature}.${type}`);
  return {
    name: `${hash("sha256", bytes, "hex").slice(0, 16)}.${type}`,
    response: createHashedResponse(bytes, KEPT_FOREVER, ["content-type", MEDIA_TYPES[type]]),
  };
}

function loadPageFiles(feature: string): PageFiles {
  const files = filesByFeature.get(feature) ?? {
    js: loadPageFile(feature, "js"),
    css: loadPageFile(feature, "css"),
  };
  filesByFeature.set(feature, files);
  return files;
}

/** Returns the response with a file of a feature's pages; undefined for another version of it. */
export const findPageFile = (feature: string, name: string): CachedResponse | undefined =>
  Object.values(loadPageFiles(feature)).find((file) => file.name === name)?.response;

/** Returns the paths of the files of a feature's pages. */
export function pathsOfPageFiles(
  feature: string,
  folder: string,
): { style: string; script: string } {
  const { css, js } = loadPageFiles(feature);
  return { style: `${folder}/${css.name}`, script: `${folder}/${js.name}` };
}
