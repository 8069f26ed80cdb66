import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";

const pack = (folder: string, destination: string): string =>
  execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", destination], {
    cwd: folder,
    encoding: "utf8",
  }).trim();

/** Gives the files equal modes, whatever the umask of the checkout was. */
function fixModes(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const isProgram = entry.isDirectory() || basename(entry.parentPath) === "bin";
    chmodSync(join(entry.parentPath, entry.name), isProgram ? 0o755 : 0o644);
  }
}

/**
 * Packs a built checkout for npm, and returns the path of the package. Its package.json has no
 * scripts: npm warns about scripts that an installation would run, and the package needs no build.
 */
export function packForNpm(checkout: string, destination: string): string {
  const folder = mkdtempSync(join(tmpdir(), "deskbell-package-"));
  try {
    const packed = join(folder, pack(checkout, folder));
    execFileSync("tar", ["-xzf", packed, "-C", folder]);
    fixModes(join(folder, "package"));
    const path = join(folder, "package", "package.json");
    const { scripts: _, ...manifest } = JSON.parse(readFileSync(path, "utf8")) as {
      scripts?: unknown;
    };
    writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
    return join(destination, pack(join(folder, "package"), resolve(destination)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
