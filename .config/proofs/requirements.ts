import { spawnSync } from "node:child_process";
import type { Group } from "../../test/support/claims.ts";

/** A program that some proofs need, its packages in Debian, and what is skipped without it. */
type Requirement = { program: string; packages: string[]; groups: Group[]; skipped: string };

const REQUIREMENTS: readonly Requirement[] = [
  {
    program: "cc",
    packages: ["gcc", "libc6-dev"],
    groups: ["power", "faults"],
    skipped: "power cuts and the sweep of failing system calls",
  },
  {
    program: "strace",
    packages: ["strace"],
    groups: ["faults"],
    skipped: "failing fsync",
  },
  {
    program: "nats-server",
    packages: ["nats-server"],
    groups: ["crash"],
    skipped: "kills of a NATS server",
  },
  {
    program: "slowhttptest",
    packages: ["slowhttptest"],
    groups: ["attack"],
    skipped: "1,500 connections of slowhttptest",
  },
  {
    program: "tmux",
    packages: ["tmux"],
    groups: ["attack"],
    skipped: "the search for secrets on the screens of the live view",
  },
];

const isInstalled = ({ program }: Requirement): boolean =>
  spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;

/**
 * Installs missing programs if possible. Returns descriptions of the proofs that are skipped
 * because a program is still missing.
 */
export function installRequirements(groups: readonly Group[]): string[] {
  const needed = REQUIREMENTS.filter((one) => one.groups.some((group) => groups.includes(group)));
  const missing = needed.filter((one) => !isInstalled(one));
  const packages = missing.flatMap((one) => one.packages);
  const canInstall = process.getuid?.() === 0 && spawnSync("apt-get", ["--version"]).status === 0;
  if (canInstall && packages.length > 0) {
    console.log(`Installing ${packages.join(", ")} with apt-get.`);
    spawnSync("apt-get", ["update", "-qq"], { stdio: "inherit" });
    spawnSync("apt-get", ["install", "-y", "-qq", ...packages], { stdio: "inherit" });
  }
  return missing
    .filter((one) => !isInstalled(one))
    .map(
      (one) => `${one.skipped}: needs ${one.program} (apt-get install ${one.packages.join(" ")})`,
    );
}
