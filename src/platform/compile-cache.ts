import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { cacheFolders } from "../config.ts";
import { makeOwnFolder } from "./user-folders.ts";

// This file runs before the program is loaded. Node executes whatever a compile cache contains. The
// default folder for it is the shared temporary folder, where any local user can plant an entry.

/** Returns the folder for compiled code; undefined if no folder is safe, and always for root. */
function compileCacheFolder(): string | undefined {
  // Planted code could do anything as root.
  if (process.getuid?.() === 0) return undefined;
  const folder = join(cacheFolders()[0] ?? "", "compiled");
  try {
    makeOwnFolder(folder);
    return folder;
  } catch {
    // The program starts more slowly if it has no cache.
    return undefined;
  }
}

const folder = compileCacheFolder();
if (folder !== undefined) enableCompileCache(folder);
