import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { createSender } from "../../src/delivery/sender.ts";

/** Responds in a process of its own, a moment after each request. */
const SERVER = `
  const server = require("node:http").createServer((request, response) => {
    console.log("request");
    setTimeout(() => response.end(), 300);
  });
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));`;

test("a response that arrived while the process did not run counts", async () => {
  const child = spawn(process.execPath, ["-e", SERVER], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface(child.stdout);
  const [port] = (await once(lines, "line")) as [string];
  const sender = createSender({ allowHttp: true, allowPrivate: ["127.0.0.0/8"] }, () =>
    performance.now(),
  );
  onTestFinished(sender.close);
  const url = `http://127.0.0.1:${port}/`;
  const post = { url, trusted: true, timeoutMs: 1000, headers: {}, body: Buffer.from("{}") };
  const sent = sender.send(post);
  await once(lines, "line");
  // Blocks the thread for longer than the timeout, as SIGSTOP does.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500);
  expect(await sent).toMatchObject({ kind: "responded", statusCode: 200 });
});
