import { defineConfig } from "rolldown";

// Packages stay outside the bundle: the addon cannot be bundled, and node_modules is there anyway.
const external = (id: string) => !/^[./]/.test(id);

export default defineConfig({
  input: { main: "src/cli/main.ts", courier: "src/courier/thread.ts" },
  external,
  platform: "node",
  output: {
    dir: "dist",
    format: "esm",
    cleanDir: true,
    sourcemap: true,
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
  },
});
