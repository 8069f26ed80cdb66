import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    setupFiles: ["test/support/check-responses.ts"],
    root: new URL("..", import.meta.url).pathname,
    include: ["test/**/*.test.ts", "test/**/*.test.tsx"],
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
