import type { HttpResponse, RequestContext } from "./request-context.ts";

/**
 * A place for a function that watches the responses. `onResponse` is null while nobody watches.
 */
export type RequestWatch = {
  onResponse: ((routePath: string, context: RequestContext, response: HttpResponse) => void) | null;
};
