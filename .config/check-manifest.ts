import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { loadAll } from "js-yaml";
import { readGuide } from "../src/platform/assets.ts";

// npm run check:manifest: checks the manifest for Kubernetes in the guide about the installation
// against types that are generated from the published schemas of Kubernetes. The compiler refuses
// unknown and missing fields, and values of another type. The types are downloaded, so this is not
// part of `npm test`.

const PACKAGE = "kubernetes-types@1.30.0";

type KubernetesObject = { apiVersion: string; kind: string };

const [manifest = ""] = [...readGuide("install").matchAll(/^```yaml\n([^]*?)^```/gm)].flatMap(
  ([, block = ""]) => (block.startsWith("apiVersion:") ? [block] : []),
);
const objects = loadAll(manifest) as KubernetesObject[];
if (objects.length === 0) throw new Error("The guide install.md has no manifest for Kubernetes.");

/** Returns a module that assigns the object to the type of its kind. */
function writeModule(object: KubernetesObject): string {
  const module = object.apiVersion.includes("/") ? object.apiVersion : `core/${object.apiVersion}`;
  return `import type { ${object.kind} } from "kubernetes-types/${module}";
export const object: ${object.kind} = ${JSON.stringify(object, null, 2)};
`;
}

const folder = mkdtempSync(join(tmpdir(), "deskbell-manifest-"));
try {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }));
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", PACKAGE], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const files = objects.map((object, i) => {
    writeFileSync(join(folder, `${i}.ts`), writeModule(object));
    return `${i}.ts`;
  });
  const compiler = resolve(import.meta.dirname, "../node_modules/typescript/lib/tsc.js");
  const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "esnext"];
  const { status, stdout } = spawnSync(
    process.execPath,
    [compiler, ...options, "--moduleResolution", "bundler", ...files],
    { cwd: folder, encoding: "utf8" },
  );
  const names = objects.map(({ kind }) => kind).join(", ");
  console.log(`${status === 0 ? "ok    " : "FAILED"} ${names}${status === 0 ? "" : `\n${stdout}`}`);
  if (status !== 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}
