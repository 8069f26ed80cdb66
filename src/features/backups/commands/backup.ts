import { existsSync, readFileSync } from "node:fs";
import { AppError } from "../../../domain/errors.ts";
import { byteSize, countOf } from "../../../domain/text.ts";
import { command } from "../../../cli/command.ts";
import type { Config } from "../../../config.ts";
import type { Cli } from "../../../cli/cli.ts";
import { EXIT, insertProgramName } from "../../../cli/failure.ts";
import { text, toggle } from "../../../cli/flags.ts";
import { createPrivateFile } from "../../../cli/input/new-file.ts";
import { shortTime, withIsoTimes } from "../../../cli/output/table.ts";

const loadBackups = () => import("../backups.ts");

const create = command({
  name: "create",
  isDefault: true,
  about:
    "Create a backup, also while the daemon runs, and wait until it is copied to --backup-dir and passed to --backup-command (exit code 6 if that fails). The daemon deletes old ones: it keeps the newest 7, and the newest of each of the last 7 days.",
  flags: {
    masterKeyOut: text(
      "file",
      "also copy the master key, which no backup contains, to a new file (0600)",
    ),
  },
  examples: ["backup create", "backup create --master-key-out /media/stick/master.key"],
  async run(cli, { masterKeyOut }) {
    const rt = await cli.open();
    const { masterKeyPath } = rt.config;
    if (masterKeyOut !== undefined && !existsSync(masterKeyPath)) {
      const { ensureMasterKey } = await import("../../../app/master-key.ts");
      ensureMasterKey(rt);
    }
    const keyFile = masterKeyOut === undefined ? undefined : createPrivateFile(masterKeyOut);
    const [{ createBackup }, { recordKeyCopy }] = await Promise.all([
      loadBackups(),
      import("../copies/key-copies.ts"),
    ]);
    const { awaitCopy, isCopyDue } = await import("../copies/await-copy.ts");
    const made = await createBackup(rt)
      .then((backup) => {
        keyFile?.write(readFileSync(masterKeyPath, "utf8"));
        if (keyFile) recordKeyCopy(rt.config, rt.now());
        return backup;
      })
      .catch((error: unknown) => {
        keyFile?.discard();
        throw error;
      })
      .finally(() => keyFile?.close());
    const isDue = isCopyDue(rt);
    if (isDue) cli.note("Waiting for the copy; Ctrl-C keeps the backup …");
    const copy = isDue ? await awaitCopy(rt, made) : undefined;
    const { hasTag } = await import("../tag.ts");
    const isTagged = hasTag(made.path);
    cli.printObject({
      ...withIsoTimes(made, "createdAt"),
      masterKey: masterKeyOut,
      copied: copy?.isCopied ?? null,
      hasTag: isTagged,
    });
    if (!isTagged) await noteMissingTag(cli, rt.config);
    if (!keyFile && existsSync(masterKeyPath))
      cli.note(
        `The signing secrets in the backup are encrypted with ${masterKeyPath}: keep a copy of that file elsewhere.`,
      );
    if (copy === undefined || copy.isCopied) return EXIT.ok;
    const where = copy.isPartial === true ? "both places" : "another place";
    cli.note(`The backup was made, but not copied to ${where}: ${copy.reason}`);
    return EXIT.someFailed;
  },
});

async function noteMissingTag(cli: Cli, config: Config): Promise<void> {
  const { describeMissingTag } = await import("../authenticity.ts");
  const { why, fix } = describeMissingTag(config);
  cli.note(
    `The backup has no authentication tag, because ${why}: restore accepts it only with --untrusted.`,
  );
  cli.note(`fix: ${insertProgramName(fix, cli.program)}`);
}

const list = command({
  name: "list",
  about: "List backups, newest first.",
  examples: ["backup list", "backup list --json"],
  async run(cli) {
    const { listBackups } = await loadBackups();
    const rows = listBackups(cli.config()).map((row) => withIsoTimes(row, "createdAt"));
    cli.printList(
      rows,
      [
        { title: "CREATED", value: (row) => shortTime(row.createdAt), noTruncate: true },
        { title: "SIZE", value: (row) => byteSize(row.bytes), align: "right" },
        { title: "FILE", value: "path", noTruncate: true },
      ],
      `No backups yet. Create one: ${cli.program} backup`,
    );
    if (rows.length > 0) cli.note(`Restore one: ${cli.program} restore FILE`);
  },
});

const verify = command({
  name: "verify",
  about:
    "Check that a backup is complete and not damaged (exit code 7 if not), that the master key authenticates it, and that its data can be decrypted (exit code 6 if not).",
  arguments: ["<file>"],
  flags: {
    untrusted: toggle(
      "also accept a file that no key authenticates, such as a backup of version 0.2, and data that no key here decrypts",
    ),
  },
  examples: [
    "backup verify /var/lib/deskbell/backups/deskbell-20261120T021700Z.db",
    "backup verify old.db --json",
  ],
  async run(cli, { untrusted }, file) {
    const { verifyBackup } = await loadBackups();
    const { authenticate, unauthenticError } = await import("../authenticity.ts");
    const { findUnreadable } = await import("../restore/keys.ts");
    const config = cli.config();
    const verified = await verifyBackup(file);
    const { kind } = await authenticate(config, file);
    const { secrets, guests, keys, warning } = findUnreadable(config, file);
    cli.report(
      { ...verified, authenticity: kind, unreadable: { secrets, guests, keys } },
      `${file} is valid: ${byteSize(verified.bytes)}, schema ${verified.schema}.`,
    );
    if (kind === "authentic") cli.note("The master key authenticates it.");
    else {
      const { message, fix = "" } = unauthenticError(kind, file, config);
      cli.note(`${message} Restore accepts it only with --untrusted.`);
      cli.note(`fix: ${insertProgramName(fix, cli.program)}`);
    }
    if (warning !== null) cli.note(warning);
    const isAccepted = untrusted && kind !== "altered";
    return isAccepted || (kind === "authentic" && warning === null) ? EXIT.ok : EXIT.someFailed;
  },
});

const drill = command({
  name: "drill",
  about:
    "Restore a backup (default: the newest) into a temporary folder, read it with the master key, and delete it again. The daemon does so every month.",
  arguments: ["[file]"],
  examples: [
    "backup drill .deskbell/backups/deskbell-20261120T021700Z.db",
    "backup drill old.db --json",
  ],
  async run(cli, _flags, file) {
    const rt = await cli.open();
    const { drillBackup } = await import("../upkeep/drill.ts");
    const result = await drillBackup(rt, file);
    const { name, error, businesses, secrets } = result;
    if (error !== null)
      throw new AppError("state_refuses", `${name} could not be restored: ${error}`, {
        fix: "create a new backup and try that one: deskbell backup && deskbell backup drill",
      });
    cli.report(
      withIsoTimes(result, "at"),
      `${name} can be restored: ${countOf(businesses, "business")}, ${countOf(secrets, "signing secret")} decrypted.`,
    );
  },
});

export const definition = [create, list, verify, drill];
