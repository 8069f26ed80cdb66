import type { Runtime } from "../runtime.ts";
import type { Place } from "./answering.ts";
import { type Answer, type Call, header, loggedPath } from "./call.ts";
import type { ClientAddress } from "./gate/client-address.ts";
import type { Metrics } from "./metrics.ts";

/** Told of every answer, before it is written. */
export type Observe = (place: Place, call: Call, answer: Answer) => void;

/** Counts every answer, and tells of it in one wide line of the log. */
export function createObserve(
  rt: Runtime,
  metrics: Metrics,
  clientAddress: ClientAddress,
): Observe {
  return (place, call, answer) => {
    const durationMs = rt.monotonic() - call.startedAt;
    metrics.count(place.path, call.asked.method, answer.status, durationMs);
    if (!rt.config.http.accessLog) return;
    // Neither the query nor a header that could hold a secret.
    rt.log("info", "request", {
      requestId: call.requestId,
      method: call.asked.method,
      path: loggedPath(call.asked),
      status: answer.status,
      durationMs: Math.round(durationMs * 100) / 100,
      bytes: answer.body?.length ?? 0,
      key: call.keyId,
      address: clientAddress(call.asked),
      userAgent: header(call.asked, "user-agent"),
    });
  };
}
