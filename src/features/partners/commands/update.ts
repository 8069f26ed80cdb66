import { command } from "../../../cli/command.ts";
import { usageError } from "../../../cli/failure.ts";
import { choice, text } from "../../../cli/flags.ts";
import { describeGuestData } from "../../../domain/events/envelope.ts";
import { countOf, safe } from "../../../domain/text.ts";
import { toOutput } from "./partner-output.ts";
import { readSettings, settingFlags } from "./settings.ts";

export const update = command({
  name: "update",
  about:
    "Change what all keys of a partner may do, at every business at once. If --event-group is given, the partner's webhook endpoints are unsubscribed from all other groups.",
  supportsDryRun: true,
  arguments: ["<partner>"],
  flags: {
    name: text("name", "the new name of the partner, and of its keys that have the old one"),
    future: choice(["yes", "no"], "whether businesses that are created from now on join"),
    ...settingFlags(() => ""),
  },
  examples: [
    "partners update aggregator --total-minute 1200 --limit-minute 120",
    "partners update aggregator --scope services.read --event-group catalog --dry-run",
    "partners update aggregator --cidr 203.0.113.0/24",
  ],
  async run(cli, { name, future, ...flags }, nameOrId) {
    const wanted = {
      ...readSettings(flags),
      ...(name !== undefined && { name }),
      ...(future && { coversFuture: future === "yes" }),
    };
    if (Object.keys(wanted).length === 0)
      throw usageError("Nothing to change.", "add an option: deskbell partners update --help");
    const rt = await cli.open();
    const { getPartner } = await import("../partners.ts");
    const { updatePartner } = await import("../update-partner.ts");
    const former = getPartner(rt, nameOrId);
    const { partner, changes, narrowed } = updatePartner(rt, former.id, wanted);
    const endpoints = narrowed.map(({ id, name: endpoint, url }) => ({ id, name: endpoint, url }));
    const output = toOutput(rt, partner);
    const fields = Object.entries(changes);
    cli.report(
      { ...output, changes, narrowedEndpoints: endpoints },
      fields.length === 0
        ? `${safe(former.name)} has these settings already.`
        : `${cli.verb("Updated", "update")} ${safe(former.name)}, which reaches ${countOf(output.businesses, "business")}.`,
    );
    for (const [field, { from, to }] of fields)
      cli.note(`${labelOf(field)}: ${describe(from)} -> ${describe(to)}`);
    for (const { id, name: endpoint, url } of endpoints)
      cli.note(
        `${cli.verb("Unsubscribed", "unsubscribe")} its endpoint '${safe(endpoint)}' (${id}, ${new URL(url).host}) from events of other groups.`,
      );
    if (changes["scopes"] || changes["eventGroups"])
      cli.note(...describeGuestData({ ...partner, kind: "RESTRICTED" }));
  },
});

/** Returns the name of a setting for people: `limitMinute` -> `limit minute`. */
const labelOf = (field: string): string =>
  field.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const describe = (value: unknown): string => {
  // The address ranges are the only list that can be empty: any address may then use the keys.
  if (Array.isArray(value)) return value.length === 0 ? "any" : value.join(", ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  return safe(String(value));
};
