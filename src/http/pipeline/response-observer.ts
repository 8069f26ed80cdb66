import type { Runtime } from "../../app/runtime.ts";
import type { RoutePath } from "./pipeline.ts";
import {
  type HttpResponse,
  type RequestContext,
  getHeader,
  redactPath,
} from "./request-context.ts";
import type { GetClientAddress } from "../auth/client-address.ts";
import type { Metrics } from "./metrics.ts";

/** Told of every answer, before it is written. */
export type ResponseObserver = (
  place: RoutePath,
  call: RequestContext,
  answer: HttpResponse,
) => void;

/** Counts every answer, and tells of it in one wide line of the log. */
export function createResponseObserver(
  rt: Runtime,
  metrics: Metrics,
  clientAddress: GetClientAddress,
): ResponseObserver {
  return (place, call, answer) => {
    const durationMs = rt.monotonic() - call.startedAt;
    metrics.record(place.path, call.request.method, answer.status, durationMs);
    if (!rt.config.http.accessLog) return;
    // Neither the query nor a header that could hold a secret.
    rt.log("info", "request", {
      requestId: call.requestId,
      method: call.request.method,
      path: redactPath(call.request),
      status: answer.status,
      durationMs: Math.round(durationMs * 100) / 100,
      bytes: answer.body?.length ?? 0,
      key: call.keyId,
      address: clientAddress(call.request),
      userAgent: getHeader(call.request, "user-agent"),
    });
  };
}
