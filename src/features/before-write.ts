import type { CreateWriteGuard } from "../store/safeguard.ts";
import { guardHandedOver } from "./backups/handover/write-guard.ts";

/** What features check in each transaction of a command, before its first write. */
export const BEFORE_WRITE: readonly CreateWriteGuard[] = [guardHandedOver];
