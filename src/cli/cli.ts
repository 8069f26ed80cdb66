import { styleText } from "node:util";
import { type Config, type ConfigFlags, readConfig } from "../config.ts";
import { errorInWords } from "../domain/error-words.ts";
import { AppError } from "../domain/errors.ts";
import { escapeJson, safe } from "../domain/text.ts";
import { getBusiness } from "../app/businesses.ts";
import type { Runtime } from "../app/runtime.ts";
import type { BusinessRow } from "../store/businesses.ts";
import { fieldText, toFields } from "./output/fields.ts";
import { inlineFields, toReadable } from "./output/readable.ts";
import { createNamer } from "./objects/names.ts";
import { CREATE_DATA, getOnlyBusiness } from "./objects/only-business.ts";
import { ask } from "./input/ask.ts";
import { type Io, widthOf } from "./io.ts";
import { type Column, safeLines, toTable, toTsv } from "./output/table.ts";
import { usageError } from "./failure.ts";
import { assertNotInUse } from "../store/file-identity.ts";
import { storageError } from "../store/storage-error.ts";
import { DEFAULT_LIMIT } from "./flags.ts";
import { existsSync, statSync, writeSync } from "node:fs";
import { basename } from "node:path";

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

/** The context of a running command. Data goes to stdout, messages to stderr. */
export type Cli = ReturnType<typeof createCli>;

/** Wait for other writers longer than the largest `catalog apply` takes. */
const BUSY_TIMEOUT_MS = 30_000;

export function createCli(program: string, io: Io, flags: GlobalFlags) {
  const opened: Runtime[] = [];
  let usedBusiness: BusinessRow | undefined;
  let databasePath = "the database";

  /**
   * Prints a message on stderr, unless --quiet is set. Names of files and objects in it are
   * escaped, so that a line break in one of them cannot forge another message.
   */
  const note = (...lines: string[]): void => {
    if (!flags.quiet) io.stderr.write(lines.map((line) => `${safe(line, 10_000)}\n`).join(""));
  };

  /** Prints a JSON document, or a line of NDJSON with an indent of 0. */
  const printJson = (value: unknown, indent = 2): void =>
    void io.stdout.write(`${toJson(value, indent)}\n`);

  const toJson = (value: unknown, indent = 2): string => {
    const json = JSON.stringify(value, null, indent);
    return io.stdout.isTTY ? escapeJson(json) : json;
  };

  // styleText itself checks the stream and NO_COLOR.
  const paint = (style: "bold" | "green" | "red" | "dim", text: string): string =>
    flags.color && io.stdout.isTTY ? styleText(style, text, { stream: io.stdout }) : text;

  const loadConfig = (configFlags: ConfigFlags = {}): Config => {
    const config = readConfig({ ...configFlags, dataDir: flags.dataDir });
    if (flags.verbose) note(`data: ${config.dataDir}`);
    ({ databasePath } = config);
    assertDataOwner(config);
    return config;
  };

  const configWithData = (): Config => {
    const config = loadConfig();
    if (dataExists(config)) return config;
    assertNotInUse(config.databasePath);
    throw new AppError("resource_not_found", `There is no deskbell data in ${config.dataDir}.`, {
      fix: existsSync(config.backupFolder)
        ? `put ${basename(config.databasePath)} back, or restore a backup: deskbell restore --newest`
        : `${CREATE_DATA}; or, if the data were moved, put them back or name their folder with --data-dir`,
    });
  };

  const canAsk = (): boolean => flags.prompt && io.stdin.isTTY === true && io.stderr.isTTY === true;

  return {
    program,
    io,
    flags,
    note,
    paint,
    printJson,
    toJson,

    /**
     * Prints a line before it returns; the stream's own `write` reports an error only later.
     * @throws AppError state_refuses, for example on a full disk or a closed pipe
     */
    printNow(line: string): void {
      const { fd } = io.stdout;
      if (fd === undefined) return void io.stdout.write(`${line}\n`);
      try {
        writeSync(fd, `${line}\n`);
      } catch (error) {
        throw new AppError(
          "state_refuses",
          `Cannot write to stdout, so nothing was saved: ${errorInWords(error)}.`,
          {
            fix: "run the command again, with --out FILE to write to a new file",
          },
        );
      }
    },

    /** Prints the content of a file: as it is in a pipe, escaped on a terminal. */
    printContent: (content: string): void =>
      void io.stdout.write(io.stdout.isTTY ? safeLines(content) : content),

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

    /** Returns "created", or "would be created" in a dry run. */
    participle: (past: string): string => (flags.dryRun ? `would be ${past}` : past),

    /** Returns the known error for an error of SQLite, which does not name the file itself. */
    explain: (error: unknown): unknown => storageError(error, databasePath) ?? error,

    close(): void {
      for (const runtime of opened.splice(0)) runtime.close();
    },

    /** The business given by --business, or the only one. */
    business(rt: Runtime, wantedSlug = flags.business): BusinessRow {
      usedBusiness = wantedSlug === undefined ? getOnlyBusiness(rt) : getBusiness(rt, wantedSlug);
      return usedBusiness;
    },

    businessId: (rt: Runtime): string | undefined =>
      flags.business === undefined ? undefined : getBusiness(rt, flags.business).id,

    async openBusiness(): Promise<{ rt: Runtime; business: BusinessRow }> {
      const rt = await this.open();
      return { rt, business: this.business(rt) };
    },

    report(object: object, text: string): void {
      if (flags.json) this.printObject(object);
      note(text);
    },

    /** Prints a table on a terminal, TSV in a pipe, and all fields with --json. */
    printList<Row>(
      rows: readonly Row[],
      columns: readonly Column<NoInfer<Row>>[],
      empty: string,
    ): void {
      if (flags.json) printJson({ data: rows });
      else if (rows.length === 0) note(empty);
      else if (!io.stdout.isTTY) io.stdout.write(toTsv(rows, columns));
      else {
        const [titles = "", ...lines] = toTable(rows, columns, widthOf(io.stdout));
        io.stdout.write(`${[paint("bold", titles), ...lines].join("\n")}\n`);
      }
    },

    /** Prints the newest entries of a list and says how to see older ones. */
    printPage<Row extends { id: string }>(
      limit = DEFAULT_LIMIT,
      read: (limit: number) => Row[],
      columns: readonly Column<NoInfer<Row>>[],
      empty: string,
    ): void {
      const rows = read(limit + 1);
      const shown = rows.slice(0, limit);
      this.printList(shown, columns, empty);
      if (rows.length > limit)
        note(`There are older entries: add --before ${shown.at(-1)?.id}, or a larger --limit.`);
    },

    /**
     * Prints an object as people read it, or as it is with --json.
     * @param text printed instead without --json, for example with more names
     */
    printObject(object: object, text = object): void {
      if (flags.json) return printJson({ data: object });
      const rt = opened.at(-1);
      const nameOf = rt ? createNamer(rt, usedBusiness) : () => undefined;
      const readable = toReadable(text, { business: usedBusiness?.doc, nameOf });
      this.printFields(io.stdout.isTTY ? readable : inlineFields(readable));
    },

    /** Prints one field per line; on a terminal, long values are wrapped. */
    printFields(fields: object): void {
      const lines = io.stdout.isTTY
        ? toFields(fields, widthOf(io.stdout))
        : Object.entries(fields).map(([name, value]) => `${safe(name)}\t${fieldText(value)}`);
      io.stdout.write(lines.map((line) => `${line}\n`).join(""));
    },

    /**
     * Asks for the name of the object to confirm `action`, such as "Deleting x". Scripts pass
     * --yes.
     * @throws AppError usage if the answer differs or nobody can be asked
     */
    async confirm(action: string, name: string): Promise<void> {
      if (flags.yes || flags.dryRun) return;
      if (!canAsk()) throw usageError(`${action} needs a confirmation.`, "add --yes");
      const typed = await ask(io, `${action} cannot be undone. Type ${safe(name)} to confirm: `);
      if (typed.trim() !== name) throw usageError("The name does not match; nothing was changed.");
    },

    /**
     * Asks whether to do something that can be undone. Scripts pass --yes.
     * @param refusal thrown if nobody can be asked
     * @throws AppError usage if the answer is not yes
     */
    async agree(question: string, refusal: AppError): Promise<void> {
      if (flags.yes || flags.dryRun) return;
      await this.agreeInPerson(question, refusal);
    },

    /** Asks like `agree`, but --yes is no answer: scripts pass a flag of its own. */
    async agreeInPerson(question: string, refusal: AppError): Promise<void> {
      if (flags.yes || !canAsk()) throw refusal;
      const typed = await ask(io, `${safe(question, 2000)} [y/N] `);
      if (!/^y(es)?$/i.test(typed.trim())) throw usageError("Nothing was changed.");
    },
  };
}

/**
 * Refuses to run as root on data of another user, who could not read the files that root creates.
 * Changing their owner would make root follow links in a folder that another user controls.
 */
export function assertDataOwner({ dataDir, databasePath }: Config): void {
  if (process.getuid?.() !== 0) return;
  const owner = [dataDir, databasePath].map(ownerOf).find((uid) => uid !== undefined && uid !== 0);
  if (owner === undefined) return;
  throw new AppError(
    "not_permitted",
    `The data in ${dataDir} belongs to user ${owner}, who could not read files created by root.`,
    { fix: runAs(owner) },
  );
}

/**
 * Returns whether the database exists.
 * @throws AppError not_permitted if this user cannot read the folder: it may contain data
 */
export function dataExists({ dataDir, databasePath }: Config): boolean {
  try {
    return ownerOf(databasePath) !== undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EACCES") throw error;
    throw new AppError("not_permitted", `This user cannot read the data in ${dataDir}.`, {
      fix: runAs(visibleOwnerOf(dataDir)),
    });
  }
}

const runAs = (owner: number | undefined): string =>
  owner === undefined
    ? "run the command as the owner of the data"
    : `run the command as that user: sudo -u '#${owner}' deskbell …`;

/** Returns the owner of the path, or undefined if a parent folder is not readable. */
function visibleOwnerOf(path: string): number | undefined {
  try {
    return ownerOf(path);
  } catch {
    return undefined;
  }
}

const ownerOf = (path: string): number | undefined =>
  statSync(path, { throwIfNoEntry: false })?.uid;
