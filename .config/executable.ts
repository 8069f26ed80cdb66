import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { build, type Plugin } from "rolldown";
import { alias, ascii, define, lazyBuiltins } from "./bundle.ts";

// npm run build:binary [-- FILE]: builds deskbell as a single executable for this platform.

const ROOT = resolve(import.meta.dirname, "..");
const [out = join(ROOT, "dist/deskbell")] = process.argv.slice(2).map((path) => resolve(path));

/** Files that are read at run time, under the names that src/assets.ts uses. */
const ASSETS = [
  "package.json",
  "data/*",
  "data/guides/*",
  "src/store/migrations/*",
  "dist/docs/*",
].flatMap((pattern) => {
  const isFile = (name: string) => statSync(join(ROOT, name)).isFile();
  const names = globSync(pattern, { cwd: ROOT }).filter(isFile);
  if (names.length === 0) throw new Error(`No file matches ${pattern}. Run npm run build first.`);
  return names;
});

const require = createRequire(import.meta.url);
const { getPrebuildPath } = require(join(ROOT, "node_modules/better-sqlite3/lib/binding.js")) as {
  getPrebuildPath: () => string | null;
};
const addon = getPrebuildPath();
if (addon === null)
  throw new Error(`better-sqlite3 has no addon for ${process.platform}-${process.arch}.`);

/** Makes better-sqlite3 load the addon that the executable unpacks. */
const unpackedAddon: Plugin = {
  name: "unpacked-addon",
  load: (id) =>
    id === addon
      ? {
          code: `module.exports = require(${JSON.stringify(join(ROOT, "src/addon.ts"))}).loadAddon();`,
          moduleType: "js",
        }
      : null,
};

/** Bundles into one file that imports only Node's modules; not minified, for stack traces. */
async function bundle(entry: string, dir: string): Promise<string> {
  const { output } = await build({
    cwd: ROOT,
    input: entry,
    platform: "node",
    transform: { define },
    // better-sqlite3's entry for bundlers; ink's development tools are not installed.
    resolve: {
      alias: {
        ...alias,
        "better-sqlite3": `better-sqlite3/${basename(addon ?? "", ".node")}`,
        "react-devtools-core": false,
      },
    },
    plugins: [lazyBuiltins, ascii, unpackedAddon],
    output: { dir, format: "esm", codeSplitting: false },
  });
  return join(dir, output[0].fileName);
}

/** Copies an executable without its 30 MB of debug symbols. */
function copyStripped(from: string, to: string): void {
  try {
    execFileSync("strip", ["-o", to, from]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    console.warn(
      "strip is not installed (apt-get install binutils): the executable is 30 MB larger",
    );
    copyFileSync(from, to);
  }
}

const folder = mkdtempSync(join(tmpdir(), "deskbell-build-"));
try {
  const delivery = await bundle("src/delivery/thread.ts", folder);
  const maintenance = await bundle("src/delivery/maintenance-thread.ts", folder);
  const main = await bundle("src/cli/main.ts", folder);
  const node = join(folder, "node");
  copyStripped(process.execPath, node);
  mkdirSync(dirname(out), { recursive: true });
  // The old executable may be running, so the new one is renamed into its place.
  const draft = `${out}.draft`;
  const assets = ASSETS.map((name) => [name, join(ROOT, name)]);
  writeFileSync(
    join(folder, "config.json"),
    JSON.stringify({
      // The path is stored in the executable; every build uses a new folder, so leave that out.
      main: basename(main),
      mainFormat: "module",
      executable: node,
      output: draft,
      disableExperimentalSEAWarning: true,
      // Halves the start time.
      useCodeCache: true,
      // Ignore NODE_OPTIONS: they are meant for the installed Node.
      execArgvExtension: "none",
      assets: {
        ...Object.fromEntries(assets),
        "dist/delivery.js": delivery,
        "dist/maintenance.js": maintenance,
        "better_sqlite3.node": addon,
      },
    }),
  );
  execFileSync(process.execPath, ["--build-sea", "config.json"], {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
  });
  renameSync(draft, out);
} finally {
  rmSync(folder, { recursive: true });
}
