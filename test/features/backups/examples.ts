import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { createTerminal } from "../../support/cli.ts";

/** Creates a backup, and copies of it under the names in the examples of backup and restore. */
export async function createFiles(
  folder: string,
  { deskbell }: ReturnType<typeof createTerminal>,
): Promise<void> {
  const { stdout } = await deskbell("backup --json");
  const { path } = (JSON.parse(stdout) as { data: { path: string } }).data;
  mkdirSync(join(folder, ".deskbell/backups"), { recursive: true });
  for (const name of [
    "old.db",
    "deskbell-20261120T021700Z.db",
    ".deskbell/backups/deskbell-20261120T021700Z.db",
  ])
    cpSync(path, join(folder, name));
}
