import type { HttpResponse, RequestContext } from "./request-context.ts";

/**
 * Somebody who watches the requests. `onResponse` is null while nobody does, so that a request costs
 * a comparison.
 */
export type RequestWatch = {
  onResponse: ((routePath: string, context: RequestContext, response: HttpResponse) => void) | null;
};
