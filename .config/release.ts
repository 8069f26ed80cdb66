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
import { makeSbom, readPackage, shippedPackages } from "./sbom.ts";

// release.ts EXECUTABLE FOLDER: puts into the folder what is published for this machine's system: the executable, the npm
// package, what both are made of, and the sums of all.

const ROOT = resolve(import.meta.dirname, "..");
const [executable, out] = process.argv.slice(2);
if (executable === undefined || out === undefined)
  throw new Error("Say which executable, and the folder to put it into.");
const { version } = readPackage(".");
const name = `deskbell-${version}-${process.platform}-${process.arch}`;

/** The licences of what the executable holds, which want to go with it. */
function licences(): string {
  const texts = shippedPackages().map((path) => {
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

/** The executable with what must go with it; nothing in the archive tells by whom, when and on which machine it was made. */
function archive(): void {
  const folder = mkdtempSync(join(tmpdir(), "deskbell-release-"));
  try {
    mkdirSync(join(folder, name));
    copyFileSync(executable, join(folder, name, "deskbell"));
    for (const file of ["README.md", "LICENSE"])
      copyFileSync(join(ROOT, file), join(folder, name, file));
    writeFileSync(join(folder, name, "LICENSES-OF-PACKAGES"), licences());
    const anonymous = [
      "--sort=name",
      "--mtime=@0",
      "--owner=0",
      "--group=0",
      "--numeric-owner",
      "--mode=go=rX,u=rwX",
    ];
    const file = join(out, `${name}.tar.gz`);
    execFileSync("tar", [
      ...anonymous,
      "--use-compress-program=gzip -n",
      "-cf",
      file,
      "-C",
      folder,
      name,
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

mkdirSync(out, { recursive: true });
archive();
execFileSync("npm", ["pack", "--ignore-scripts", "--pack-destination", resolve(out)], {
  cwd: ROOT,
  stdio: "ignore",
});
writeFileSync(
  join(out, `deskbell-${version}.cdx.json`),
  `${JSON.stringify(makeSbom(), null, 2)}\n`,
);

const sums = readdirSync(out)
  .sort()
  .map((file) => `${hash("sha256", readFileSync(join(out, file)))}  ${file}\n`);
writeFileSync(join(out, "SHA256SUMS"), sums.join(""));
console.log(sums.join("").trimEnd());
