import { defineConfig, type RolldownOptions } from "rolldown";
import { alias, define, leanHttp } from "./bundle.ts";
import { scalar } from "./scalar.ts";

// Packages are bundled, of which a command needs some small part: `serve` starts in half the time. They stay dependencies, so
// that npm installs their licences with them and tells what deskbell is made of. Outside stay the addon, which cannot be
// bundled, and what only the live view loads.
const shared = {
  external: /^(better-sqlite3|ink|react|string-width)(\/|$)/,
  platform: "node",
  resolve: { alias },
  transform: { define },
} satisfies RolldownOptions;

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
    plugins: [leanHttp, scalar],
    output: {
      ...output,
      cleanDir: true,
      chunkFileNames: "[name]-[hash].js",
      // A module of its own for every set of commands that share something makes hundreds, and finding one takes 0.3 ms. What
      // nearly all of them load is one: first what the help needs, then what opens the data.
      codeSplitting: {
        groups: [
          { name: "start", test: /src\/(assets|cli\/run)\.ts$/, priority: 2 },
          { name: "data", test: /src\/runtime\.ts$/, priority: 1 },
        ],
      },
    },
  },
  {
    ...shared,
    input: { courier: "src/courier/thread.ts" },
    plugins: [leanHttp],
    output: { ...output, codeSplitting: false },
  },
]);
