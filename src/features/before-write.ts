import type { CreateWriteGuard } from "../store/safeguard.ts";
import { guardHandedOver } from "./backups/handover/write-guard.ts";

/** Features run these checks before the first write of each transaction of a command. */
export const BEFORE_WRITE: readonly CreateWriteGuard[] = [guardHandedOver];
