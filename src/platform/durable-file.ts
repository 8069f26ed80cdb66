import { randomUUID } from "node:crypto";
import {
  closeSync,
  createReadStream,
  createWriteStream,
  fsyncSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { pipeline } from "node:stream/promises";

/**
 * Returns the path of the file that a symbolic link leads to, whether the file exists or not; any
 * other path as it is. A file that replaces the path of a link would leave the old file in place,
 * and files beside a link are not found by whoever uses its file under another name.
 */
export function followLink(path: string): string {
  if (!isLink(path)) return path;
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    return followLink(resolve(realpathSync(dirname(path)), readlinkSync(path)));
  }
}

/** Returns false for a path that cannot be examined: whoever uses the file reports that. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/** Makes the creation, renaming and deletion of files in a folder survive a power cut. */
export function syncFolder(folder: string, platform: NodeJS.Platform = process.platform): void {
  // Windows cannot flush a folder. NTFS writes new names to its journal.
  if (platform !== "win32") useFile(folder, "r", fsyncSync);
}

/**
 * Creates a file with mode 0600, and waits until its content is on the disk. An error leaves no
 * file, because readers would believe that an empty or partial file is complete.
 */
export const createDurably = (path: string, text: string): void =>
  useFile(path, "wx", (file) => {
    try {
      writeSynced(file, text);
    } catch (error) {
      rmSync(path, { force: true });
      throw error;
    }
  });

/**
 * Appends to a file, and waits until the text is on the disk. A missing file is created with mode
 * 0600.
 */
export const appendDurably = (path: string, text: string): void =>
  useFile(path, "a", (file) => writeSynced(file, text));

/**
 * Replaces a file, which gets mode 0600. Readers see either the old text or the new one, and a
 * power cut does not take the new text back. If several processes replace the file at the same
 * time, the last one wins.
 */
export function replaceDurably(path: string, text: string): void {
  const draft = `${path}.draft-${randomUUID()}`;
  try {
    createDurably(draft, text);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  try {
    syncFolder(dirname(path));
  } catch (error) {
    // Some network file systems cannot sync a folder. The file itself was synced.
    if (!UNSUPPORTED.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}

const UNSUPPORTED: ReadonlySet<string> = new Set(["EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

function writeSynced(file: number, text: string): void {
  writeFileSync(file, text);
  fsyncSync(file);
}

/**
 * Copies a file to a new one with mode 0600, and waits until the copy is on the disk.
 * @param options.bytes how many bytes to copy, from the beginning; absent for all
 */
export async function copyDurably(
  from: string,
  to: string,
  { bytes, signal }: { bytes?: number; signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const input = createReadStream(from, bytes === undefined ? {} : { end: bytes - 1 });
  const output = createWriteStream(to, { flags: "wx", mode: 0o600, flush: true });
  input.on("error", (error) => addPath(error, from));
  output.on("error", (error) => addPath(error, to));
  await pipeline(input, output, { signal });
}

/** Opens a file, and closes it after its use. A missing file may be created, with mode 0600. */
export function useFile<Result>(
  path: string,
  flags: string,
  use: (file: number) => Result,
): Result {
  const file = openSync(path, flags, 0o600);
  try {
    return withPathInErrors(path, () => use(file));
  } finally {
    closeSync(file);
  }
}

/**
 * Returns the result of `work`. If `work` throws an error without a path, as Node does for a file
 * that is already open, the path is added to the error.
 */
export function withPathInErrors<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    addPath(error, path);
    throw error;
  }
}

function addPath(error: unknown, path: string): void {
  if (error instanceof Error && !("path" in error)) Object.assign(error, { path });
}
