import { readFileSync, renameSync, rmSync } from "node:fs";
import { build, type BuildOptions, type Plugin } from "rolldown";
import {
  alias,
  ascii,
  define,
  DAEMON_PARTS,
  DELIVERY_PARTS,
  featureParts,
  lazyBuiltins,
  listFeatureThreads,
  listPageBuilds,
  withoutOpenApi,
} from "./bundle.ts";
import { generateClient } from "./client/generate.ts";
import { writeClient } from "./client/package-files.ts";
import { describeRoutes, docs } from "./docs.ts";
import { readMigrations } from "../src/platform/assets.ts";
import { createSchema } from "../src/store/database/schema.ts";

// npm run build: bundles src/ and the packages it imports into dist/. Bundling the packages halves
// the start time of `serve`. They remain dependencies in package.json, so that npm installs their
// licences and SBOM tools find them. Two kinds of packages are not bundled: the SQLite addon, which
// cannot be, and the packages that only the live view loads.

/** Makes better-sqlite3 look for its addon in its own package instead of in the bundle's folder. */
const addonInPackage: Plugin = {
  name: "addon-in-package",
  load: {
    filter: { id: /better-sqlite3\/lib\/binding\.js$/ },
    handler: (id) =>
      readFileSync(id, "utf8").replaceAll(
        "__dirname",
        'path.dirname(require.resolve("better-sqlite3"))',
      ),
  },
};

/** Makes the commands load the separate bundle of the daemon. */
const externalDaemon: Plugin = {
  name: "external-daemon",
  resolveId: {
    filter: { id: /\/daemon\.ts$/ },
    handler: () => ({ id: "./daemon.js", external: true }),
  },
};

/**
 * Writes schema.json: the daemon compares the schema of its database with it, and need not load the
 * migrations.
 */
const schema: Plugin = {
  name: "schema",
  generateBundle() {
    const migrations = readMigrations();
    const source = { version: migrations.length, entries: createSchema(migrations) };
    this.emitFile({ type: "asset", fileName: "schema.json", source: JSON.stringify(source) });
  },
};

const shared = {
  external: /^(ink|react|string-width)(\/|$)/,
  platform: "node",
  resolve: { alias },
  transform: { define },
  // The commands load some code on demand that the large chunk of the daemon always has.
  checks: { ineffectiveDynamicImport: false },
} satisfies BuildOptions;

const plugins = [lazyBuiltins, ascii, addonInPackage];

/**
 * Folder into which the build writes. It replaces dist/ only at the end, because commands may run
 * from dist/ during the build.
 */
const BUILT = `dist.${process.pid}`;
const REPLACED = `${BUILT}.old`;

const output = {
  dir: BUILT,
  format: "esm",
  sourcemap: true,
  // Both threads keep their source text in memory, so most comments are removed. Licences stay.
  comments: { jsdoc: false, annotation: false },
  entryFileNames: "[name].js",
} as const;

const bundles: BuildOptions[] = [
  {
    ...shared,
    input: { main: "src/cli/main.ts" },
    plugins: [...plugins, externalDaemon, docs, schema, withoutOpenApi],
    output: {
      ...output,
      chunkFileNames: "[name]-[hash].js",
      // Resolving a module takes 0.3 ms, and splitting by use would make hundreds of modules. There
      // are three large chunks instead: for the help, for parsing the command line and `serve`, and
      // for opening the data.
      codeSplitting: {
        groups: [
          {
            name: "start",
            test: /^\0node:(fs|path|sea)$|src\/(platform\/assets|cli\/run|domain\/lazy)\.ts$/,
            priority: 3,
          },
          {
            name: "program",
            test: /^\0node:|src\/cli\/(program|commands\/serve)\.ts$/,
            priority: 2,
          },
          {
            name: "data",
            test: /src\/(app\/(runtime|bookings\/other-visits)|features\/[\w-]+\/visits)\.ts$/,
            priority: 1,
          },
        ],
      },
    },
  },
  // The daemon has a bundle of its own. It shares nearly all of its code with the commands, so a
  // common bundle would be split into eighty chunks.
  {
    ...shared,
    input: { daemon: "src/cli/running/daemon.ts" },
    // The default would make the entry a second file that re-exports everything.
    preserveEntrySignatures: "allow-extension",
    plugins: [...plugins, featureParts(DAEMON_PARTS, ["failures"])],
    output: {
      ...output,
      chunkFileNames: "daemon-[name]-[hash].js",
      codeSplitting: { groups: [{ name: "api", test: /src\/cli\/running\/daemon\.ts$/ }] },
    },
  },
  {
    ...shared,
    input: { delivery: "src/delivery/thread.ts" },
    plugins: [...plugins, featureParts(DELIVERY_PARTS)],
    output: { ...output, chunkFileNames: "delivery-[name]-[hash].js" },
  },
  ...listFeatureThreads().map(([feature, thread]) => ({
    ...shared,
    input: { [feature]: thread },
    plugins: [...plugins, featureParts([])],
    output: { ...output, chunkFileNames: `${feature}-[name]-[hash].js` },
  })),
  ...listPageBuilds(`${BUILT}/pages`),
  // The compile cache has a bundle of its own, because it runs before the cache is enabled.
  {
    ...shared,
    input: { "compile-cache": "src/platform/compile-cache.ts" },
    plugins,
    output: { ...output, codeSplitting: false },
  },
];

generateClient(await describeRoutes());
try {
  for (const options of bundles) await build(options);
  await writeClient(BUILT);
  moveIfExists("dist", REPLACED);
  try {
    renameSync(BUILT, "dist");
  } catch (error) {
    moveIfExists(REPLACED, "dist");
    throw error;
  }
} finally {
  for (const folder of [BUILT, REPLACED]) rmSync(folder, { recursive: true, force: true });
}

function moveIfExists(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
