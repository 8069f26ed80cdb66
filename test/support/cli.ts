import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { onTestFinished } from "vitest";
import { run } from "../../src/cli/run.ts";
import { OutOfPatience } from "./patience.ts";
import { type Program, PROGRAM, TIMEOUT_MS } from "./program.ts";
import { createDataFolder } from "./test-runtime.ts";

export type CommandResult = {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
};

/** Creates a folder that is deleted when the test ends. */
export function createTempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "deskbell-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

type Stdin = string | Buffer | Buffer[];

/** Creates a data folder with an empty database that is deleted when the test ends. */
function createDataFolderOfTest(): string {
  const dataDir = createDataFolder();
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
}

/**
 * Returns functions that run command lines in this process, all on the same data folder. The
 * default folder has an empty database, because creating a database takes longer than most
 * commands.
 */
export function createTerminal({
  isTTY = false,
  columns = 100,
  program = "deskbell",
  dataDir = createDataFolderOfTest(),
  stdoutFd = undefined as number | undefined,
} = {}) {
  const runWords = async (words: readonly string[], stdin: Stdin = ""): Promise<CommandResult> => {
    const stdout = collector(isTTY, columns);
    const stderr = collector(isTTY, columns);
    const io = {
      stdin: Object.assign(Readable.from(Array.isArray(stdin) ? stdin : [stdin]), { isTTY }),
      stdout: stdoutFd === undefined ? stdout : Object.assign(stdout, { fd: stdoutFd }),
      stderr,
    };
    const code = await run(program, ["--data-dir", dataDir, ...words], io);
    return { code, signal: null, stdout: stdout.text(), stderr: stderr.text() };
  };
  const deskbell = (line: string, stdin?: Stdin) => runWords(splitWords(line), stdin);
  return { dataDir, deskbell, runWords };
}

/** Splits a command line at spaces; single quotes join words. */
const splitWords = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");

function collector(isTTY: boolean, columns: number) {
  const stream = new PassThrough();
  const chunks: Buffer[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  return Object.assign(stream, { isTTY, columns, text: () => Buffer.concat(chunks).toString() });
}

export type StartedProgram = {
  child: ChildProcessWithoutNullStreams;
  pid: number;
  output: () => string;
  /** Waits up to `ms` until the output so far matches, on either stream. */
  waitForOutput: (pattern: RegExp, ms?: number) => Promise<RegExpExecArray>;
  /** Waits up to `ms` for the exit. */
  waitForExit: (ms?: number) => Promise<CommandResult>;
};

/** `program` replaces the built program; `uid` and `gid` run it as another user. */
type StartOptions = { env?: NodeJS.ProcessEnv; program?: Program; uid?: number; gid?: number };

/** Starts the built program as a separate process, which is killed when the test ends. */
export function startProgram(
  args: string[],
  { env = {}, program = PROGRAM, ...identity }: StartOptions = {},
): StartedProgram {
  const [command, ...first] = program.command;
  const child = spawn(command, [...first, ...args], {
    ...identity,
    ...environmentOf(program, env, identity),
  });
  const result: CommandResult = { code: null, signal: null, stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => (result.stdout += chunk));
  child.stderr.on("data", (chunk) => (result.stderr += chunk));
  const closed = once(child, "close").then(
    ([code, signal]) => Object.assign(result, { code, signal }) as CommandResult,
  );
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await closed;
  });
  const output = () => result.stdout + result.stderr;
  return {
    child,
    pid: child.pid ?? 0,
    output,
    waitForExit: (ms = TIMEOUT_MS) =>
      withTimeout(ms, closed, () => `The program did not exit. It printed:\n${output()}`),
    async waitForOutput(pattern, ms = TIMEOUT_MS) {
      const found = new Promise<RegExpExecArray>((resolve, reject) => {
        const check = () => {
          const match = pattern.exec(output());
          if (match) resolve(match);
        };
        check();
        child.stdout.on("data", check);
        child.stderr.on("data", check);
        void closed.then(() =>
          reject(new Error(`The program exited before it printed ${pattern}:\n${output()}`)),
        );
      });
      return withTimeout(
        ms,
        found,
        () => `The program did not print ${pattern}. It printed:\n${output()}`,
      );
    },
  };
}

function environmentOf(
  { isStandalone }: Program,
  env: NodeJS.ProcessEnv,
  { uid = -1, gid = -1 }: StartOptions,
) {
  if (!isStandalone) return { env: { ...process.env, ...env } };
  const home = createTempFolder();
  chownSync(home, uid, gid);
  return { cwd: home, env: { HOME: home, PATH: "", ...env } };
}

/** Runs the built program until it exits. */
export const runProgram = (args: string[], options: StartOptions = {}): Promise<CommandResult> => {
  const started = startProgram(args, options);
  started.child.stdin.end();
  return started.waitForExit();
};

async function withTimeout<T>(ms: number, promise: Promise<T>, message: () => string): Promise<T> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => timeout.reject(new OutOfPatience(message())), ms);
  return Promise.race([promise, timeout.promise]).finally(() => clearTimeout(timer));
}
