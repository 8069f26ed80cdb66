import { readVersion } from "../../platform/assets.ts";
import type { ServerStatus } from "./status-schema.ts";
import type { Runtime } from "../../app/runtime.ts";
import { readBackupState } from "../../app/operations/backup-state.ts";
import { findNewestBackup } from "../../app/operations/backups.ts";
import { withoutCovered } from "../../domain/conditions/registry.ts";
import { type Check, listDaemonConditions } from "../../app/operations/conditions.ts";

/** Returns the status for the daemon itself, which is running. */
export const readServerStatus = (rt: Runtime, checks: readonly Check[]): ServerStatus => ({
  version: readVersion(),
  businesses: rt.store.businesses.listSlugs(),
  deliveries: rt.store.tallies.countByStatus(),
  lastBackupAt: toInstant(findNewestBackup(rt)?.createdAt),
  lastCopyAt: toInstant(readBackupState(rt.config, "copy")?.createdAt),
  problems: withoutCovered(listDaemonConditions(rt, checks)).map(
    ({ code, severity, business, since, text, command }) => ({
      code,
      severity,
      business,
      since: toInstant(since),
      text,
      command,
    }),
  ),
});

const toInstant = (ms: number | null | undefined): string | null =>
  ms === null || ms === undefined ? null : new Date(ms).toISOString();
