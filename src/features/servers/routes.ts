import type { HandlerDeps, OpenHandler, RouteDefinition } from "../../http/pipeline/route.ts";
import { NO_STORE } from "../../http/pipeline/business-response.ts";
import { respondJson } from "../../http/pipeline/request-context.ts";
import { openGet, unversioned } from "../../http/route-constructors.ts";
import { readServerStatus } from "./read-status.ts";

/** Serves the status with the businesses as JSON, for commands that ask several servers. */
function getServerStatus({ rt, operators, monitoring }: HandlerDeps): OpenHandler {
  return (context) => {
    operators.assert(context.request);
    const data = readServerStatus(rt, monitoring);
    return respondJson(context, 200, { data }, NO_STORE);
  };
}

export const routes: readonly RouteDefinition[] = [
  openGet("/metrics/status", {
    operationId: "getServerStatus",
    summary: "Get the state of the server",
    description:
      "The businesses of the server and its open health conditions, for `deskbell proxy-map` and `deskbell status --servers`. Requires the same token as `/metrics`.",
    responses: unversioned("The state of the server.", "ServerStatusResponse"),
    problems: ["missing_key", "invalid_key", "address_not_allowed"],
    handle: getServerStatus,
  }),
];
