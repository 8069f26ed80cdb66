import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { build, type Plugin } from "rolldown";
import { alias, ascii, define, lazyBuiltins } from "./bundle.ts";

// npm run build:binary [-- FILE]: the whole of deskbell in one file, for this machine's system and processor.

const ROOT = resolve(import.meta.dirname, "..");
const [out = join(ROOT, "dist/deskbell")] = process.argv.slice(2).map((path) => resolve(path));

/** What it reads at run time, by the names that src/assets.ts gives them. */
const SHIPPED = ["package.json", "data/*", "src/store/migrations/*", "dist/docs/*"].flatMap(
  (pattern) => {
    const names = globSync(pattern, { cwd: ROOT });
    if (names.length === 0) throw new Error(`There is no ${pattern}: npm run build makes it.`);
    return names;
  },
);

const require = createRequire(import.meta.url);
const { getPrebuildPath } = require(join(ROOT, "node_modules/better-sqlite3/lib/binding.js")) as {
  getPrebuildPath: () => string | null;
};
const addon = getPrebuildPath();
if (addon === null)
  throw new Error(`better-sqlite3 has no addon for ${process.platform}-${process.arch}.`);

/** Where the package requires its addon's file, ours is unpacked and loaded. */
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

/** One file of code without imports but of Node's own modules; on many lines, for the sake of stack traces. */
async function bundle(entry: string, dir: string): Promise<string> {
  const { output } = await build({
    cwd: ROOT,
    input: entry,
    platform: "node",
    transform: { define },
    // The entry of the package that is for bundlers; ink's development tools, which are no dependency.
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

/** Without the 30 MB of symbols that only a debugger reads. */
function copyStripped(from: string, to: string): void {
  try {
    execFileSync("strip", ["-o", to, from]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    console.warn("strip is not here (apt-get install binutils): the executable is 30 MB larger");
    copyFileSync(from, to);
  }
}

const folder = mkdtempSync(join(tmpdir(), "deskbell-build-"));
try {
  const delivery = await bundle("src/delivery/thread.ts", folder);
  const main = await bundle("src/cli/main.ts", folder);
  const node = join(folder, "node");
  copyStripped(process.execPath, node);
  mkdirSync(dirname(out), { recursive: true });
  // The old one may be running.
  const draft = `${out}.draft`;
  const shipped = SHIPPED.map((name) => [name, join(ROOT, name)]);
  writeFileSync(
    join(folder, "config.json"),
    JSON.stringify({
      // By its name alone: the path becomes a part of the executable, and every build has a folder of its own.
      main: basename(main),
      mainFormat: "module",
      executable: node,
      output: draft,
      disableExperimentalSEAWarning: true,
      // It starts in half the time.
      useCodeCache: true,
      // NODE_OPTIONS of the machine are for the machine's Node.
      execArgvExtension: "none",
      assets: {
        ...Object.fromEntries(shipped),
        "dist/delivery.js": delivery,
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
