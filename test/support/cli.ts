import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { onTestFinished } from "vitest";
import { run } from "../../src/cli/run.ts";
import { type Program, PROGRAM } from "./program.ts";

export type CommandResult = {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
};

/** A folder that is gone when the test ends. */
export function createTempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "deskbell-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** What comes on stdin, at once or piece by piece. */
type Stdin = string | Buffer | Buffer[];

/** Runs command lines in this process on one data folder. */
export function createTerminal({
  isTTY = false,
  columns = 100,
  program = "deskbell",
  dataDir = join(createTempFolder(), "data"),
} = {}) {
  const deskbell = async (line: string, stdin: Stdin = ""): Promise<CommandResult> => {
    const stdout = collector(isTTY, columns);
    const stderr = collector(isTTY, columns);
    const io = {
      stdin: Object.assign(Readable.from(Array.isArray(stdin) ? stdin : [stdin]), { isTTY }),
      stdout,
      stderr,
    };
    const code = await run(program, ["--data-dir", dataDir, ...words(line)], io);
    return { code, signal: null, stdout: stdout.text(), stderr: stderr.text() };
  };
  return { dataDir, deskbell };
}

/** What stands between single quotes is one word. */
const words = (line: string): string[] =>
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
  /** The first match in what it has printed on either stream, now or within `ms`. */
  waitForOutput: (pattern: RegExp, ms?: number) => Promise<RegExpExecArray>;
  /** How it ended, within `ms`. */
  waitForExit: (ms?: number) => Promise<CommandResult>;
};

/** As whom and with what: in this environment, another program, as this user. */
type Start = { env?: NodeJS.ProcessEnv; program?: Program; uid?: number; gid?: number };

const PATIENCE_MS = 15_000;

/** Starts the built program as a process of its own; it is killed when the test ends, whatever became of it. */
export function startProgram(
  args: string[],
  { env = {}, program = PROGRAM, ...identity }: Start = {},
): StartedProgram {
  const [command, ...first] = program.command;
  const child = spawn(command, [...first, ...args], {
    ...identity,
    ...surroundings(program, env, identity),
  });
  const ran: CommandResult = { code: null, signal: null, stdout: "", stderr: "" };
  child.stdout.on("data", (chunk) => (ran.stdout += chunk));
  child.stderr.on("data", (chunk) => (ran.stderr += chunk));
  const closed = once(child, "close").then(
    ([code, signal]) => Object.assign(ran, { code, signal }) as CommandResult,
  );
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await closed;
  });
  const output = () => ran.stdout + ran.stderr;
  return {
    child,
    pid: child.pid ?? 0,
    output,
    waitForExit: (ms = PATIENCE_MS) =>
      within(ms, closed, () => `It did not end. It printed:\n${output()}`),
    async waitForOutput(pattern, ms = PATIENCE_MS) {
      const found = new Promise<RegExpExecArray>((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(output());
          if (match) resolve(match);
        };
        look();
        child.stdout.on("data", look);
        child.stderr.on("data", look);
        void closed.then(() =>
          reject(new Error(`It ended before it printed ${pattern}:\n${output()}`)),
        );
      });
      return within(ms, found, () => `It did not print ${pattern}, but:\n${output()}`);
    },
  };
}

function surroundings({ isAlone }: Program, env: NodeJS.ProcessEnv, { uid = -1, gid = -1 }: Start) {
  if (!isAlone) return { env: { ...process.env, ...env } };
  const home = createTempFolder();
  chownSync(home, uid, gid);
  return { cwd: home, env: { HOME: home, PATH: "", ...env } };
}

/** Runs the built program to its end. */
export const runProgram = (args: string[], options: Start = {}): Promise<CommandResult> => {
  const started = startProgram(args, options);
  started.child.stdin.end();
  return started.waitForExit();
};

async function within<T>(ms: number, promise: Promise<T>, complaint: () => string): Promise<T> {
  const clock = Promise.withResolvers<never>();
  const timer = setTimeout(() => clock.reject(new Error(complaint())), ms);
  return Promise.race([promise, clock.promise]).finally(() => clearTimeout(timer));
}
