import { type CachedResponse, createHashedResponse } from "../../http/pipeline/cached-response.ts";
import type { Route } from "../../http/pipeline/route.ts";
import { readPageFile } from "../../platform/assets.ts";

/** Websites of any origin may load the script, also with `crossorigin` and `integrity`. */
const HEADERS = [
  "cache-control",
  "public, max-age=3600",
  "access-control-allow-origin",
  "*",
  "cross-origin-resource-policy",
  "cross-origin",
];

let script: CachedResponse | undefined;

const readScript = (): CachedResponse =>
  createHashedResponse(readPageFile("embed.js"), HEADERS, [
    "content-type",
    "text/javascript; charset=utf-8",
  ]);

/** Serves the script with which a website shows the booking page. */
export const embedRoute = (): Route[] => [
  {
    method: "GET",
    path: "/embed.js",
    scope: "open",
    handle: (context) => (script ??= readScript()).respond(context),
  },
];
