import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { text as readAll } from "node:stream/consumers";
import { type Preset, readPreset } from "../assets.ts";
import { AppError } from "../domain/errors.ts";
import type { Io } from "./io.ts";

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

export function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") throw new AppError("resource_not_found", `There is no file ${path}.`);
    if (code === "EISDIR") throw new AppError("usage", `${path} is a folder.`, { fix: "name a file in it" });
    throw error;
  }
}
