import { countOf, safe } from "../../domain/text.ts";
import { command } from "../command.ts";
import { duration, text, toggle } from "../flags.ts";
import { printSecretOnce } from "../output/print-secret-once.ts";
import { parseTime } from "../input/shared-flags.ts";
import { resolveEndpoint } from "../objects/resolve.ts";
import { isoTime } from "../output/table.ts";
import { usageError } from "../failure.ts";

const lifecycle = () => import("../../app/webhooks/endpoint-lifecycle.ts");

export const enable = command({
  name: "enable",
  about: "Enable a disabled endpoint and send its parked deliveries.",
  supportsDryRun: true,
  arguments: ["<endpoint>"],
  flags: {
    recover: text(
      "all|none|time",
      "which parked deliveries to send: all, none, or events since a time; the others are cancelled (default all)",
    ),
  },
  examples: ["webhooks enable whe_06f…", "webhooks enable whe_06f… --recover 00:00"],
  async run(cli, { recover = "all" }, nameOrId) {
    const rt = await cli.open();
    const { id, businessId } = resolveEndpoint(cli, rt, nameOrId);
    const { enableEndpoint } = await lifecycle();
    const timezone = rt.store.businesses.findById(businessId)?.doc.timezone ?? "UTC";
    const which =
      recover === "all" || recover === "none"
        ? recover
        : parseTime("--recover", recover, timezone, rt.now());
    const { recovered, cancelled } = enableEndpoint(rt, id, which);
    if (cli.flags.json) cli.printObject({ id, recovered, cancelled });
    cli.note(
      `${cli.verb("Enabled", "enable")} ${id}. Parked deliveries to send: ${recovered}; cancelled: ${cancelled}.`,
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
    cli.report(
      { id, cancelled },
      `${cli.verb("Deleted", "delete")} ${id} and ${cli.flags.dryRun ? "cancel" : "cancelled"} ${countOf(cancelled, "delivery")}.`,
    );
  },
});

export const rotateSecret = command({
  name: "rotate-secret",
  about:
    "Rotate a signing secret: print a new one; deliveries carry both signatures during the overlap.",
  supportsDryRun: true,
  arguments: ["<endpoint>"],
  flags: {
    overlap: duration("how long the old secret stays valid, at most 7d (default 24h)", [
      "0s",
      "7d",
    ]),
    finish: toggle("end the overlap now, after the receiver has the new secret"),
    force: toggle(
      "rotate even if the last rotation is unfinished; the oldest secret becomes invalid now",
    ),
    out: text("file", "write the secret to a new file (0600) instead of stdout"),
  },
  examples: [
    "webhooks rotate-secret whe_06f… --out new.secret",
    "webhooks rotate-secret whe_06f… --finish",
  ],
  async run(cli, { overlap, finish, force, out }, nameOrId) {
    const rt = await cli.open();
    const { id } = resolveEndpoint(cli, rt, nameOrId);
    const { finishSecretRotation, rotateEndpointSecret } =
      await import("../../app/webhooks/endpoint-secrets.ts");
    if (finish) {
      if (overlap !== undefined || force || out !== undefined)
        throw usageError("--finish cannot be combined with --overlap, --force or --out.");
      const finished = finishSecretRotation(rt, id);
      if (cli.flags.json) cli.printObject({ id, finished });
      return cli.note(
        finished
          ? `${cli.verb("Removed", "remove")} the old secret of ${id}.`
          : `${id} has no old secret to remove.`,
      );
    }
    await printSecretOnce(cli, out, () => {
      const { secret, oldEndsAt } = rotateEndpointSecret(rt, id, {
        overlapMs: overlap,
        force,
        allowNewMasterKey: force,
      });
      cli.note(
        oldEndsAt > rt.now()
          ? `Deliveries are signed with both secrets until ${isoTime(oldEndsAt)}, or until --finish.`
          : "Deliveries are signed with the new secret only.",
      );
      return { secret, owner: { id, oldSecretEndsAt: isoTime(oldEndsAt) } };
    });
  },
});
