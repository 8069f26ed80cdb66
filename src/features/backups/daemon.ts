import { existsSync } from "node:fs";
import type { Runtime } from "../../app/runtime.ts";
import type { Config } from "../../config.ts";
import type { DaemonPart } from "../feature.ts";
import { nameGoodBackup } from "./backups.ts";
import { assertNotHandedOver, isMakingLastCopy, readHandover } from "./handover/state.ts";
import { endInterrupted, watchForHandover } from "./handover/watch.ts";
import { listCopyFolders } from "./state.ts";
import { removeDatabase, restoreDraftPath } from "./store/files.ts";

/**
 * Checks the --backup-dir, and loads the code that only a server with this option needs. The code
 * for the last copy and the handover is loaded now, because a program that is replaced on the disk
 * while it runs cannot load code when it stops.
 * @throws AppError if the folder is missing or has the copies of another server
 */
async function openBackupDir(config: Config, dir: string) {
  const [{ assertBackupDir, assertNoEarlierCopies, assertNotStandby, checkBackupDir }, lastCopy] =
    await Promise.all([
      import("./copies/backup-dir.ts"),
      import("./copies/last-copy.ts"),
      import("./handover/hand-over.ts"),
    ]);
  assertBackupDir(config, dir);
  assertNoEarlierCopies(config, dir);
  return {
    assertNotStandby: (rt: Runtime) => assertNotStandby(rt, dir),
    check: checkBackupDir,
    makeLast: (rt: Runtime) => lastCopy.makeLastCopy(rt, dir),
  };
}

/**
 * Asserts that no other server has taken over with a copy in a folder that this server used before
 * the current --backup-dir. `openBackupDir` checks the current folder.
 * @throws AppError state_refuses
 */
async function assertNotReplaced(config: Config): Promise<void> {
  const last = listCopyFolders(config).filter(
    (dir) => dir !== config.backups.dir && existsSync(dir),
  );
  if (last.length === 0) return;
  const { assertNotTakenOver } = await import("./restore/epochs.ts");
  for (const dir of last) assertNotTakenOver(config, dir);
}

/**
 * Deletes the draft of an interrupted restore. The caller has the daemon lock, so no restore runs.
 */
function removeRestoreDraft({ config, log }: Runtime): void {
  const draft = restoreDraftPath(config.databasePath);
  if (!existsSync(draft)) return;
  removeDatabase(draft);
  log("warn", "A restore was interrupted: the data is as before, and its draft was deleted.", {
    draft,
  });
}

const backups: DaemonPart = {
  async prepare(config) {
    const { dir } = config.backups;
    // A handover that was interrupted while its last copy was being made does not prevent a start,
    // because `opened` ends it.
    if (!isMakingLastCopy(config)) assertNotHandedOver(config);
    const copies = dir === null ? undefined : await openBackupDir(config, dir);
    await assertNotReplaced(config);
    return {
      opened(rt) {
        endInterrupted(rt);
        copies?.assertNotStandby(rt);
        removeRestoreDraft(rt);
        copies?.check(rt);
      },
      started: watchForHandover,
      // After a handover, no last copy is made, because the other server continues from the copy in
      // the folder of the handover.
      ...(copies && {
        stopped: async (rt) => readHandover(config)?.state === "done" || copies.makeLast(rt),
      }),
    };
  },
  explainDamage: nameGoodBackup,
};

export const daemon: readonly DaemonPart[] = [backups];
