import { existsSync } from "node:fs";
import type { OnRemoval } from "../../app/feature-hooks.ts";
import type { Runtime } from "../../app/runtime.ts";
import { errorInWords } from "../../domain/errors.ts";
import { addToErasureList, copyErasureList, movedLine, revokedLine } from "./erasure-list.ts";
import { endOfBackups } from "./restore/replaced-data.ts";

/**
 * Adds erased guests, moved businesses and revoked access to a list, because a restore would
 * otherwise bring them back.
 */
export const keepRemovals: OnRemoval = {
  guestsErased: ({ config }, visitIds) => addToErasureList(config, visitIds),
  businessMoved({ config, store, now }, { id }) {
    const move = { id, server: store.file.getServerId(), movedAt: now() };
    addToErasureList(config, [movedLine(move)]);
  },
  accessRevoked({ config, log }, ids) {
    try {
      addToErasureList(config, ids.map(revokedLine));
    } catch (error) {
      // Access that has leaked must end even if the list cannot be written.
      const reason = errorInWords(error);
      const message = "A restore of an earlier backup would bring revoked access back.";
      log("warn", message, {
        ids: ids.join(" "),
        reason,
        fix: "revoke it again after such a restore",
      });
    }
  },
  committed: signErasureList,
  describeRemains({ now }, isMoved) {
    const earlier = "Earlier backups still contain it: deskbell backup list";
    if (!isMoved) return [earlier];
    const until = new Date(endOfBackups(now())).toISOString().slice(0, 10);
    return [
      earlier,
      `The daemon deletes those of this server on ${until}, if it has a newer one that is intact. Copies in other places stay.`,
    ];
  },
};

/**
 * Renews the signed copy of the list in the backup folder, which operators copy with the backups.
 */
function signErasureList({ config, store, now, log }: Runtime): void {
  if (!existsSync(config.backupFolder)) return;
  try {
    copyErasureList(config, config.backupFolder, {
      server: store.file.getServerId(),
      asOf: now(),
    });
  } catch (error) {
    // The error is only logged, because the removal is committed and the next backup writes the
    // copy again.
    const reason = errorInWords(error);
    log("warn", "The list of erased guests could not be copied to the backups.", { reason });
  }
}
