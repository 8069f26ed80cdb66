import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { LIBRARY_VERSIONS, NODE_VERSION, type Target, TARGETS } from "./targets.ts";

// Downloads what a release contains besides this checkout and its packages. Each download is
// checked against the hash in targets.ts, and kept for the next release.

const CACHE = resolve(import.meta.dirname, "../../node_modules/.cache/deskbell-release");

/**
 * Returns the path of a file. It is downloaded only if the folder does not have it yet.
 * @param download writes the file to `folder`
 */
function fetchOnce(
  folder: string,
  isFile: (name: string) => boolean,
  expected: { algorithm: string; encoding: "base64" | "hex"; hash: string },
  download: () => void,
): string {
  mkdirSync(folder, { recursive: true });
  const find = () => readdirSync(folder).find(isFile);
  if (find() === undefined) download();
  const path = join(folder, find() ?? "");
  const actual = hash(expected.algorithm, readFileSync(path), expected.encoding);
  if (actual === expected.hash) return path;
  rmSync(path);
  throw new Error(
    `${path} has the ${expected.algorithm} ${actual}, not ${expected.hash} (targets.ts).`,
  );
}

/** Downloads the target's Node and returns the path of the executable. */
export const fetchNode = (target: Target): string => fetchFromNode(target, target.node.file);

/** Returns the licence text of Node, which is the same for all targets. */
export function fetchNodeLicence(): string {
  const [target] = TARGETS;
  if (target === undefined) throw new Error("A release is for at least one target.");
  return readFileSync(fetchFromNode(target, "LICENSE"), "utf8");
}

/** Returns the path of a file in the package of the target's Node. */
function fetchFromNode({ name, node }: Target, file: string): string {
  const folder = join(CACHE, `node-${NODE_VERSION}`);
  const [algorithm = "", hash = ""] = node.integrity.split(/-(.*)/s);
  const archive = fetchOnce(
    folder,
    (candidate) => candidate === `${node.package}-${NODE_VERSION}.tgz`,
    { algorithm, encoding: "base64", hash },
    () => {
      const spec = `${node.package}@${NODE_VERSION}`;
      execFileSync("npm", ["pack", "--silent", "--pack-destination", folder, spec], {
        stdio: ["ignore", "ignore", "inherit"],
      });
    },
  );
  const unpacked = join(folder, name);
  mkdirSync(unpacked, { recursive: true });
  execFileSync("tar", ["-xzf", archive, "-C", unpacked, `package/${file}`]);
  return join(unpacked, "package", file);
}

/** Downloads the libraries of a Linux target and returns the folder that they are unpacked in. */
export function fetchLibraries(target: Target): string {
  if (target.linux === null) throw new Error(`${target.name} needs no libraries.`);
  const { architecture, libraries } = target.linux;
  const folder = join(CACHE, `libraries-${architecture}`);
  const apt = prepareApt(architecture);
  const root = join(folder, "root");
  rmSync(root, { recursive: true, force: true });
  for (const [name, sha256] of Object.entries(libraries)) {
    const version = LIBRARY_VERSIONS[name] ?? "";
    const archive = fetchOnce(
      folder,
      (file) => file === `${name}_${version}_${architecture}.deb`,
      { algorithm: "sha256", encoding: "hex", hash: sha256 },
      () => apt.download(folder, name, version),
    );
    execFileSync("dpkg-deb", ["--extract", archive, root]);
  }
  return root;
}

/**
 * Prepares apt for another architecture. apt gets package lists of its own here, so that the
 * machine's lists are not changed.
 */
function prepareApt(architecture: string) {
  const folder = join(CACHE, `apt-${architecture}`);
  const options = [
    `APT::Architecture=${architecture}`,
    `APT::Architectures=${architecture}`,
    `Dir::State=${folder}/state`,
    "Dir::State::status=/dev/null",
    `Dir::Cache=${folder}/cache`,
    "APT::Sandbox::User=root",
  ].flatMap((option) => ["-o", option]);
  const run = (program: string, args: string[], cwd: string): string =>
    execFileSync(program, [...options, "-qq", ...args], { cwd, encoding: "utf8" });
  const update = () => {
    for (const path of ["state/lists/partial", "cache/archives/partial"])
      mkdirSync(join(folder, path), { recursive: true });
    run("apt-get", ["update"], folder);
  };
  return {
    download(to: string, name: string, version: string): void {
      if (!existsSync(folder)) update();
      try {
        run("apt-get", ["download", `${name}=${version}`], to);
      } catch {
        update();
        const now = run("apt-cache", ["show", "--no-all-versions", name], to);
        const [, found] = /^Version: (.*)$/m.exec(now) ?? [];
        if (found === version) return void run("apt-get", ["download", `${name}=${version}`], to);
        throw new Error(
          `Debian has no ${name} ${version} any more. Update targets.ts for each architecture:\n${now}`,
        );
      }
    },
  };
}
