import type { Runtime } from "../../app/runtime.ts";
import { maySubscribe, EVENT_TYPES } from "../../domain/events/event-types.ts";
import { currentBackoff } from "../../domain/webhooks/failing-endpoint.ts";
import type { EndpointRow } from "../../store/webhooks/endpoints.ts";
import type { ListedKey } from "../../store/keys.ts";
import { command } from "../command.ts";
import { choice, duration, integer, requiredText, text, texts, toggle } from "../flags.ts";
import { printSecretOnce } from "../input/new-file.ts";
import { resolveEndpoint, resolveKey } from "../objects/objects.ts";
import { isoTime, shortTime, withIsoTimes } from "../output/table.ts";
import { deleteCommand, disable, enable } from "./webhook-lifecycle.ts";
import { usageError } from "../failure.ts";

const MAX_IN_FLIGHT = 32;
const TIMEOUT_LIMITS = ["1s", "30s"] as const;

const create = command({
  name: "create",
  about: "Create an endpoint and print its signing secret on stdout. It is shown only once.",
  supportsDryRun: true,
  flags: {
    name: requiredText("name", "name of the endpoint"),
    url: requiredText("url", "URL to send webhooks to: https, on a public address"),
    event: texts("type", "event type such as service.updated, or all (repeatable)"),
    timeout: duration("timeout of one attempt, 1s to 30s (default 10s)", TIMEOUT_LIMITS),
    maxInFlight: integer(1, MAX_IN_FLIGHT, "maximum concurrent deliveries (default 4)"),
    key: text("key", "the API key whose partner can see and manage the endpoint over HTTP"),
    allowPrivate: toggle("trust this URL: allow http and private addresses"),
    out: text("file", "write the secret to a new file (0600) instead of stdout"),
  },
  examples: [
    "webhooks create --business salon-aurora --name site --url https://example.com/hook --event catalog.changed --key site",
    "webhooks create --business salon-aurora --name bar-till --url http://192.168.1.20/hook --event all --allow-private --out till.secret",
  ],
  async run(cli, { event, out, timeout, key: keyName, ...fields }) {
    if (event.length === 0)
      throw usageError(
        "An endpoint needs at least one --event.",
        "add --event all, or --event service.updated",
      );
    const { rt, business } = await cli.openBusiness();
    const { prepareEndpoint } = await import("../../app/webhooks/endpoints.ts");
    const key = keyName === undefined ? undefined : resolveKey(cli, rt, keyName);
    const createEndpoint = await prepareEndpoint(rt, {
      ...fields,
      businessId: business.id,
      keyId: key?.id ?? null,
      byOperator: true,
      events: expandEvents(event, key),
      timeoutMs: timeout,
    });
    const { endpoint } = printSecretOnce(cli, rt, out, createEndpoint, (created) => ({
      secret: created.secret,
      owner: toOutput(created.endpoint, rt.now()),
    }));
    // The note names the ID, because an endpoint of another business may have the same name.
    if (key === undefined && !cli.flags.json && !cli.flags.dryRun)
      cli.note(
        `No API key owns this endpoint, so no partner can see or manage it over HTTP. To change that: ${cli.program} webhooks update ${endpoint.id} --key KEY`,
      );
  },
});

const list = command({
  name: "list",
  about: "List the endpoints that get events of one business, or all endpoints.",
  examples: ["webhooks list", "webhooks list --business salon-aurora --json"],
  async run(cli) {
    const rt = await cli.open();
    const businessId = cli.businessId(rt);
    cli.printList(
      rt.store.endpoints.list(businessId).map((endpoint) => toOutput(endpoint, rt.now())),
      [
        "id",
        "name",
        { title: "URL", value: "url", wraps: true },
        {
          title: "EVENTS",
          value: ({ events }) => abbreviateEvents(events).join(" "),
          optional: true,
          wraps: true,
        },
        {
          title: "STATUS",
          value: ({ status, disabledReason }) =>
            disabledReason ? `${status} ${disabledReason}` : status,
        },
        {
          title: "FAILING SINCE",
          value: ({ failingSince }) => shortTime(failingSince),
          noTruncate: true,
          wraps: true,
        },
        {
          title: "LAST ERROR",
          value: ({ lastError, heldUntil }) =>
            heldUntil === null ? lastError : `${lastError}; next probe ${shortTime(heldUntil)}`,
          wraps: true,
        },
        { title: "KEY", value: ({ keyId }) => nameOfKey(rt, keyId), optional: true },
        {
          title: "PARTNER",
          value: ({ partnerId }) => partnerId && rt.store.partnerAccess.findName(partnerId),
          wraps: true,
        },
      ],
      "No webhook endpoints yet.",
    );
  },
});

const show = command({
  name: "show",
  about: "Show an endpoint without its secret, which is shown only when it is created or rotated.",
  arguments: ["<endpoint>"],
  examples: ["webhooks show whe_06f…", "webhooks show whe_06f… --json"],
  async run(cli, _flags, nameOrId) {
    const rt = await cli.open();
    const endpoint = resolveEndpoint(cli, rt, nameOrId);
    const { findOldSecretEnd } = await import("../../app/webhooks/endpoint-secrets.ts");
    const { readHostLimit } = await import("../../app/webhooks/host-limits.ts");
    const { host, verifiedAt, deliveriesLeft } = readHostLimit(rt, endpoint);
    const output = {
      ...toOutput(endpoint, rt.now()),
      oldSecretEndsAt: isoTime(findOldSecretEnd(rt, endpoint.id)),
      host: { name: host, verifiedAt: isoTime(verifiedAt), deliveriesLeft },
    };
    cli.printObject(output, { ...output, events: abbreviateEvents(endpoint.events) });
  },
});

const update = command({
  name: "update",
  about: "Update an endpoint. Its secret and its pending deliveries stay.",
  supportsDryRun: true,
  arguments: ["<endpoint>"],
  flags: {
    name: text("name", "new name"),
    url: text("url", "new URL"),
    event: texts("type", "new list of event types, or all (repeatable)"),
    timeout: duration("new timeout of one attempt, 1s to 30s", TIMEOUT_LIMITS),
    maxInFlight: integer(1, MAX_IN_FLIGHT, "new maximum of concurrent deliveries"),
    allowPrivate: choice(
      ["yes", "no"],
      "whether to trust its URL: allow http and private addresses",
    ),
    key: text(
      "key|none",
      "the API key that the endpoint belongs to, or none if only the operator manages it",
    ),
  },
  examples: [
    "webhooks update whe_06f… --url https://example.com/new-hook",
    "webhooks update whe_06f… --event all --timeout 20s",
    "webhooks update whe_06f… --key site",
  ],
  async run(cli, { event, timeout, allowPrivate, key: keyName, ...fields }, nameOrId) {
    const given = { ...fields, timeout, allowPrivate, keyName };
    if (event.length === 0 && Object.values(given).every((value) => value === undefined))
      throw usageError(
        "There is nothing to update.",
        "add --url, --event or another option (see --help)",
      );
    const rt = await cli.open();
    const { id, keyId } = resolveEndpoint(cli, rt, nameOrId);
    const key =
      keyName === undefined
        ? findKey(rt, keyId)
        : keyName === "none"
          ? undefined
          : resolveKey(cli, rt, keyName);
    const changes = {
      ...fields,
      events: event.length === 0 ? undefined : expandEvents(event, key),
      timeoutMs: timeout,
      ...(allowPrivate && { allowPrivate: allowPrivate === "yes" }),
      ...(keyName !== undefined && { keyId: key?.id ?? null }),
    };
    const { updateEndpoint } = await import("../../app/webhooks/endpoints.ts");
    const endpoint = await updateEndpoint(rt, id, changes);
    cli.report(toOutput(endpoint, rt.now()), `${cli.verb("Updated", "update")} ${id}.`);
    // `disabledReason` is `key_revoked` or `key_expired` if the endpoint was disabled because its
    // earlier key ended.
    if (keyName !== undefined && endpoint.disabledReason?.startsWith("key_"))
      cli.note(
        `The endpoint is still disabled. To enable it: ${cli.program} webhooks enable ${id}`,
      );
  },
});

const findKey = (rt: Runtime, keyId: string | null): ListedKey | undefined =>
  keyId === null ? undefined : rt.store.keys.findById(keyId);

const nameOfKey = (rt: Runtime, keyId: string | null): string | null =>
  findKey(rt, keyId)?.name ?? keyId;

/**
 * Replaces `all` with the standard event types. If a `key` is given, the result has only the types
 * that it may receive.
 */
export const expandEvents = (
  names: readonly string[],
  key?: Pick<ListedKey, "eventGroups">,
): readonly string[] =>
  names.flatMap((name) =>
    name === "all" ? EVENT_TYPES.filter((type) => !key || maySubscribe(key, type)) : name,
  );

/** Replaces the standard event types by `all` if all of them are there. */
export function abbreviateEvents(names: readonly string[]): readonly string[] {
  const others = new Set(names).difference(new Set<string>(EVENT_TYPES));
  return names.length - others.size === EVENT_TYPES.length ? ["all", ...others] : names;
}

const toOutput = ({ holdsEnded: _, ...endpoint }: EndpointRow, now: number) =>
  withIsoTimes(
    { ...endpoint, ...currentBackoff(endpoint, now) },
    "failingSince",
    "warnedAt",
    "disableAt",
    "heldUntil",
    "createdAt",
    "updatedAt",
    "statusSince",
    "lastDeliveredAt",
  );

const rotateSecret = command({
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
      "rotate even if the last rotation is unfinished; the oldest secret stays valid, the one in between is dropped",
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
      const { finished } = finishSecretRotation(rt, id);
      if (cli.flags.json) cli.printObject({ id, finished });
      return cli.note(
        finished
          ? `${cli.verb("Removed", "remove")} the old secret of ${id}.`
          : `${id} has no old secret to remove.`,
      );
    }
    // --force also replaces a secret that was encrypted with a lost master key.
    const options = { overlapMs: overlap, force, allowNewMasterKey: force };
    const { oldEndsAt } = printSecretOnce(
      cli,
      rt,
      out,
      () => rotateEndpointSecret(rt, id, options),
      ({ secret, oldEndsAt }) => ({ secret, owner: { id, oldSecretEndsAt: isoTime(oldEndsAt) } }),
    );
    const are = cli.flags.dryRun ? "would be" : "are";
    cli.note(
      oldEndsAt > rt.now()
        ? `Deliveries ${are} signed with both secrets until ${isoTime(oldEndsAt)}, or until --finish.`
        : `Deliveries ${are} signed with the new secret only.`,
    );
  },
});

export const definition = [
  create,
  list,
  show,
  update,
  enable,
  disable,
  deleteCommand,
  rotateSecret,
];
