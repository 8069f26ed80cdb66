import { existsSync, readFileSync } from "node:fs";
import { AppError } from "../../domain/errors.ts";
import { byteSize } from "../../domain/byte-size.ts";
import { command, type CommandGroup } from "../command.ts";
import { text } from "../flags.ts";
import { createPrivateFile } from "../input/private-file.ts";
import { isoTime, shortTime } from "../output/table.ts";

const app = () => import("../../app/operations/backups.ts");

const create = command({
  name: "create",
  about:
    "Back the data up now, beside a running daemon. The nightly job keeps the newest 7 backups of the folder.",
  flags: {
    withKey: text(
      "file",
      "write the master key, which is not in a backup, to this new file (0600)",
    ),
  },
  examples: ["backup create", "backup create --with-key /media/stick/master.key"],
  async run(cli, { withKey }) {
    const rt = await cli.open();
    const { masterKeyPath } = rt.config;
    if (withKey !== undefined && !existsSync(masterKeyPath))
      throw new AppError(
        "resource_not_found",
        `There is no ${masterKeyPath}: deskbell doctor says whether one is missing.`,
        {
          fix: "deskbell backup",
        },
      );
    const keyFile = withKey === undefined ? undefined : createPrivateFile(withKey);
    const { createBackup } = await app();
    const made = await createBackup(rt).catch((error: unknown) => {
      keyFile?.discard();
      throw error;
    });
    keyFile?.write(readFileSync(masterKeyPath, "utf8"));
    cli.printObject({
      path: made.path,
      bytes: made.bytes,
      madeAt: isoTime(made.madeAt),
      masterKey: withKey,
    });
    if (!keyFile && existsSync(masterKeyPath))
      cli.note(
        `The signing secrets in it open with ${masterKeyPath} alone: keep a copy of that, elsewhere.`,
      );
  },
});

const list = command({
  name: "list",
  about: "List the backups, the newest first.",
  examples: ["backup list", "backup list --json"],
  async run(cli) {
    const { listBackups } = await app();
    const rows = listBackups(cli.config()).map((row) => ({ ...row, madeAt: isoTime(row.madeAt) }));
    cli.printList(
      rows,
      [
        { title: "MADE", value: (row) => shortTime(row.madeAt), noTruncate: true },
        { title: "SIZE", value: (row) => byteSize(row.bytes), align: "right" },
        { title: "FILE", value: (row) => row.path, noTruncate: true },
      ],
      `No backup yet: ${cli.program} backup`,
    );
    if (rows.length > 0) cli.note(`Put one in the place of the data: ${cli.program} restore FILE`);
  },
});

const verify = command({
  name: "verify",
  about: "Read a backup from end to end and say whether it is sound.",
  arguments: ["<file>"],
  examples: [
    "backup verify /var/lib/deskbell/backups/deskbell-20261120T021700Z.db",
    "backup verify old.db --json",
  ],
  async run(cli, _flags, file) {
    const { verifyBackup } = await app();
    const verified = verifyBackup(file);
    if (cli.flags.json) cli.printObject(verified);
    cli.note(`${file} is sound: ${byteSize(verified.bytes)}, schema ${verified.schema}.`);
  },
});

export const backup: CommandGroup = {
  name: "backup",
  about: "Copies of the data; alone: make one now.",
  commands: [create, list, verify],
  defaultCommand: create,
};
