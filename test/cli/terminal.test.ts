import { execFileSync, spawn } from "node:child_process";
import { closeSync, constants, openSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";
import { type GlobalFlags, Terminal } from "../../src/cli/terminal.ts";
import { createTempFolder } from "../support/cli.ts";

/** More than a pipe holds. */
const LONG = "0123456789\n".repeat(20_000);

/**
 * Opens a pipe as Node opens a stdout that is a pipe: without blocking, so a write to a full pipe
 * fails instead of waiting.
 */
function openPipe() {
  const path = join(createTempFolder(), "pipe");
  execFileSync("sh", ["-c", 'mkfifo "$0"', path]);
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const stdout = Object.assign(new PassThrough(), { fd });
  const io = { stdin: new PassThrough(), stdout, stderr: new PassThrough() };
  return { path, fd, terminal: new Terminal("deskbell", io, {} as GlobalFlags) };
}

test("a text that is longer than a pipe's buffer is printed completely although its reader pauses", async () => {
  const { path, fd, terminal } = openPipe();
  const reader = spawn("sh", ["-c", 'sleep 0.3; exec cat "$0"', path]);
  onTestFinished(() => void reader.kill("SIGKILL"));
  const read = text(reader.stdout);
  terminal.printNow(LONG, "run it again");
  // The reader ends when no writer is left.
  closeSync(fd);
  expect(await read).toBe(LONG);
});

test("a text is not printed to a pipe whose reader stops for too long", () => {
  const { fd, terminal } = openPipe();
  onTestFinished(() => closeSync(fd));
  const wait = vi.spyOn(Atomics, "wait").mockReturnValue("timed-out");
  onTestFinished(() => wait.mockRestore());
  expect(() => terminal.printNow(LONG, "run it again")).toThrow(
    "Cannot write to stdout, so nothing was saved: the program that reads it is too slow.",
  );
  const waitedMs = wait.mock.calls.reduce((sum, [, , , ms = 0]) => sum + ms, 0);
  expect(waitedMs).toBeLessThanOrEqual(5000);
});
