import type { OnRemoval } from "../app/feature-hooks.ts";
import { keepRemovals } from "./backups/keep-removals.ts";
import { endAlertLinks } from "./desk/alert-links/end-with-guest.ts";

/**
 * What features do when guests are erased or access is revoked for good, or a business leaves the
 * server.
 */
export const ON_REMOVAL: readonly OnRemoval[] = [keepRemovals, endAlertLinks];
