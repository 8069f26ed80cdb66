import { command } from "../../../cli/command.ts";
import { integer, toggle } from "../../../cli/flags.ts";
import { shortTime } from "../../../cli/output/table.ts";
import { toListed } from "../listed-mail.ts";
import { createReportStore } from "../store.ts";

const DEFAULT_LIMIT = 50;

const list = command({
  name: "list",
  about:
    "List the newest mails to guests, without their addresses: what was sent, waits or failed.",
  flags: {
    unsent: toggle("only mails that were refused or discarded"),
    limit: integer(1, 1000, `number of mails (default ${DEFAULT_LIMIT})`),
  },
  examples: ["guest-mail list", "guest-mail list --unsent --json"],
  async run(cli, { unsent, limit = DEFAULT_LIMIT }) {
    const rt = await cli.open();
    const businessId = cli.businessId(rt) ?? null;
    const mails = rt.openStore(createReportStore).list({ businessId, unsent, limit });
    cli.printList(
      mails.map(toListed),
      [
        "id",
        "kind",
        { title: "VISIT", value: ({ visitId }) => visitId, noTruncate: true },
        "status",
        { title: "ATTEMPTS", value: ({ attempts }) => String(attempts), optional: true },
        { title: "CREATED", value: ({ createdAt }) => shortTime(createdAt), noTruncate: true },
        { title: "REASON", value: ({ reason }) => reason ?? "", optional: true },
      ],
      "No mails.",
    );
  },
});

export const definition = [list];
