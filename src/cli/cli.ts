import { styleText } from "node:util";
import { createInterface } from "node:readline";
import { type Config, type ConfigFlags, readConfig } from "../config.ts";
import { AppError } from "../domain/errors.ts";
import { didYouMean } from "../domain/nearest.ts";
import { safe } from "../domain/safe-text.ts";
import type { Runtime } from "../app/runtime.ts";
import type { BusinessRow } from "../store/businesses.ts";
import { fieldText, toFields } from "./output/fields.ts";
import { dataExists, assertDataOwner } from "./data-owner.ts";
import { type Io, widthOf } from "./io.ts";
import { type Column, safeLines, toTable, toTsv } from "./output/table.ts";

/** The options that stand anywhere on the line. */
export type GlobalFlags = {
  dataDir: string | undefined;
  business: string | undefined;
  json: boolean;
  quiet: boolean;
  verbose: boolean;
  color: boolean;
  input: boolean;
  yes: boolean;
  /** The command runs in full and saves nothing. */
  dryRun: boolean;
};

/** What a command has to work with: the data, and the terminal. Data goes to stdout, everything said about it to stderr. */
export type Cli = ReturnType<typeof createCli>;

/** How long a command waits for another writer: longer than the largest apply takes. */
const BUSY_TIMEOUT_MS = 30_000;

export function createCli(program: string, io: Io, flags: GlobalFlags) {
  const opened: Runtime[] = [];

  /** Whatever names of files and objects stand in it. */
  const note = (text: string): void => {
    if (!flags.quiet) io.stderr.write(`${safeLines(text)}\n`);
  };

  // styleText looks at the stream and at NO_COLOR by itself.
  const paint = (style: "bold" | "green" | "red" | "dim", text: string): string =>
    flags.color && io.stdout.isTTY ? styleText(style, text, { stream: io.stdout }) : text;

  const config = (more: ConfigFlags = {}): Config => {
    const config = readConfig({ ...more, dataDir: flags.dataDir });
    if (flags.verbose) note(`data: ${config.dataDir}`);
    assertDataOwner(config);
    return config;
  };

  /** For what makes no sense without data. */
  const configOfData = (): Config => {
    const chosen = config();
    if (dataExists(chosen)) return chosen;
    throw new AppError("resource_not_found", `There is no deskbell data in ${chosen.dataDir}.`, {
      fix: "deskbell seed all, or name the right folder with --data-dir",
    });
  };

  return {
    program,
    io,
    flags,
    note,
    paint,
    config,

    configOfData,

    /** Opens the data, which must be there unless the command may be the first. */
    async open({ create = false, busyTimeoutMs = BUSY_TIMEOUT_MS } = {}): Promise<Runtime> {
      const chosen = create ? config() : configOfData();
      const { openRuntime } = await import("../app/runtime.ts");
      const runtime = openRuntime(chosen, busyTimeoutMs);
      opened.push(runtime);
      if (flags.dryRun) runtime.startDryRun();
      return runtime;
    },

    /** "Deleted", or in a dry run "Would delete". */
    verb: (past: string, infinitive: string): string =>
      flags.dryRun ? `Would ${infinitive}` : past,

    close(): void {
      for (const runtime of opened.splice(0)) runtime.close();
    },

    /** The business that was named, or the only one. */
    business(rt: Runtime, wanted = flags.business): BusinessRow {
      const all = rt.store.businesses.list();
      const slugs = all.map(({ slug }) => slug);
      const [only] = all;
      if (wanted === undefined) {
        if (all.length === 1 && only) return only;
        if (only)
          throw new AppError("usage", "There are several businesses.", {
            fix: `add --business ${slugs.join(" or ")}`,
          });
        throw new AppError("business_not_found", "There is no business yet.", {
          fix: "deskbell seed all",
        });
      }
      const named = all.find(({ slug }) => slug === wanted);
      if (named) return named;
      throw new AppError(
        "business_not_found",
        `No business '${wanted}'.${didYouMean(wanted, slugs)}`,
        {
          fix: "deskbell businesses list",
        },
      );
    },

    /** A table where a person looks, TSV in a pipe, all of each row with --json. */
    printList<Row>(rows: readonly Row[], columns: readonly Column<Row>[], empty: string): void {
      if (flags.json) io.stdout.write(jsonData(rows));
      else if (rows.length === 0) note(empty);
      else if (!io.stdout.isTTY) io.stdout.write(toTsv(rows, columns));
      else {
        const [titles = "", ...lines] = toTable(rows, columns, widthOf(io.stdout));
        io.stdout.write(`${[paint("bold", titles), ...lines].join("\n")}\n`);
      }
    },

    /** One object, a line a field; for a person what is long takes several. */
    printObject(object: object): void {
      if (flags.json) return void io.stdout.write(jsonData(object));
      const lines = io.stdout.isTTY
        ? toFields(object, widthOf(io.stdout))
        : Object.entries(object)
            .filter(([, value]) => value !== undefined)
            .map(([name, value]) => `${name}\t${fieldText(value)}`);
      io.stdout.write(lines.map((line) => `${line}\n`).join(""));
    },

    /** Has the name of what will be lost typed by the person at the terminal; a script says --yes. */
    async confirm(deed: string, name: string): Promise<void> {
      if (flags.yes || flags.dryRun) return;
      if (!flags.input || !io.stdin.isTTY || !io.stderr.isTTY)
        throw new AppError("usage", `${deed} needs a confirmation.`, { fix: "add --yes" });
      const typed = await ask(io, `${deed} cannot be undone. Type ${safe(name)} to go on: `);
      if (typed.trim() !== name)
        throw new AppError("usage", "That was not the name; nothing was changed.");
    },
  };
}

/** What is typed in answer; nothing when the input ends. Ctrl-c ends the program as it does anywhere else. */
function ask({ stdin, stderr }: Io, question: string): Promise<string> {
  const prompt = createInterface({ input: stdin, output: stderr });
  return new Promise<string>((resolve) => {
    const onEnd = () => {
      stderr.write("\n");
      resolve("");
    };
    prompt.on("close", onEnd);
    prompt.on("SIGINT", () => {
      prompt.close();
      process.kill(process.pid, "SIGINT");
    });
    prompt.question(question, (typed) => {
      prompt.off("close", onEnd);
      prompt.close();
      resolve(typed);
    });
  });
}

const jsonData = (data: unknown): string => `${JSON.stringify({ data }, null, 2)}\n`;
