import { hash } from "node:crypto";
import type { Runtime } from "../../app/runtime.ts";
import { readGuideHtml, readPartnerGuide, readScalar, readVersion } from "../../assets.ts";
import { AppError } from "../../domain/errors.ts";
import { Html, html } from "../docs/html.ts";
import { renderPage } from "../docs/page.ts";
import {
  type ApiDocument,
  basePathOf,
  fillBase,
  scalarConfiguration,
  toReference,
  withGuides,
} from "../docs/reference.ts";
import {
  type CachedResponse,
  createCachedResponse,
  createHashedResponse,
} from "../pipeline/cached-response.ts";
import {
  type HttpResponse,
  type RawHeaders,
  type RequestContext,
  toRawHeaders,
} from "../pipeline/request-context.ts";
import type { Route, RouteSpec } from "../pipeline/route.ts";

const DOCUMENT = "reference.json";
const REVALIDATED = "public, max-age=0, must-revalidate";

// No inline scripts, nothing from other origins, no framing. Scalar sets style attributes, which a
// nonce cannot allow.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const PAGE_HEADERS = toRawHeaders({
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": POLICY,
  "referrer-policy": "no-referrer",
  "cache-control": REVALIDATED,
});
const JSON_HEADERS = toRawHeaders({
  "content-type": "application/json",
  "cache-control": REVALIDATED,
});
const SCRIPT_HEADERS = toRawHeaders({
  "content-type": "text/javascript; charset=utf-8",
  "cache-control": "public, max-age=31536000, immutable",
});

const STATIC_HEADERS: RawHeaders = ["x-content-type-options", "nosniff"];

/** Generated on the first request: the schemas take long to load. */
export const getOpenApi = (rt: Runtime, routes: readonly RouteSpec[]) =>
  createStaticHandler(async () =>
    createTextResponse(
      JSON_HEADERS,
      JSON.stringify(await loadDocument(routes, rt.config.http.publicUrl)),
    ),
  );

async function loadDocument(routes: readonly RouteSpec[], publicUrl: string) {
  const { describeApi } = await import("../openapi/document.ts");
  return describeApi({ routes, publicUrl, version: readVersion() });
}

/** The API reference at /docs and its script, rendered on the first request. */
export function docsRoutes(rt: Runtime, routes: readonly RouteSpec[]): Route[] {
  const { publicUrl } = rt.config.http;
  const folder = `${basePathOf(publicUrl)}/docs/`;
  const reference = lazy(async () =>
    toReference((await loadDocument(routes, publicUrl)) as ApiDocument, publicUrl),
  );
  const script = lazy(loadScript);

  const getPage = createStaticHandler(async () => {
    const guide = fillBase(readGuideHtml(), html`${publicUrl}`.markup);
    const scriptUrl = folder + (await script()).name;
    const configuration = scalarConfiguration(folder + DOCUMENT);
    return createTextResponse(
      PAGE_HEADERS,
      renderPage(await reference(), new Html(guide), { scriptUrl, configuration }),
    );
  });
  const getDocument = createStaticHandler(async () => {
    const guide = fillBase(readPartnerGuide(), publicUrl);
    const document = withGuides(await reference(), guide);
    return createTextResponse(JSON_HEADERS, JSON.stringify(document));
  });

  const getFile = async (context: RequestContext): Promise<HttpResponse> => {
    const { file } = context.request.params;
    if (file === DOCUMENT) return getDocument(context);
    if (file === (await script()).name) return (await script()).respond(context);
    throw new AppError("route_not_found", "The page has no such file.");
  };
  return [
    { method: "GET", path: "/docs", scope: "open", handle: getPage },
    { method: "GET", path: "/docs/:file", scope: "open", handle: getFile },
  ];
}

/** Kept in memory: the name promises the same bytes forever, whatever a later build writes. */
async function loadScript(): Promise<CachedResponse & { name: string }> {
  const brotli = readScalar("br");
  const zipped = readScalar("gz");
  const name = `scalar-${hash("sha256", brotli).slice(0, 16)}.js`;
  const headers = [...SCRIPT_HEADERS, ...STATIC_HEADERS];
  // Never uncompressed, which would be 4 MB per request.
  const bodies = { br: () => brotli, gzip: () => zipped };
  return { name, ...createCachedResponse(`W/"${name}"`, headers, [], bodies) };
}

/** For content that stays the same while the process runs. The first request loads it. */
function createStaticHandler(
  load: () => Promise<CachedResponse>,
): (context: RequestContext) => Promise<HttpResponse> {
  const getResponse = lazy(load);
  return async (context) => (await getResponse()).respond(context);
}

const createTextResponse = (headers: RawHeaders, text: string): CachedResponse =>
  createHashedResponse(Buffer.from(text), [...headers, ...STATIC_HEADERS]);

/** A failed load is repeated on the next use. */
function lazy<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () =>
    (loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    }));
}
