import type { OnRemoval } from "../../../app/feature-hooks.ts";
import { createAlertLinkStore } from "../store.ts";

/** Deletes the links with which readers of alerts could decide about visits of erased guests. */
export const endAlertLinks: OnRemoval = {
  guestsErased(rt, visitIds) {
    const links = rt.openStore(createAlertLinkStore);
    for (const visitId of visitIds) links.deleteOfVisit(visitId);
  },
};
