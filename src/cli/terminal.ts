import { writeSync } from "node:fs";
import { styleText } from "node:util";
import { errorInWords, AppError } from "../domain/errors.ts";
import { escapeJson, safe } from "../domain/text.ts";
import { sleep } from "../platform/sleep.ts";
import { usageError } from "./failure.ts";
import { DEFAULT_LIMIT } from "./flags.ts";
import { type Io, widthOf } from "./io.ts";
import { fieldText, toFields } from "./output/fields.ts";
import { type Column, safeLines, toTable, toTsv } from "./output/table.ts";
import { createInterface } from "node:readline";

export type GlobalFlags = {
  dataDir: string | undefined;
  business: string | undefined;
  /** The value of --business on the command line; undefined if it is from the environment. */
  typedBusiness: string | undefined;
  /**
   * All values of `--business`, which can be repeated for commands that accept several businesses.
   */
  businesses: readonly string[];
  json: boolean;
  quiet: boolean;
  verbose: boolean;
  color: boolean;
  prompt: boolean;
  yes: boolean;
  /** The command runs in full but saves nothing. */
  dryRun: boolean;
};

/** Talks with the person or script that runs a command: data go to stdout, messages to stderr. */
export class Terminal {
  readonly program: string;
  readonly io: Io;
  readonly flags: GlobalFlags;

  constructor(program: string, io: Io, flags: GlobalFlags) {
    this.program = program;
    this.io = io;
    this.flags = flags;
  }

  /**
   * Prints a message on stderr, unless --quiet is set. Names of files and objects in it are
   * escaped, so that a line break in one of them cannot forge another message.
   */
  note(...lines: string[]): void {
    if (!this.flags.quiet)
      this.io.stderr.write(lines.map((line) => `${safe(line, 10_000)}\n`).join(""));
  }

  // styleText itself checks the stream and NO_COLOR.
  paint(style: "bold" | "green" | "red" | "dim", text: string): string {
    const { stdout } = this.io;
    return this.flags.color && stdout.isTTY ? styleText(style, text, { stream: stdout }) : text;
  }

  /** Writes text to stdout. The command waits while its terminal is stopped, as with Ctrl-S. */
  print(text: string): void {
    this.beforePrint();
    this.io.stdout.write(text);
  }

  /**
   * Called first by `print`. A subclass releases here what a command must not hold while a stopped
   * terminal makes it wait.
   */
  protected beforePrint(): void {}

  /** Prints a JSON document; with an indent of 0, a line of NDJSON. */
  printJson(value: unknown, indent = 2): void {
    this.print(`${this.toJson(value, indent)}\n`);
  }

  toJson(value: unknown, indent = 2): string {
    const json = JSON.stringify(value, null, indent);
    return this.io.stdout.isTTY ? escapeJson(json) : json;
  }

  /**
   * Writes text synchronously, so that a failure is known before the data are saved. The `write` of
   * the stream would report the failure only afterwards.
   * @param fix what to do if stdout cannot be written to
   * @throws AppError state_refuses, for example on a full disk or a closed pipe
   */
  printNow(text: string, fix: string): void {
    const { fd } = this.io.stdout;
    if (fd === undefined) return void this.io.stdout.write(text);
    try {
      writeWhole(fd, text);
    } catch (error) {
      throw new AppError(
        "state_refuses",
        `Cannot write to stdout, so nothing was saved: ${errorInWords(error)}.`,
        { fix },
      );
    }
  }

  /** Prints the content of a file: as it is in a pipe, escaped on a terminal. */
  printContent(content: string): void {
    const { stdout } = this.io;
    this.print(stdout.isTTY ? safeLines(content) : content);
  }

  /** Prints a table on a terminal, TSV in a pipe, and all fields with --json. */
  printList<Row>(
    rows: readonly Row[],
    columns: readonly Column<NoInfer<Row>>[],
    empty: string,
  ): void {
    if (this.flags.json) this.printJson({ data: rows });
    else if (rows.length === 0) this.note(empty);
    else this.print(this.toList(rows, columns));
  }

  /** Returns a table for a terminal, and TSV for a pipe. */
  toList<Row>(rows: readonly Row[], columns: readonly Column<NoInfer<Row>>[]): string {
    const { stdout } = this.io;
    if (!stdout.isTTY) return toTsv(rows, columns);
    const [titles = "", ...lines] = toTable(rows, columns, widthOf(stdout));
    return `${[this.paint("bold", titles), ...lines].join("\n")}\n`;
  }

  /** Prints the newest entries of a list and says how to see older ones. */
  printPage<Row extends { id: string }>(
    limit = DEFAULT_LIMIT,
    read: (limit: number) => Row[],
    columns: readonly Column<NoInfer<Row>>[],
    empty: string,
  ): void {
    // One row more than are shown tells whether there are older entries.
    const rows = read(limit + 1);
    const shown = rows.slice(0, limit);
    this.printList(shown, columns, empty);
    if (rows.length > limit)
      this.note(`There are older entries: add --before ${shown.at(-1)?.id}, or a larger --limit.`);
  }

  /** Prints one field per line; on a terminal, long values are wrapped. */
  printFields(fields: object): void {
    const { stdout } = this.io;
    const lines = stdout.isTTY
      ? toFields(fields, widthOf(stdout))
      : Object.entries(fields).map(([name, value]) => `${safe(name)}\t${fieldText(value)}`);
    this.print(lines.map((line) => `${line}\n`).join(""));
  }

  /**
   * Asks the user to confirm `action`, such as "Deleting x", by typing the name of the object.
   * Scripts pass --yes.
   * @throws AppError usage if the answer differs or nobody can be asked
   */
  async confirm(action: string, name: string): Promise<void> {
    if (this.flags.yes || this.flags.dryRun) return;
    if (!this.#canAsk()) throw usageError(`${action} needs a confirmation.`, "add --yes");
    const typed = await ask(this.io, `${action} cannot be undone. Type ${safe(name)} to confirm: `);
    if (typed.trim() !== name) throw usageError("The name does not match; nothing was changed.");
  }

  /**
   * Asks whether to do something that can be undone. Scripts pass --yes.
   * @param refusal thrown if nobody can be asked
   * @throws AppError usage if the answer is not yes
   */
  async agree(question: string, refusal: AppError): Promise<void> {
    if (this.flags.yes || this.flags.dryRun) return;
    await this.agreeInPerson(question, refusal);
  }

  /** Asks like `agree`, but throws `refusal` even with --yes: scripts confirm with another flag. */
  async agreeInPerson(question: string, refusal: AppError): Promise<void> {
    if (this.flags.yes || !this.#canAsk()) throw refusal;
    const typed = await ask(this.io, `${safe(question, 2000)} [y/N] `);
    if (!/^y(es)?$/i.test(typed.trim())) throw usageError("Nothing was changed.");
  }

  #canAsk(): boolean {
    return this.flags.prompt && this.io.stdin.isTTY === true && this.io.stderr.isTTY === true;
  }
}

/** How long a command that holds the write lock waits for the reader of a pipe. */
const MAX_WAIT_MS = 3000;
const POLL_MS = 10;

/**
 * Writes the whole text, even if a pipe or an almost full disk accepts only its beginning at first.
 * @throws Error of the system, or if the reader of a pipe is too slow
 */
function writeWhole(fd: number, text: string): void {
  let waitedMs = 0;
  for (let rest = Buffer.from(text); rest.length > 0;)
    try {
      rest = rest.subarray(writeSync(fd, rest));
    } catch (error) {
      // Node sets a pipe to non-blocking: a write to a full pipe fails with EAGAIN instead of
      // waiting.
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      if (waitedMs >= MAX_WAIT_MS)
        throw new Error("the program that reads it is too slow", { cause: error });
      sleep(POLL_MS);
      waitedMs += POLL_MS;
    }
}

/** Returns the typed line, or "" at the end of input. */
export function ask({ stdin, stderr }: Io, question: string): Promise<string> {
  const prompt = createInterface({ input: stdin, output: stderr });
  return new Promise<string>((resolve) => {
    const onEnd = () => {
      stderr.write("\n");
      resolve("");
    };
    prompt.on("close", onEnd);
    prompt.on("SIGINT", () => {
      prompt.close();
      // The prompt has caught Ctrl-C, which must still end the process.
      process.kill(process.pid, "SIGINT");
    });
    prompt.question(question, (typed) => {
      prompt.off("close", onEnd);
      prompt.close();
      resolve(typed);
    });
  });
}
