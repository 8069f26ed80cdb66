import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "..");

type LockFile = {
  packages: Record<
    string,
    {
      dev?: boolean;
      devOptional?: boolean;
      link?: boolean;
      devDependencies?: unknown;
      workspaces?: unknown;
    }
  >;
};
type Sbom = {
  metadata: { component: { name: string } };
  components: { type: string; name: string; version: string; purl: string }[];
};

const readJson = (name: string): unknown => JSON.parse(readFileSync(join(ROOT, name), "utf8"));

/** The lock file without what is there for development. */
function lockForUse(): LockFile {
  const lock = readJson("package-lock.json") as LockFile;
  const isUsed = ([path, { dev, devOptional, link }]: [string, LockFile["packages"][string]]) =>
    path === "" || (path.startsWith("node_modules/") && !dev && !devOptional && !link);
  const packages = Object.fromEntries(Object.entries(lock.packages).filter(isUsed));
  const { devDependencies: _dev, workspaces: _workspaces, ...root } = packages[""] ?? {};
  return { ...lock, packages: { ...packages, "": root } };
}

/** Of a development package the build ships one script, in which its own packages are. */
const SCALAR = "node_modules/@scalar/api-reference";

type Package = { name: string; version: string; license: string };
export const readPackage = (path: string): Package =>
  readJson(join(path, "package.json")) as Package;

/** Where the packages that are shipped lie in the checkout. */
export const shippedPackages = (): string[] => [
  ...Object.keys(lockForUse().packages).filter((path) => path !== ""),
  SCALAR,
];

/**
 * What the package and the executable are made of, as CycloneDX. `npm sbom --omit dev` leaves out what a development tool needs
 * as well (zod, yaml): so npm is shown a lock file without any.
 */
export function makeSbom(): Sbom {
  const folder = mkdtempSync(join(tmpdir(), "deskbell-sbom-"));
  try {
    // npm calls the component by its folder.
    const project = join(folder, "deskbell");
    mkdirSync(project);
    const {
      devDependencies: _dev,
      workspaces: _workspaces,
      ...manifest
    } = readJson("package.json") as Record<string, unknown>;
    writeFileSync(join(project, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(project, "package-lock.json"), JSON.stringify(lockForUse()));
    const command = [
      "sbom",
      "--sbom-format",
      "cyclonedx",
      "--sbom-type",
      "application",
      "--package-lock-only",
    ];
    const sbom = JSON.parse(
      execFileSync("npm", command, {
        cwd: project,
        encoding: "utf8",
        stdio: ["ignore", "pipe", "inherit"],
      }),
    ) as Sbom;
    const { node } = process.versions;
    const { name, version } = readPackage(SCALAR);
    sbom.components.push(
      { type: "library", name, version, purl: `pkg:npm/${name.replace("@", "%40")}@${version}` },
      { type: "platform", name: "node", version: node, purl: `pkg:generic/node@${node}` },
    );
    return sbom;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
