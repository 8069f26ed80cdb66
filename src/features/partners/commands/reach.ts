import type { Cli } from "../../../cli/cli.ts";
import { getBusiness } from "../../../app/businesses.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { command } from "../../../cli/command.ts";
import { usageError } from "../../../cli/failure.ts";
import { safe } from "../../../domain/text.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import type { PartnerRow } from "../store.ts";
import { toOutput } from "./partner-output.ts";

// These commands of `partners` change which businesses a partner reaches.

/**
 * Returns the businesses of --business; without it, the only business of the server.
 * @throws AppError usage if the server has several
 */
function namedBusinesses(cli: Cli, rt: Runtime): BusinessRow[] {
  const slugs = [...new Set(cli.flags.businesses)];
  return slugs.length > 0 ? slugs.map((slug) => getBusiness(rt, slug)) : [cli.business(rt)];
}

export const add = command({
  name: "add",
  about: "Let a partner reach another business, also one that has excluded it before.",
  supportsDryRun: true,
  arguments: ["<partner>"],
  examples: [
    "partners add aggregator --business kita-live",
    "partners add aggregator --business kita-live --dry-run",
  ],
  async run(cli, _flags, name) {
    const rt = await cli.open();
    const businesses = namedBusinesses(cli, rt);
    const { addBusinesses, getPartner } = await import("../partners.ts");
    const partner = getPartner(rt, name);
    addBusinesses(rt, partner, businesses);
    reportReached(cli, rt, partner, [cli.verb("Added", "add"), "to"], businesses);
  },
});

export const remove = command({
  name: "remove",
  about:
    "End a partner's access to a business: its webhook endpoints there are disabled and its holds released.",
  supportsDryRun: true,
  arguments: ["<partner>"],
  examples: [
    "partners remove aggregator --business cafe-lumen --yes",
    "partners remove aggregator --business cafe-lumen --dry-run",
  ],
  run: (cli, _flags, name) =>
    endAccess(cli, name, ["Removing", cli.verb("Removed", "remove")], { isExclusion: false }),
});

export const exclude = command({
  name: "exclude",
  about:
    "Exclude a partner from a business, as its owner: its access ends, and only `partners add` gives it back.",
  supportsDryRun: true,
  arguments: ["<partner>"],
  examples: [
    "partners exclude aggregator --business salon-aurora --yes",
    "partners exclude aggregator --business salon-aurora --dry-run",
  ],
  run: (cli, _flags, name) =>
    endAccess(cli, name, ["Excluding", cli.verb("Excluded", "exclude")], { isExclusion: true }),
});

/** @throws AppError usage unless the user agrees that access ends */
async function endAccess(
  cli: Cli,
  name: string,
  [doing, done]: readonly [string, string],
  options: { isExclusion: boolean },
): Promise<void> {
  const rt = await cli.open();
  const businesses = namedBusinesses(cli, rt);
  const { getPartner, removeBusinesses } = await import("../partners.ts");
  const partner = getPartner(rt, name);
  await cli.agree(
    `${doing} ${partner.name} from ${listSlugs(businesses)} disables its endpoints there and releases its holds. Continue?`,
    usageError(`${doing} a partner needs a confirmation.`, "add --yes"),
  );
  removeBusinesses(rt, partner, businesses, options);
  reportReached(cli, rt, partner, [done, "from"], businesses);
}

const listSlugs = (businesses: readonly BusinessRow[]): string =>
  businesses.map(({ slug }) => slug).join(", ");

function reportReached(
  cli: Cli,
  rt: Runtime,
  partner: PartnerRow,
  [verb, preposition]: readonly [string, string],
  businesses: readonly BusinessRow[],
): void {
  cli.report(
    toOutput(rt, partner),
    `${verb} ${safe(partner.name)} ${preposition} ${listSlugs(businesses)}.`,
  );
}
