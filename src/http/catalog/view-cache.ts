import { gzipSync } from "node:zlib";
import type { Runtime } from "../../runtime.ts";
import type { Credential } from "../../store/keys.ts";
import { type Answer, answerWith, type Call, header } from "../call.ts";
import type { View } from "./catalog-views.ts";
import { acceptsGzip, matchesTag } from "../conditional.ts";
import { createPreparer, isCurrent, type Prepared, withLength } from "./prepare-view.ts";

const MAX_CACHE_BYTES = 64 * 1024 * 1024;
const GZIP_ABOVE_BYTES = 1024;
/** Headers, thrice. */
const OVERHEAD_BYTES = 2048;

/** Under its question, and with as much again for when it is zipped. */
const sizeOf = (id: string, { body }: Prepared): number =>
  OVERHEAD_BYTES + id.length + 2 * body.length;

export type ServeView = (view: View) => (call: Call, key: Credential) => Answer;

/** Answers the catalog's lists from bytes that are built once a version. */
export function createViews(rt: Runtime): ServeView {
  const cache = new Map<string, Prepared>();
  let cachedBytes = 0;
  const prepare = createPreparer(rt);

  const remember = (id: string, prepared: Prepared): void => {
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

  const find = (view: View, search: string, key: Credential, now: number): Prepared => {
    const id = `${key.businessId}/${view.path}${search}`;
    const known = cache.get(id);
    if (known && isCurrent(known, key, now)) return known;
    const prepared = prepare(view, search, key, now);
    remember(id, prepared);
    return prepared;
  };

  return (view) => {
    // Most ask what was asked just before.
    let last: { businessId: string; search: string; prepared: Prepared } | undefined;
    return (call, key) => {
      const { search } = call.asked;
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

  function choose(call: Call, prepared: Prepared): Answer {
    if (matchesTag(header(call.asked, "if-none-match"), prepared.etag))
      return answerWith(call, 304, prepared.notModifiedHeaders);
    if (
      prepared.body.length > GZIP_ABOVE_BYTES &&
      acceptsGzip(header(call.asked, "accept-encoding"))
    ) {
      const { body, headers } = (prepared.gzip ??= zip(prepared));
      return answerWith(call, 200, headers, body);
    }
    return answerWith(call, 200, prepared.headers, prepared.body);
  }
}

function zip({ body, described }: Prepared): NonNullable<Prepared["gzip"]> {
  const zipped = gzipSync(body);
  return { body: zipped, headers: withLength(["content-encoding", "gzip", ...described], zipped) };
}
