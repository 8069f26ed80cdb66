import { readFileSync } from "node:fs";
import { defineConfig, type Plugin, type RolldownOptions } from "rolldown";
import { alias, ascii, define, lazyBuiltins } from "./bundle.ts";
import { guide } from "./guide.ts";
import { scalar } from "./scalar.ts";

// Packages are bundled, of which a command needs some small part: `serve` starts in half the time. They stay dependencies, so
// that npm installs their licences with them and tells what deskbell is made of. Outside stay SQLite's addon, which cannot be
// bundled, and what only the live view loads.

/** What finds the addon beside itself has another place in a bundle. */
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

/** Whatever starts the daemon takes the bundle of it. */
const daemonApart: Plugin = {
  name: "daemon-apart",
  resolveId: {
    filter: { id: /\/daemon\.ts$/ },
    handler: () => ({ id: "./daemon.js", external: true }),
  },
};

const shared = {
  external: /^(ink|react|string-width)(\/|$)/,
  platform: "node",
  resolve: { alias },
  transform: { define },
} satisfies RolldownOptions;

const plugins = [lazyBuiltins, ascii, addonInPackage];

const output = {
  dir: "dist",
  format: "esm",
  sourcemap: true,
  // Both threads keep the text of what they run. Licences stay in it.
  comments: { jsdoc: false, annotation: false },
  entryFileNames: "[name].js",
} as const;

export default defineConfig([
  {
    ...shared,
    input: { main: "src/cli/main.ts" },
    plugins: [...plugins, daemonApart, scalar, guide],
    output: {
      ...output,
      cleanDir: true,
      chunkFileNames: "[name]-[hash].js",
      // A module of its own for every set of commands that share something makes hundreds, and finding one takes 0.3 ms. What
      // nearly all of them load is one: first what the help needs, then what reads the line, then what opens the data.
      codeSplitting: {
        groups: [
          {
            name: "start",
            test: /^\0node:(fs|path|sea)$|src\/(assets|cli\/run)\.ts$/,
            priority: 3,
          },
          { name: "program", test: /^\0node:|src\/cli\/program\.ts$/, priority: 2 },
          { name: "data", test: /src\/runtime\.ts$/, priority: 1 },
        ],
      },
    },
  },
  // The daemon shares nearly all that it is made of with some command, and would lie in eighty pieces: it is built once more, in one.
  {
    ...shared,
    input: { daemon: "src/cli/running/daemon.ts" },
    plugins,
    output: {
      ...output,
      chunkFileNames: "daemon-[name]-[hash].js",
      codeSplitting: { groups: [{ name: "api", test: /src\/cli\/running\/daemon\.ts$/ }] },
    },
  },
  {
    ...shared,
    input: { delivery: "src/delivery/thread.ts" },
    plugins,
    output: { ...output, chunkFileNames: "delivery-[name]-[hash].js" },
  },
]);
