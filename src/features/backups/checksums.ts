import { createHash } from "node:crypto";
import { createReadStream, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { appendDurably, replaceDurably } from "../../platform/durable-file.ts";

/** The name of the file with the checksums, in the format of `sha256sum --check`. */
export const CHECKSUMS = "SHA256SUMS";
const DIGITS = 64;
/** The index at which the name of the file begins in a line, after the digits and two spaces. */
const NAME_AT = DIGITS + 2;

/**
 * Returns the SHA-256 of a file, as hexadecimal digits.
 * @param bytes how many to read from the start; default: the whole file
 */
export async function hashFile(
  path: string,
  signal?: AbortSignal,
  bytes = Infinity,
): Promise<string> {
  const digest = createHash("sha256");
  await pipeline(createReadStream(path, { end: bytes - 1 }), digest, { signal });
  return digest.digest("hex");
}

/** Returns the SHA-256 that the file had when it was made; undefined if it was not recorded. */
export const findChecksum = (path: string): string | undefined =>
  readLines(dirname(path))
    .findLast((line) => line.slice(NAME_AT) === basename(path))
    ?.slice(0, DIGITS);

export const addChecksum = (path: string, checksum: string): void =>
  appendDurably(join(dirname(path), CHECKSUMS), `${checksum}  ${basename(path)}\n`);

/**
 * Removes the checksums of files that were deleted or replaced.
 * @param names the names of the files that are in the folder
 */
export function pruneChecksums(folder: string, names: readonly string[]): void {
  const lines = readLines(folder);
  const newest = new Map(lines.map((line) => [line.slice(NAME_AT), line]));
  const kept = names.flatMap((name) => newest.get(name) ?? []);
  if (kept.length === lines.length) return;
  replaceDurably(join(folder, CHECKSUMS), kept.map((line) => `${line}\n`).join(""));
}

/** Returns the lines of the file; none if it cannot be read, because checksums are optional. */
function readLines(folder: string): string[] {
  try {
    return readFileSync(join(folder, CHECKSUMS), "utf8").split("\n").filter(Boolean);
  } catch {
    return [];
  }
}
