import { execFileSync } from "node:child_process";
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { build, type Plugin } from "rolldown";
import {
  alias,
  ascii,
  define,
  DELIVERY_PARTS,
  featureParts,
  lazyBuiltins,
  listFeatureThreads,
  withoutOpenApi,
} from "./bundle.ts";

// npm run build:binary [-- FILE]: builds deskbell as a single executable for this platform.

const ROOT = resolve(import.meta.dirname, "..");

export type ExecutableOptions = {
  /** Path of the executable to write. */
  out: string;
  /** Path of the Node executable for the target. */
  node: string;
  /** The command that runs this Node here; null if this machine cannot run it. */
  run: readonly [string, ...string[]] | null;
  /** Path of the prebuilt addon of better-sqlite3 for the target. */
  addon: string;
};

/** Returns the files that are read at run time, by the names that src/platform/assets.ts uses. */
const listAssets = (): string[] =>
  [
    "package.json",
    "data/*",
    "data/guides/*",
    "src/store/migrations/*",
    "dist/docs/**",
    "dist/openapi.json",
    "dist/pages/*",
    "dist/schema.json",
  ].flatMap((pattern) => {
    const isFile = (name: string) => statSync(join(ROOT, name)).isFile();
    // Sorting makes the order of the assets equal on every machine.
    const names = globSync(pattern, { cwd: ROOT }).filter(isFile).sort();
    if (names.length === 0) throw new Error(`No file matches ${pattern}. Run npm run build first.`);
    return names;
  });

const ADDONS = join(ROOT, "node_modules/better-sqlite3/prebuilds");
/**
 * Returns the path of the prebuilt addon.
 * @param target such as linux-arm64
 */
export const prebuiltAddon = (target: string): string => join(ADDONS, `${target}.node`);

/** Returns the path of the addon for this machine. */
function ownAddon(): string {
  const require = createRequire(import.meta.url);
  const { getPrebuildPath } = require(join(ROOT, "node_modules/better-sqlite3/lib/binding.js")) as {
    getPrebuildPath: () => string | null;
  };
  const addon = getPrebuildPath();
  if (addon !== null) return addon;
  throw new Error(`better-sqlite3 has no addon for ${process.platform}-${process.arch}.`);
}

/** Returns a plugin that makes better-sqlite3 load the addon that the executable unpacks. */
const unpackedAddon = (addon: string): Plugin => ({
  name: "unpacked-addon",
  load: (id) =>
    id === addon
      ? {
          code: `module.exports = require(${JSON.stringify(join(ROOT, "src/platform/addon.ts"))}).loadAddon();`,
          moduleType: "js",
        }
      : null,
});

/**
 * Bundles the program into one file that imports only Node's modules. The file is not minified, for
 * readable stack traces.
 */
async function bundle(
  entry: string,
  dir: string,
  addon: string,
  ...plugins: Plugin[]
): Promise<string> {
  const { output } = await build({
    cwd: ROOT,
    input: entry,
    platform: "node",
    transform: { define },
    // better-sqlite3 has a special entry for bundlers. `react-devtools-core`, the development tools
    // of ink, is not installed, so its import is left out.
    resolve: {
      alias: {
        ...alias,
        "better-sqlite3": `better-sqlite3/${basename(addon, ".node")}`,
        "react-devtools-core": false,
      },
    },
    plugins: [lazyBuiltins, ascii, unpackedAddon(addon), ...plugins],
    output: { dir, format: "esm", codeSplitting: false },
  });
  return join(dir, output[0].fileName);
}

const ELF_MAGIC = 0x7f454c46;
/** The type of a segment that is loaded into memory (PT_LOAD). */
const LOADED = 1;
/** The largest memory page of Linux, on arm64. A Raspberry Pi 5 has pages of 16 KB. */
const MAX_PAGE = 65_536;

/**
 * Returns a 64-bit ELF file without its 30 MB of debug symbols, which follow the segments that are
 * loaded into memory. Other files are returned unchanged. The program `strip` could remove the
 * symbols, but only from files for its own architecture.
 */
export function prepareNode(file: Buffer): Buffer {
  if (file.readUInt32BE(0) !== ELF_MAGIC) return file;
  const segments = listSegments(file);
  const prepared = Buffer.from(file.subarray(0, Math.max(...segments.map(({ end }) => end))));
  // The table of sections is gone, so its offset, its length and the index of its names become 0.
  prepared.writeBigUInt64LE(0n, 40);
  prepared.writeUInt16LE(0, 60);
  prepared.writeUInt16LE(0, 62);
  // `--build-sea` adds segments at the next multiple of 4 KB. On a machine with larger pages, the
  // new segments would overwrite the end of the last segment in memory, so the last segment is
  // extended to the end of a page.
  const { header, address, size } = segments
    .filter(({ type }) => type === LOADED)
    .reduce((last, segment) => (segment.address > last.address ? segment : last));
  const end = Math.ceil((address + size) / MAX_PAGE) * MAX_PAGE;
  prepared.writeBigUInt64LE(BigInt(end - address), header + 40);
  return prepared;
}

/** Returns the segments of a 64-bit ELF file with their places in the file and in memory. */
export function listSegments(file: Buffer) {
  const read = (at: number) => Number(file.readBigUInt64LE(at));
  const [first, headerSize, count] = [read(32), file.readUInt16LE(54), file.readUInt16LE(56)];
  return Array.from({ length: count }, (_, i) => {
    const header = first + i * headerSize;
    const offset = read(header + 8);
    return {
      header,
      type: file.readUInt32LE(header),
      offset,
      end: offset + read(header + 32),
      address: read(header + 16),
      size: read(header + 40),
    };
  });
}

/** Builds an executable. Builds of one commit have equal bytes in every folder. */
export async function buildExecutable({ out, node, run, addon }: ExecutableOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "deskbell-build-"));
  try {
    const delivery = await bundle(
      "src/delivery/thread.ts",
      folder,
      addon,
      featureParts(DELIVERY_PARTS),
    );
    const threads = await Promise.all(
      listFeatureThreads().map(async ([feature, thread]) => [
        `dist/${feature}.js`,
        await bundle(thread, join(folder, feature), addon, featureParts([])),
      ]),
    );
    const main = await bundle("src/cli/main.ts", folder, addon, withoutOpenApi);
    const prepared = join(folder, "node");
    writeFileSync(prepared, prepareNode(readFileSync(node)), { mode: 0o755 });
    mkdirSync(dirname(out), { recursive: true });
    // The old executable may be running, so the new one is renamed into its place.
    const draft = `${out}.draft`;
    writeFileSync(
      join(folder, "config.json"),
      JSON.stringify({
        // The executable stores this path, so the folder, which differs in each build, is left out.
        main: basename(main),
        mainFormat: "module",
        executable: prepared,
        output: draft,
        disableExperimentalSEAWarning: true,
        // The code cache halves the start time. No other Node than the target's can write it.
        useCodeCache: run !== null,
        // NODE_OPTIONS is ignored, because it is meant for the installed Node.
        execArgvExtension: "none",
        assets: {
          ...Object.fromEntries(listAssets().map((name) => [name, join(ROOT, name)])),
          "dist/delivery.js": delivery,
          ...Object.fromEntries(threads),
          "better_sqlite3.node": addon,
        },
      }),
    );
    const [program, ...args] = run ?? [process.execPath];
    // The seed makes the code caches of all builds equal. V8 accepts such a cache even if the
    // program runs with another seed.
    execFileSync(program, [...args, "--random-seed=1", "--build-sea", "config.json"], {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"],
    });
    renameSync(draft, out);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (import.meta.main) {
  const [out = join(ROOT, "dist/deskbell")] = process.argv.slice(2).map((path) => resolve(path));
  const node = process.execPath;
  await buildExecutable({ out, node, run: [node], addon: ownAddon() });
}
