import type { OnRemoval } from "../app/feature-hooks.ts";
import { keepRemovals } from "./backups/keep-removals.ts";

/** What features do when guests are erased for good, or a business leaves the server. */
export const ON_REMOVAL: readonly OnRemoval[] = [keepRemovals];
