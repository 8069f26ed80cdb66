import { existsSync } from "node:fs";
import type { CreateWriteGuard } from "../../../store/safeguard.ts";
import { AppError } from "../../../domain/errors.ts";
import { shellQuote } from "../../../domain/text.ts";
import { isDaemonRunning } from "../../../store/database/database.ts";
import type { Config } from "../../../config.ts";
import { readOwnEpoch } from "../own-epoch.ts";
import { readNewestEpoch } from "../restore/epochs.ts";
import { listCopyFolders } from "../state.ts";
import { assertNotHandedOver } from "./state.ts";

/**
 * Returns the folder with copies of this server in which another server has taken over; undefined
 * also if the folder does not exist, for example because its disk is not mounted.
 */
export const findTakeover = (config: Config): string | undefined =>
  listCopyFolders(config).find(
    (dir) => existsSync(dir) && readNewestEpoch(dir) > readOwnEpoch(config),
  );

/** Keeps commands from changing data from which another server continues. */
export const guardHandedOver: CreateWriteGuard = (config) => {
  let isTakeoverChecked = false;
  return () => {
    assertNotHandedOver(config);
    // A command checks the folder only once, because it may be on a slow disk.
    if (isTakeoverChecked) return;
    assertNotReplaced(config);
    isTakeoverChecked = true;
  };
};

/**
 * Asserts that no other server has taken over with a copy in the last --backup-dir. Commands may
 * write if this folder does not exist, but a daemon that copies to it does not start.
 * @throws AppError state_refuses
 */
function assertNotReplaced(config: Config): void {
  // If the daemon is running, it checked the folder when it started.
  if (isDaemonRunning(config.databasePath)) return;
  const dir = findTakeover(config);
  if (dir === undefined) return;
  throw new AppError(
    "state_refuses",
    `Another server has taken over with a copy in ${dir}: it would not know a change here.`,
    {
      fix: `run the command on that server; to return to this one, run deskbell handover there, then deskbell restore --latest ${shellQuote(dir)} here`,
    },
  );
}
