import type { Runtime } from "../../app/runtime.ts";
import { listDocs, readDoc } from "../../platform/assets.ts";
import { BoundedCache } from "../../domain/bounded-cache.ts";
import { AppError } from "../../domain/errors.ts";
import { isLoopbackHost } from "../../domain/addresses.ts";
import { escapeHtml } from "../../domain/html.ts";
import { lazy } from "../../domain/lazy.ts";
import { createDocument } from "../../http/handlers/server-documents.ts";
import type { CachedResponse } from "../../http/pipeline/cached-response.ts";
import { basePathOf } from "../../http/pages/pages.ts";
import {
  getHeader,
  type HttpRequest,
  type HttpResponse,
  type RequestContext,
  respond,
} from "../../http/pipeline/request-context.ts";
import type { OpenHandler, Route } from "../../http/pipeline/route.ts";

// The policy forbids inline code, other origins and framing.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The media types of the extensions that the build writes. */
const MEDIA_TYPES: { [extension: string]: string } = {
  html: "text/html; charset=utf-8",
  md: "text/markdown; charset=utf-8",
  txt: "text/plain; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  tgz: "application/gzip",
  json: "application/json",
};

/**
 * Maximum number of cached files. The largest file has 400 KB, and each loopback host has its own
 * copies.
 */
const MAX_CACHED = 16;

/** Serves the pages at /docs and their files. The build makes them with placeholders for URLs. */
function docsRoutes(rt: Runtime): Route[] {
  const { publicUrl } = rt.config.http;
  const basePath = basePathOf(publicUrl);
  const fileNames = lazy(() => new Set(listDocs()));
  const responses = new BoundedCache<string, CachedResponse>(MAX_CACHED);

  const sendFile = (context: RequestContext, name: string) => {
    if (!fileNames().has(name)) throw new AppError("route_not_found", "/docs has no such page.");
    const base = publicUrl || baseOf(context.request);
    const response = responses.getOrInsertComputed(`${name} ${base}`, () =>
      createFileResponse(name, base, basePath),
    );
    return response.respond(context);
  };

  const sendBelow = (folder: string) => (context: RequestContext) => {
    const name = folder + (context.request.params["file"] ?? "");
    // The earlier interactive reference loaded its document from this path.
    if (name === "reference.json") return redirectTo(308, `${basePath}/openapi.json`)(context);
    return sendFile(context, fileNames().has(`${name}.html`) ? `${name}.html` : name);
  };

  const route = (path: string, handle: OpenHandler): Route => ({
    method: "GET",
    path,
    scope: "open",
    isForAnyOrigin: true,
    handle,
  });
  return [
    route("/docs", (context) => sendFile(context, "index.html")),
    // A browser at the address of the server is redirected to the documentation, unless another
    // feature has a route for this path.
    { ...route("/", redirectTo(302, `${basePath}/docs`)), isReplaceable: true },
    route("/docs.md", (context) => sendFile(context, "index.md")),
    route("/llms.txt", (context) => sendFile(context, "llms.txt")),
    route("/docs/:file", sendBelow("")),
    route("/docs/events/:file", sendBelow("events/")),
  ];
}

const redirectTo =
  (status: number, location: string) =>
  (context: RequestContext): HttpResponse =>
    respond(context, status, ["location", location, "content-length", "0"]);

/**
 * Returns the response with a file. If the file is a text, URLs replace its placeholders.
 * @param base the URL of the API, for `{{base}}`
 * @param path the path of that URL, for `{{path}}`; empty at the root of the host
 */
function createFileResponse(name: string, base: string, path: string): CachedResponse {
  const extension = name.split(".").at(-1) ?? "";
  const type = MEDIA_TYPES[extension] ?? "";
  if (!type.startsWith("text/")) return createDocument(type, readDoc(name));
  const isPage = extension === "html";
  const fill = (text: string) => (isPage ? escapeHtml(text) : text);
  const text = readDoc(name)
    .toString()
    .replaceAll("{{base}}", () => fill(base))
    .replaceAll("{{path}}", () => fill(path));
  const headers = isPage
    ? {
        "content-language": "en",
        "content-security-policy": POLICY,
        "referrer-policy": "no-referrer",
      }
    : {};
  return createDocument(type, text, headers);
}

const DEFAULT_BASE = "http://127.0.0.1:4100";

/**
 * Returns the URL of the API for examples. The Host header is trusted only if it names a loopback
 * host, because a proxy may cache a page in which an attacker has chosen the host. The page's
 * script replaces the URL with that of the page.
 */
function baseOf(request: HttpRequest): string {
  const host = getHeader(request, "host") ?? "";
  if (!isLoopbackHost(host)) return DEFAULT_BASE;
  const isEncrypted = "encrypted" in request.connection && request.connection.encrypted === true;
  return `${isEncrypted ? "https" : "http"}://${host}`;
}

export const pages = [docsRoutes];
