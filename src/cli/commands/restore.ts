import { basename } from "node:path";
import { command } from "../command.ts";

export const restore = command({
  name: "restore",
  about:
    "Put a backup in the place of the data, while no daemon runs; the data that were there are kept beside it.",
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
      const isThere = assertRestorable(config, file);
      if (cli.flags.json) cli.printObject({ file, replaces: isThere ? config.databasePath : null });
      return cli.note(
        isThere
          ? `${file} is sound and would replace ${config.databasePath}, which would be kept beside it.`
          : `${file} is sound and would become ${config.databasePath}.`,
      );
    }
    const kept = await restoreBackup(config, file, {
      now: wallClock(),
      confirm: () => cli.confirm(`Restoring over ${config.dataDir}`, basename(config.dataDir)),
    });
    const rt = await cli.open();
    const isKeyThere = hasMatchingMasterKey(rt);
    if (cli.flags.json) cli.printObject({ file, kept, isMasterKeyThere: isKeyThere });
    cli.note(
      `The data are those of ${file}.${kept === null ? "" : ` Those that were there are in ${kept}.`}`,
    );
    cli.note("Partners are told to read everything again when the daemon runs (catalog.changed).");
    if (!isKeyThere)
      cli.note(
        `Its signing secrets do not open with ${config.masterKeyPath}: put the key file that belongs to it there, or no webhook goes out.`,
      );
  },
});
