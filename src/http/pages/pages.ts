import { AppError } from "../../domain/errors.ts";
import { getHeader, type HandlerResult, type RequestContext } from "../pipeline/request-context.ts";
import { type HttpCode, PROBLEM_CODES, statusOf } from "../pipeline/problem-codes.ts";
import { fixForPartners } from "../pipeline/problems.ts";
import type { CreatePages, Route } from "../pipeline/route.ts";
import { type HandlePage, type PageError, type PageRequest, wantsJson } from "./page-request.ts";

export type PageDefinition = {
  method?: "GET" | "POST";
  /** The path below /b/{slug}/, such as "partner"; empty for /b/{slug} itself. */
  path: string;
  /** Loads the handler at the first request, so that the daemon starts without it. */
  load: () => Promise<HandlePage>;
};

const FOREIGN_ORIGIN: PageError = {
  status: 403,
  message: "Another website has sent this request, so nothing was done.",
  fix: "open this page again, and repeat what you did there",
};

/**
 * Returns what a page says about an error; undefined for an error that only the operator can mend.
 */
function pageErrorOf(error: unknown): PageError | undefined {
  if (!(error instanceof AppError) || !(error.code in PROBLEM_CODES)) return undefined;
  const status = statusOf(error.code as HttpCode);
  if (status >= 500) return undefined;
  return { status, message: error.message, fix: fixForPartners(error) };
}

/** Returns the path of the public URL without a trailing slash; empty without a public URL. */
export const basePathOf = (publicUrl: string): string =>
  (URL.parse(publicUrl)?.pathname ?? "").replace(/\/+$/, "");

/**
 * Returns the routes of a feature's pages below /b/{slug}/, and of its scripts and style. Every
 * path contains the slug, so that a proxy before several servers can route it.
 * @param laterScripts the names of the scripts in browser/later, which a page loads when it needs
 * them
 */
export const definePages =
  (
    feature: string,
    pages: readonly PageDefinition[],
    laterScripts: readonly string[] = [],
  ): CreatePages =>
  (rt, deps) => {
    const base = basePathOf(rt.config.http.publicUrl);
    const routes = pages.map(({ method = "GET", path, load }): Route => {
      const respond = createResponder(load);
      const handle = (context: RequestContext) => {
        const slug = context.request.params["slug"] ?? "";
        const request: PageRequest = { rt, deps, context, feature, slug, base };
        if (method === "POST" && !isFromSameOrigin(request))
          return respondWithError(request, FOREIGN_ORIGIN);
        return respond(request);
      };
      const fullPath = `/b/:slug${path && `/${path}`}`;
      return { method, path: fullPath, allowsSlash: true, scope: "open", handle };
    });
    return [...routes, fileRoute(feature, laterScripts)];
  };

/**
 * Returns a handler that loads the handler of a page at the first request, and shows its errors.
 */
function createResponder(load: PageDefinition["load"]): HandlePage {
  let loaded: HandlePage | undefined;
  const catchError = (request: PageRequest, error: unknown): HandlerResult => {
    if (wantsJson(request)) throw error;
    const shown = pageErrorOf(error);
    return shown === undefined
      ? respondWithFailure(request, error)
      : respondWithError(request, shown);
  };
  return (request) => {
    try {
      const result =
        loaded === undefined
          ? load().then((handle) => {
              loaded = handle;
              return handle(request);
            })
          : loaded(request);
      return result instanceof Promise
        ? result.catch((error: unknown) => catchError(request, error))
        : result;
    } catch (error) {
      return catchError(request, error);
    }
  };
}

const respondWithError = async (request: PageRequest, error: PageError) =>
  (await import("./render-page.tsx")).respondWithErrorPage(request, error);

const respondWithFailure = async (request: PageRequest, error: unknown) =>
  (await import("./failure-page.tsx")).respondWithFailurePage(request, error);

const fileRoute = (feature: string, laterScripts: readonly string[]): Route => ({
  method: "GET",
  path: `/b/:slug/assets/${feature}/:file`,
  scope: "open",
  handle: async (context) => {
    const { findPageFile } = await import("./page-files.ts");
    const file = findPageFile(feature, context.request.params["file"] ?? "", laterScripts);
    if (file === undefined) throw new AppError("route_not_found", "The page has no such file.");
    return file.respond(context);
  },
});

/**
 * Returns whether a page of this server sent a form or request. A page of another origin could send
 * it with the reader's cookies. If Sec-Fetch-Site is missing, Origin decides: browsers send Origin
 * with every POST, but older browsers send no Sec-Fetch-Site, and newer browsers send it only over
 * https.
 */
function isFromSameOrigin({ rt, context: { request } }: PageRequest): boolean {
  const site = getHeader(request, "sec-fetch-site");
  if (site !== undefined) return site === "same-origin";
  const host = URL.parse(rt.config.http.publicUrl)?.host ?? getHeader(request, "host");
  return host !== undefined && URL.parse(getHeader(request, "origin") ?? "")?.host === host;
}
