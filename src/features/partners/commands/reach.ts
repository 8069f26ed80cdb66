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
  async run(cli, _flags, name) {
    const rt = await cli.open();
    const businesses = namedBusinesses(cli, rt);
    const { getPartner, removeBusinesses } = await import("../partners.ts");
    const partner = getPartner(rt, name);
    await agreeToEnd(cli, "Removing", partner, businesses);
    removeBusinesses(rt, partner, businesses, { isExclusion: false });
    reportReached(cli, rt, partner, [cli.verb("Removed", "remove"), "from"], businesses);
  },
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
  async run(cli, _flags, name) {
    const rt = await cli.open();
    const businesses = namedBusinesses(cli, rt);
    const { getPartner, removeBusinesses } = await import("../partners.ts");
    const partner = getPartner(rt, name);
    await agreeToEnd(cli, "Excluding", partner, businesses);
    removeBusinesses(rt, partner, businesses, { isExclusion: true });
    reportReached(cli, rt, partner, [cli.verb("Excluded", "exclude"), "from"], businesses);
  },
});

/** @throws AppError usage unless the user agrees that access ends */
const agreeToEnd = (
  cli: Cli,
  doing: string,
  { name }: PartnerRow,
  businesses: readonly BusinessRow[],
): Promise<void> =>
  cli.agree(
    `${doing} ${name} from ${listSlugs(businesses)} disables its endpoints there and releases its holds. Continue?`,
    usageError(`${doing} a partner needs a confirmation.`, "add --yes"),
  );

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
