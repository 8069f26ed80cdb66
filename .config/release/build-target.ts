import { spawnSync } from "node:child_process";
import { buildExecutable, prebuiltAddon } from "../executable.ts";
import { fetchLibraries, fetchNode } from "./downloads.ts";
import type { Target } from "./targets.ts";

/** Builds the executable of a target as the file `out`. */
export function buildTarget(target: Target, out: string): Promise<void> {
  const node = fetchNode(target);
  const emulator = emulatorOf(target);
  return buildExecutable({
    out,
    node,
    run: emulator === null ? null : ([...emulator, node] as [string, ...string[]]),
    addon: prebuiltAddon(target.name),
  });
}

/**
 * Returns the words that run a program of the target on Linux x64, without the program; null if
 * nothing can.
 */
export function emulatorOf(target: Target): string[] | null {
  if (target.name === "linux-x64") return [];
  if (target.emulator === null) return null;
  const { status, stdout } = spawnSync("which", [target.emulator], { encoding: "utf8" });
  if (status !== 0)
    throw new Error(`${target.emulator} is not installed (apt-get install qemu-user-static).`);
  return [stdout.trim(), "-L", fetchLibraries(target)];
}
