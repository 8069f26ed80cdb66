import type { CreateWriteGuard } from "../store/safeguard.ts";
import { guardHandedOver } from "./backups/handover/write-guard.ts";

/** What features check before the first write of each transaction of a command. */
export const BEFORE_WRITE: readonly CreateWriteGuard[] = [guardHandedOver];
