import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import Database from "better-sqlite3";
import { prebuiltAddon } from "../executable.ts";
import { type Entry, gzip, tar, zip } from "./archives.ts";
import { buildTarget } from "./build-target.ts";
import { debianFileName, debianPackage } from "./debian.ts";
import { fetchLibraries, fetchNodeLicence } from "./downloads.ts";
import { packForNpm } from "./npm-package.ts";
import { containerImage } from "./image.ts";
import { manPage } from "./man-page.ts";
import {
  type Component,
  createSbom,
  nativeComponents,
  packageFolders,
  readPackage,
  type Sbom,
  sbomOf,
  sbomOfClient,
} from "./sbom.ts";
import { LIBRARY_VERSIONS, NODE_VERSION, type Target, TARGETS } from "./targets.ts";

// release.ts FOLDER [TARGET...]: builds the program and writes the files of a release to the
// folder, each with its SBOM, and the checksums of all files. Each checkout of one commit gives
// equal files.

const ROOT = resolve(import.meta.dirname, "../..");
const [out, ...wanted] = process.argv.slice(2);
if (out === undefined) throw new Error("Usage: release.ts FOLDER [TARGET...]");
if (process.platform !== "linux" || process.arch !== "x64")
  throw new Error("A release is built on Linux x64, where the programs of arm64 can be emulated.");
if (process.versions.node !== NODE_VERSION)
  throw new Error(`The code cache must be written by Node ${NODE_VERSION}: npm run release.`);

// A fixed umask is set, because the modes of the files would otherwise depend on who builds the
// release.
process.umask(0o022);

type LinuxTarget = NonNullable<Target["linux"]>;

const { version } = readPackage(".");
/**
 * The version of SQLite in better-sqlite3. Node contains another one, which deskbell does not use.
 */
const sqliteVersion = new Database(":memory:")
  .prepare("SELECT sqlite_version()")
  .pluck()
  .get() as string;
const readme = readFileSync(join(import.meta.dirname, "readme.md"), "utf8").replaceAll(
  "VERSION",
  version,
);
const git = (...args: string[]): string =>
  execFileSync("git", args, { cwd: ROOT, encoding: "utf8" });
const changes = git("status", "--porcelain");
if (changes !== "")
  throw new Error(`A release is built from a commit, but these files are not in it:\n${changes}`);
/** The time of the commit in epoch seconds. Every file of the release has this time. */
const seconds = Number(git("log", "-1", "--format=%ct"));

/** Returns the licence texts of Node and of all packages in the executable. */
function collectLicences(sbom: Sbom): string {
  const texts = packageFolders(sbom).map((path) => {
    const { name, version, license } = readPackage(path);
    const files = globSync(`${path}/{licen[cs]e,LICEN[CS]E,copying,COPYING}*`, { cwd: ROOT });
    return [
      `${name} ${version}, ${license}`,
      ...files.sort().map((file) => readFileSync(join(ROOT, file), "utf8")),
    ];
  });
  // The licence text of Node contains the licences of all its libraries, such as OpenSSL, V8, ICU
  // and zlib.
  const ofNode = [`Node.js ${NODE_VERSION}`, fetchNodeLicence()];
  const ofSqlite = [
    `SQLite ${sqliteVersion}`,
    "The authors have put SQLite into the public domain.",
  ];
  return [ofNode, ofSqlite, ...texts]
    .map((lines) => lines.join("\n\n"))
    .join(`\n\n${"-".repeat(80)}\n\n`);
}

/** Writes the archive of an executable with its documents, in the format usual on the system. */
async function writeArchive(target: Target, executable: Buffer): Promise<string> {
  const isWindows = target.name.startsWith("win32");
  const name = `deskbell-${version}-${target.name}${isWindows ? "-untested" : ""}`;
  const entries: Entry[] = [
    { path: isWindows ? "deskbell.exe" : "deskbell", content: executable, mode: 0o755 },
    { path: "README.md", content: readme },
    { path: "LICENSE", content: readFileSync(join(ROOT, "LICENSE")) },
    { path: "LICENSES-OF-PACKAGES", content: licences },
  ].map((entry) => ({ ...entry, path: `${name}/${entry.path}` }));
  if (isWindows) return write(`${name}.zip`, await zip(entries, seconds));
  return write(`${name}.tar.gz`, await gzip(tar(entries, seconds)));
}

async function writeDebianPackage(
  { architecture }: LinuxTarget,
  executable: Buffer,
): Promise<string> {
  const date = new Date(seconds * 1000).toISOString().slice(0, 10);
  const options = { version, architecture, executable, licences, seconds };
  const page = await manPage(version, date);
  return write(debianFileName(options), await debianPackage({ ...options, manPage: page }));
}

async function writeImage(target: Target, linux: LinuxTarget, executable: Buffer): Promise<string> {
  const { architecture } = linux;
  const addon = readFileSync(prebuiltAddon(target.name));
  const libraries = fetchLibraries(target);
  const options = { version, architecture, executable, addon, licences, libraries, seconds };
  return write(`deskbell-${version}-oci-${architecture}.tar`, await containerImage(options));
}

function write(name: string, content: Buffer | string): string {
  const path = join(out ?? "", name);
  writeFileSync(path, content);
  return path;
}

/** Writes the SBOM of a file next to it, with its packages and other components. */
const describe = (path: string, components: Component[] = [], packages = sbom): void =>
  void write(
    `${basename(path)}.cdx.json`,
    sbomOf(packages, { name: basename(path), content: readFileSync(path), components }),
  );
const libraries = ({ architecture }: LinuxTarget): Component[] =>
  Object.entries(LIBRARY_VERSIONS).map(([name, version]) => ({
    type: "library",
    name,
    version,
    purl: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`,
  }));

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
// The program is built afresh, so that nothing of an earlier build remains in dist/.
execFileSync("npm", ["run", "build"], { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
const sbom = createSbom();
const licences = collectLicences(sbom);
const native = nativeComponents(process.versions, sqliteVersion);
describe(packForNpm(ROOT, out));
const client = readFileSync(join(ROOT, "dist/docs/deskbell-client.tgz"));
describe(write(`deskbell-client-${version}.tgz`, client), [], sbomOfClient(sbom));
const folder = mkdtempSync(join(tmpdir(), "deskbell-release-"));
try {
  for (const target of TARGETS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
    const file = join(folder, target.name);
    await buildTarget(target, file);
    const executable = readFileSync(file);
    describe(await writeArchive(target, executable), native);
    if (target.linux === null) continue;
    describe(await writeDebianPackage(target.linux, executable), native);
    describe(await writeImage(target, target.linux, executable), [
      ...native,
      ...libraries(target.linux),
    ]);
  }
} finally {
  rmSync(folder, { recursive: true });
}

const files = readdirSync(out).sort();
const sums = files.map((name) => `${hash("sha256", readFileSync(join(out, name)))}  ${name}\n`);
console.log(write("SHA256SUMS", sums.join("")));
for (const [i, name] of files.entries())
  if (!name.endsWith(".cdx.json"))
    console.log(
      `${(readFileSync(join(out, name)).length / 1e6).toFixed(1)} MB  ${sums[i]?.trim()}`,
    );
