import { existsSync } from "node:fs";
import { AppError } from "../../domain/errors.ts";
import { shellQuote } from "../../domain/shell-quote.ts";
import { needsAttention } from "../../domain/webhooks/failure-streak.ts";
import type { Runtime } from "../runtime.ts";
import type { EndpointRow } from "../../store/endpoints.ts";
import { type BackupFailure, lastBackupFailure } from "./backups.ts";
import { canDecryptSecret } from "../webhooks/endpoint-secrets.ts";
import { summarizeNames } from "./finding.ts";
import { assertDiskSpace } from "../disk-space.ts";

/** Something that is wrong, and the command that looks into it or mends it. */
export type HealthCondition = {
  about: "daemon" | "courier" | "delivery" | "endpoint" | "key" | "secret" | "backup" | "disk";
  text: string;
  command: string;
};

/** Two nights without a backup. */
const BACKUP_DUE_MS = 2 * 86_400_000;
/** An attempt may take half a minute, and what is counted is counted by the minute. */
const STUCK_MS = 2 * 60_000;

export const checkDaemonRunning = (isRunning: boolean): HealthCondition[] =>
  isRunning
    ? []
    : [{ about: "daemon", text: "the daemon is not running", command: "deskbell serve" }];

/** Webhooks that only the courier keeps waiting, while it makes no attempt at any. */
export function checkDeliveryWorker(rt: Runtime, startedAt: number | null): HealthCondition[] {
  const since = rt.now() - STUCK_MS;
  const dueAt = rt.store.due.getNextHealthyAttemptAt();
  if (startedAt === null || startedAt > since || dueAt === null || dueAt > since) return [];
  if (rt.store.tallies.listMinutes(since).length > 0) return [];
  const text = `webhooks are due since ${isoSeconds(dueAt)}, and the daemon sends none: restart it`;
  return [{ about: "courier", text, command: "deskbell deliveries list --status PENDING" }];
}

/** One that is disabled, or has been failing for so long that it is warned of: what is being retried is none. */
export function checkEndpoint(endpoint: EndpointRow, now: number): HealthCondition[] {
  const { id, name, status, disabledReason, failingSince, failureCount, disableAt } = endpoint;
  const about = "endpoint";
  if (status === "DISABLED") {
    // Somebody wanted that.
    if (disabledReason === "manual") return [];
    return [
      {
        about,
        text: `'${name}' is disabled (${disabledReason})`,
        command: `deskbell webhooks show ${id}`,
      },
    ];
  }
  if (failingSince === null || !needsAttention(endpoint, now)) return [];
  const end = disableAt === null ? "" : `, will be disabled at ${isoSeconds(disableAt)}`;
  const times = failureCount === 1 ? "once" : `${failureCount} times`;
  const text = `'${name}' has failed ${times} since ${isoSeconds(failingSince)}${end}`;
  return [{ about, text, command: `deskbell deliveries list --failed --endpoint ${id}` }];
}

/** Signing secrets that do not open with the master key that lies beside them: nothing is sent to their endpoints. */
export function checkSigningSecrets(rt: Runtime): HealthCondition[] {
  const rows = rt.store.endpointSecrets.list();
  if (rows.length === 0) return [];
  const { masterKeyPath } = rt.config;
  const about = "secret";
  const isThere = existsSync(masterKeyPath);
  const shut = isThere ? rows.filter((row) => !canDecryptSecret(rt, row)) : rows;
  if (shut.length === rows.length) {
    const why = isThere ? "opens no signing secret" : "is gone";
    const text = `${masterKeyPath} ${why}: no webhook can be signed. Put the key file back that backup --master-key-out wrote; if it is lost for good, webhooks rotate-secret ID --force gives an endpoint a new secret`;
    return [{ about, text, command: `install -m 600 FILE ${shellQuote(masterKeyPath)}` }];
  }
  return [...new Set(shut.map(({ endpointId }) => endpointId))].map((id) => ({
    about,
    text: `a signing secret of '${rt.store.endpoints.findById(id)?.name ?? id}' does not open with ${masterKeyPath}`,
    command: `deskbell webhooks rotate-secret ${id} --force`,
  }));
}

/** Events whose bytes are no longer those that were written: somebody, or the disk, has changed the file. */
export function checkCorruptEvents(rt: Runtime): HealthCondition[] {
  const count = rt.store.tallies.countByStatus().CORRUPT ?? 0;
  if (count === 0) return [];
  const ids = rt.store.deliveries.list({ status: "CORRUPT" }, 10).map(({ id }) => id);
  const text = `the event of ${summarizeNames(ids, count)} was changed in the file: it was not sent`;
  // Cancelled, they are given up and told of no more.
  const which = count === 1 ? ids[0] : "--status CORRUPT";
  return [{ about: "delivery", text, command: `deskbell deliveries cancel ${which}` }];
}

export const checkBrowserKeys = (rt: Runtime): HealthCondition[] =>
  rt.store.keys.listSeenInBrowser(rt.now()).map(({ id, name }) => ({
    about: "key",
    text: `the secret key '${name}' was sent by a web page: whoever opens that page can read it`,
    command: `deskbell keys rotate ${id} --overlap 0s`,
  }));

/** @param lastAt when the last backup was made, or since when one was due */
export function checkBackupAge(rt: Runtime, lastAt: number | null): HealthCondition[] {
  const command = "deskbell backup";
  const failure: BackupFailure | null = lastBackupFailure(rt.config);
  if (failure)
    return [
      {
        about: "backup",
        text: `the backup of ${isoSeconds(failure.at)} failed: ${failure.reason}`,
        command,
      },
    ];
  if (lastAt === null || rt.now() - lastAt <= BACKUP_DUE_MS) return [];
  return [
    { about: "backup", text: `there has been no backup since ${isoSeconds(lastAt)}`, command },
  ];
}

export function checkDiskSpace(rt: Runtime): HealthCondition[] {
  try {
    assertDiskSpace(rt);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [
      { about: "disk", text: error.message, command: `df -h ${shellQuote(rt.config.dataDir)}` },
    ];
  }
}

export const isoSeconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
