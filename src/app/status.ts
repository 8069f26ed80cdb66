import type { Runtime } from "../runtime.ts";
import { isDaemonRunning } from "../store/database.ts";
import type { DeliveryStatus } from "../domain/webhooks/delivery-status.ts";
import { type Backup, listBackups } from "./backups.ts";
import {
  type Trouble,
  troubleOfBackups,
  troubleOfCorrupt,
  troubleOfCourier,
  troubleOfDaemon,
  troubleOfDisk,
  troubleOfEndpoint,
  troubleOfKeys,
} from "./troubles.ts";

export type Status = {
  daemon: { isRunning: boolean; url: string | null; startedAt: number | null };
  queue: Partial<Record<DeliveryStatus, number>>;
  /** Of all that is owed, what is due the soonest; in the past: due now. */
  nextAttemptAt: number | null;
  lastBackup: Backup | null;
  freeBytes: number;
  troubles: Trouble[];
};

export function readStatus(rt: Runtime): Status {
  const daemon = lookAtDaemon(rt);
  const lastBackup = listBackups(rt.config)[0] ?? null;
  return {
    daemon,
    queue: rt.store.tallies.counts(),
    nextAttemptAt: rt.store.due.nextAttemptAt(),
    lastBackup,
    freeBytes: rt.freeBytes(),
    troubles: [
      ...troubleOfDaemon(daemon.isRunning),
      ...troubleOfCourier(rt, daemon.startedAt),
      ...rt.store.endpoints.list().flatMap(troubleOfEndpoint),
      ...troubleOfCorrupt(rt),
      ...troubleOfKeys(rt),
      ...troubleOfBackups(rt, lastBackup?.madeAt ?? daemon.startedAt),
      ...troubleOfDisk(rt),
    ],
  };
}

function lookAtDaemon(rt: Runtime): Status["daemon"] {
  const isRunning = isDaemonRunning(rt.config.databasePath);
  const noted = isRunning ? rt.store.live.daemon() : undefined;
  return { isRunning, url: noted?.url ?? null, startedAt: noted?.startedAt ?? null };
}
