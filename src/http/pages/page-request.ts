import type { Runtime } from "../../app/runtime.ts";
import { createGetClientAddress } from "../auth/client-address.ts";
import { getHeader, type HandlerResult, type RequestContext } from "../pipeline/request-context.ts";
import type { HandlerDeps } from "../pipeline/route.ts";

export type PageLocation = {
  /** The feature whose script and style the page has. */
  feature: string;
  /** The slug in the path. A business with this slug need not exist. */
  slug: string;
  /** The path of the public URL, without a trailing slash. Links to this server begin with it. */
  base: string;
};

/** What the handler of a page receives. */
export type PageRequest = PageLocation & {
  rt: Runtime;
  deps: HandlerDeps;
  context: RequestContext;
};

/**
 * Responds to a request for a page. An error that it throws becomes a problem for a script that
 * accepts JSON, and else a page. The page has the error's message if the reader can act on it.
 */
export type HandlePage = (request: PageRequest) => HandlerResult;

export const clientAddressOf = ({ rt, context }: PageRequest): string =>
  createGetClientAddress(rt.config.http.trustedProxies)(context.request);

/**
 * Returns whether a script asks for JSON. It then gets errors as problems, like clients of the API.
 */
export const wantsJson = ({ context }: PageRequest): boolean =>
  getHeader(context.request, "accept")?.includes("application/json") === true;

/** What an error page says. */
export type PageError = { status: number; message: string; fix?: string | undefined };
