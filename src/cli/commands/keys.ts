import type { Runtime } from "../../app/runtime.ts";
import { FEATURES } from "../../features/index.ts";
import type { ListedKey } from "../../store/keys.ts";
import { DEFAULT_LIMITS, FIRST_SCOPES, hasEnded, SCOPES } from "../../domain/api-key.ts";
import { describeGuestData, readsReferences } from "../../domain/events/envelope.ts";
import { EVENT_GROUPS } from "../../domain/events/event-types.ts";
import { countOf, safe } from "../../domain/text.ts";
import type { Cli } from "../cli.ts";
import { command } from "../command.ts";
import { choice, choices, duration, integer, requiredText, text, texts, toggle } from "../flags.ts";
import { printSecretOnce } from "../input/new-file.ts";
import { resolveKey } from "../objects/objects.ts";
import { rotateMaster } from "./rotate-master.ts";
import { isoTime, shortTime, withIsoTimes } from "../output/table.ts";
import { usageError } from "../failure.ts";

/** A business or partner has at most 50 endpoints, so no key can have more. */
const MAX_ENDPOINTS = 50;
const MAX_HOLDS = 1000;
const MAX_BOOKINGS_DAY = 1_000_000;
const MAX_REQUESTS = 1_000_000_000;

const out = text("file", "write the key to a new file (0600) instead of stdout");

const limitFlags = (note: (defaultLimit: number) => string) => ({
  limitMinute: integer(1, MAX_REQUESTS, `requests per minute${note(DEFAULT_LIMITS.minute)}`),
  limitHour: integer(1, MAX_REQUESTS, `requests per hour${note(DEFAULT_LIMITS.hour)}`),
  maxEndpoints: integer(
    1,
    MAX_ENDPOINTS,
    `webhook endpoints at a time${note(DEFAULT_LIMITS.endpoints)}`,
  ),
  maxHolds: integer(
    1,
    MAX_HOLDS,
    `open holds and unpaid ticket orders at a time${note(DEFAULT_LIMITS.holds)}`,
  ),
  maxBookingsDay: integer(
    1,
    MAX_BOOKINGS_DAY,
    `bookings and reservations in 24 hours, without cancelled ones${note(DEFAULT_LIMITS.bookingsDay)}`,
  ),
});

const create = command({
  name: "create",
  about: "Create a key and print it on stdout. It is shown only once.",
  supportsDryRun: true,
  flags: {
    name: requiredText("name", "what the key is for"),
    scope: texts(
      "scope",
      `create a restricted key with this scope: ${SCOPES.join(", ")} (repeatable)`,
    ),
    eventGroup: choices(EVENT_GROUPS, "only events of this group (repeatable, default: all)"),
    secret: toggle("create a secret key, which has all scopes of its business"),
    expires: duration("lifetime, such as 90d (default: unlimited)"),
    cidr: texts("cidr", "address range that may use the key (repeatable)"),
    ...limitFlags((limit) => ` (default ${limit})`),
    selfRotation: toggle("the partner may rotate the key over HTTP, with its newest secret"),
    guestMail: toggle(
      "mail guests about visits that the key makes, if serve --guest-mail is set and the partner does not mail them itself",
    ),
    out,
  },
  examples: [
    "keys create --business salon-aurora --name website --scope services.read --scope webhooks.write --event-group catalog",
    "keys create --business salon-aurora --name server --secret --expires 90d --out server.key",
  ],
  async run(cli, flags) {
    const isRestricted = flags.scope.length > 0;
    if (flags.secret === isRestricted)
      throw usageError(
        "A key needs either --scope (restricted key) or --secret (secret key).",
        "add --scope services.read, or --secret",
      );
    const { rt, business } = await cli.openBusiness();
    const { createKey } = await import("../../app/keys.ts");
    const input = {
      businessId: business.id,
      name: flags.name,
      kind: flags.secret ? ("SECRET" as const) : ("RESTRICTED" as const),
      scopes: flags.scope,
      eventGroups: flags.eventGroup,
      expiresAt: flags.expires === undefined ? null : rt.now() + flags.expires,
      cidrs: flags.cidr,
      limitMinute: flags.limitMinute,
      limitHour: flags.limitHour,
      maxEndpoints: flags.maxEndpoints,
      maxHolds: flags.maxHolds,
      maxBookingsDay: flags.maxBookingsDay,
      selfRotation: flags.selfRotation,
      guestMail: flags.guestMail,
    };
    const { key } = printSecretOnce(
      cli,
      rt,
      flags.out,
      () => createKey(rt, input),
      ({ key, secret }) => ({
        secret,
        owner: { ...toOutput(key), guestData: describeGuestData(key) },
      }),
    );
    if (cli.flags.json) return;
    cli.note(...describeGuestData(key));
    const partnerUrl = findPartnerUrl(cli, rt, business.slug);
    if (key.kind === "RESTRICTED" && partnerUrl !== undefined)
      cli.note(`With this key, the partner can test and repair its webhooks at ${partnerUrl}`);
    const { id, eventGroups } = key;
    // A key without scopes for bookings and orders may not need their events.
    if (!readsReferences(key) && eventGroups.some((group) => group !== "catalog"))
      cli.note(
        cli.flags.dryRun
          ? "If it needs no events of bookings and ticket orders: add --event-group catalog"
          : `If it needs no events of bookings and ticket orders: ${cli.program} keys update ${id} --event-group catalog`,
      );
  },
});

const update = command({
  name: "update",
  about:
    "Change the limits of a key, its expiry, which events it may receive, and whether it may rotate itself or mail guests. Its webhook endpoints are unsubscribed from other events.",
  supportsDryRun: true,
  arguments: ["<key>"],
  flags: {
    eventGroup: choices(EVENT_GROUPS, "only events of this group (repeatable)"),
    ...limitFlags(() => ""),
    expires: duration("remaining lifetime, such as 90d, from now on"),
    allScopes: choice(
      ["yes", "no"],
      "whether a secret key has all scopes, or only those of the catalog and webhooks",
    ),
    selfRotation: choice(
      ["yes", "no"],
      "whether the partner may rotate the key over HTTP, with its newest secret",
    ),
    guestMail: choice(["yes", "no"], "whether guests get mails about visits that the key makes"),
    keepEndpoints: choice(
      ["yes", "no"],
      "whether its webhook endpoints keep receiving events after it has expired",
    ),
  },
  examples: [
    "keys update key_06f… --limit-minute 300 --limit-hour 5000",
    "keys update key_06f… --event-group catalog --event-group tickets",
    "keys update key_06f… --expires 365d",
    "keys update key_06f… --self-rotation yes",
  ],
  async run(
    cli,
    {
      eventGroup: eventGroups,
      expires,
      keepEndpoints,
      allScopes,
      selfRotation,
      guestMail,
      ...limits
    },
    nameOrId,
  ) {
    const rt = await cli.open();
    const { id, kind } = resolveKey(cli, rt, nameOrId);
    if (allScopes !== undefined && kind !== "SECRET")
      throw usageError(
        "--all-scopes requires a secret key, and this one is restricted.",
        "create a new key with other --scope",
      );
    const changes = {
      eventGroups,
      ...limits,
      expiresAt: expires && rt.now() + expires,
      endpointsAtEnd: keepEndpoints && (keepEndpoints === "yes" ? "KEEP" : "STOP"),
      scopes: allScopes && (allScopes === "yes" ? SCOPES : FIRST_SCOPES),
      // An explicit choice of scopes ends the advice of `doctor` about keys of version 0.1.
      gainedScopes: allScopes && null,
      selfRotation: selfRotation && selfRotation === "yes",
      guestMail: guestMail && guestMail === "yes",
    } as const;
    if (Object.values(changes).every((value) => value === undefined))
      throw usageError("Nothing to change.", "add an option: deskbell keys update --help");
    const { updateKey } = await import("../../app/keys.ts");
    const key = toOutput(updateKey(rt, id, changes));
    cli.report(key, `${cli.verb("Updated", "update")} ${id}.`);
  },
});

const list = command({
  name: "list",
  about: "List the keys of all businesses, or those of one with the partners that reach it.",
  examples: ["keys list", "keys list --business salon-aurora --json"],
  async run(cli) {
    const rt = await cli.open();
    const { listKeys } = await import("../../app/keys.ts");
    const businessId = cli.businessId(rt);
    cli.printList(
      listKeys(rt, businessId).map(toOutput),
      [
        "id",
        "name",
        { title: "KEY", value: keyText, noTruncate: true },
        { title: "SCOPES", value: ({ scopes }) => scopes.join(" "), optional: true },
        { title: "EVENTS", value: ({ eventGroups }) => eventGroups.join(" "), optional: true },
        { title: "ENDPOINTS", value: ({ limits }) => `max ${limits.endpoints}`, optional: true },
        {
          title: "GUEST MAIL",
          value: ({ guestMail }) => (guestMail ? "yes" : ""),
          optional: true,
        },
        { title: "LAST USED", value: ({ lastUsedAt }) => shortTime(lastUsedAt), optional: true },
        { title: "EXPIRES", value: ({ expiresAt }) => shortTime(expiresAt), optional: true },
        { title: "REVOKED", value: ({ revokedAt }) => shortTime(revokedAt) },
      ],
      "No keys yet.",
    );
  },
});

/**
 * Returns the visible parts of the secret of a key. The access of a partner to a business has no
 * secret of its own. A key has no secret if a restore ended its only one.
 */
function keyText({ businessId, partnerId, prefix, last4 }: ReturnType<typeof toOutput>): string {
  if (prefix !== null) return `${prefix}…${last4}`;
  return businessId !== null && partnerId !== null ? "partner" : "no secret";
}

const show = command({
  name: "show",
  about:
    "Show a key and what it still reaches: its webhook endpoints and open holds. The secret is shown only when the key is created or rotated.",
  arguments: ["<key>"],
  examples: ["keys show key_06f…", "keys show key_06f… --json"],
  async run(cli, _flags, nameOrId) {
    const rt = await cli.open();
    const key = resolveKey(cli, rt, nameOrId);
    const { listEndpointsOfKey } = await import("../../app/key-end.ts");
    const endpoints = listEndpointsOfKey(rt, key).map(
      ({ id, name, url, status, disabledReason }) => ({
        id,
        name,
        url,
        status,
        disabledReason,
      }),
    );
    const openHolds =
      key.businessId === null
        ? 0
        : rt.store.holds.listOpenOfKey(key.businessId, key.id, rt.now()).length;
    const status = statusOf(key, rt.now());
    const guestData = status === "ACTIVE" ? describeGuestData(key) : [];
    const oldSecretEndsAt = isoTime(overlapEndOf(rt, key.id));
    cli.printObject({ status, ...toOutput(key), oldSecretEndsAt, endpoints, openHolds, guestData });
  },
});

const rotate = command({
  name: "rotate",
  about: "Rotate a key: print a new secret; the old one stays valid during the overlap.",
  supportsDryRun: true,
  arguments: ["<key>"],
  flags: {
    overlap: duration("how long the old secret stays valid, at most 7d (default 24h)", [
      "0s",
      "7d",
    ]),
    out,
  },
  examples: ["keys rotate key_06f…", "keys rotate key_06f… --overlap 0s --out website.key"],
  async run(cli, flags, nameOrId) {
    const rt = await cli.open();
    const { id } = resolveKey(cli, rt, nameOrId);
    const [{ rotateKey }, { afterRevoking, recordRevoked }] = await Promise.all([
      import("../../app/keys.ts"),
      import("../../app/revoke-for-good.ts"),
    ]);
    const overlapEndsAt = overlapEndOf(rt, id);
    const { endedSecrets } = printSecretOnce(
      cli,
      rt,
      flags.out,
      () => rotateKey(rt, id, flags.overlap),
      ({ key, secret }) => ({ secret, owner: toOutput(key) }),
      // A rotation whose new secret cannot be shown is undone, and the old secret stays valid.
      (rotated) => recordRevoked(rt, rotated.endedSecrets),
    );
    afterRevoking(rt, endedSecrets);
    if (overlapEndsAt !== null)
      cli.note(
        `${cli.verb("Ended", "end")} the secret before the last one, which was valid until ${isoTime(overlapEndsAt)}: a key has at most two valid secrets.`,
      );
  },
});

/**
 * Returns the time (epoch ms) at which the secret before the newest one ends; null if it has ended.
 */
function overlapEndOf(rt: Runtime, id: string): number | null {
  const endsAt = rt.store.keySecrets.findRotation(id)?.oldSecretEndsAt ?? 0;
  return endsAt > rt.now() ? endsAt : null;
}

const revoke = command({
  name: "revoke",
  about:
    "Revoke a key immediately and permanently, disable its webhook endpoints, release its holds.",
  supportsDryRun: true,
  arguments: ["<key>"],
  flags: { keepEndpoints: toggle("its webhook endpoints keep receiving events") },
  examples: ["keys revoke key_06f…", "keys revoke key_06f… --yes"],
  async run(cli, { keepEndpoints: keepsEndpoints }, nameOrId) {
    const rt = await cli.open();
    const { id, name } = resolveKey(cli, rt, nameOrId);
    await cli.confirm(`Revoking the key '${safe(name)}'`, name);
    const { revokeKey } = await import("../../app/key-end.ts");
    const { finishBacklogMove } = await import("../../app/webhooks/backlog-moves.ts");
    const { key, endpoints, keptEndpoints, releasedHolds } = revokeKey(rt, id, { keepsEndpoints });
    if (!cli.flags.dryRun) for (const endpoint of endpoints) finishBacklogMove(rt, endpoint.id);
    const output = { ...toOutput(key), endpoints, keptEndpoints, releasedHolds };
    cli.report(output, `${cli.verb("Revoked", "revoke")} ${id}.`);
    const disabled = cli.verb("Disabled", "disable");
    for (const { id: endpointId, name, url, parked } of endpoints)
      cli.note(
        `${disabled} its endpoint '${safe(name)}' (${endpointId}, ${new URL(url).host}), which ${cli.flags.dryRun ? "parks" : "parked"} ${countOf(parked, "delivery")}.`,
      );
    for (const { id: endpointId, name } of keptEndpoints)
      cli.note(`The endpoint '${safe(name)}' (${endpointId}) of the key still receives events.`);
    if (releasedHolds > 0)
      cli.note(`${cli.verb("Released", "release")} ${countOf(releasedHolds, "hold")}.`);
  },
});

/** Returns the URL of the page for partners; undefined if none is known. */
function findPartnerUrl(cli: Cli, rt: Runtime, slug: string): string | undefined {
  const path = FEATURES.find(({ partnerPath }) => partnerPath !== undefined)?.partnerPath;
  const daemon = rt.store.daemon.find();
  const url = cli.config().http.publicUrl || daemon?.publicUrl || daemon?.url;
  return path && url ? `${url}/b/${slug}/${path}` : undefined;
}

const toOutput = ({
  limitMinute,
  limitHour,
  maxEndpoints,
  maxHolds,
  maxBookingsDay,
  ...key
}: ListedKey) => ({
  ...withIsoTimes(key, "createdAt", "lastUsedAt", "expiresAt", "revokedAt"),
  limits: {
    minute: limitMinute,
    hour: limitHour,
    endpoints: maxEndpoints,
    holds: maxHolds,
    bookingsDay: maxBookingsDay,
  },
});

const statusOf = (key: ListedKey, now: number): "ACTIVE" | "REVOKED" | "EXPIRED" =>
  !hasEnded(key, now) ? "ACTIVE" : key.revokedAt === null ? "EXPIRED" : "REVOKED";

export const definition = [create, list, show, update, rotate, revoke, rotateMaster];
