import { existsSync, statSync } from "node:fs";
import { basename } from "node:path";
import { type Config, type ConfigFlags, readConfig } from "../config.ts";
import { AppError } from "../domain/errors.ts";
import { getBusiness } from "../app/businesses.ts";
import type { Runtime } from "../app/runtime.ts";
import type { BusinessRow } from "../store/businesses.ts";
import { assertNotInUse } from "../store/database/file-identity.ts";
import { storageError } from "../store/database/storage-error.ts";
import { insertBusiness } from "./failure.ts";
import { createNamer, getOnlyBusiness, howToBegin } from "./objects/names.ts";
import { inlineFields, toReadable } from "./output/readable.ts";
import { Terminal } from "./terminal.ts";

/** How long a command waits for other writers: longer than the largest `catalog apply` takes. */
const BUSY_TIMEOUT_MS = 30_000;

/** The context of a running command: its terminal, and the data that it opens. */
export class Cli extends Terminal {
  readonly #opened: Runtime[] = [];
  #usedBusiness: BusinessRow | undefined;
  /**
   * The text that names the database in messages about SQLite errors. `config()` sets it to the
   * path.
   */
  #databasePath = "the database";

  config(configFlags: ConfigFlags = {}): Config {
    const config = readConfig({ ...configFlags, dataDir: this.flags.dataDir });
    if (this.flags.verbose) this.note(`data: ${config.dataDir}`);
    this.#databasePath = config.databasePath;
    assertDataOwner(config);
    return config;
  }

  /**
   * Returns the configuration.
   * @throws AppError resource_not_found if the data folder has no database
   */
  configWithData(): Config {
    const config = this.config();
    if (dataExists(config)) return config;
    // A daemon may still use the deleted file, and must be stopped first.
    assertNotInUse(config.databasePath);
    throw new AppError("resource_not_found", `There is no deskbell data in ${config.dataDir}.`, {
      fix: existsSync(config.backupFolder)
        ? `put ${basename(config.databasePath)} back, or restore a backup: deskbell restore --newest`
        : `${howToBegin()}; or, if the data were moved, put them back or name their folder with --data-dir`,
    });
  }

  /** Opens the data, which must exist unless `create` is set. */
  async open({ create = false, busyTimeoutMs = BUSY_TIMEOUT_MS } = {}): Promise<Runtime> {
    const config = create ? this.config() : this.configWithData();
    const [{ openRuntime }, { loadOtherVisits }] = await Promise.all([
      import("../app/runtime.ts"),
      import("../app/bookings/other-visits.ts"),
    ]);
    // The code for the visits of features, such as ticket orders, is loaded now: a transaction may
    // need this code and cannot wait for an import.
    await loadOtherVisits();
    const runtime = openRuntime(config, busyTimeoutMs);
    this.#opened.push(runtime);
    if (this.flags.dryRun) runtime.startDryRun();
    return runtime;
  }

  async openBusiness(): Promise<{ rt: Runtime; business: BusinessRow }> {
    const rt = await this.open();
    return { rt, business: this.business(rt) };
  }

  close(): void {
    for (const runtime of this.#opened.splice(0)) runtime.close();
  }

  /**
   * Rolls back what a dry run has written, before the command prints. A terminal that is stopped
   * with Ctrl-S would otherwise keep the transaction open, and the daemon could not write. The text
   * to print is computed before. A command that reads data after printing no longer sees its own
   * changes.
   */
  protected override beforePrint(): void {
    for (const runtime of this.#opened) runtime.undoDryRun();
  }

  /**
   * Returns a known SQLite error as an AppError that names the database file. Any other AppError
   * about a business gets the user's `--business` option in the commands of its fix, because these
   * commands would otherwise ask for a business.
   */
  explain(error: unknown): unknown {
    const known = storageError(error, this.#databasePath);
    if (known || !(error instanceof AppError)) return known ?? error;
    const { code, message, fix, issues, extensions } = error;
    const slug = this.flags.business;
    // Until the data are opened, only usage errors concern a business. The fix for an unknown
    // business lists all businesses, and so needs no --business.
    const isOfBusiness =
      code === "usage" || (this.#opened.length > 0 && code !== "business_not_found");
    if (!isOfBusiness || !slug || !fix || fix.includes("--business")) return error;
    return new AppError(code, message, { fix: insertBusiness(fix, slug), issues, extensions });
  }

  /**
   * Returns the business with the given slug. The default slug is that of `--business`. If neither
   * is given, the only business is returned.
   */
  business(rt: Runtime, wantedSlug = this.flags.business): BusinessRow {
    this.#usedBusiness =
      wantedSlug === undefined ? getOnlyBusiness(rt) : getBusiness(rt, wantedSlug);
    return this.#usedBusiness;
  }

  /**
   * Returns the ID of the business that `--business` names, or undefined if the option is not
   * given.
   */
  businessId(rt: Runtime): string | undefined {
    const { business } = this.flags;
    return business === undefined ? undefined : getBusiness(rt, business).id;
  }

  /** Returns "Deleted", or "Would delete" in a dry run. */
  verb(past: string, infinitive: string): string {
    return this.flags.dryRun ? `Would ${infinitive}` : past;
  }

  /** Prints the object on stdout if `--json` is given. The text is a note on stderr. */
  report(object: object, text: string): void {
    if (this.flags.json) this.printObject(object);
    this.note(text);
  }

  /**
   * Prints the fields of an object for people, or the object as JSON with --json.
   * @param forPeople the object whose fields are printed without --json
   */
  printObject(object: object, forPeople = object): void {
    if (this.flags.json) return this.printJson({ data: object });
    const rt = this.#opened.at(-1);
    const nameOf = rt ? createNamer(rt, this.#usedBusiness) : () => undefined;
    const readable = toReadable(forPeople, { business: this.#usedBusiness?.doc, nameOf });
    this.printFields(this.io.stdout.isTTY ? readable : inlineFields(readable));
  }
}

/**
 * Refuses to run as root on data of another user, because this user could not read the files that
 * root creates. Root does not give the files to the user either: a link that the user put in the
 * folder could lead root to another file.
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

/**
 * Returns the owner of a path; undefined if it does not exist or a parent folder is not readable.
 */
function visibleOwnerOf(path: string): number | undefined {
  try {
    return ownerOf(path);
  } catch {
    return undefined;
  }
}

const ownerOf = (path: string): number | undefined =>
  statSync(path, { throwIfNoEntry: false })?.uid;
