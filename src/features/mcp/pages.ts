import type { Runtime } from "../../app/runtime.ts";
import type { PageDeps, Route } from "../../http/pipeline/route.ts";
import { CARD_PATHS } from "./paths.ts";

/**
 * Returns the routes of the Model Context Protocol. The code that handles requests is loaded at the
 * first request.
 */
function mcpRoutes(rt: Runtime, deps: PageDeps): Route[] {
  const endpoint = (path: string): Route => ({
    method: "POST",
    path,
    scope: "open",
    handle: async (context) => (await import("./serve.ts")).serve(rt, deps, context),
  });
  const card = (path: string): Route => ({
    method: "GET",
    path,
    scope: "open",
    isForAnyOrigin: true,
    handle: async (context) => (await import("./card.ts")).sendCard(rt, context),
  });
  return [endpoint("/mcp"), endpoint("/b/:slug/mcp"), ...CARD_PATHS.map(card)];
}

export const pages = [mcpRoutes];
