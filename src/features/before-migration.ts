import type { BeforeMigration } from "../store/safeguard.ts";
import { backUpBeforeMigration } from "./backups/safeguard.ts";

/**
 * What features do before a migration. Every process that opens the data may migrate them, and
 * cannot load anything while it does.
 */
export const BEFORE_MIGRATION: readonly BeforeMigration[] = [backUpBeforeMigration];
