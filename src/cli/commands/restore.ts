import { basename, resolve } from "node:path";
import type { Config } from "../../config.ts";
import { shellQuote } from "../../domain/text.ts";
import type { Cli } from "../cli.ts";
import { command } from "../command.ts";
import { usageError } from "../failure.ts";
import { text, toggle } from "../flags.ts";
import { shortTime } from "../output/table.ts";

const app = () => import("../../app/operations/restore.ts");

export const definition = command({
  supportsDryRun: true,
  arguments: ["[file]"],
  flags: {
    latest: text(
      "folder",
      "take over from another machine: restore the newest intact copy in its --backup-dir, so that it refuses to start again",
    ),
    newest: toggle("restore the newest intact backup of this server"),
    split: text(
      "folder",
      "become a second server: restore the newest intact copy in this --backup-dir with an ID of its own; its server goes on",
    ),
    fenced: toggle("with --latest: confirm that the other server is stopped and stays stopped"),
  },
  examples: [
    "restore .deskbell/backups/deskbell-20261120T021700Z.db",
    "restore --newest --yes",
    "restore --latest /mnt/nas/deskbell --fenced",
  ],
  async run(cli, { latest, newest, split, fenced }, named) {
    const config = cli.config();
    if (latest !== undefined) return restoreLatest(cli, config, resolve(latest), fenced, named);
    if (fenced) throw usageError("--fenced needs --latest.", "deskbell restore --help");
    const folder = split ?? (newest ? config.backupFolder : undefined);
    const file = folder === undefined ? named : await findNewest(cli, resolve(folder), named);
    if (file === undefined)
      throw usageError(
        "Missing argument <file>.",
        "deskbell backup list, or deskbell restore --help",
      );
    if (cli.flags.dryRun) return previewRestore(cli, config, file);
    const { restoreBackup } = await app();
    const previousData = await restoreBackup(config, file, await optionsOf(cli, config));
    if (split !== undefined) await renewServerId(cli);
    await report(cli, config, { file, previousData });
  },
});

/** @returns the newest intact backup in a folder */
async function findNewest(cli: Cli, folder: string, named: string | undefined): Promise<string> {
  if (named !== undefined)
    throw usageError(
      `--newest and --split choose the backup: leave out ${named}.`,
      "deskbell restore --help",
    );
  const { findNewestCopy } = await import("../../app/operations/take-over.ts");
  const { copy, skipped } = await findNewestCopy(folder);
  for (const reason of skipped) cli.note(`Skipped: ${reason}`);
  return copy.path;
}

/** Two servers with one ID could use the same --backup-dir. */
async function renewServerId(cli: Cli): Promise<void> {
  const rt = await cli.open();
  rt.tx(() => rt.store.file.renewServerId());
}

async function restoreLatest(
  cli: Cli,
  config: Config,
  dir: string,
  isFenced: boolean,
  file: string | undefined,
): Promise<void> {
  if (file !== undefined)
    throw usageError(`--latest chooses the copy: leave out ${file}.`, "deskbell restore --help");
  if (!isFenced)
    throw usageError(
      "--latest needs --fenced, which confirms that the other server is stopped and stays stopped. If both run, each takes bookings that the other does not know.",
      "stop the other server or switch its machine off, then add --fenced",
    );
  const { findNewestCopy, takeOver } = await import("../../app/operations/take-over.ts");
  const { copy, skipped } = await findNewestCopy(dir);
  for (const reason of skipped) cli.note(`Skipped: ${reason}`);
  const createdAt = new Date(copy.createdAt).toISOString();
  if (cli.flags.dryRun) return previewRestore(cli, config, copy.path);
  const result = await takeOver(config, dir, copy, await optionsOf(cli, config));
  await report(cli, config, { file: copy.path, ...result, createdAt, skipped });
  cli.note(
    `What was changed or booked after ${shortTime(createdAt)} is lost. The other server refuses to start with --backup-dir ${dir}; start this one with it: ${cli.program} serve --backup-dir ${shellQuote(dir)}`,
  );
}

const optionsOf = async (cli: Cli, { dataDir }: Config) => ({
  now: (await import("../../app/runtime.ts")).wallClock(),
  confirm: () => cli.confirm(`Restoring over ${dataDir}`, basename(dataDir)),
});

async function previewRestore(cli: Cli, config: Config, file: string): Promise<void> {
  const { databasePath } = config;
  const isThere = await (await app()).assertRestorable(config, file);
  if (cli.flags.json) cli.printObject({ file, replaces: isThere ? databasePath : null });
  cli.note(
    isThere
      ? `${file} is valid and would replace ${databasePath}, which would be kept as a copy.`
      : `${file} is valid and would become ${databasePath}.`,
  );
}

type Restored = Record<string, unknown> & { file: string; previousData: string | null };

async function report(cli: Cli, { masterKeyPath }: Config, restored: Restored): Promise<void> {
  const masterKeyMatches = (await app()).hasMatchingMasterKey(await cli.open());
  const { file, previousData } = restored;
  cli.report(
    { ...restored, masterKeyMatches },
    `Restored ${file}.${previousData === null ? "" : ` The previous data is in ${previousData}.`}`,
  );
  cli.note(
    "When the daemon starts, a catalog.changed event asks partners to fetch everything again.",
  );
  if (!masterKeyMatches)
    cli.note(
      `${masterKeyPath} cannot decrypt the signing secrets or guests of this backup: copy the matching master key there, or no webhook can be sent and no guest data can be read.`,
    );
}
