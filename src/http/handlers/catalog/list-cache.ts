import type { Runtime } from "../../../app/runtime.ts";
import { BoundedCache } from "../../../domain/bounded-cache.ts";
import type { Credential } from "../../../store/keys.ts";
import type { RequestContext } from "../../pipeline/request-context.ts";
import type { HandlerResult } from "../../pipeline/route.ts";
import { createListBuilder, isCurrent, type ListResponse } from "./list-response.ts";
import type { ListRoute } from "./list-routes.ts";

const MAX_CACHE_BYTES = 64 * 1024 * 1024;
/** Estimated size of an entry without its bodies: the URL and three header sets. */
const OVERHEAD_BYTES = 4096;

/** The compressed body is smaller: count it as the same. */
const sizeOf = ({ bodyBytes }: ListResponse): number => OVERHEAD_BYTES + 2 * bodyBytes;

export type ListHandler = (
  route: ListRoute,
) => (context: RequestContext, key: Credential) => HandlerResult;

export function createListHandler(rt: Runtime): ListHandler {
  const cache = new BoundedCache<string, ListResponse>(MAX_CACHE_BYTES, sizeOf);
  const build = createListBuilder(rt);

  const getResponse = (
    route: ListRoute,
    search: string,
    key: Credential,
    now: number,
  ): ListResponse => {
    const id = `${key.businessId}/${route.path}${search}`;
    const cached = cache.get(id);
    if (cached && isCurrent(cached, key, now)) return cached;
    const response = build(route, search, key, now);
    cache.set(id, response);
    return response;
  };

  return (route) => {
    // Consecutive requests are often the same.
    let last: { businessId: string; search: string; response: ListResponse } | undefined;
    return (context, key) => {
      const { search } = context.request;
      const { businessId } = key;
      if (
        last?.search !== search ||
        last.businessId !== businessId ||
        !isCurrent(last.response, key, context.now)
      )
        last = { businessId, search, response: getResponse(route, search, key, context.now) };
      return last.response.respond(context);
    };
  };
}
