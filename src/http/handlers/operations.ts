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
import { backupIntervalMs } from "../../app/operations/backup-conditions.ts";
import { readBackupState } from "../../app/operations/backup-state.ts";
import { findNewestBackup } from "../../app/operations/backups.ts";
import type { Runtime } from "../../app/runtime.ts";
import {
  type HttpResponse,
  respondBytes,
  respondJson,
  type RequestContext,
} from "../pipeline/request-context.ts";
import type { Operators } from "../auth/operators.ts";
import { countEndpoints } from "../../app/operations/status.ts";
import { formatMetric } from "../pipeline/metrics.ts";
import type { HandlerDeps } from "../pipeline/route.ts";

export const getHealth =
  (rt: Runtime) =>
  (context: RequestContext): HttpResponse => {
    const database = checkDamage(rt).length > 0 ? "damaged" : undefined;
    return respondJson(context, 200, { status: "ok", database }, ["cache-control", "no-store"]);
  };

/**
 * Readiness fails as soon as the server shuts down, so that a load balancer stops sending requests
 * in time.
 */
export function getReadiness(
  rt: Runtime,
  operators: Operators,
  isShuttingDown: () => boolean,
): (context: RequestContext) => HttpResponse {
  return (context) => {
    if (isShuttingDown()) throw new AppError("shutting_down", "The server is shutting down.");
    const codes = listUnreadyConditions(rt).map(({ code }) => code);
    if (codes.length > 0)
      throw new AppError("storage_failed", "The server is not ready.", {
        members: operators.has(context.request) ? { conditions: codes } : {},
      });
    // Throws if the database cannot be read.
    rt.store.businesses.findBySlug("");
    const deliveredAt = rt.store.deliveries.findLastDeliveredAt();
    const lastDeliveryAt = deliveredAt && new Date(deliveredAt).toISOString();
    return respondJson(context, 200, { status: "ready", lastDeliveryAt }, [
      "cache-control",
      "no-store",
    ]);
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
      ...formatBackups(rt),
      formatConditions(rt, monitoring.checks),
      ...formatFigures(rt),
      formatMetric("process_resident_memory_bytes", "gauge", "Resident memory of the process.", [
        ["", process.memoryUsage.rss()],
      ]),
    ].join("");
    const type = "text/plain; version=0.0.4; charset=utf-8";
    return respondBytes(context, 200, type, Buffer.from(text), ["cache-control", "no-store"]);
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

/** The expiry of a missing certificate has no value. */
function formatFigures(rt: Runtime): string[] {
  const now = rt.now();
  const dueAt = rt.store.due.getNextAttemptAt();
  const daemon = rt.store.daemon.find();
  const notAfter = daemon?.certificateExpiresAt;
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
      rt.findLoss() === undefined ? rt.freeBytes() : null,
    ),
    gauge(
      "tls_not_after_timestamp_seconds",
      "When the certificate of the API expires.",
      notAfter && notAfter / 1000,
    ),
    gauge(
      "backup_interval_seconds",
      "How often a backup is made.",
      backupIntervalMs(daemon) / 1000,
    ),
    gauge("build_info", "The version of deskbell.", 1, `version="${readVersion()}"`),
  ];
}

const formatBackups = (rt: Runtime): string[] => {
  const { config, now } = rt;
  const copiedAt = readBackupState(config, "copy")?.createdAt;
  const format = (name: string, about: string, at: number | undefined) =>
    formatMetric(`deskbell_backup_last_${name}_timestamp_seconds`, "gauge", about, [
      ["", (at ?? 0) / 1000],
    ]);
  return [
    format(
      "success",
      "When the last backup was made; 0 if there is none.",
      findNewestBackup(rt)?.createdAt,
    ),
    format(
      "copy",
      "When the newest backup that was copied to another place was made; 0 if there is none.",
      copiedAt,
    ),
    formatMetric(
      "deskbell_copy_age_seconds",
      "gauge",
      "Age of the newest backup that was copied to another place: a takeover loses what is newer.",
      copiedAt === undefined ? [] : [["", Math.max(now() - copiedAt, 0) / 1000]],
    ),
    format(
      "drill",
      "When a backup was last restored as a drill, or failed to be; 0 if never.",
      readBackupState(config, "drill")?.at,
    ),
  ];
};

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
