import type { Cli } from "../../../cli/cli.ts";
import { getBusiness } from "../../../app/businesses.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { command } from "../../../cli/command.ts";
import { usageError } from "../../../cli/failure.ts";
import { toggle } from "../../../cli/flags.ts";
import { isoTime } from "../../../cli/output/table.ts";
import { describeGuestData } from "../../../domain/events/envelope.ts";
import { countOf, safe, shellQuote } from "../../../domain/text.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import { DEFAULT_SETTINGS } from "../rules.ts";
import { createPartnerStore, type PartnerRow } from "../store.ts";
import { createKey, keyFlags, parseHash, printKeyOnce } from "./partner-keys.ts";
import { toOutput } from "./partner-output.ts";
import { add, exclude, remove } from "./reach.ts";
import { readSettings, settingFlags } from "./settings.ts";
import { update } from "./update.ts";

const create = command({
  name: "create",
  about:
    "Create a partner, whose keys are valid at several businesses, and print its first key on stdout. It is shown only once.",
  supportsDryRun: true,
  arguments: ["<name>"],
  flags: {
    all: toggle("all businesses that this server has now, instead of those of --business"),
    future: toggle("with --all: also businesses that are created later"),
    ...settingFlags((standard) => ` (default ${standard})`),
    ...keyFlags,
  },
  examples: [
    "partners create portal --business salon-aurora --business cafe-lumen",
    "partners create directory --all --future --scope services.read --out directory.key",
  ],
  async run(cli, { keyHash, out, all, future, selfRotation, ...flags }, name) {
    const rt = await cli.open();
    const businesses = chooseBusinesses(cli, rt, { all, future });
    const given = readSettings(flags);
    const { createPartner } = await import("../partners.ts");
    const input = {
      name,
      businesses,
      coversAll: all,
      coversFuture: future,
      ...DEFAULT_SETTINGS,
      ...given,
      secretHash: parseHash(keyHash),
      selfRotation,
    };
    const { key } = printKeyOnce(cli, rt, out, keyHash, () => createPartner(rt, input));
    if (!cli.flags.json)
      cli.note(
        `${cli.verb("Created", "create")} ${safe(name)}, which reaches ${countOf(businesses.length, "business")}.`,
        ...describeGuestData(key),
      );
  },
});

/** @throws AppError usage unless exactly one of --all and --business is given */
function chooseBusinesses(
  cli: Cli,
  rt: Runtime,
  { all, future }: { all: boolean; future: boolean },
): BusinessRow[] {
  const { businesses, typedBusiness } = cli.flags;
  // A business from the environment is only a default, which --all overrides.
  const slugs = new Set(all && typedBusiness === undefined ? [] : businesses);
  if (all === slugs.size > 0)
    throw usageError(
      "A partner needs either --all or at least one --business.",
      "add --business SLUG, or --all",
    );
  if (future && !all)
    throw usageError("--future is for a partner of all businesses.", "add --all, or omit --future");
  return all ? rt.store.businesses.list() : [...slugs].map((slug) => getBusiness(rt, slug));
}

const list = command({
  name: "list",
  about: "List the partners that reach several businesses; with --business, those that reach it.",
  examples: ["partners list", "partners list --business salon-aurora --json"],
  async run(cli) {
    const rt = await cli.open();
    const store = rt.openStore(createPartnerStore);
    const businessId = cli.businessId(rt);
    const partners = businessId === undefined ? store.list() : store.listOfBusiness(businessId);
    cli.printList(
      partners.map((partner) => toOutput(rt, partner)),
      [
        "name",
        { title: "BUSINESSES", value: "businesses", align: "right" },
        { title: "COVERS", value: coverageOf, optional: true },
        { title: "SCOPES", value: ({ scopes }) => scopes.join(" "), optional: true },
        { title: "EVENTS", value: ({ eventGroups }) => eventGroups.join(" "), optional: true },
        { title: "ID", value: "id", noTruncate: true, optional: true },
      ],
      "No partners with several businesses yet.",
    );
  },
});

const coverageOf = ({ coversAll, coversFuture }: Pick<PartnerRow, "coversAll" | "coversFuture">) =>
  `${coversAll ? "all at its creation" : "listed"}${coversFuture ? ", and future ones" : ""}`;

/** The most businesses that `partners show` lists. */
const SHOWN_BUSINESSES = 1000;

const show = command({
  name: "show",
  about: "Show a partner: its keys, endpoints, limits and businesses.",
  arguments: ["<partner>"],
  examples: ["partners show aggregator", "partners show aggregator --json"],
  async run(cli, _flags, name) {
    const rt = await cli.open();
    const { getPartner } = await import("../partners.ts");
    const partner = getPartner(rt, name);
    const store = rt.openStore(createPartnerStore);
    // The other commands print the number of businesses as `businesses`. This command lists the
    // slugs under that name, so the number is `reached`.
    const { businesses: reached, ...output } = toOutput(rt, partner);
    cli.printObject({
      ...output,
      reached,
      businesses: store.listReached(partner.id, "", SHOWN_BUSINESSES).map(({ slug }) => slug),
      excludedBy: store.listExcludedSlugs(partner.id),
      keys: rt.store.partnerAccess.listKeys(partner.id).map((key) => ({
        id: key.id,
        name: key.name,
        last4: key.last4,
        lastUsedAt: isoTime(key.lastUsedAt),
        expiresAt: isoTime(key.expiresAt),
        selfRotation: key.selfRotation,
        revokedAt: isoTime(key.revokedAt),
      })),
      endpoints: rt.store.endpoints
        .listOf({ businessId: null, partnerId: partner.id })
        .map(({ id, name: endpoint, url, status }) => ({ id, name: endpoint, url, status })),
    });
    if (reached > SHOWN_BUSINESSES)
      cli.note(`Only the first ${SHOWN_BUSINESSES} of ${reached} businesses are listed.`);
  },
});

const deleteCommand = command({
  name: "delete",
  about: "Delete a partner with its endpoints. Its keys and its access to businesses end.",
  supportsDryRun: true,
  arguments: ["<partner>"],
  examples: ["partners delete aggregator --dry-run", "partners delete aggregator --yes"],
  async run(cli, _flags, name) {
    const rt = await cli.open();
    const { deletePartner, getPartner } = await import("../partners.ts");
    const partner = getPartner(rt, name);
    await cli.confirm(`Deleting the partner ${shellQuote(partner.name)}`, partner.name);
    const deleted = deletePartner(rt, partner);
    cli.report(
      { id: partner.id, name: partner.name, ...deleted },
      `${cli.verb("Deleted", "delete")} ${safe(partner.name)}, which reached ${countOf(deleted.businesses, "business")}.`,
    );
  },
});

export const definition = [
  create,
  list,
  show,
  update,
  createKey,
  add,
  remove,
  exclude,
  deleteCommand,
];
