import type { Runtime } from "../../app/runtime.ts";
import { basePathOf } from "../../http/pages/pages.ts";
import type { HandlerResult, RequestContext } from "../../http/pipeline/request-context.ts";
import type { Route } from "../../http/pipeline/route.ts";

type Handle = (rt: Runtime, context: RequestContext, base: string) => HandlerResult;
type Handlers = { sendHome: Handle; sendRobots: Handle; sendSitemap: Handle };

/** Returns the routes of the server's own pages, whose code is loaded at the first request. */
export function serverPages(rt: Runtime): Route[] {
  const base = basePathOf(rt.config.http.publicUrl);
  const route = (path: string, name: keyof Handlers): Route => ({
    method: "GET",
    path,
    scope: "open",
    handle: async (context) => (await import("./show-server.tsx"))[name](rt, context, base),
  });
  return [
    route("/", "sendHome"),
    route("/robots.txt", "sendRobots"),
    route("/sitemap.xml", "sendSitemap"),
  ];
}
