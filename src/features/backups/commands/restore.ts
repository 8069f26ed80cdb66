import { basename, resolve } from "node:path";
import type { Restored, RestorePlan, RestoreTrust } from "../restore/restore.ts";
import type { Config } from "../../../config.ts";
import { AppError } from "../../../domain/errors.ts";
import { shellQuote } from "../../../domain/text.ts";
import type { Cli } from "../../../cli/cli.ts";
import { command } from "../../../cli/command.ts";
import { insertProgramName, usageError } from "../../../cli/failure.ts";
import { text, toggle } from "../../../cli/flags.ts";
import { readBackupTime } from "../store/files.ts";
import { describePlan, isAdded, planToOutput } from "./restore-plan.ts";
import { shortTime } from "../../../cli/output/table.ts";

const loadRestore = () => import("../restore/restore.ts");

/** What JSON output says of a restore besides its plan. */
type Facts = Record<string, unknown> & { file: string };

/** `acceptErasureGap` accepts that erased guests may come back. */
type Acceptance = RestoreTrust & { acceptErasureGap: boolean };

export const definition = command({
  supportsDryRun: true,
  arguments: ["[file]"],
  flags: {
    latest: text(
      "folder",
      "take over from another machine: restore the newest intact copy in its --backup-dir; the other machine's server then refuses to start",
    ),
    newest: toggle("restore the newest intact backup of this server"),
    split: text(
      "folder",
      "become a second server: restore the newest intact copy in this --backup-dir with an ID of its own; its server goes on",
    ),
    fenced: toggle(
      "with --latest: confirm that the other server is stopped and stays stopped; not needed after a handover",
    ),
    untrusted: toggle(
      "also restore a file that the master key does not authenticate, such as a backup of version 0.2; the keys, endpoints, calendars and destinations that it adds are listed and disabled",
    ),
    keepAdded: toggle("with --untrusted: leave enabled what the file adds, which you have checked"),
    keepMoved: toggle(
      "bring back the businesses that have moved to another server since the backup; both would take bookings",
    ),
    acceptErasureGap: toggle(
      "restore although no list of erased guests is newer than the file: those erased since come back",
    ),
  },
  examples: [
    "restore .deskbell/backups/deskbell-20261120T021700Z.db",
    "restore --newest --yes",
    "restore .deskbell/backups/deskbell-20261120T021700Z.db --untrusted --dry-run",
    "restore --latest /mnt/nas/deskbell",
    "restore --latest /mnt/nas/deskbell --fenced",
  ],
  async run(cli, { latest, newest, split, fenced, ...acceptance }, fileArgument) {
    const config = cli.config();
    if (acceptance.keepAdded && !acceptance.untrusted)
      throw usageError("--keep-added needs --untrusted.", "deskbell restore --help");
    if ([latest !== undefined, newest, split !== undefined].filter(Boolean).length > 1)
      throw usageError("Give one of --latest, --newest and --split.", "deskbell restore --help");
    if (latest !== undefined)
      return restoreLatest(cli, config, resolve(latest), fenced, fileArgument, acceptance);
    if (fenced) throw usageError("--fenced needs --latest.", "deskbell restore --help");
    const folder = split ?? (newest ? config.backupFolder : undefined);
    const choice = split === undefined ? "--newest" : `--split ${shellQuote(resolve(split))}`;
    const file =
      folder === undefined
        ? fileArgument
        : await findNewest(cli, resolve(folder), fileArgument, { ...acceptance, choice });
    if (file === undefined)
      throw usageError(
        "Missing argument <file>.",
        "deskbell backup list, or deskbell restore --help",
      );
    if (cli.flags.dryRun) return previewRestore(cli, config, { file }, acceptance);
    const { restoreBackup } = await loadRestore();
    const options = await optionsOf(cli, config, acceptance);
    const restored = await restoreBackup(config, file, {
      ...options,
      isSplit: split !== undefined,
    });
    await report(cli, config, restored, acceptance, { file });
    const madeAt = split === undefined ? undefined : readBackupTime(basename(file));
    if (madeAt !== undefined)
      cli.note(
        `This copy was made at ${shortTime(new Date(madeAt).toISOString())}. If the other server has run since, its changes are missing here: stop it, and restore its last copy.`,
      );
  },
});

/**
 * @param options `choice`: the flag with which the folder was chosen, for the command in an error
 * @returns the newest intact backup in a folder
 */
async function findNewest(
  cli: Cli,
  folder: string,
  fileArgument: string | undefined,
  { untrusted, choice }: Acceptance & { choice: string },
): Promise<string> {
  if (fileArgument !== undefined)
    throw usageError(
      `--newest and --split choose the backup: leave out ${fileArgument}.`,
      "deskbell restore --help",
    );
  const { findNewestCopy } = await import("../restore/take-over.ts");
  const command = `deskbell restore ${choice} --untrusted`;
  const { copy, skipped } = await findNewestCopy(cli.config(), folder, { untrusted, command });
  for (const reason of skipped) cli.note(`Skipped: ${reason}`);
  return copy.path;
}

async function restoreLatest(
  cli: Cli,
  config: Config,
  dir: string,
  isFenced: boolean,
  file: string | undefined,
  acceptance: Acceptance,
): Promise<void> {
  if (file !== undefined)
    throw usageError(`--latest chooses the copy: leave out ${file}.`, "deskbell restore --help");
  const { findLastCopy, findNewestCopy, takeOver } = await import("../restore/take-over.ts");
  const { copy, skipped } = await findNewestCopy(config, dir, {
    untrusted: acceptance.untrusted,
  });
  for (const reason of skipped) cli.note(`Skipped: ${reason}`);
  const last = findLastCopy(config, dir, copy);
  if (!isFenced && last === undefined)
    throw usageError(
      "--latest needs --fenced, which confirms that the other server is stopped and stays stopped. If both run, each takes bookings that the other does not know.",
      "run deskbell handover on the other server; if that is impossible, stop it or switch its machine off, then add --fenced",
    );
  const createdAt = new Date(copy.createdAt).toISOString();
  const facts = { file: copy.path, createdAt, isComplete: last !== undefined, skipped };
  if (cli.flags.dryRun)
    return previewRestore(cli, config, facts, { ...acceptance, isTakeover: true });
  const options = { ...(await optionsOf(cli, config, acceptance)), last };
  const restored = await takeOver(config, dir, copy, options);
  await report(cli, config, restored, acceptance, { ...facts, epoch: restored.epoch });
  cli.note(
    last === undefined
      ? `What was changed or booked after ${shortTime(createdAt)} is lost. The other server refuses to start with --backup-dir ${dir}; start this one with it: ${cli.program} serve --backup-dir ${shellQuote(dir)}`
      : `The other server was handed over with this copy, so nothing is lost, and it refuses to start. Start this one: ${cli.program} serve --backup-dir ${shellQuote(dir)}`,
  );
}

const optionsOf = async (
  cli: Cli,
  { dataDir }: Config,
  { acceptErasureGap, ...trust }: Acceptance,
) => ({
  ...trust,
  now: (await import("../../../app/runtime.ts")).wallClock(),
  confirm(plan: RestorePlan) {
    describePlan(cli, plan, trust);
    return cli.confirm(`Restoring over ${dataDir}`, basename(dataDir));
  },
  acceptGap: async (gap: AppError) =>
    acceptErasureGap ? undefined : cli.agreeInPerson(`${gap.message} Restore?`, gap),
});

async function previewRestore(
  cli: Cli,
  config: Config,
  facts: Facts,
  { acceptErasureGap, ...trust }: Acceptance & { isTakeover?: boolean },
): Promise<void> {
  const { databasePath } = config;
  const { file } = facts;
  const { planRestore } = await loadRestore();
  const { wallClock } = await import("../../../app/runtime.ts");
  const plan = await planRestore(config, file, { ...trust, now: wallClock() });
  if (cli.flags.json)
    cli.printObject({
      ...facts,
      replaces: plan.replaces ? databasePath : null,
      ...planToOutput(plan),
    });
  cli.note(
    plan.replaces
      ? `${file} is valid and would replace ${databasePath}, which would be kept as a copy.`
      : `${file} is valid and would become ${databasePath}.`,
  );
  describePlan(cli, plan, trust);
  if (plan.erasures.gap !== null && !acceptErasureGap)
    cli.note(
      "The restore asks whether these guests may come back; without a terminal, it needs --accept-erasure-gap.",
    );
}

async function report(
  cli: Cli,
  config: Config,
  restored: Restored,
  trust: RestoreTrust,
  facts: Facts,
): Promise<void> {
  const masterKeyMatches = (await loadRestore()).hasMatchingMasterKey(await cli.open());
  const { previousData, tagError, isAuthentic, access } = restored;
  const { file } = facts;
  cli.report(
    { ...facts, previousData, tagError, ...planToOutput(restored), masterKeyMatches },
    `Restored ${file}.${previousData === null ? "" : ` The previous data is in ${previousData}.`}`,
  );
  if (tagError !== null)
    cli.note(
      `The previous data could not be authenticated (${tagError}): a restore of them needs --untrusted.`,
    );
  // If there were no data to replace, nobody had to confirm the plan, so it has not been shown yet.
  if (previousData === null) describePlan(cli, restored, trust);
  if (!isAuthentic && !trust.keepAdded && access.filter(isAdded).some(({ kind }) => kind === "key"))
    cli.note(
      "Create a new key for each partner whose key was disabled: deskbell keys create --business SLUG --name NAME --scope SCOPE",
    );
  const refusal = await findRefusal(config);
  if (refusal !== undefined) {
    cli.note(`The daemon still refuses to start: ${refusal.message}`);
    cli.note(`fix: ${insertProgramName(refusal.fix ?? "", cli.program)}`);
  } else if (facts["isComplete"] !== true)
    cli.note(
      "When the daemon starts, a catalog.changed event asks partners to fetch everything again.",
    );
  if (!masterKeyMatches)
    cli.note(
      `${config.masterKeyPath} cannot decrypt the signing secrets or guests of this backup: copy the matching master key there, or no webhook can be sent and no guest data can be read.`,
    );
}

/** Returns why the daemon refuses to start because another server continues with the data. */
async function findRefusal(config: Config): Promise<AppError | undefined> {
  const { guardHandedOver } = await import("../handover/write-guard.ts");
  try {
    guardHandedOver(config)();
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
