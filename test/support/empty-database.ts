import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { openDatabase } from "../../src/store/database/database.ts";

declare module "vitest" {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- only this extends vitest's
  interface ProvidedContext {
    emptyDatabase: string;
    /** The server ID in `emptyDatabase`. */
    emptyServerId: string;
  }
}

/**
 * Creates an empty database once for all tests. Running every migration takes much longer than
 * copying the file. migrate.test.ts checks that new databases differ only in the IDs of their
 * server and its feeds.
 */
export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), "deskbell-empty-"));
  const path = join(folder, "deskbell.db");
  const { db, close } = openDatabase(path, 5000, null);
  const serverId = db.prepare("SELECT id FROM server").pluck().get() as string;
  close();
  // A runtime creates its files with this mode.
  chmodSync(path, 0o600);
  project.provide("emptyDatabase", path);
  project.provide("emptyServerId", serverId);
  // Workers and the programs that they start keep compiled code here. Compiling it takes a fifth of
  // the time of a command.
  process.env["NODE_COMPILE_CACHE"] = join(folder, "compiled");
  return () => rmSync(folder, { recursive: true, force: true });
}
