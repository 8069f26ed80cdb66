import type { Cli } from "../../../cli/cli.ts";
import { getBusiness } from "../../../app/businesses.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { command } from "../../../cli/command.ts";
import { usageError } from "../../../cli/failure.ts";
import { choices, duration, integer, text, texts, toggle } from "../../../cli/flags.ts";
import { printSecretOnce } from "../../../cli/input/new-file.ts";
import { isoTime, withIsoTimes } from "../../../cli/output/table.ts";
import { DEFAULT_LIMITS, hashApiKey, isScope, SCOPES } from "../../../domain/api-key.ts";
import { describeGuestData } from "../../../domain/envelope.ts";
import { EVENT_GROUPS } from "../../../domain/event-types.ts";
import { countOf, safe, shellQuote } from "../../../domain/text.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import type { ListedKey } from "../../../store/keys.ts";
import { DEFAULT_GROUPS, DEFAULT_SCOPES, DEFAULT_TOTALS } from "../rules.ts";
import { createPartnerStore, type PartnerRow } from "../store.ts";

const MAX_REQUESTS = 1_000_000_000;
const HASH = /^[0-9a-f]{64}$/i;

const keyFlags = {
  keyHash: text(
    "sha256",
    "the keyHash that `partners create` printed on another server: the same key is then valid on both",
  ),
  out: text("file", "write the key to a new file (0600) instead of stdout"),
};

const create = command({
  name: "create",
  about:
    "Create a partner, whose keys are valid at several businesses, and print its first key on stdout. It is shown only once.",
  supportsDryRun: true,
  arguments: ["<name>"],
  flags: {
    all: toggle("all businesses that this server has now, instead of those of --business"),
    future: toggle("with --all: also businesses that are created later"),
    scope: texts(
      "scope",
      `what its keys may do: ${SCOPES.join(", ")} (repeatable, default: ${DEFAULT_SCOPES.join(", ")})`,
    ),
    eventGroup: choices(EVENT_GROUPS, "events of this group (repeatable, default: catalog)"),
    cidr: texts("cidr", "address range that may use its keys (repeatable)"),
    limitMinute: integer(
      1,
      MAX_REQUESTS,
      `requests per minute to one business (default ${DEFAULT_LIMITS.minute})`,
    ),
    limitHour: integer(
      1,
      MAX_REQUESTS,
      `requests per hour to one business (default ${DEFAULT_LIMITS.hour})`,
    ),
    totalMinute: integer(
      1,
      MAX_REQUESTS,
      `requests per minute to all businesses together (default ${DEFAULT_TOTALS.minute})`,
    ),
    totalHour: integer(
      1,
      MAX_REQUESTS,
      `requests per hour to all businesses together (default ${DEFAULT_TOTALS.hour})`,
    ),
    ...keyFlags,
  },
  examples: [
    "partners create portal --business salon-aurora --business cafe-lumen",
    "partners create directory --all --future --scope services.read --out directory.key",
  ],
  async run(cli, { keyHash, out, ...flags }, name) {
    const rt = await cli.open();
    const businesses = chooseBusinesses(cli, rt, flags);
    const unknown = flags.scope.find((scope) => !isScope(scope));
    if (unknown !== undefined)
      throw usageError(`Unknown scope '${safe(unknown)}'.`, `use one of ${SCOPES.join(", ")}`);
    const { createPartner } = await import("../partners.ts");
    const input = {
      name,
      businesses,
      coversAll: flags.all,
      coversFuture: flags.future,
      scopes: flags.scope.length > 0 ? flags.scope.filter(isScope) : [...DEFAULT_SCOPES],
      eventGroups: flags.eventGroup ?? [...DEFAULT_GROUPS],
      cidrs: flags.cidr,
      limitMinute: flags.limitMinute ?? DEFAULT_LIMITS.minute,
      limitHour: flags.limitHour ?? DEFAULT_LIMITS.hour,
      totalMinute: flags.totalMinute ?? DEFAULT_TOTALS.minute,
      totalHour: flags.totalHour ?? DEFAULT_TOTALS.hour,
      maxEndpoints: DEFAULT_TOTALS.endpoints,
      maxHolds: DEFAULT_LIMITS.holds,
      maxBookingsDay: DEFAULT_LIMITS.bookingsDay,
      secretHash: parseHash(keyHash),
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
  const slugs = new Set(cli.flags.businesses);
  if (all === slugs.size > 0)
    throw usageError(
      "A partner needs either --all or at least one --business.",
      "add --business SLUG, or --all",
    );
  if (future && !all)
    throw usageError("--future is for a partner of all businesses.", "add --all, or omit --future");
  return all ? rt.store.businesses.list() : [...slugs].map((slug) => getBusiness(rt, slug));
}

/** @throws AppError usage */
function parseHash(text: string | undefined): Buffer | undefined {
  if (text === undefined) return undefined;
  if (HASH.test(text)) return Buffer.from(text, "hex");
  throw usageError(
    "Invalid --key-hash: expected the 64 hexadecimal digits of a SHA-256.",
    "copy the keyHash that deskbell partners create --json printed on the first server",
  );
}

type CreatedKey = { key: ListedKey; secret: string };

/** Prints a new key once; of a key that another server made, only what it may do. */
function printKeyOnce<Created extends CreatedKey>(
  cli: Cli,
  rt: Runtime,
  out: string | undefined,
  keyHash: string | undefined,
  create: () => Created,
): Created {
  const describe = ({ key, secret }: CreatedKey) => ({
    ...toKeyOutput(key),
    keyHash: keyHash?.toLowerCase() ?? hashApiKey(secret).toString("hex"),
  });
  if (keyHash === undefined)
    return printSecretOnce(cli, rt, out, create, (created) => ({
      secret: created.secret,
      owner: describe(created),
    }));
  if (out !== undefined)
    throw usageError("--key-hash prints no key, so there is nothing to write.", "omit --out");
  const created = create();
  if (cli.flags.json) cli.printObject(describe(created));
  return created;
}

const toKeyOutput = ({ id, name, scopes, eventGroups, cidrs, ...key }: ListedKey) =>
  withIsoTimes(
    {
      id,
      name,
      partnerId: key.partnerId,
      prefix: key.prefix,
      last4: key.last4,
      scopes,
      eventGroups,
      cidrs,
      createdAt: key.createdAt,
      lastUsedAt: key.lastUsedAt,
      expiresAt: key.expiresAt,
      revokedAt: key.revokedAt,
    },
    "createdAt",
    "lastUsedAt",
    "expiresAt",
    "revokedAt",
  );

const toOutput = (rt: Runtime, partner: PartnerRow) => {
  const { limitMinute, limitHour, totalMinute, totalHour, ...rest } = partner;
  const { maxEndpoints, maxHolds, maxBookingsDay, ...fields } = rest;
  return {
    ...withIsoTimes(fields, "createdAt"),
    businesses: rt.openStore(createPartnerStore).countReached(partner.id),
    limits: {
      minute: limitMinute,
      hour: limitHour,
      holds: maxHolds,
      bookingsDay: maxBookingsDay,
      totalMinute,
      totalHour,
      endpoints: maxEndpoints,
    },
  };
};

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
  coversFuture ? "all, also future ones" : coversAll ? "all at its creation" : "listed";

/** The businesses that `partners show` lists. */
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

const createKeyCommand = command({
  name: "create-key",
  about:
    "Create another key of a partner, with the same rights. `keys rotate` and `keys revoke` change it.",
  supportsDryRun: true,
  arguments: ["<partner>"],
  flags: {
    name: text("name", "what the key is for (default: the name of the partner)"),
    expires: duration("lifetime, such as 90d (default: unlimited)"),
    ...keyFlags,
  },
  examples: [
    "partners create-key aggregator --name backup",
    "partners create-key aggregator --expires 90d --out aggregator.key",
  ],
  async run(cli, { name: keyName, expires, keyHash, out }, name) {
    const rt = await cli.open();
    const { createPartnerKey, getPartner } = await import("../partners.ts");
    const partner = getPartner(rt, name);
    const expiresAt = expires === undefined ? null : rt.now() + expires;
    const input = { name: keyName, expiresAt, secretHash: parseHash(keyHash) };
    printKeyOnce(cli, rt, out, keyHash, () => createPartnerKey(rt, partner, input));
  },
});

/** @throws AppError usage without --business */
function namedBusinesses(cli: Cli, rt: Runtime): BusinessRow[] {
  const slugs = [...new Set(cli.flags.businesses)];
  return slugs.length > 0 ? slugs.map((slug) => getBusiness(rt, slug)) : [cli.business(rt)];
}

const add = command({
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

const remove = command({
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
    removeBusinesses(rt, partner, businesses);
    reportReached(cli, rt, partner, [cli.verb("Removed", "remove"), "from"], businesses);
  },
});

const exclude = command({
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
    removeBusinesses(rt, partner, businesses, true);
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
  createKeyCommand,
  add,
  remove,
  exclude,
  deleteCommand,
];
