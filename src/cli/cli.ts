import { styleText } from "node:util";
import { createInterface } from "node:readline";
import { type Config, type ConfigFlags, readConfig } from "../config.ts";
import { AppError } from "../domain/errors.ts";
import { safe } from "../domain/text.ts";
import { getBusiness } from "../app/businesses.ts";
import type { Runtime } from "../app/runtime.ts";
import type { BusinessRow } from "../store/businesses.ts";
import { fieldText, toFields } from "./output/fields.ts";
import { assertDataOwner, dataExists } from "./data-owner.ts";
import { type Io, widthOf } from "./io.ts";
import { type Column, safeLines, toTable, toTsv } from "./output/table.ts";

/** The options that every command accepts. */
export type GlobalFlags = {
  dataDir: string | undefined;
  business: string | undefined;
  json: boolean;
  quiet: boolean;
  verbose: boolean;
  color: boolean;
  prompt: boolean;
  yes: boolean;
  /** The command runs in full but saves nothing. */
  dryRun: boolean;
};

/**
 * The context of a running command: its data and its terminal. Data goes to stdout, messages to
 * stderr.
 */
export type Cli = ReturnType<typeof createCli>;

/** Wait for other writers longer than the largest `catalog apply` takes. */
const BUSY_TIMEOUT_MS = 30_000;

export function createCli(program: string, io: Io, flags: GlobalFlags) {
  const opened: Runtime[] = [];

  /**
   * Prints a message on stderr, unless --quiet is set. Names of files and objects in it are
   * escaped.
   */
  const note = (text: string): void => {
    if (!flags.quiet) io.stderr.write(`${safeLines(text)}\n`);
  };

  // styleText itself checks the stream and NO_COLOR.
  const paint = (style: "bold" | "green" | "red" | "dim", text: string): string =>
    flags.color && io.stdout.isTTY ? styleText(style, text, { stream: io.stdout }) : text;

  const loadConfig = (configFlags: ConfigFlags = {}): Config => {
    const config = readConfig({ ...configFlags, dataDir: flags.dataDir });
    if (flags.verbose) note(`data: ${config.dataDir}`);
    assertDataOwner(config);
    return config;
  };

  /** The configuration, for commands that need existing data. */
  const configWithData = (): Config => {
    const config = loadConfig();
    if (dataExists(config)) return config;
    throw new AppError("resource_not_found", `There is no deskbell data in ${config.dataDir}.`, {
      fix: "deskbell seed all, or choose another folder with --data-dir",
    });
  };

  return {
    program,
    io,
    flags,
    note,
    paint,

    config: loadConfig,
    configWithData,

    /** Opens the data, which must exist unless `create` is set. */
    async open({ create = false, busyTimeoutMs = BUSY_TIMEOUT_MS } = {}): Promise<Runtime> {
      const config = create ? loadConfig() : configWithData();
      const { openRuntime } = await import("../app/runtime.ts");
      const runtime = openRuntime(config, busyTimeoutMs);
      opened.push(runtime);
      if (flags.dryRun) runtime.startDryRun();
      return runtime;
    },

    /** Returns "Deleted", or "Would delete" in a dry run. */
    verb: (past: string, infinitive: string): string =>
      flags.dryRun ? `Would ${infinitive}` : past,

    close(): void {
      for (const runtime of opened.splice(0)) runtime.close();
    },

    /** The business given by --business, or the only one. */
    business(rt: Runtime, wantedSlug = flags.business): BusinessRow {
      if (wantedSlug !== undefined) return getBusiness(rt, wantedSlug);
      const [only, ...others] = rt.store.businesses.list();
      if (!only)
        throw new AppError("business_not_found", "There is no business yet.", {
          fix: "deskbell seed all",
        });
      if (others.length === 0) return only;
      throw new AppError("usage", "There are several businesses; choose one.", {
        fix: `add --business ${[only, ...others].map(({ slug }) => slug).join(" or ")}`,
      });
    },

    /** Prints a table on a terminal, TSV in a pipe, and all fields with --json. */
    printList<Row>(rows: readonly Row[], columns: readonly Column<Row>[], empty: string): void {
      if (flags.json) io.stdout.write(jsonData(rows));
      else if (rows.length === 0) note(empty);
      else if (!io.stdout.isTTY) io.stdout.write(toTsv(rows, columns));
      else {
        const [titles = "", ...lines] = toTable(rows, columns, widthOf(io.stdout));
        io.stdout.write(`${[paint("bold", titles), ...lines].join("\n")}\n`);
      }
    },

    /** Prints an object, one field per line; on a terminal, long values are wrapped. */
    printObject(object: object): void {
      if (flags.json) return void io.stdout.write(jsonData(object));
      const lines = io.stdout.isTTY
        ? toFields(object, widthOf(io.stdout))
        : Object.entries(object)
            .filter(([, value]) => value !== undefined)
            .map(([name, value]) => `${name}\t${fieldText(value)}`);
      io.stdout.write(lines.map((line) => `${line}\n`).join(""));
    },

    /**
     * Asks for the name of the object to confirm `action`, such as "Deleting x". Scripts pass
     * --yes.
     * @throws AppError usage if the answer differs or nobody can be asked
     */
    async confirm(action: string, name: string): Promise<void> {
      if (flags.yes || flags.dryRun) return;
      if (!flags.prompt || !io.stdin.isTTY || !io.stderr.isTTY)
        throw new AppError("usage", `${action} needs a confirmation.`, { fix: "add --yes" });
      const typed = await ask(io, `${action} cannot be undone. Type ${safe(name)} to confirm: `);
      if (typed.trim() !== name)
        throw new AppError("usage", "The name does not match; nothing was changed.");
    },
  };
}

/**
 * Returns the typed line, or "" at the end of input. Ctrl-C ends the program with SIGINT as usual.
 */
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
