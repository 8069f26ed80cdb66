import { readVersion } from "../../assets.ts";
import type { Runtime } from "../../app/runtime.ts";
import {
  type HttpResponse,
  type RequestContext,
  toRawHeaders,
} from "../pipeline/request-context.ts";
import { createStaticHandler, createTextResponse } from "../pipeline/static-response.ts";
import type { RouteSpec } from "../pipeline/route.ts";

const HEADERS = toRawHeaders({
  "content-type": "application/json",
  "cache-control": "public, max-age=0, must-revalidate",
});

/** The document is generated on the first request, so that the daemon starts without the schemas. */
export const getOpenApi = (
  rt: Runtime,
  routes: readonly RouteSpec[],
): ((context: RequestContext) => Promise<HttpResponse>) =>
  createStaticHandler(async () => {
    const { describeApi } = await import("../openapi/document.ts");
    const { publicUrl } = rt.config.http;
    return createTextResponse(
      HEADERS,
      JSON.stringify(describeApi({ routes, publicUrl, version: readVersion() })),
    );
  });
