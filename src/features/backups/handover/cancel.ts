import { existsSync } from "node:fs";
import type { Config } from "../../../config.ts";
import { AppError } from "../../../domain/errors.ts";
import { readOwnEpoch, saveOwnEpoch } from "../own-epoch.ts";
import { assertNotTakenOver, endTakeover } from "../restore/epochs.ts";
import { createEpoch } from "../restore/new-epoch.ts";
import { forgetHandover, type Handover } from "./state.ts";

/**
 * Makes the data writable again after a handover. The last copy lacks what the server stores from
 * now on. The server therefore records a takeover of its own, after which no restore regards the
 * last copy as complete. The caller has the daemon lock.
 * @throws AppError state_refuses if another server has taken over, or if the folder of the copies
 * cannot be read or written to
 */
export function cancelHandover(config: Config, { to }: Handover, now: number): void {
  if (!existsSync(to))
    throw new AppError(
      "state_refuses",
      `There is no folder ${to}: without it, nobody knows whether another server has taken over.`,
      { fix: "mount its disk" },
    );
  assertNotTakenOver(config, to);
  // This server made the last copy, so the tag of the copy has the epoch of this server.
  const takeover = createEpoch(config, to, now, { epoch: readOwnEpoch(config), isLast: true });
  try {
    saveOwnEpoch(config, takeover.epoch);
  } catch (error) {
    takeover.undo();
    throw error;
  }
  // If this process is killed before `endTakeover`, the next start of the daemon ends the takeover,
  // because the epoch of the takeover is that of this server.
  forgetHandover(config);
  endTakeover(to, takeover.epoch);
}
