import { fork } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createTempFolder } from "../../support/cli.ts";

const STOP_SIGNAL = new URL("../../../src/cli/running/stop-signal.ts", import.meta.url).href;

/**
 * Runs the code in a process that then waits for a stop signal. Returns the resources that keep
 * this process alive.
 */
async function listResources(code: string): Promise<unknown> {
  const script = join(createTempFolder(), "waiting.mjs");
  writeFileSync(
    script,
    `import { untilStopped } from ${JSON.stringify(STOP_SIGNAL)};
    ${code}
    void untilStopped();
    const resources = process.getActiveResourcesInfo();
    process.send(resources, () => process.exit());`,
  );
  // A pipe for the output would also keep the process alive.
  const child = fork(script, { stdio: ["ignore", "ignore", "ignore", "ipc"], execArgv: [] });
  onTestFinished(() => void child.kill());
  const [message] = await once(child, "message");
  return message;
}

test("the IPC channel to the parent process keeps a process alive only if the process listens to messages", async () => {
  expect(await listResources("")).not.toContain("PipeWrap");
  expect(await listResources('process.on("message", () => {});')).toContain("PipeWrap");
});
