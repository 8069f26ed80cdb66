import type { Runtime } from "../../app/runtime.ts";
import type { GetClientAddress } from "../auth/client-address.ts";
import type { Metrics } from "./metrics.ts";
import { getHeader, type HttpResponse, type RequestContext } from "./request-context.ts";
import type { RoutePath } from "./route.ts";

export type ResponseObserver = (
  routePath: RoutePath,
  context: RequestContext,
  response: HttpResponse,
) => void;

export function createResponseObserver(
  rt: Runtime,
  metrics: Metrics,
  getClientAddress: GetClientAddress,
): ResponseObserver {
  return (routePath, context, response) => {
    const durationMs = rt.monotonic() - context.startedAt;
    metrics.record(routePath.path, context.request.method, response.status, durationMs);
    if (!rt.config.http.accessLog) return;
    // The query and most headers are not logged, because they may contain secrets.
    rt.log("info", "request", {
      requestId: context.requestId,
      method: context.request.method,
      path: context.request.path,
      status: response.status,
      durationMs: Math.round(durationMs * 100) / 100,
      bytes: response.body?.length ?? 0,
      key: context.keyId,
      address: getClientAddress(context.request),
      userAgent: getHeader(context.request, "user-agent"),
    });
  };
}
