import type { BeforeMigration } from "../store/safeguard.ts";
import { backUpBeforeMigration } from "./backups/safeguard.ts";

/**
 * Features run these functions before a migration. A migration is synchronous and cannot import
 * code, so every process that opens the data imports this list.
 */
export const BEFORE_MIGRATION: readonly BeforeMigration[] = [backUpBeforeMigration];
