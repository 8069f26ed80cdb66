import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { AppError } from "../../domain/errors.ts";
import { readLimited, readStdin } from "../../platform/limited-read.ts";
import { shellQuote } from "../../domain/text.ts";
import type { Io } from "../io.ts";
import { usageError } from "../failure.ts";

export type Source = { name: string; text: string };

/**
 * Reads the catalog files of a command line: files, folders of YAML and JSON files, or `-` for
 * stdin. A folder without such files stands for its subfolders.
 */
export async function readSources(names: readonly string[], stdin: Io["stdin"]): Promise<Source[]> {
  const sources: Source[] = [];
  for (const name of names) {
    if (name === "-")
      sources.push({ name: "stdin", text: decode("stdin", await readStdin(stdin)) });
    else for (const path of filesOf(name)) sources.push({ name: path, text: readTextFile(path) });
  }
  return sources;
}

function filesOf(name: string): string[] {
  if (!isFolder(name)) return [name];
  const inside = catalogFilesIn(name);
  if (inside.length > 0) return inside;
  const nested = pathsIn(name).filter(isVisibleFolder).flatMap(catalogFilesIn);
  if (nested.length > 0) return nested;
  throw new AppError(
    "resource_not_found",
    `The folder ${name} contains no .yaml, .yml or .json file.`,
    {
      fix: `ls ${shellQuote(name)}`,
    },
  );
}

const isFolder = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Returns whether a path is a folder other than a hidden one such as `.git`. */
const isVisibleFolder = (path: string): boolean =>
  !basename(path).startsWith(".") && isFolder(path);

const catalogFilesIn = (folder: string): string[] =>
  pathsIn(folder).filter((path) => /\.(ya?ml|json)$/.test(path));

const pathsIn = (folder: string): string[] =>
  readdirSync(folder)
    .sort()
    .map((name) => join(folder, name));

// `fatal` rejects invalid bytes; by default, the decoder replaces them without an error.
// `ignoreBOM` keeps a byte order mark, because the signature that `webhooks verify` checks covers
// all bytes.
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export const readTextFile = (path: string): string => decode(path, readBytes(path));

export function readBytes(path: string): Buffer {
  try {
    return readLimited(path);
  } catch (error) {
    throw fileReadError(error, path);
  }
}

function decode(name: string, bytes: Buffer): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    throw new AppError("invalid_input", `${name} is not valid UTF-8 text.`, {
      fix: "save it as UTF-8 in your editor",
    });
  }
}

/** Returns an AppError for an error of reading `path`; returns unknown errors unchanged. */
export function fileReadError(error: unknown, path: string): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case "ENOENT":
    case "ENOTDIR":
      return new AppError("resource_not_found", `There is no file ${shellQuote(path)}.`, {
        fix: `ls ${shellQuote(dirname(path))}`,
      });
    case "EISDIR":
      return usageError(`${path} is a folder.`, "choose a file in it");
    default:
      return error;
  }
}

export const totalBytes = (sources: readonly Source[]): number =>
  sources.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
