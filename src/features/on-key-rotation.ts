import type { OnKeyRotation } from "../app/feature-hooks.ts";
import { retagAfterRotation } from "./backups/retag.ts";
import { reencryptCodes } from "./tickets/kept-codes.ts";

/** What features do while the key file has the new master key and the one before. */
export const ON_KEY_ROTATION: readonly OnKeyRotation[] = [reencryptCodes, retagAfterRotation];
