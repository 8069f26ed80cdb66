import { countOf, safe } from "../../domain/text.ts";
import { command } from "../command.ts";
import { text } from "../flags.ts";
import { resolveEndpoint } from "../objects/objects.ts";

// This file has the commands of `webhooks` that enable, disable or delete an endpoint.

const lifecycle = () => import("../../app/webhooks/endpoint-lifecycle.ts");
const backlogMoves = () => import("../../app/webhooks/backlog-moves.ts");

export const enable = command({
  name: "enable",
  about:
    "Enable a disabled endpoint and send its parked deliveries. An active one that is waiting for its next probe is tried at once.",
  supportsDryRun: true,
  arguments: ["<endpoint>"],
  flags: {
    recover: text(
      "all|none|time",
      "which deliveries to send of those kept while it was disabled: all, none, or events since a past time, such as 30m or 08:00 at the business; the others are cancelled (default all)",
    ),
  },
  examples: ["webhooks enable whe_06f…", "webhooks enable whe_06f… --recover 00:00"],
  async run(cli, { recover = "all" }, nameOrId) {
    const rt = await cli.open();
    const endpoint = resolveEndpoint(cli, rt, nameOrId);
    const { id } = endpoint;
    const { enableEndpoint, parseRecover } = await lifecycle();
    const choice = parseRecover(rt, endpoint, recover);
    const { finishBacklogMove } = await backlogMoves();
    // An earlier command may not have finished parking the deliveries of the endpoint. The endpoint
    // cannot be enabled until this work is finished, not even in a dry run.
    finishBacklogMove(rt, id);
    const { recovered, cancelled } = enableEndpoint(rt, id, choice.recover);
    if (!cli.flags.dryRun) finishBacklogMove(rt, id);
    if (cli.flags.json) cli.printObject({ id, recovered, cancelled });
    cli.note(
      `${cli.verb("Enabled", "enable")} ${id}. Parked deliveries to send${choice.since === null ? "" : `, of events since ${choice.since}`}: ${recovered}; cancelled: ${cancelled}.`,
    );
  },
});

export const disable = command({
  name: "disable",
  about: "Disable an endpoint. Its deliveries are parked until it is enabled again.",
  supportsDryRun: true,
  arguments: ["<endpoint>"],
  examples: ["webhooks disable whe_06f…", "webhooks disable whe_06f… --json"],
  async run(cli, _flags, nameOrId) {
    const rt = await cli.open();
    const { id } = resolveEndpoint(cli, rt, nameOrId);
    const { disableEndpoint } = await lifecycle();
    const { parked } = disableEndpoint(rt, id, "manual");
    if (!cli.flags.dryRun) (await backlogMoves()).finishBacklogMove(rt, id);
    cli.report(
      { id, parked },
      `${cli.verb("Disabled", "disable")} ${id} and ${cli.flags.dryRun ? "park" : "parked"} ${countOf(parked, "delivery")}. To enable it again: ${cli.program} webhooks enable ${id}`,
    );
  },
});

export const deleteCommand = command({
  name: "delete",
  about: "Delete an endpoint and cancel its pending deliveries.",
  supportsDryRun: true,
  arguments: ["<endpoint>"],
  examples: ["webhooks delete whe_06f…", "webhooks delete whe_06f… --yes"],
  async run(cli, _flags, nameOrId) {
    const rt = await cli.open();
    const { id, name } = resolveEndpoint(cli, rt, nameOrId);
    const { deleteEndpoint } = await lifecycle();
    await cli.confirm(`Deleting the endpoint '${safe(name)}'`, name);
    const { cancelled } = deleteEndpoint(rt, id);
    if (!cli.flags.dryRun) (await backlogMoves()).finishBacklogMove(rt, id);
    cli.report(
      { id, cancelled },
      `${cli.verb("Deleted", "delete")} ${id} and ${cli.flags.dryRun ? "cancel" : "cancelled"} ${countOf(cancelled, "delivery")}.`,
    );
  },
});
