#!/usr/bin/env node
// Plain old JavaScript: it must run on any Node, to say in words which one is needed
// (better-sqlite3 13 segfaults on Node before 22.14).
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const REQUIRED_MAJOR = 26;

if (Number(process.versions.node.split(".")[0]) >= REQUIRED_MAJOR) {
  const { enableCompileCache } = await import("node:module");
  enableCompileCache();
  await import("../dist/main.js");
} else {
  // A checkout brings its own Node as the npm package `node`.
  const bundled = fileURLToPath(new URL("../node_modules/node/bin/node", import.meta.url));
  if (!existsSync(bundled)) {
    console.error(
      `error: deskbell needs Node ${REQUIRED_MAJOR} or newer, this is ${process.versions.node} (${process.execPath}).\n` +
        `fix: install Node ${REQUIRED_MAJOR} from https://nodejs.org and run deskbell again. (exit 2)`,
    );
    process.exit(2);
  }
  const child = spawn(bundled, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => {
    if (signal) (process.removeAllListeners(signal), process.kill(process.pid, signal));
    else process.exit(code ?? 1);
  });
}
