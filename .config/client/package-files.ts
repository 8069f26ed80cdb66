import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "rolldown";
import { isolatedDeclarationSync } from "rolldown/experimental";
import { gzip, tar } from "../release/archives.ts";

// Builds deskbell-client, the npm package that partners install, from src/client.

const ROOT = join(import.meta.dirname, "../..");
const SOURCES = join(ROOT, "src/client");

/** Entry points of the package: the path that users import, and the name of its source. */
const ENTRIES = { ".": "index", "./webhook": "webhook" };

/** Modification time of all files in the archive. npm uses this time in its packages, too. */
const PACKED_AT = Date.UTC(1985, 9, 26, 8, 15) / 1000;

const manifestOf = ({ version, license }: { version: string; license: string }) => ({
  name: "deskbell-client",
  version,
  description: "Client of deskbell: call its API, verify its webhooks, keep a mirror of a catalog.",
  license,
  type: "module",
  sideEffects: false,
  engines: { node: ">=20.3" },
  exports: Object.fromEntries(
    Object.entries(ENTRIES).map(([entry, name]) => [
      entry,
      { types: `./${name}.d.ts`, default: `./${name}.js` },
    ]),
  ),
});

async function bundle(): Promise<[string, string][]> {
  const { output } = await build({
    cwd: SOURCES,
    input: Object.values(ENTRIES).map((name) => `./${name}.ts`),
    platform: "neutral",
    write: false,
    output: { format: "esm", entryFileNames: "[name].js", chunkFileNames: "[name].js" },
  });
  return output.flatMap((file) => (file.type === "chunk" ? [[file.fileName, file.code]] : []));
}

const IMPORT = /(from|import\()(\s*)"(\.[^"]+)\.ts"/g;

/** Returns the declarations of a source and of all that it imports. */
function declare(source: string, files = new Map<string, string>()): Map<string, string> {
  const name = `${source}.d.ts`;
  if (files.has(name)) return files;
  const path = join(SOURCES, `${source}.ts`);
  const { code, errors } = isolatedDeclarationSync(path, readFileSync(path, "utf8"));
  if (errors.length > 0) throw new Error(`${path}: ${errors.map((e) => e.message).join("; ")}`);
  files.set(name, code.replaceAll(IMPORT, '$1$2"$3.js"'));
  for (const [, , , target = ""] of code.matchAll(IMPORT))
    declare(join(dirname(source), target), files);
  return files;
}

/** Returns the files of the package by their paths. */
async function createFiles(): Promise<Record<string, string>> {
  const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
  const declarations = new Map<string, string>();
  for (const name of Object.values(ENTRIES)) declare(name, declarations);
  return {
    "package.json": `${JSON.stringify(manifestOf(JSON.parse(read("package.json"))), null, 2)}\n`,
    "README.md": read("src/client/README.md"),
    LICENSE: read("LICENSE"),
    ...Object.fromEntries(await bundle()),
    ...Object.fromEntries(declarations),
  };
}

/**
 * Writes the package to the folder `client` in `folder`, and its archive to `docs`, from where
 * partners install it.
 */
export async function writeClient(folder: string): Promise<void> {
  const files = Object.entries(await createFiles());
  for (const [path, content] of files) {
    const to = join(folder, "client", path);
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, content);
  }
  const entries = files.map(([path, content]) => ({ path: `package/${path}`, content }));
  writeFileSync(join(folder, "docs/deskbell-client.tgz"), await gzip(tar(entries, PACKED_AT)));
}
