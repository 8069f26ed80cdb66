import { hash, timingSafeEqual } from "node:crypto";
import { AppError } from "../../domain/errors.ts";
import type { Runtime } from "../../app/runtime.ts";
import {
  type HttpResponse,
  respondBytes,
  respondJson,
  type HttpRequest,
  type RequestContext,
  getHeader,
} from "../pipeline/request-context.ts";
import { isLoopback } from "../auth/client-address.ts";
import { formatGauge, type Metrics } from "../pipeline/metrics.ts";

/** The process runs and answers. */
export const getHealth = (call: RequestContext): HttpResponse =>
  respondJson(call, 200, { status: "ok" }, ["cache-control", "no-store"]);

/** Requests may be sent here. Not while it ends, so that a balancer looks elsewhere in time. */
export function getReadiness(
  rt: Runtime,
  isEnding: () => boolean,
): (call: RequestContext) => HttpResponse {
  return (call) => {
    if (isEnding()) throw new AppError("shutting_down", "This process is about to end.");
    // Throws when the file cannot be read.
    rt.store.businesses.findBySlug("");
    return respondJson(call, 200, { status: "ready" }, ["cache-control", "no-store"]);
  };
}

export function getMetrics(rt: Runtime, metrics: Metrics): (call: RequestContext) => HttpResponse {
  return (call) => {
    admitMonitor(call.request, rt.config.http.metricsToken);
    const deliveries = Object.entries(rt.store.tallies.countByStatus()).map(
      ([status, count]): [string, number] => [`status="${status}"`, count],
    );
    const text = [
      metrics.format(),
      formatGauge("deskbell_deliveries", "Webhook deliveries by where they stand.", deliveries),
      formatGauge("process_resident_memory_bytes", "Memory that the process takes.", [
        ["", process.memoryUsage.rss()],
      ]),
    ].join("");
    const type = "text/plain; version=0.0.4; charset=utf-8";
    return respondBytes(call, 200, type, Buffer.from(text), ["cache-control", "no-store"]);
  };
}

/** This machine, or whoever has the token. What a proxy passes on comes from this machine too, but is not of it. */
function admitMonitor(asked: HttpRequest, token: string | null): void {
  const isForwarded = ["forwarded", "x-forwarded-for", "via"].some(
    (name) => getHeader(asked, name) !== undefined,
  );
  if (isLoopback(asked.peerAddress) && !isForwarded) return;
  if (token === null)
    throw new AppError(
      "address_not_allowed",
      "The metrics are for the machine that deskbell runs on.",
    );
  const sent = /^bearer +(\S+)$/i.exec(getHeader(asked, "authorization") ?? "")?.[1];
  if (sent === undefined) throw new AppError("missing_key", "The metrics need their token.");
  if (!timingSafeEqual(digest(sent), digest(token)))
    throw new AppError("invalid_key", "This is not the token.");
}

const digest = (text: string): Buffer => hash("sha256", text, "buffer");
