import { existsSync } from "node:fs";
import type { Config } from "../../../config.ts";
import { AppError } from "../../../domain/errors.ts";
import { shellQuote } from "../../../domain/text.ts";
import { readOwnEpoch, saveOwnEpoch } from "../own-epoch.ts";
import { endTakeover, readNewestEpoch } from "../restore/epochs.ts";
import { createEpoch } from "../restore/new-epoch.ts";
import { forgetHandover, type Handover } from "./state.ts";

/**
 * Makes the data writable again after a handover. The last copy then lacks what the server stores
 * from now on. The server therefore records one more takeover, by itself, so that no restore takes
 * this copy for all that was ever stored. The caller has the daemon lock.
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
  const own = readOwnEpoch(config);
  if (readNewestEpoch(to) > own)
    throw new AppError("state_refuses", `Another server has taken over with a copy in ${to}.`, {
      fix: `to return to this server, run deskbell handover there, then deskbell restore --latest ${shellQuote(to)} here`,
    });
  // The tag of the last copy has the epoch of this server.
  const epoch = createEpoch(config, to, now, { epoch: own, isLast: true });
  saveOwnEpoch(config, epoch);
  endTakeover(to, epoch);
  forgetHandover(config);
}
