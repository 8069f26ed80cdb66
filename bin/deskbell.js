#!/usr/bin/env node
// The file is plain JavaScript that runs on any Node version, so that an old version prints a clear
// error (better-sqlite3 13 segfaults on Node before 22.14).
const REQUIRED_MAJOR = 26;

if (Number(process.versions.node.split(".")[0]) >= REQUIRED_MAJOR) {
  await import("../dist/compile-cache.js");
  await import("../dist/main.js");
} else {
  const { spawn } = await import("node:child_process");
  const { existsSync } = await import("node:fs");
  const { fileURLToPath } = await import("node:url");
  // The npm package `node` provides the right version in a checkout.
  const bundled = fileURLToPath(new URL("../node_modules/node/bin/node", import.meta.url));
  if (!existsSync(bundled)) {
    console.error(
      `error: deskbell needs Node ${REQUIRED_MAJOR} or newer, but this is ${process.versions.node} (${process.execPath}).\n` +
        `fix: run npm ci if this is a checkout, or install Node ${REQUIRED_MAJOR} from https://nodejs.org (exit 2)`,
    );
    process.exit(2);
  }
  // The script name stays as the user typed it, because hints repeat it. The child stops when its
  // IPC channel closes, which also happens if this process is killed.
  const stdio = ["inherit", "inherit", "inherit", "ipc"];
  const child = spawn(bundled, process.argv.slice(1), { stdio });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    // The process ends with the child's signal, so that its parent process sees the same result.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
