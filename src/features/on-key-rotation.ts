import type { OnKeyRotation } from "../app/feature-hooks.ts";
import { retagAfterRotation } from "./backups/retag.ts";
import { reencryptCodes } from "./tickets/kept-codes.ts";

/** What features do while the key file has the new master key and the earlier one. */
export const ON_KEY_ROTATION: readonly OnKeyRotation[] = [reencryptCodes, retagAfterRotation];
