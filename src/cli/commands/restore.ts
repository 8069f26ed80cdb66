import { basename } from "node:path";
import { command } from "../command.ts";

export const definition = command({
  supportsDryRun: true,
  arguments: ["<file>"],
  examples: ["restore .deskbell/backups/deskbell-20261120T021700Z.db", "restore old.db --yes"],
  async run(cli, _flags, file) {
    const config = cli.config();
    const [{ hasMatchingMasterKey, assertRestorable, restoreBackup }, { wallClock }] =
      await Promise.all([
        import("../../app/operations/restore.ts"),
        import("../../app/runtime.ts"),
      ]);
    if (cli.flags.dryRun) {
      const isThere = await assertRestorable(config, file);
      if (cli.flags.json) cli.printObject({ file, replaces: isThere ? config.databasePath : null });
      return cli.note(
        isThere
          ? `${file} is valid and would replace ${config.databasePath}, which would be kept as a copy.`
          : `${file} is valid and would become ${config.databasePath}.`,
      );
    }
    const previousData = await restoreBackup(config, file, {
      now: wallClock(),
      confirm: () => cli.confirm(`Restoring over ${config.dataDir}`, basename(config.dataDir)),
    });
    const rt = await cli.open();
    const masterKeyMatches = hasMatchingMasterKey(rt);
    cli.report(
      { file, previousData, masterKeyMatches },
      `Restored ${file}.${previousData === null ? "" : ` The previous data is in ${previousData}.`}`,
    );
    cli.note(
      "When the daemon starts, a catalog.changed event asks partners to fetch everything again.",
    );
    if (!masterKeyMatches)
      cli.note(
        `${config.masterKeyPath} cannot decrypt the signing secrets of this backup: copy the matching master key there, or no webhook can be sent.`,
      );
  },
});
