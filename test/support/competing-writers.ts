import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { Client } from "undici";
import { BIN } from "./program.ts";

export type CompetingWriters = {
  /** What each write of the writers without a pause took (ms). */
  loopMs: number[];
  /** What each write of a writer that pauses between its writes took (ms). */
  writeMs: number[];
  /** The time that each request took (ms), and the statuses of those that failed. */
  requestMs: number[];
  failedStatuses: number[];
  /** The output of the commands that failed. */
  failedCommands: string[];
};

const PAUSE_MS = 20;

/**
 * Writes to one file from two processes that never pause, one that pauses between its writes, an
 * HTTP client and commands, until the requests and commands are done.
 * @param options.path the path of the endpoint that the HTTP client updates
 */
export async function runCompetingWriters(options: {
  dataDir: string;
  url: string;
  path: string;
  secret: string;
  requests: number;
  commands: number;
}): Promise<CompetingWriters> {
  const { dataDir, commands } = options;
  const writers = await Promise.all(
    [0, 0, PAUSE_MS].map((pauseMs) => startWriter(dataDir, pauseMs)),
  );
  const [{ requestMs, failedStatuses }, failedCommands] = await Promise.all([
    sendUpdates(options),
    runCommands(dataDir, commands),
  ]);
  const [first, second, third] = await Promise.all(writers.map((finish) => finish()));
  return {
    loopMs: [...(first ?? []), ...(second ?? [])],
    writeMs: third ?? [],
    requestMs,
    failedStatuses,
    failedCommands,
  };
}

/**
 * Returns a function that ends the process and resolves with the time that each of its writes took
 * (ms).
 */
async function startWriter(dataDir: string, pauseMs: number): Promise<() => Promise<number[]>> {
  const program = fileURLToPath(new URL("writer-process.ts", import.meta.url));
  const child = fork(program, [dataDir, String(pauseMs)]);
  const failed = once(child, "exit").then(([code]) => {
    throw new Error(`A writer exited with ${code}.`);
  });
  failed.catch(() => {});
  await Promise.race([once(child, "message"), failed]);
  return async () => {
    const finished = once(child, "message");
    child.send("finish");
    return (await Promise.race([finished, failed]))[0] as number[];
  };
}

async function sendUpdates({
  url,
  path,
  secret,
  requests,
}: {
  url: string;
  path: string;
  secret: string;
  requests: number;
}) {
  const client = new Client(url);
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const requestMs: number[] = [];
  const failedStatuses: number[] = [];
  for (let i = 0; i < requests; i++) {
    const startedAt = performance.now();
    const body = JSON.stringify({ name: `update ${i}` });
    const response = await client.request({ method: "PATCH", path, headers, body });
    await response.body.dump();
    requestMs.push(performance.now() - startedAt);
    if (response.statusCode !== 200) failedStatuses.push(response.statusCode);
  }
  await client.close();
  return { requestMs, failedStatuses };
}

/** Returns the output of each command that fails. */
async function runCommands(dataDir: string, count: number): Promise<string[]> {
  const failed: string[] = [];
  for (let i = 0; i < count; i++) {
    const args = [BIN, "--data-dir", dataDir, "keys", "create", "--secret", "--name", "command"];
    await new Promise<void>((resolve) =>
      execFile(process.execPath, args, (error, stdout, stderr) => {
        if (error) failed.push(stdout + stderr);
        resolve();
      }),
    );
  }
  return failed;
}
