import type { Check, StorageCheck } from "../../app/operations/conditions.ts";
import type { Runtime } from "../../app/runtime.ts";
import { findNewestBackup } from "./backups.ts";
import {
  checkBackupAge,
  checkBackupCopies,
  checkDrill,
  checkFoundDamage,
  checkNewestTag,
  checkScrub,
} from "./checks.ts";
import { checkReplaced } from "./handover/replaced.ts";

const lastBackupAt = (rt: Runtime): number | null => findNewestBackup(rt)?.createdAt ?? null;

export const damage: readonly StorageCheck[] = [checkFoundDamage];

export const checks: readonly Check[] = [
  (rt, { daemon, running }) => checkBackupAge(rt, lastBackupAt(rt), daemon.startedAt, running),
  (rt, { running }) => checkBackupCopies(rt, lastBackupAt(rt), running),
  (rt, { daemon }) => checkReplaced(rt, daemon.isRunning),
  checkDrill,
  checkNewestTag,
  checkScrub,
];
