import { PassThrough, Readable } from "node:stream";
import { run } from "../../../src/cli/run.ts";

// A process that runs the command lines that its parent sends, and sends back what each printed.
// Argument: the data folder.

const [dataDir = ""] = process.argv.slice(2);

function createOutput() {
  const stream = new PassThrough();
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  return { stream, text: () => Buffer.concat(chunks).toString() };
}

process.on("message", async (args: string[]) => {
  const [stdout, stderr] = [createOutput(), createOutput()];
  const io = { stdin: Readable.from([]), stdout: stdout.stream, stderr: stderr.stream };
  await run("deskbell", ["--data-dir", dataDir, ...args], io);
  process.send?.({ stdout: stdout.text(), stderr: stderr.text() });
});
process.send?.("ready");
