import { gzipSync } from "node:zlib";
import type { Runtime } from "../../../app/runtime.ts";
import type { Credential } from "../../../store/keys.ts";
import {
  type HttpResponse,
  respond,
  type RequestContext,
  getHeader,
} from "../../pipeline/request-context.ts";
import type { ListRoute } from "./list-routes.ts";
import { acceptsGzip, matchesTag } from "../../pipeline/conditional.ts";
import {
  createListBuilder,
  isCurrent,
  type CachedResponse,
  withContentLength,
} from "./list-response.ts";

const MAX_CACHE_BYTES = 64 * 1024 * 1024;
const GZIP_ABOVE_BYTES = 1024;
/** Headers, thrice. */
const OVERHEAD_BYTES = 2048;

/** Under its question, and with as much again for when it is zipped. */
const sizeOf = (id: string, { body }: CachedResponse): number =>
  OVERHEAD_BYTES + id.length + 2 * body.length;

export type ListHandler = (
  view: ListRoute,
) => (call: RequestContext, key: Credential) => HttpResponse;

/** Answers the catalog's lists from bytes that are built once a version. */
export function createListHandler(rt: Runtime): ListHandler {
  const cache = new Map<string, CachedResponse>();
  let cachedBytes = 0;
  const prepare = createListBuilder(rt);

  const remember = (id: string, prepared: CachedResponse): void => {
    forget(id);
    cache.set(id, prepared);
    cachedBytes += sizeOf(id, prepared);
    for (const oldest of cache.keys()) {
      if (cachedBytes <= MAX_CACHE_BYTES || oldest === id) break;
      forget(oldest);
    }
  };
  const forget = (id: string): void => {
    const prepared = cache.get(id);
    if (!prepared) return;
    cachedBytes -= sizeOf(id, prepared);
    cache.delete(id);
  };

  const find = (view: ListRoute, search: string, key: Credential, now: number): CachedResponse => {
    const id = `${key.businessId}/${view.path}${search}`;
    const known = cache.get(id);
    if (known && isCurrent(known, key, now)) return known;
    const prepared = prepare(view, search, key, now);
    remember(id, prepared);
    return prepared;
  };

  return (view) => {
    // Most ask what was asked just before.
    let last: { businessId: string; search: string; prepared: CachedResponse } | undefined;
    return (call, key) => {
      const { search } = call.request;
      const { businessId } = key;
      if (
        last?.search !== search ||
        last.businessId !== businessId ||
        !isCurrent(last.prepared, key, call.now)
      )
        last = { businessId, search, prepared: find(view, search, key, call.now) };
      return choose(call, last.prepared);
    };
  };

  function choose(call: RequestContext, prepared: CachedResponse): HttpResponse {
    if (matchesTag(getHeader(call.request, "if-none-match"), prepared.etag))
      return respond(call, 304, prepared.notModifiedHeaders);
    if (
      prepared.body.length > GZIP_ABOVE_BYTES &&
      acceptsGzip(getHeader(call.request, "accept-encoding"))
    ) {
      const { body, headers } = (prepared.gzip ??= zip(prepared));
      return respond(call, 200, headers, body);
    }
    return respond(call, 200, prepared.headers, prepared.body);
  }
}

function zip({ body, described }: CachedResponse): NonNullable<CachedResponse["gzip"]> {
  const zipped = gzipSync(body);
  return {
    body: zipped,
    headers: withContentLength(["content-encoding", "gzip", ...described], zipped),
  };
}
