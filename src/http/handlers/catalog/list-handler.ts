import type { Runtime } from "../../../app/runtime.ts";
import type { Credential } from "../../../store/keys.ts";
import type { Metrics } from "../../pipeline/metrics.ts";
import type { HandlerResult, RequestContext } from "../../pipeline/request-context.ts";
import { isCurrent, type ListResponse, ListResponses } from "./list-responses.ts";
import type { ListRoute } from "./list-routes.ts";

export type ListHandler = (
  route: ListRoute,
) => (context: RequestContext, key: Credential) => HandlerResult;

export function createListHandler(rt: Runtime, metrics: Metrics): ListHandler {
  const responses = new ListResponses(rt, metrics);
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
        last = { businessId, search, response: responses.get(route, search, key, context.now) };
      else responses.recordHit();
      const { response } = last;
      // Events that leave the list unchanged, such as bookings, are later than a cached response.
      const sequence = Math.max(key.lastSequence, response.lastSequence);
      context.responseHeaders.push("x-service-sequence", String(sequence));
      return response.respond(context);
    };
  };
}
