import { type CachedResponse, createHashedResponse } from "./cached-response.ts";
import type { HttpResponse, RawHeaders, RequestContext } from "./request-context.ts";

/** Headers of every static response. */
export const STATIC_HEADERS: RawHeaders = ["x-content-type-options", "nosniff"];

/** A handler for content that stays the same while the process runs. The first request loads it. */
export function createStaticHandler(
  load: () => Promise<CachedResponse>,
): (context: RequestContext) => Promise<HttpResponse> {
  const getResponse = lazy(load);
  return async (context) => (await getResponse()).respond(context);
}

export const createTextResponse = (headers: RawHeaders, text: string): CachedResponse =>
  createHashedResponse(Buffer.from(text), [...headers, ...STATIC_HEADERS]);

/** Calls `load` on first use and keeps the result. A failed load is repeated on the next use. */
export function lazy<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () =>
    (loaded ??= load().catch((error: unknown) => {
      loaded = undefined;
      throw error;
    }));
}
