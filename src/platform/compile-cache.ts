import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { cacheFolders } from "../config.ts";
import { makeOwnFolder } from "./user-folders.ts";

// Runs before the program is loaded. Node executes whatever a compile cache contains, and by
// default keeps it in the shared temporary folder, where any local user can plant an entry.

/** Returns the folder for compiled code, or undefined if no folder is safe. Root never has one. */
function compileCacheFolder(): string | undefined {
  if (process.getuid?.() === 0) return undefined;
  const folder = join(cacheFolders()[0] ?? "", "compiled");
  try {
    makeOwnFolder(folder);
    return folder;
  } catch {
    // The program only starts more slowly.
    return undefined;
  }
}

const folder = compileCacheFolder();
if (folder !== undefined) enableCompileCache(folder);
