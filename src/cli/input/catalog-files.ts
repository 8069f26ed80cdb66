import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { type Preset, readPreset } from "../../assets.ts";
import { AppError } from "../../domain/errors.ts";
import { shellWord } from "../../domain/shell-word.ts";
import type { Io } from "../io.ts";

export type Source = { name: string; text: string };

export const presetSource = (preset: Preset): Source => ({ name: `${preset}.yaml`, text: readPreset(preset) });

/** The texts behind the names of a command line: files, folders of YAML and JSON files, and `-` for stdin. */
export async function readSources(names: readonly string[], stdin: Io["stdin"]): Promise<Source[]> {
  const sources: Source[] = [];
  for (const name of names) {
    if (name === "-") sources.push({ name: "stdin", text: await readAll(stdin) });
    else for (const path of filesOf(name)) sources.push({ name: path, text: readText(path) });
  }
  return sources;
}

function filesOf(name: string): string[] {
  if (!statSync(name, { throwIfNoEntry: false })?.isDirectory()) return [name];
  const inside = readdirSync(name).filter((file) => /\.(ya?ml|json)$/.test(file));
  if (inside.length === 0) throw new AppError("resource_not_found", `${name} holds no .yaml, .yml or .json file.`);
  return inside.sort().map((file) => join(name, file));
}

const MAX_BYTES = 50_000_000;
// Letters of another encoding would be lost without a word.
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function readText(path: string): string {
  try {
    if (statSync(path).size > MAX_BYTES)
      throw new AppError("invalid_input", `${path} is larger than 50 MB.`, { fix: "split it" });
    return UTF8.decode(readFileSync(path));
  } catch (error) {
    if (error instanceof AppError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") throw noSuchFile(path);
    if (code === "ERR_ENCODING_INVALID_ENCODED_DATA")
      throw new AppError("invalid_input", `${path} is not text in UTF-8.`, { fix: "save it as UTF-8 in your editor" });
    if (code === "EISDIR") throw new AppError("usage", `${path} is a folder.`, { fix: "name a file in it" });
    throw error;
  }
}

export const noSuchFile = (path: string): AppError =>
  new AppError("resource_not_found", `There is no file ${path}.`, { fix: `ls ${shellWord(dirname(path))}` });

export const bytesOf = (sources: readonly Source[]): number =>
  sources.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);

/** Writes a file that is not there yet: what somebody has edited is not overwritten. */
export function writeNew(path: string, content: string): void {
  try {
    writeFileSync(path, content, { flag: "wx" });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST")
      throw new AppError("state_refuses", `${path} is there already.`, {
        fix: "name another file, or move that one away",
      });
    if (code === "ENOENT") throw new AppError("resource_not_found", `The folder of ${path} does not exist.`);
    throw error;
  }
}
