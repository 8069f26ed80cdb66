import { existsSync } from "node:fs";
import { lostFileError } from "../../store/file-identity.ts";
import { byteSize, shellQuote } from "../../domain/text.ts";
import { needsAttention } from "../../domain/webhooks/failure-streak.ts";
import { describeFreeSpace, RESERVE_BYTES, type Runtime } from "../runtime.ts";
import type { EndpointRow } from "../../store/endpoints.ts";
import { lastBackupFailure } from "./backups.ts";
import { limitedHost, listLimitedHosts } from "../webhooks/host-limits.ts";
import { lastErrorSuffix } from "../webhooks/endpoint-lifecycle.ts";
import type { History } from "./history.ts";
import { canDecryptSecret } from "../webhooks/endpoint-secrets.ts";

/** `command` fixes the problem or shows the details. */
export type HealthCondition = {
  code?: ConditionCode;
  about: Area;
  text: string;
  command: string;
};
/** Storage conditions, which are also metrics and alerts. */
export const STORAGE_CONDITIONS = {
  "storage.gone": "critical",
  "storage.full": "critical",
  "storage.low": "warning",
  "database.damaged": "critical",
} as const;
export type ConditionCode = keyof typeof STORAGE_CONDITIONS;

type Area =
  | "daemon"
  | "delivery-worker"
  | "delivery"
  | "endpoint"
  | "key"
  | "secret"
  | "backup"
  | "disk"
  | "database"
  | "history"
  | "file"
  | "proxy"
  | "certificate";

const condition = (about: Area, text: string, command: string): HealthCondition[] => [
  { about, text, command },
];

/** Two nights. */
const BACKUP_DUE_MS = 2 * 86_400_000;
/** An attempt may take 30 s, and attempts are counted per minute. */
const STUCK_MS = 2 * 60_000;

export const checkDaemonRunning = (isRunning: boolean): HealthCondition[] =>
  isRunning ? [] : condition("daemon", "the daemon is not running", "deskbell serve");

/** Reports due webhooks of healthy endpoints while no attempt is made. */
export function checkDeliveryWorker(rt: Runtime, startedAt: number | null): HealthCondition[] {
  const since = rt.now() - STUCK_MS;
  const dueAt = rt.store.due.getNextHealthyAttemptAt();
  if (startedAt === null || startedAt > since || dueAt === null || dueAt > since) return [];
  if (rt.store.tallies.listMinutes(since).length > 0) return [];
  if (waitForLimitedHosts(rt, since)) return [];
  return condition(
    "delivery-worker",
    `webhooks have been due since ${isoSeconds(dueAt)}, but the daemon sends none: restart it`,
    "deskbell deliveries list --status PENDING",
  );
}

/** Whether everything that is due at healthy endpoints waits for hosts that have had their hour. */
function waitForLimitedHosts(rt: Runtime, dueAt: number): boolean {
  const limited = new Set<string | null>(listLimitedHosts(rt));
  if (limited.size === 0) return false;
  return rt.store.due.listDueEndpoints(dueAt).every((id) => {
    const endpoint = rt.store.endpoints.findById(id);
    return !endpoint || endpoint.failingSince !== null || limited.has(limitedHost(endpoint));
  });
}

/** Reports an endpoint that is disabled or keeps failing, not one being retried. */
export function checkEndpoint(rt: Runtime, endpoint: EndpointRow): HealthCondition[] {
  const { id, name, status, disabledReason, failingSince, failureCount, disableAt } = endpoint;
  if (status === "DISABLED") {
    // Intended by the operator or the partner.
    if (disabledReason === "manual" || disabledReason === "paused") return [];
    const text = `the endpoint '${name}' is disabled (${disabledReason})`;
    return condition("endpoint", text, `deskbell webhooks show ${id}`);
  }
  if (failingSince === null || !needsAttention(endpoint, rt.now())) return [];
  const end =
    disableAt === null
      ? ""
      : `, and will be disabled by the first failure after ${isoSeconds(disableAt)}`;
  const times = failureCount === 1 ? "once" : `${failureCount} times`;
  return condition(
    "endpoint",
    `the endpoint '${name}' has failed ${times} since ${isoSeconds(failingSince)}${lastErrorSuffix(endpoint)}${end}`,
    `deskbell deliveries list --failed --endpoint ${id}`,
  );
}

/** Endpoints whose secret cannot be decrypted receive nothing. */
export function checkSigningSecrets(rt: Runtime): HealthCondition[] {
  const rows = rt.store.endpointSecrets.list();
  if (rows.length === 0) return [];
  const { masterKeyPath } = rt.config;
  const isThere = existsSync(masterKeyPath);
  const undecryptable = isThere ? rows.filter((row) => !canDecryptSecret(rt, row)) : rows;
  if (undecryptable.length === rows.length) {
    const why = isThere ? "decrypts no signing secret" : "is missing";
    const text = `${masterKeyPath} ${why}: no webhook can be signed. Restore the key file that backup --master-key-out wrote; if it is lost, give each endpoint a new secret with webhooks rotate-secret ID --force`;
    return condition("secret", text, `install -m 600 FILE ${shellQuote(masterKeyPath)}`);
  }
  return [...new Set(undecryptable.map(({ endpointId }) => endpointId))].map((id) => ({
    about: "secret",
    text: `a signing secret of '${rt.store.endpoints.findById(id)?.name ?? id}' cannot be decrypted with ${masterKeyPath}`,
    command: `deskbell webhooks rotate-secret ${id} --force`,
  }));
}

/** Reports events that a program or a failing disk has altered. */
export function checkCorruptEvents(rt: Runtime): HealthCondition[] {
  const count = rt.store.tallies.countByStatus().CORRUPT ?? 0;
  if (count === 0) return [];
  const ids = rt.store.deliveries.list({ status: "CORRUPT" }, 10).map(({ id }) => id);
  return condition(
    "delivery",
    `the event of ${summarizeNames(ids, count)} was altered in the database file, so it was not sent`,
    // Cancelled deliveries are no longer reported.
    `deskbell deliveries cancel ${count === 1 ? ids[0] : "--status CORRUPT"}`,
  );
}

/** ACME clients renew 30 days before expiry; warn only if that has failed. */
export const CERTIFICATE_WARN_DAYS = 14;

/** @param expiresAt of the certificate that the daemon uses; null without HTTPS */
export function checkCertificate(expiresAt: number | null, now: number): HealthCondition[] {
  if (expiresAt === null || expiresAt >= now + CERTIFICATE_WARN_DAYS * 86_400_000) return [];
  const state = expiresAt <= now ? "has expired, and clients reject it" : "expires soon";
  return condition(
    "certificate",
    `the certificate of the API ${state} (${isoSeconds(expiresAt)}): renew it, then reload it`,
    "systemctl reload deskbell, or send SIGHUP to the daemon",
  );
}

export const checkBrowserKeys = (rt: Runtime): HealthCondition[] =>
  rt.store.keys.listSeenInBrowser(rt.now()).map(({ id, name }) => ({
    about: "key",
    text: `the secret key '${name}' was sent by a web page: every visitor of that page can read it`,
    command: `deskbell keys rotate ${id} --overlap 0s`,
  }));

/** @param address the only one of the daemon's clients */
export const checkSharedAddress = (address: string | null | undefined): HealthCondition[] =>
  address
    ? condition(
        "proxy",
        `all clients share the address ${address}, and with it one rate limit: a proxy hides their own. It must send X-Forwarded-For, and deskbell must trust it`,
        `deskbell serve --trusted-proxy ${address}`,
      )
    : [];

/** @param lastAt when the last backup was made, or from when on one was due */
export function checkBackupAge(rt: Runtime, lastAt: number | null): HealthCondition[] {
  const failure = lastBackupFailure(rt.config);
  const backupCondition = (text: string) => condition("backup", text, "deskbell backup");
  if (failure)
    return backupCondition(`the backup of ${isoSeconds(failure.at)} failed: ${failure.reason}`);
  if (lastAt === null || rt.now() - lastAt <= BACKUP_DUE_MS) return [];
  return backupCondition(`there has been no backup since ${isoSeconds(lastAt)}`);
}

/** Several times the reserve below which no new data is accepted. */
const LOW_BYTES = 500_000_000;

/** Reports a disk that is almost full or full, or that no longer has the database. */
export function checkStorage(rt: Runtime): HealthCondition[] {
  const { databasePath, dataDir } = rt.config;
  const loss = rt.findLoss();
  if (loss !== undefined) {
    const { message, fix = "" } = lostFileError(databasePath, loss);
    return [{ code: "storage.gone", about: "disk", text: message, command: fix }];
  }
  const command = `df -h ${shellQuote(dataDir)}`;
  const free = rt.freeBytes();
  if (free >= LOW_BYTES) return [];
  const text = describeFreeSpace(rt, free);
  return free < RESERVE_BYTES
    ? [{ code: "storage.full", about: "disk", text: `${text}: no new data is accepted.`, command }]
    : [{ code: "storage.low", about: "disk", text, command }];
}

/** Reports damage that the last nightly backup found. */
export function checkDamage({ config }: Runtime): HealthCondition[] {
  const failure = lastBackupFailure(config);
  if (failure?.isDamaged !== true) return [];
  return [
    {
      code: "database.damaged",
      about: "database",
      text: `${config.databasePath} is damaged (found at ${isoSeconds(failure.at)}): stop the daemon and restore a backup`,
      command: "deskbell backup list",
    },
  ];
}

/** The codes of the open conditions of the storage. */
export const listStorageCodes = (rt: Runtime): ConditionCode[] =>
  [...checkStorage(rt), ...checkDamage(rt)].flatMap(({ code }) => code ?? []);

/** Reports events that were deleted earlier than intended, because the history was too large. */
export function checkHistory({ cutUntil, keepDays, maxBytes }: History): HealthCondition[] {
  if (cutUntil === null) return [];
  return condition(
    "history",
    `history was cut: delivered events up to ${isoSeconds(cutUntil)} were deleted before their ${keepDays} days were up, because the history is larger than ${byteSize(maxBytes)}`,
    "deskbell serve --keep-size SIZE (larger), or --keep-days N (fewer)",
  );
}

export const isoSeconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** A problem that `doctor` found. */
export type Finding = {
  text: string;
  fix: string;
  /** Nothing is broken; this is a recommendation. */
  isAdvice?: true;
};

/** `summary`: what was examined. */
export type Check = { about: string; summary: string; findings: Finding[] };

const MAX_NAMES = 5;

/** `a, b, c, d, e and 3 more` */
export function summarizeNames(names: readonly string[], count = names.length): string {
  const shown = names.slice(0, MAX_NAMES);
  return `${shown.join(", ")}${count > shown.length ? ` and ${count - shown.length} more` : ""}`;
}
