import { execFileSync, spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { join, resolve } from "node:path";
import { chooseScale } from "./scale.ts";

const ROOT = resolve(import.meta.dirname, "../..");
/** The folder of `npm run release`. */
export const RELEASE = join(ROOT, "release");
export const MINUTE_MS = 60_000;

/** Whether the files of a release are tested: only by `npm run test:release`. */
export const IS_RELEASE_TEST = chooseScale(false, true);
if (IS_RELEASE_TEST && process.getuid?.() !== 0)
  throw new Error("Only root can install the packages and start the images of a release.");

/** Returns the path of the file of the release whose name matches. */
export function findArtifact(pattern: string): string {
  const [path] = globSync(pattern, { cwd: RELEASE });
  if (path === undefined) throw new Error(`The release has no file ${pattern}.`);
  return join(RELEASE, path);
}

/** Copies the commit of this checkout, with its packages, to a folder. */
export function cloneCheckout(folder: string, umask = "022"): void {
  const clone = `umask ${umask}; exec git clone --quiet "$0" "$1"`;
  execFileSync("sh", ["-c", clone, ROOT, folder]);
  // The packages of the workspace that generates the types of the client are in a folder of its
  // own.
  for (const path of ["node_modules", ".config/client-types/node_modules"])
    execFileSync("cp", ["--archive", join(ROOT, path), join(folder, path)]);
}

/** Builds a release with another umask, time zone and language than those of this process. */
export function buildReleaseElsewhere(checkout: string, out: string): void {
  const program = join(checkout, ".config/release/release.ts");
  const command = ["-c", 'umask 077; exec "$0" "$@"', process.execPath, program, out];
  execFileSync("sh", command, {
    cwd: checkout,
    env: { ...process.env, TZ: "Pacific/Chatham", LC_ALL: "tr_TR.UTF-8", LANG: "tr_TR.UTF-8" },
    stdio: ["ignore", "ignore", "inherit"],
  });
}

export function buildRelease(checkout: string, out: string, ...targets: string[]): void {
  const program = join(checkout, ".config/release/release.ts");
  execFileSync(process.execPath, [program, out, ...targets], {
    cwd: checkout,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

const BINFMT = "/proc/sys/fs/binfmt_misc";

/** Makes this machine run arm64 programs like its own, as systemd does where it runs. */
export function emulateArm64(): void {
  const script = `
    mountpoint -q ${BINFMT} || mount -t binfmt_misc binfmt_misc ${BINFMT}
    test -e ${BINFMT}/qemu-aarch64 || cat /usr/lib/binfmt.d/qemu-aarch64.conf >${BINFMT}/register
    test -e ${BINFMT}/qemu-aarch64`;
  const { status, stderr } = spawnSync("sh", ["-c", script], { encoding: "utf8" });
  if (status !== 0) throw new Error(`Programs for arm64 cannot be run: ${stderr}`);
}
