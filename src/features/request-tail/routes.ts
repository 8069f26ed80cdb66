import { NO_STORE } from "../../http/pipeline/business-response.ts";
import { respondJson } from "../../http/pipeline/request-context.ts";
import { integer, parseParameters, text } from "../../http/pipeline/parameters.ts";
import type { HandlerDeps, OpenHandler, RouteDefinition } from "../../http/pipeline/route.ts";
import { openGet, unversioned } from "../../http/route-constructors.ts";
import { lazy } from "../../domain/lazy.ts";
import type { Runtime } from "../../app/runtime.ts";
import { Tail } from "./tail.ts";

const openTail = (rt: Runtime) => new Tail(rt);

const MAX_WAIT_SECONDS = 25;

const seenRequestsQuery = lazy(() => ({
  after: text().describe("The `cursor` of the response before; without it, requests begin now"),
  wait: integer(0, MAX_WAIT_SECONDS, "of seconds ").describe(
    "Seconds to wait for a request if there is none",
  ),
}));

/** Serves the requests since the last call, for `deskbell requests tail`. */
function listSeenRequests({ operators, watch, openShared }: HandlerDeps): OpenHandler {
  const tail = openShared(openTail);
  return async (context) => {
    operators.assert(context.request);
    const { after, wait = 0 } = parseParameters(seenRequestsQuery(), context.request.search);
    const signal = context.request.disconnected();
    const data = await tail.read(watch, after, wait * 1000, signal);
    return respondJson(context, 200, { data }, NO_STORE);
  };
}

export const routes: readonly RouteDefinition[] = [
  openGet("/metrics/requests", {
    operationId: "listSeenRequests",
    summary: "List the newest requests",
    description:
      "Requests to the API since the previous call, for `deskbell requests tail`: without paths, queries, bodies, addresses and credentials. The server keeps at most 1,000, and none while nobody asks. Requires the same token as `/metrics`.",
    query: seenRequestsQuery,
    responses: unversioned("The newest requests.", "SeenRequestsResponse"),
    problems: ["missing_key", "invalid_key", "address_not_allowed"],
    handle: listSeenRequests,
  }),
];
