import { existsSync, lstatSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes a folder in which no other user can replace a file after it was checked.
 * @throws Error if other users can write to it, or root does not own its parents
 */
export function makeOwnFolder(folder: string): void {
  const user = process.getuid?.();
  if (user === 0) assertRootOwnsParents(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  const isOwn =
    found.isDirectory() && (found.uid === user || found.uid === 0) && (found.mode & 0o022) === 0;
  // Windows has neither user IDs nor modes.
  if (user !== undefined && !isOwn) throw new Error("other users can write to it");
}

/**
 * Under sudo, HOME may belong to another user: that user could replace files in it, and could not
 * delete folders that root creates there.
 */
function assertRootOwnsParents(folder: string): void {
  for (let path = folder; path !== dirname(path); path = dirname(path))
    if (existsSync(path) && lstatSync(path).uid !== 0)
      throw new Error(`${path} belongs to another user`);
}
