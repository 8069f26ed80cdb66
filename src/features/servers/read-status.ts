import { readVersion } from "../../platform/assets.ts";
import type { ServerStatus } from "./status-schema.ts";
import type { Runtime } from "../../app/runtime.ts";
import { withoutCovered } from "../../domain/conditions/registry.ts";
import { listDaemonConditions } from "../../app/operations/conditions.ts";
import type { Monitoring } from "../../app/operations/monitoring.ts";

/** Returns the status of this server, which its daemon sends to commands. */
export function readServerStatus(
  rt: Runtime,
  { checks, copyTimes }: Pick<Monitoring, "checks" | "copyTimes">,
): ServerStatus {
  // The backups feature is the only one that provides `copyTimes`, so there is at most one entry.
  const [times] = copyTimes.map((read) => read(rt));
  return {
    version: readVersion(),
    businesses: rt.store.businesses.listSlugs(),
    deliveries: rt.store.tallies.countByStatus(),
    lastBackupAt: toInstant(times?.backupAt),
    lastCopyAt: toInstant(times?.copyAt),
    copyBytesPerDay: times?.copyBytesPerDay ?? null,
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
  };
}

const toInstant = (ms: number | null | undefined): string | null =>
  ms === null || ms === undefined ? null : new Date(ms).toISOString();
