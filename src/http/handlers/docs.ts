import { hash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { readPartnerGuide, readScalar, readVersion } from "../../assets.ts";
import { AppError } from "../../domain/errors.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { Route } from "../pipeline/pipeline.ts";
import {
  type HttpResponse,
  type RequestContext,
  toRawHeaders,
} from "../pipeline/request-context.ts";
import type { RouteSpec } from "../pipeline/route-definition.ts";
import type { ApiDocument } from "../docs/document.ts";
import {
  createStaticHandler,
  type StaticContent,
  createStaticText,
  lazy,
} from "../pipeline/static-response.ts";
import { renderPage } from "../docs/page.ts";
import { basePathOf, scalarConfiguration, toReference } from "../docs/reference.ts";

const DOCUMENT = "reference.json";
const REVALIDATED = "public, max-age=0, must-revalidate";

// No inline script, nothing of another origin, nobody's frame. Scalar sets styles on its elements, which no nonce can allow.
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
const DOCUMENT_HEADERS = toRawHeaders({
  "content-type": "application/json",
  "cache-control": REVALIDATED,
});
/** Its name changes with its bytes. */
const SCRIPT_HEADERS = toRawHeaders({
  "content-type": "text/javascript; charset=utf-8",
  "cache-control": "public, max-age=31536000, immutable",
});

/** The reference for people: a page, and what its script needs. All of it is made when somebody first asks for it. */
export function docsRoutes(rt: Runtime, routes: readonly RouteSpec[]): Route[] {
  const { publicUrl } = rt.config.http;
  const folder = `${basePathOf(publicUrl)}/docs/`;
  const reference = lazy(() => makeReference(routes, publicUrl));
  const script = lazy(makeScript);

  const makePage = async (): Promise<StaticContent> => {
    const scriptUrl = folder + (await script()).name;
    return createStaticText(
      renderPage(await reference(), {
        scriptUrl,
        configuration: scalarConfiguration(folder + DOCUMENT),
      }),
    );
  };
  const answerPage = createStaticHandler(PAGE_HEADERS, makePage);
  const answerDocument = createStaticHandler(DOCUMENT_HEADERS, async () =>
    createStaticText(JSON.stringify(await reference())),
  );
  const answerScript = createStaticHandler(SCRIPT_HEADERS, script);

  const answerFile = async (call: RequestContext): Promise<HttpResponse> => {
    const { file } = call.request.params;
    if (file === DOCUMENT) return answerDocument(call);
    if (file === (await script()).name) return answerScript(call);
    throw new AppError("route_not_found", "There is no such file.");
  };
  return [
    { method: "GET", path: "/docs", scope: "open", handle: answerPage },
    { method: "GET", path: "/docs/:file", scope: "open", handle: answerFile },
  ];
}

async function makeReference(
  routes: readonly RouteSpec[],
  publicUrl: string,
): Promise<ApiDocument> {
  const [{ describeApi }, { PROBLEM_DESCRIPTIONS }] = await Promise.all([
    import("../openapi/document.ts"),
    import("../openapi/problem-codes.ts"),
  ]);
  const document = describeApi({ routes, publicUrl, version: readVersion() }) as ApiDocument;
  return toReference({
    document,
    guide: readPartnerGuide(),
    meanings: PROBLEM_DESCRIPTIONS,
    publicUrl,
  });
}

/** In memory from then on: under a name that promises the same bytes for good, no later build's may be served. */
async function makeScript(): Promise<StaticContent & { name: string }> {
  const brotli = readScalar("br");
  const zipped = readScalar("gz");
  const name = `scalar-${hash("sha256", brotli).slice(0, 16)}.js`;
  let plain: Buffer | undefined;
  const identity = () => (plain ??= gunzipSync(zipped));
  return { name, etag: `W/"${name}"`, brotli: () => brotli, gzip: () => zipped, identity };
}
