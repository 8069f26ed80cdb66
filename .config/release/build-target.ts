import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { buildExecutable, prebuiltAddon } from "../executable.ts";
import { fetchNode } from "./downloads.ts";
import type { Target } from "./targets.ts";

export function buildTarget(target: Target, out: string): Promise<void> {
  const node = fetchNode(target);
  const run = target.linux === null ? null : getCommand(target, node);
  return buildExecutable({ out, node, run, addon: prebuiltAddon(target.name) });
}

/** Names of the emulator in Debian's packages qemu-user and qemu-user-static. */
const EMULATORS = ["qemu-aarch64", "qemu-aarch64-static"];
/** The folder in which Debian installs arm64 libraries on other machines. */
const LIBRARIES = "/usr/aarch64-linux-gnu";

type Command = [program: string, ...args: string[]];

/**
 * Returns the command that runs a program of a Linux target on Linux x64; undefined if the emulator
 * or its libraries are not installed.
 */
export function findCommand({ name }: Target, program: string): Command | undefined {
  if (name === "linux-x64") return [program];
  const { stdout } = spawnSync("which", EMULATORS, { encoding: "utf8" });
  const [emulator] = stdout.split("\n");
  if (!emulator || !existsSync(`${LIBRARIES}/lib/libstdc++.so.6`)) return undefined;
  return [emulator, "-L", LIBRARIES, program];
}

export function getCommand(target: Target, program: string): Command {
  const command = findCommand(target, program);
  if (command !== undefined) return command;
  throw new Error(
    `Programs of ${target.name} cannot be run here. Install Debian's packages qemu-user, libstdc++6-arm64-cross and libatomic1-arm64-cross.`,
  );
}
