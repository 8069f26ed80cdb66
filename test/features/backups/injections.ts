import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createBackup, listBackups } from "../../../src/features/backups/backups.ts";
import { recordKeyCopy } from "../../../src/features/backups/copies/key-copies.ts";
import type { backups } from "../../../src/features/backups/feature.ts";
import { forgetHandover, saveHandover } from "../../../src/features/backups/handover/state.ts";
import {
  type BackupState,
  forgetBackupState,
  saveBackupState,
} from "../../../src/features/backups/state.ts";
import type { End, Injection } from "../../support/conditions.ts";
import { emitEvents } from "../../support/delivery.ts";
import { edit } from "../../support/edit-database.ts";
import type { TestRuntime } from "../../support/test-runtime.ts";

const DAY_MS = 86_400_000;

export async function prepare(rt: TestRuntime): Promise<void> {
  const [newest] = listBackups(rt.config);
  if (newest === undefined || rt.now() - newest.createdAt > DAY_MS) await createBackup(rt);
}

/** Records that the newest backup and the master key were copied to another place. */
export function followAdvice({ config, now, tx, store }: TestRuntime): void {
  const createdAt = listBackups(config)[0]!.createdAt;
  const place = { name: "", dir: null, isOtherDisk: false, hasCommand: true };
  saveBackupState(config, "copy", { at: now(), createdAt, ...place });
  recordKeyCopy(config, now());
  tx(() => store.daemon.save({ ...store.daemon.find()!, copiesBackups: true }));
}

const failBackup = (rt: TestRuntime): End => {
  const path = join(rt.config.backupFolder, "last-failure.json");
  const failure = { at: rt.now(), reason: "it failed" };
  writeFileSync(path, JSON.stringify(failure), { mode: 0o600 });
  return () => rmSync(path);
};

const saveState = <Kind extends keyof BackupState>(
  { config }: TestRuntime,
  kind: Kind,
  state: BackupState[Kind],
): End => {
  saveBackupState(config, kind, state);
  return () => forgetBackupState(config, kind);
};

const SCRUB: BackupState["scrub"] = {
  startedAt: 0,
  finishedAt: 0,
  afterEvent: "",
  verified: [],
  altered: [],
  damaged: [],
};

export const injections: Record<keyof typeof backups.conditions, Injection> = {
  "backup.failed": (rt) => failBackup(rt),
  "backup.overdue": (rt) => {
    rt.advance(3 * DAY_MS);
    return async () => void (await createBackup(rt));
  },
  "backup.unshipped": (rt) => {
    const save = (startedAt: number, copiesBackups: boolean) =>
      rt.tx(() => rt.store.daemon.save({ url: "", startedAt, hasAlertUrl: true, copiesBackups }));
    save(rt.now() - 3 * DAY_MS, true);
    return () => save(rt.now(), false);
  },
  "backup.drill_failed": (rt) =>
    saveState(rt, "drill", { at: 0, name: "a.db", error: "it failed", businesses: 0, secrets: 0 }),
  "backup.untagged": async (rt) => {
    const { path } = await createBackup(rt);
    const bytes = readFileSync(path);
    truncateSync(path, bytes.readUInt16BE(16) * bytes.readUInt32BE(28));
    return () => writeFileSync(path, bytes);
  },
  "backup.damaged": (rt) => {
    const path = join(rt.config.backupFolder, "SHA256SUMS");
    return saveState(rt, "scrub", { ...SCRUB, damaged: [{ path, reason: "it differs" }] });
  },
  "server.replaced": (rt) => {
    const start = rt.stopDaemon();
    saveHandover(rt.config, { state: "done", to: "/copies", at: rt.now(), copy: "last.db" });
    return () => {
      forgetHandover(rt.config);
      start();
    };
  },
  "events.altered": (rt) => {
    emitEvents(rt, rt.business, "service.updated");
    const [event] = rt.store.events.list({}, 1);
    edit(rt, `UPDATE event SET sha256 = x'00' WHERE id = '${event?.id}'`);
    edit(rt, "UPDATE delivery SET status = 'CANCELLED', next_attempt_at = NULL");
    return saveState(rt, "scrub", { ...SCRUB, altered: [event?.id ?? ""] });
  },
};

/**
 * Conditions that only commands report, because the daemon of a replaced server refuses to start.
 */
export const commandsOnly: (keyof typeof backups.conditions)[] = ["server.replaced"];
