import { AppError } from "../domain/errors.ts";
import type { Runtime } from "../runtime.ts";
import type { DeliveryStatus } from "../store/deliveries.ts";
import type { EndpointRow } from "../store/endpoints.ts";
import { isDaemonRunning } from "../store/database.ts";
import { type Backup, type BackupFailure, lastBackupFailure, listBackups } from "./backups.ts";
import { requireRoom } from "./room.ts";

/** Something that is wrong, and the command that looks into it or mends it. */
export type Trouble = { about: "daemon" | "endpoint" | "backup" | "disk"; text: string; command: string };

export type Status = {
  daemon: { isRunning: boolean; url: string | null; startedAt: number | null };
  queue: Partial<Record<DeliveryStatus, number>>;
  /** Of all that is owed, what is due the soonest; in the past: due now. */
  nextAttemptAt: number | null;
  lastBackup: Backup | null;
  freeBytes: number;
  troubles: Trouble[];
};

/** Two nights without a backup. */
const BACKUP_DUE_MS = 2 * 86_400_000;

export function readStatus(rt: Runtime): Status {
  const isRunning = isDaemonRunning(rt.config.databasePath);
  const noted = isRunning ? rt.store.live.daemon() : undefined;
  const daemon = { isRunning, url: noted?.url ?? null, startedAt: noted?.startedAt ?? null };
  const lastBackup = listBackups(rt.config)[0] ?? null;
  const failure = lastBackupFailure(rt.config);
  return {
    daemon,
    queue: rt.store.tallies.counts(),
    nextAttemptAt: rt.store.due.nextAttemptAt(),
    lastBackup,
    freeBytes: rt.freeBytes(),
    troubles: [
      ...(isRunning
        ? []
        : [{ about: "daemon", text: "the daemon is not running", command: "deskbell serve" } as const]),
      ...rt.store.endpoints.list().flatMap(troubleOfEndpoint),
      ...troubleOfBackups(failure, lastBackup?.madeAt ?? daemon.startedAt, rt.now()),
      ...troubleOfDisk(rt),
    ],
  };
}

function troubleOfEndpoint(endpoint: EndpointRow): Trouble[] {
  const { id, name, status, disabledReason, failingSince, failureCount, disableAt } = endpoint;
  const command = `deskbell webhooks show ${id}`;
  const about = "endpoint";
  if (status === "DISABLED")
    // Somebody wanted that.
    return disabledReason === "manual" ? [] : [{ about, text: `'${name}' is disabled (${disabledReason})`, command }];
  if (failingSince === null) return [];
  const end = disableAt === null ? "" : `, will be disabled at ${isoSeconds(disableAt)}`;
  const text = `'${name}' has failed ${failureCount} times since ${isoSeconds(failingSince)}${end}`;
  return [{ about, text, command }];
}

function troubleOfBackups(failure: BackupFailure | null, lastAt: number | null, now: number): Trouble[] {
  const command = "deskbell backup";
  if (failure)
    return [{ about: "backup", text: `the backup of ${isoSeconds(failure.at)} failed: ${failure.reason}`, command }];
  if (lastAt === null || now - lastAt <= BACKUP_DUE_MS) return [];
  return [{ about: "backup", text: `there has been no backup since ${isoSeconds(lastAt)}`, command }];
}

function troubleOfDisk(rt: Runtime): Trouble[] {
  try {
    requireRoom(rt);
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [{ about: "disk", text: error.message, command: `df -h ${rt.config.dataDir}` }];
  }
}

const isoSeconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
