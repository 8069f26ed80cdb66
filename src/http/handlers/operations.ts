import { readVersion } from "../../platform/assets.ts";
import { AppError } from "../../domain/errors.ts";
import { conditionKind, listConditionCodes } from "../../domain/conditions/registry.ts";
import {
  type Check,
  listDaemonConditions,
  listUnreadyConditions,
} from "../../app/operations/conditions.ts";
import { checkDamage } from "../../app/operations/storage-conditions.ts";
import { type History, readHistory } from "../../app/operations/history.ts";
import type { Runtime } from "../../app/runtime.ts";
import { NO_STORE } from "../pipeline/business-response.ts";
import {
  type HttpResponse,
  respondBytes,
  respondJson,
  type RequestContext,
} from "../pipeline/request-context.ts";
import { countEndpoints } from "../../app/operations/status.ts";
import { formatMetric } from "../pipeline/metrics.ts";
import type { HandlerDeps } from "../pipeline/route.ts";

/**
 * Returns a handler that responds 200 even if the database is damaged, because a restart would not
 * repair it.
 */
export const getHealth =
  ({ rt, monitoring: { damage } }: HandlerDeps) =>
  (context: RequestContext): HttpResponse => {
    const isDamaged = [checkDamage, ...damage].some((check) => check(rt).length > 0);
    const database = isDamaged ? "damaged" : undefined;
    return respondJson(context, 200, { status: "ok", database }, NO_STORE);
  };

/**
 * Returns a handler that fails as soon as the server shuts down, so that a load balancer stops
 * sending requests in time.
 */
export function getReadiness({
  rt,
  operators,
  monitoring,
  longPolls,
}: HandlerDeps): (context: RequestContext) => HttpResponse {
  return (context) => {
    if (longPolls.closing.aborted)
      throw new AppError("shutting_down", "The server is shutting down.");
    const codes = listUnreadyConditions(rt, monitoring.damage).map(({ code }) => code);
    if (codes.length > 0)
      throw new AppError("storage_failed", "The server is not ready.", {
        extensions: operators.has(context.request) ? { conditions: codes } : {},
      });
    // This read throws if the database cannot be read.
    rt.store.businesses.findBySlug("");
    const deliveredAt = rt.store.deliveries.findLastDeliveredAt();
    const lastDeliveryAt = deliveredAt && new Date(deliveredAt).toISOString();
    return respondJson(context, 200, { status: "ready", lastDeliveryAt }, NO_STORE);
  };
}

export function getMetrics({
  rt,
  metrics,
  operators,
  monitoring,
}: HandlerDeps): (context: RequestContext) => HttpResponse {
  return (context) => {
    operators.assert(context.request);
    const deliveries = Object.entries(rt.store.tallies.countByStatus()).map(
      ([status, count]): [string, number] => [`status="${status}"`, count],
    );
    const endpoints = countEndpoints(rt.store.endpoints.list());
    const text = [
      metrics.format(),
      formatMetric("deskbell_deliveries", "gauge", "Webhook deliveries by status.", deliveries),
      formatMetric("deskbell_endpoints", "gauge", "Webhook endpoints by state.", [
        ['state="active"', endpoints.active],
        ['state="failing"', endpoints.failing],
        ['state="disabled"', endpoints.disabled],
      ]),
      ...formatHistory(readHistory(rt)),
      ...monitoring.metrics.flatMap((format) => format(rt)),
      formatConditions(rt, monitoring.checks),
      ...formatFigures(rt),
      formatMetric("process_resident_memory_bytes", "gauge", "Resident memory of the process.", [
        ["", process.memoryUsage.rss()],
      ]),
    ].join("");
    const type = "text/plain; version=0.0.4; charset=utf-8";
    return respondBytes(context, 200, type, Buffer.from(text), NO_STORE);
  };
}

function formatConditions(rt: Runtime, checks: readonly Check[]): string {
  const open = listDaemonConditions(rt, checks);
  return formatMetric(
    "deskbell_condition",
    "gauge",
    "Open health conditions by code.",
    listConditionCodes().map((code): [string, number] => [
      `code="${code}",severity="${conditionKind(code).severity}"`,
      open.filter((condition) => condition.code === code).length,
    ]),
  );
}

/**
 * Returns single figures about the server. An unknown figure, such as the expiry without a
 * certificate, has no value.
 */
function formatFigures(rt: Runtime): string[] {
  const now = rt.now();
  const dueAt = rt.store.due.getNextAttemptAt(now);
  const daemon = rt.store.daemon.find();
  const notAfter = daemon?.certificateExpiresAt;
  const isFileLost = rt.findLoss() !== undefined;
  const gauge = (name: string, help: string, value: number | null | undefined, labels = "") =>
    formatMetric(
      `deskbell_${name}`,
      "gauge",
      help,
      value === null || value === undefined ? [] : [[labels, value]],
    );
  return [
    gauge(
      "deliveries_oldest_due_seconds",
      "How long the webhook that is most overdue has been due; 0 if none is.",
      dueAt === null ? 0 : Math.max(now - dueAt, 0) / 1000,
    ),
    gauge(
      "storage_free_bytes",
      "Free space on the disk of the data folder.",
      isFileLost ? null : rt.freeBytes(),
    ),
    gauge(
      "tls_not_after_timestamp_seconds",
      "When the certificate of the API expires.",
      notAfter && notAfter / 1000,
    ),
    gauge("build_info", "The version of deskbell.", 1, `version="${readVersion()}"`),
  ];
}

const formatHistory = ({ bytes, maxBytes, oldestAt, cutUntil }: History): string[] => [
  formatMetric(
    "deskbell_history_bytes",
    "gauge",
    "Size of events, deliveries, attempts and catalog changes, and its limit.",
    [
      ['kind="used"', bytes],
      ['kind="max"', maxBytes],
    ],
  ),
  formatMetric(
    "deskbell_history_oldest_event_timestamp_seconds",
    "gauge",
    "When the oldest event was created; 0 if there is none.",
    [["", (oldestAt ?? 0) / 1000]],
  ),
  formatMetric(
    "deskbell_history_cut",
    "gauge",
    "1 if events were deleted before their days were up, because the history is too large.",
    [["", cutUntil === null ? 0 : 1]],
  ),
];
