import { execFileSync } from "node:child_process";
import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = resolve(import.meta.dirname, "../..");
const CYCLONEDX = fileURLToPath(
  new URL("bin/cyclonedx-npm-cli.js", import.meta.resolve("@cyclonedx/cyclonedx-npm")),
);
const PATH_PROPERTY = "cdx:npm:package:path";

export type Component = {
  type: string;
  group?: string;
  name: string;
  version: string;
  purl: string;
  hashes?: { alg: string; content: string }[];
  properties?: { name: string; value: string }[];
};
export type Sbom = {
  metadata: { tools: { components: { name: string }[] }; component: Component };
  components: Component[];
  dependencies?: object[];
};

type Package = { name: string; version: string; license: string };

/** Returns the manifest of the package in a folder, relative to the project's root. */
export const readPackage = (path: string): Package =>
  JSON.parse(readFileSync(join(ROOT, path, "package.json"), "utf8")) as Package;

// The SBOM is made from the lock file, because node_modules may contain other packages, too.
const OPTIONS = [
  "--package-lock-only",
  "--omit=dev",
  "--no-workspaces",
  "--flatten-components",
  "--output-reproducible",
];

/** Returns a CycloneDX SBOM of the locked packages without the development tools. */
export function createSbom(): Sbom {
  const json = execFileSync(process.execPath, [CYCLONEDX, ...OPTIONS], {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  const sbom = JSON.parse(json) as Sbom;
  const { metadata } = sbom;
  // npm is left out, because its version differs between machines.
  const components = metadata.tools.components.filter(({ name }) => name !== "npm");
  const { packages } = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as {
    packages: Record<string, { integrity?: string }>;
  };
  return {
    ...sbom,
    metadata: { ...metadata, tools: { components } },
    components: sbom.components.map((component) => {
      const { integrity } = packages[folderOf(component) ?? ""] ?? {};
      return integrity === undefined ? component : { ...component, hashes: [toHash(integrity)] };
    }),
  };
}

/** Converts the hash of a package from the form in the lock file to the form of CycloneDX. */
function toHash(integrity: string): { alg: string; content: string } {
  const [, bits, base64 = ""] = /^sha(\d+)-(.+)$/.exec(integrity) ?? [];
  return { alg: `SHA-${bits}`, content: Buffer.from(base64, "base64").toString("hex") };
}

/**
 * Libraries in the executable of Node that vulnerability reports mention. The key is the library's
 * name in `process.versions`.
 */
const IN_NODE = {
  ares: "c-ares",
  brotli: "brotli",
  icu: "icu",
  llhttp: "llhttp",
  nghttp2: "nghttp2",
  openssl: "openssl",
  sqlite: "sqlite",
  undici: "undici",
  uv: "libuv",
  v8: "v8",
  zlib: "zlib",
  zstd: "zstd",
} as const;

/** Returns Node, and the libraries that are linked into it and into the addon for SQLite. */
export function nativeComponents(versions: NodeJS.ProcessVersions, sqlite: string): Component[] {
  const native = (type: string, name: string, version: string): Component => ({
    type,
    name,
    version,
    purl: `pkg:generic/${name}@${encodeURIComponent(version)}`,
  });
  const inNode = Object.entries(IN_NODE).map(([key, name]) => {
    const version = versions[key];
    if (!version) throw new Error(`Node does not name the version of ${key}.`);
    return native("library", name, version);
  });
  const inAddon = native("library", "sqlite", sqlite);
  return [native("platform", "node", versions.node), ...inNode, inAddon];
}

/** Returns the SBOM of the client, which has no dependencies, from that of the program. */
export function sbomOfClient({ metadata, ...sbom }: Sbom): Sbom {
  const { version } = metadata.component;
  const name = "deskbell-client";
  const component = { type: "library", name, version, purl: `pkg:npm/${name}@${version}` };
  return { ...sbom, metadata: { ...metadata, component }, components: [], dependencies: [] };
}

/** Returns the SBOM of a release file as JSON: the packages, and its other components. */
export function sbomOf(
  packages: Sbom,
  file: { name: string; content: Buffer; components: Component[] },
): string {
  const { metadata, components } = packages;
  const hashes = [{ alg: "SHA-256", content: hash("sha256", file.content) }];
  const properties = [{ name: "file", value: file.name }];
  const sbom = {
    ...packages,
    metadata: { ...metadata, component: { ...metadata.component, hashes, properties } },
    components: [...components, ...file.components],
  };
  return `${JSON.stringify(sbom, null, 2)}\n`;
}

/** Returns the folders of all packages in an SBOM, relative to the project's root. */
export const packageFolders = ({ components }: Pick<Sbom, "components">): string[] =>
  components.flatMap((component) => folderOf(component) ?? []);

const folderOf = ({ properties = [] }: Component): string | undefined =>
  properties.find(({ name }) => name === PATH_PROPERTY)?.value;
