import { readVersion } from "../../assets.ts";
import type { Runtime } from "../../app/runtime.ts";
import {
  type HttpResponse,
  type RequestContext,
  toRawHeaders,
} from "../pipeline/request-context.ts";
import { createStaticHandler, createStaticText } from "../pipeline/static-response.ts";
import type { RouteSpec } from "../pipeline/route-definition.ts";

const HEADERS = toRawHeaders({
  "content-type": "application/json",
  "cache-control": "public, max-age=0, must-revalidate",
});

/** The description is made when somebody first asks for it: a daemon that nobody asks has no need of all the schemas. */
export const getOpenApi = (
  rt: Runtime,
  routes: readonly RouteSpec[],
): ((call: RequestContext) => Promise<HttpResponse>) =>
  createStaticHandler(HEADERS, async () => {
    const { describeApi } = await import("../openapi/document.ts");
    const { publicUrl } = rt.config.http;
    return createStaticText(
      JSON.stringify(describeApi({ routes, publicUrl, version: readVersion() })),
    );
  });
