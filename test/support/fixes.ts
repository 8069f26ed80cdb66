import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, vi } from "vitest";
import { type CommandResult, createTempFolder, createTerminal } from "./cli.ts";
import { spawnDaemon, waitForUrl } from "./daemon.ts";
import { COMMAND_NAMES } from "./fix-texts.ts";
import { RESTAURANT, SALON, writeVenue } from "./samples.ts";

// A message names commands that fix what it reports. A case causes the message, takes the commands
// out of the printed text, runs them, and checks that they do what the text says.

export type Server = {
  dataDir: string;
  /** The current folder, which contains only a default data folder. */
  folder: string;
  /** Runs a command, which must succeed, and returns its output. */
  deskbell: (line: string) => Promise<string>;
  /** Runs a command, which may fail. */
  attempt: (line: string) => Promise<CommandResult>;
  runWords: (words: readonly string[]) => Promise<CommandResult>;
  /**
   * Replaces IDs such as `whe_…` with the newest ID of this kind that `deskbell` has printed. All
   * commands are filled in this way before they run.
   */
  fillIds: (line: string) => string;
  /** Executes SQL on the database. */
  edit: (sql: string) => void;
  write: (name: string, text: string) => void;
};

export type FixCase = {
  /** The text in the source, with `{}` for each value. */
  text: string;
  /** Distinguishes the cases of one text. */
  name?: string;
  /** The server: with all sample businesses, without data, or another one. */
  data?: "samples" | "none" | (() => Promise<Server>);
  /** Commands that lead to the state in which the message appears. */
  given?: readonly string[];
  /** Other steps that lead to this state. */
  arrange?: (server: Server) => unknown;
  /** The command that prints the message, or a function that returns what was printed. */
  line: string | ((server: Server) => Promise<string>);
  /** What a reader of the message does before running its commands, such as editing a file. */
  before?: (server: Server) => unknown;
  /** The commands of the text that are run, counted from 0; the first one by default. */
  runs?: readonly number[];
  /** The reader's values for the placeholders of the text, such as KEY. */
  fill?: Readonly<Record<string, string>>;
  /** The words that the reader adds to each command. */
  adds?: string;
  /** The commands may fail, because nothing listens at the address that they are given. */
  fails?: true;
  /** The part of `line` that is replaced by the first value that the commands print. */
  instead?: string;
  /**
   * What the text promises: `line` now succeeds, the message is gone, the commands print a matching
   * text, or the function finds the promised result.
   */
  outcome:
    | "line succeeds"
    | "the message is gone"
    | RegExp
    | ((server: Server, ran: readonly CommandResult[]) => unknown);
};

let samples = "";

/** Creates the data of which each case gets a copy. */
export async function createSamples(folder: string): Promise<void> {
  samples = join(folder, "samples");
  const { deskbell } = createTerminal({ dataDir: samples });
  const { code, stderr } = await deskbell(
    `catalog apply ${SALON} ${RESTAURANT} ${writeVenue(folder)}`,
  );
  if (code !== 0) throw new Error(stderr);
}

/** Stops the clock of the commands at a time, until the test ends. */
export function setClock(at: number): void {
  const before = Date.now();
  vi.setSystemTime(at);
  onTestFinished(() => void vi.setSystemTime(before));
}

/** Returns a server with a new current folder, and with the given data folder or a new one. */
export async function createServer(givenDataDir?: string): Promise<Server> {
  const folder = createTempFolder();
  const home = process.cwd();
  process.chdir(folder);
  onTestFinished(() => process.chdir(home));
  const dataDir = givenDataDir ?? join(folder, "data");
  const terminal = createTerminal({ dataDir });
  const newest = new Map<string, string>();
  const fillIds = (line: string) =>
    line.replaceAll(/\b([a-z]{3})_…/g, (id, prefix: string) => newest.get(prefix) ?? id);
  const attempt = (line: string) => terminal.deskbell(fillIds(line));
  return {
    dataDir,
    folder,
    attempt,
    fillIds,
    runWords: (words) => terminal.runWords(words.map(fillIds)),
    async deskbell(line) {
      const { code, stdout, stderr } = await attempt(line);
      if (code !== 0) throw new Error(`${line}\n${stderr}`);
      for (const [id, prefix = ""] of (stdout + stderr).matchAll(/\b([a-z]{3})_[0-9a-z]{20,}\b/g))
        newest.set(prefix, id);
      return stdout + stderr;
    },
    edit(sql) {
      const db = new Database(join(dataDir, "deskbell.db"));
      db.exec(sql);
      db.close();
    },
    write: (name, text) => writeFileSync(join(folder, name), text),
  };
}

/** Matches a word that follows a command in a sentence and is no part of it. */
const AFTER_COMMAND = /^(?:#|&&|>|\||\(.*|and|completes|in|lists|on|or|prints|says|that|then|to)$/;

/** Returns the words of each command in a text. */
export function commandsIn(text: string): string[][] {
  const starts = [...text.matchAll(/(?<![\w/.-])deskbell (?=([a-z-]+))/g)];
  const named = starts.filter(([, word = ""]) => COMMAND_NAMES.has(word));
  return named.map(({ index }) => {
    const rest = text.slice(index + "deskbell ".length);
    const words: string[] = [];
    for (const [raw] of rest.matchAll(/(?:'[^']*'|\\'|[^\s'])+/g)) {
      if (AFTER_COMMAND.test(raw)) break;
      const word = raw.replace(/[`",;:.)]+$/, "");
      words.push(word.replaceAll(/'([^']*)'/g, "$1").replaceAll("\\'", "'"));
      if (word !== raw) break;
    }
    return words;
  });
}

/** Returns the shortest printed cell that contains the text, without what comes before the text. */
function findText(printed: string, text: string): string | undefined {
  const parts = text
    .split("{}")
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`))
    // A fix names the business if the command line does.
    .map((part) => part.replaceAll(",", String.raw`(?: --business \S+)?,`));
  const pattern = new RegExp(parts.join(".*?"));
  const [cell] = printed
    .split(/[\t\n]/)
    .filter((one) => pattern.test(one))
    .toSorted((a, b) => a.length - b.length);
  return cell?.slice(pattern.exec(cell)?.index).replace(/ \(exit \d+\)$/, "");
}

const PLACEHOLDER = /^(?:<\w+>|COMMAND|FILE|FOLDER|ID|KEY|N|NAME|SCOPE|SIZE|SLUG|TEXT|TIME|URL)$/;

function fillIn(words: readonly string[], fill: FixCase["fill"]): string[] {
  return words.map((word) => {
    const value = PLACEHOLDER.test(word) ? fill?.[word] : word;
    if (value === undefined) throw new Error(`The case does not fill in ${word}.`);
    return value;
  });
}

/** Runs a command of a fix. A daemon is a process of its own, which ends with the test. */
async function runCommand(server: Server, words: readonly string[]): Promise<CommandResult> {
  if (words[0] !== "serve") return server.runWords(words);
  const daemon = spawnDaemon(server.dataDir, ...words.slice(1));
  await waitForUrl(daemon);
  return { code: 0, signal: null, stdout: daemon.output(), stderr: "" };
}

async function printMessage(server: Server, { line }: FixCase): Promise<string> {
  if (typeof line !== "string") return line(server);
  const { stdout, stderr } = await server.attempt(line);
  return stdout + stderr;
}

/** Causes the message of a case and runs its commands. Throws if they do not do what it says. */
export async function runFix(fix: FixCase): Promise<void> {
  const { data = "samples", text, runs = [0], adds, fill } = fix;
  const server = typeof data === "string" ? await createServer() : await data();
  if (data === "samples") cpSync(samples, server.dataDir, { recursive: true });
  for (const line of fix.given ?? []) await server.deskbell(line);
  await fix.arrange?.(server);
  const printed = await printMessage(server, fix);
  const shown = findText(printed, text);
  if (shown === undefined) throw new Error(`'${text}' is not in what was printed:\n${printed}`);
  await fix.before?.(server);

  const found = commandsIn(shown);
  const ran: CommandResult[] = [];
  for (const i of runs) {
    if (found[i] === undefined) throw new Error(`'${shown}' has no command ${i}.`);
    const words = [...fillIn(found[i], fill), ...(adds?.split(" ") ?? [])];
    const result = await runCommand(server, words);
    if (result.code !== 0 && !fix.fails)
      throw new Error(`deskbell ${words.join(" ")} of '${shown}' fails:\n${result.stderr}`);
    ran.push(result);
  }
  await checkOutcome(fix, server, ran);
}

async function checkOutcome(
  fix: FixCase,
  server: Server,
  ran: readonly CommandResult[],
): Promise<void> {
  const { text, line, outcome, instead } = fix;
  if (outcome instanceof RegExp)
    return expect(ran.map(({ stdout, stderr }) => stdout + stderr).join("")).toMatch(outcome);
  if (typeof outcome === "function") return void (await outcome(server, ran));
  if (outcome === "the message is gone")
    return expect(findText(await printMessage(server, fix), text)).toBeUndefined();
  const [value = ""] = (ran[0]?.stdout ?? "").split(/[\t\n]/);
  const again = instead === undefined ? String(line) : String(line).replace(instead, value);
  const { code, stderr } = await server.attempt(again);
  if (code !== 0) throw new Error(`${again} still fails after the fix:\n${stderr}`);
}
