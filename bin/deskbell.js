#!/usr/bin/env node
// Plain old JavaScript: it must run on any Node, to say in words which one is needed
// (better-sqlite3 13 segfaults on Node before 22.14).
const REQUIRED_MAJOR = 26;

if (Number(process.versions.node.split(".")[0]) >= REQUIRED_MAJOR) {
  const { enableCompileCache } = await import("node:module");
  enableCompileCache();
  await import("../dist/main.js");
} else {
  const { spawn } = await import("node:child_process");
  const { existsSync } = await import("node:fs");
  const { fileURLToPath } = await import("node:url");
  // A checkout brings its own Node as the npm package `node`.
  const bundled = fileURLToPath(new URL("../node_modules/node/bin/node", import.meta.url));
  if (!existsSync(bundled)) {
    console.error(
      `error: deskbell needs Node ${REQUIRED_MAJOR} or newer, this is ${process.versions.node} (${process.execPath}).\n` +
        `fix: npm ci in a checkout, which brings its own; else install Node ${REQUIRED_MAJOR} from https://nodejs.org (exit 2)`,
    );
    process.exit(2);
  }
  // The script by the name it was started under: hints repeat that name.
  const child = spawn(bundled, process.argv.slice(1), { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    // Ends as the child did, so that whoever started this one sees the same.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
