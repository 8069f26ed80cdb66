import { countOf, shellQuote } from "../../domain/text.ts";
import { command } from "../command.ts";

export const rotateMaster = command({
  name: "rotate-master",
  about:
    "Re-encrypt all signing secrets and guest data with a new master key, also while the daemon runs. The old key stays next to it as master.key.old-…, because it decrypts the backups made before; it authenticates no backup any more.",
  supportsDryRun: true,
  examples: ["keys rotate-master --dry-run", "keys rotate-master --json"],
  async run(cli) {
    const rt = await cli.open();
    const { rotateMasterKey } = await import("../../app/webhooks/endpoint-secrets.ts");
    const { countGuests } = await import("../../app/bookings/guests.ts");
    const { secrets, guests, reports, oldKeys } = rotateMasterKey(rt);
    const { lost: undecryptable } = countGuests(rt);
    const ofFeatures = Object.assign({}, ...reports.map(({ fields }) => fields));
    if (cli.flags.json) cli.printObject({ secrets, guests, undecryptable, ...ofFeatures, oldKeys });
    const verb = cli.verb("Re-encrypted", "re-encrypt");
    const what = `${countOf(secrets, "signing secret")} and the data of ${countOf(guests, "guest")}`;
    cli.note(`${verb} ${what} with a new master key.`);
    if (undecryptable > 0)
      cli.note(
        `No key in ${rt.config.masterKeyPath} decrypts the data of ${countOf(undecryptable, "guest")}, which stay as they are. If you have a copy of their key, add it as this command says: deskbell doctor`,
      );
    if (cli.flags.dryRun) return;
    for (const note of reports.flatMap(({ notes }) => notes)) cli.note(note);
    for (const path of oldKeys)
      cli.note(
        `The old key is now in ${path}: restore needs it to decrypt backups made before this rotation, and authenticates no backup with it. When no backup needs it any more, deskbell doctor says so; then delete it: rm ${shellQuote(path)}`,
      );
    cli.note(`Back up ${rt.config.masterKeyPath} with the database.`);
  },
});
