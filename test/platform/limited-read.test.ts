import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { readLimited, readStdin, streamStdin } from "../../src/platform/limited-read.ts";
import { createTempFolder, createTerminal } from "../support/cli.ts";
import { SALON } from "../support/samples.ts";

const SMALL = { maxBytes: 100_000, maxMs: 20 };

function createPipe(): string {
  const path = join(createTempFolder(), "pipe");
  execFileSync("sh", ["-c", 'mkfifo "$0"', path]);
  return path;
}

/** Starts a program that writes to the pipe, which is opened when somebody reads it. */
function startWriter(path: string, script: string) {
  const writer = spawn("sh", ["-c", `exec > "$0"; ${script}`, path], { stdio: "ignore" });
  onTestFinished(async () => {
    writer.kill("SIGKILL");
    if (writer.exitCode === null && writer.signalCode === null) await once(writer, "exit");
  });
}

test("a file of the maximum size is read, and a larger one is refused", () => {
  const path = join(createTempFolder(), "a.txt");
  writeFileSync(path, "a".repeat(SMALL.maxBytes));
  expect(readLimited(path, SMALL)).toHaveLength(SMALL.maxBytes);
  writeFileSync(path, "a".repeat(SMALL.maxBytes + 1));
  expect(() => readLimited(path, SMALL)).toThrow("is larger than 0.1 MB");
});

test("a pipe is read until its writer closes it, even if the writer is late and slow", () => {
  const path = createPipe();
  startWriter(path, "echo one; sleep 0.05; echo two");
  expect(readLimited(path).toString()).toBe("one\ntwo\n");
});

test("a pipe that never ends is refused after the maximum size or time", () => {
  const [endless, silent, unopened] = [createPipe(), createPipe(), createPipe()];
  startWriter(endless, "cat /dev/zero");
  expect(() => readLimited(endless, { ...SMALL, maxMs: 60_000 })).toThrow("is larger than 0.1 MB");
  startWriter(silent, "echo one; sleep 60");
  expect(() => readLimited(silent, SMALL)).toThrow("did not end within 0.02 seconds");
  expect(() => readLimited(unopened, SMALL)).toThrow("did not end within 0.02 seconds");
});

test("stdin that never ends is refused after the maximum size or time", async () => {
  await expect(readStdin(Readable.from(["a".repeat(100_001)]), SMALL)).rejects.toThrow(
    "stdin is larger than 0.1 MB",
  );
  const silent = new PassThrough();
  silent.write("one");
  await expect(readStdin(silent, SMALL)).rejects.toThrow("stdin did not end within 0.02 seconds");
  expect(silent.destroyed).toBe(true);
});

test("stdin may be streamed for any time, but is refused after a long silence", async () => {
  const stdin = new PassThrough();
  const read: string[] = [];
  const reading = (async () => {
    for await (const chunk of streamStdin(stdin, SMALL)) read.push(chunk.toString());
  })();
  stdin.write("one");
  await expect(reading).rejects.toThrow("Nothing has arrived on stdin for 0.02 seconds.");
  expect(read).toEqual(["one"]);
});

const READERS = [
  "catalog apply",
  "catalog diff",
  "bookings create --input",
  "serve --port 0 --smtp-url-file",
];

test.each(READERS)("deskbell %s refuses to read a device", async (line) => {
  const { deskbell } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  expect(await deskbell(`${line} /dev/zero`)).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("/dev/zero is a device or socket, not a file.\n"),
  });
});

test("a line of --input that is too long is reported, and the next line is still read", async () => {
  const { deskbell } = createTerminal();
  await deskbell(`catalog apply ${SALON}`);
  const chunks = Array.from({ length: 200 }, () => Buffer.alloc(65_536, "a"));
  const line = Buffer.from('\n{"service":"none","start":"2027-01-04T10:00"}\n');
  const ran = await deskbell("bookings create --input -", [...chunks, line]);
  expect(ran).toMatchObject({
    code: 6,
    stdout: expect.stringMatching(/^1\tbody_too_large\t.*\n2\t/),
  });
});

test("the error about a file with more than 100 issues lists 100 and says that there are more, in JSON too", async () => {
  const folder = createTempFolder();
  mkdirSync(join(folder, "c"));
  const path = join(folder, "c", "x.yaml");
  writeFileSync(
    path,
    `catalog: 1\n${Array.from({ length: 5000 }, (_, i) => `a${i}: x\n`).join("")}`,
  );
  const { deskbell } = createTerminal();
  const text = await deskbell(`catalog apply ${path}`);
  expect(text.code).toBe(7);
  expect(text.stderr.split("\n")).toHaveLength(103);
  expect(text.stderr).toMatch(/^error: More than 100 errors in /);
  const json = JSON.parse((await deskbell(`catalog apply ${path} --json`)).stderr) as {
    error: { message: string; issues: unknown[] };
  };
  expect(json.error.issues).toHaveLength(100);
  expect(json.error.message).toContain("More than 100 errors");
});
