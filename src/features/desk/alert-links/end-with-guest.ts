import type { OnRemoval } from "../../../app/feature-hooks.ts";
import { createAlertLinkStore } from "../store.ts";

/** Deletes the links of alerts to visits of erased guests. */
export const endAlertLinks: OnRemoval = {
  guestsErased(rt, visitIds) {
    const links = rt.openStore(createAlertLinkStore);
    for (const visitId of visitIds) links.deleteOfVisit(visitId);
  },
};
