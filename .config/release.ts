import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createSbom, packageFolders, readPackage, type Sbom } from "./sbom.ts";

// release.ts EXECUTABLE FOLDER: writes the files of a release for this platform to the folder: an
// archive of the executable, the npm package, their SBOM, and the checksums.

const ROOT = resolve(import.meta.dirname, "..");
const [executable, out] = process.argv.slice(2);
if (executable === undefined || out === undefined)
  throw new Error("Usage: release.ts EXECUTABLE FOLDER");
const { version } = readPackage(".");
const name = `deskbell-${version}-${process.platform}-${process.arch}`;

/** Returns the licence texts of Node and of all packages in the executable. */
function collectLicences(sbom: Sbom): string {
  const texts = packageFolders(sbom).map((path) => {
    const { name, version, license } = readPackage(path);
    const files = globSync(`${path}/{licen[cs]e,LICEN[CS]E,copying,COPYING}*`, { cwd: ROOT });
    return [
      `${name} ${version}, ${license}`,
      ...files.map((file) => readFileSync(join(ROOT, file), "utf8")),
    ];
  });
  const { node: version } = process.versions;
  const node = [`Node.js ${version}`, `https://github.com/nodejs/node/blob/v${version}/LICENSE`];
  return [node, ...texts].map((lines) => lines.join("\n\n")).join(`\n\n${"-".repeat(80)}\n\n`);
}

/** Writes the archive. It is reproducible: it contains no user, machine or time. */
function writeArchive(executable: string, out: string, sbom: Sbom): void {
  const folder = mkdtempSync(join(tmpdir(), "deskbell-release-"));
  try {
    mkdirSync(join(folder, name));
    copyFileSync(executable, join(folder, name, "deskbell"));
    for (const file of ["README.md", "LICENSE"])
      copyFileSync(join(ROOT, file), join(folder, name, file));
    writeFileSync(join(folder, name, "LICENSES-OF-PACKAGES"), collectLicences(sbom));
    const reproducible = [
      "--sort=name",
      "--mtime=@0",
      "--owner=0",
      "--group=0",
      "--numeric-owner",
      "--mode=go=rX,u=rwX",
      "--use-compress-program=gzip -n",
    ];
    const file = join(out, `${name}.tar.gz`);
    execFileSync("tar", [...reproducible, "-cf", file, "-C", folder, name]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

mkdirSync(out, { recursive: true });
const sbom = createSbom();
writeArchive(executable, out, sbom);
execFileSync("npm", ["pack", "--ignore-scripts", "--pack-destination", resolve(out)], {
  cwd: ROOT,
  stdio: "ignore",
});
writeFileSync(join(out, `deskbell-${version}.cdx.json`), `${JSON.stringify(sbom, null, 2)}\n`);

const checksums = readdirSync(out)
  .sort()
  .map((file) => `${hash("sha256", readFileSync(join(out, file)))}  ${file}\n`);
writeFileSync(join(out, "SHA256SUMS"), checksums.join(""));
console.log(checksums.join("").trimEnd());
