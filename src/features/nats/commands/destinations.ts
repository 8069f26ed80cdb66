import { destinationState, isLate } from "../state.ts";
import { slugOf } from "../../../app/businesses.ts";
import type { Runtime } from "../../../app/runtime.ts";
import { countOf, safe, shellQuote } from "../../../domain/text.ts";
import type { Cli } from "../../../cli/cli.ts";
import { command } from "../../../cli/command.ts";
import { EXIT, usageError } from "../../../cli/failure.ts";
import { pastTime, requiredText, text, texts, toggle } from "../../../cli/flags.ts";
import { LOGIN_FLAGS, readLogin } from "./login-flags.ts";
import { printSecretOnce } from "../../../cli/input/new-file.ts";
import { resolveNamed } from "../../../cli/objects/objects.ts";
import { shortTime, withIsoTimes } from "../../../cli/output/table.ts";
import { abbreviateEvents, expandEvents } from "../../../cli/commands/webhooks.ts";
import { createCursorStore, createDestinationStore, type DestinationRow } from "../store.ts";

const resolveDestination = (cli: Cli, rt: Runtime, name: string): DestinationRow =>
  resolveNamed(cli, rt, name, {
    noun: "destination",
    group: "destinations",
    all: rt.openStore(createDestinationStore).list(),
  });

const DEFAULT_PREFIX = "deskbell";

const create = command({
  name: "create",
  about:
    "Publish events, from now on, to a stream of a NATS server. Prints the signing secret once.",
  supportsDryRun: true,
  flags: {
    name: requiredText("name", "name of the destination"),
    url: requiredText("url", "URL of the server: nats://host:4222, or tls://host:4222"),
    stream: requiredText("stream", "name of the JetStream stream, which must exist"),
    prefix: text("prefix", `first tokens of each subject (default ${DEFAULT_PREFIX})`),
    all: toggle("events of all businesses, also of those created later"),
    event: texts("type", "event type such as service.updated (repeatable, default: all)"),
    ...LOGIN_FLAGS,
    out: text("file", "write the secret to a new file (0600) instead of stdout"),
  },
  examples: [
    "destinations create --name events --url nats://10.0.0.5:4222 --stream DESKBELL --all",
    "destinations create --name salon --url tls://nats.example.com:4222 --stream SALON --business salon-aurora --user deskbell --password-file nats.password --out salon.secret",
  ],
  async run(cli, { name, url, stream, prefix = DEFAULT_PREFIX, all, event, out, ...login }) {
    // A business from the environment is only a default, which --all overrides.
    if (all && cli.flags.typedBusiness !== undefined)
      throw usageError("--all cannot be combined with --business.");
    const rt = await cli.open();
    const businessId = all ? null : cli.business(rt).id;
    const { createDestination } = await import("../destinations.ts");
    const requested = {
      name,
      url,
      stream,
      prefix,
      events: expandEvents(event.length === 0 ? ["all"] : event),
      ca: null,
      credentials: { kind: "none" as const },
      ...readLogin(login),
    };
    printSecretOnce(
      cli,
      rt,
      out,
      () => createDestination(rt, requested, businessId),
      ({ destination, secret }) => ({ secret, owner: toOutput(rt, destination) }),
    );
    if (!cli.flags.dryRun)
      cli.note(`To check the server: ${cli.program} destinations test ${shellQuote(name)}`);
  },
});

const list = command({
  name: "list",
  about: "List the streams to which events are published.",
  examples: ["destinations list", "destinations list --json"],
  async run(cli) {
    const rt = await cli.open();
    cli.printList(
      rt
        .openStore(createDestinationStore)
        .list()
        .map((row) => toOutput(rt, row)),
      [
        "id",
        "name",
        { title: "URL", value: "url", wraps: true },
        "stream",
        { title: "BUSINESS", value: ({ business }) => business ?? "all" },
        {
          title: "BEHIND SINCE",
          value: ({ behindSince }) => shortTime(behindSince),
          noTruncate: true,
        },
        { title: "LAST ERROR", value: "lastError", wraps: true },
        {
          title: "STATE",
          value: ({ state }) => (state === "untried" ? "nothing published yet" : state),
          noTruncate: true,
        },
      ],
      "No destinations yet.",
    );
  },
});

const show = command({
  name: "show",
  about: "Show a destination without its secrets, and the events that it did not get.",
  arguments: ["<destination>"],
  examples: ["destinations show bus", "destinations show bus --json"],
  async run(cli, _flags, nameOrId) {
    const rt = await cli.open();
    const destination = resolveDestination(cli, rt, nameOrId);
    const { id, businessId, events } = destination;
    const output = {
      ...toOutput(rt, destination),
      businessesBehind: rt.openStore(createCursorStore).listBehind(id, businessId).length,
      skipped: rt
        .openStore(createCursorStore)
        .listSkips(id, 0)
        .map(({ destinationId: _, ...skip }) => withIsoTimes(skip, "at")),
    };
    cli.printObject(output, { ...output, events: abbreviateEvents(events) });
  },
});

const update = command({
  name: "update",
  about: "Update a destination. It continues where it was.",
  supportsDryRun: true,
  arguments: ["<destination>"],
  flags: {
    name: text("name", "new name"),
    url: text("url", "new URL of the server"),
    stream: text("stream", "new stream"),
    prefix: text("prefix", "new first tokens of each subject"),
    event: texts("type", "new list of event types, or all (repeatable)"),
    ...LOGIN_FLAGS,
  },
  examples: [
    "destinations update bus --url tls://nats.example.com:4222",
    "destinations update bus --token-file nats.token",
  ],
  async run(cli, { name, url, stream, prefix, event, ...login }, nameOrId) {
    const changes = {
      name,
      url,
      stream,
      prefix,
      events: event.length === 0 ? undefined : expandEvents(event),
      ...readLogin(login),
    };
    if (Object.values(changes).every((value) => value === undefined))
      throw usageError(
        "There is nothing to update.",
        "add --url, --event or another option (see --help)",
      );
    const rt = await cli.open();
    const { id } = resolveDestination(cli, rt, nameOrId);
    const { updateDestination } = await import("../destinations.ts");
    const destination = updateDestination(rt, id, changes);
    cli.report(toOutput(rt, destination), `${cli.verb("Updated", "update")} ${id}.`);
  },
});

const deleteCommand = command({
  name: "delete",
  about: "Delete a destination. The stream keeps its messages.",
  supportsDryRun: true,
  arguments: ["<destination>"],
  examples: ["destinations delete bus", "destinations delete bus --yes"],
  async run(cli, _flags, nameOrId) {
    const rt = await cli.open();
    const { id, name } = resolveDestination(cli, rt, nameOrId);
    const { deleteDestination } = await import("../delete-destination.ts");
    await cli.confirm(`Deleting the destination '${safe(name)}'`, name);
    deleteDestination(rt, id);
    cli.report({ id }, `${cli.verb("Deleted", "delete")} ${id}.`);
  },
});

const redeliver = command({
  name: "redeliver",
  about:
    "Publish the events stored since a time once more, in order. Newer events wait until these are published.",
  supportsDryRun: true,
  arguments: ["<destination>"],
  flags: {
    since: pastTime("a duration before now such as 3d, a time such as 08:30, or a date"),
  },
  examples: [
    "destinations redeliver bus --since 2d",
    "destinations redeliver bus --since 2026-11-20 --business salon-aurora",
  ],
  async run(cli, { since }, nameOrId) {
    if (since === undefined)
      throw usageError("Missing --since.", "add --since 2d, or the date of the first event");
    const rt = await cli.open();
    const { id } = resolveDestination(cli, rt, nameOrId);
    const { redeliverEvents } = await import("../redeliver.ts");
    const result = redeliverEvents(rt, id, since(rt.now()), cli.businessId(rt));
    cli.report(
      { id, ...result },
      `${cli.verb("Redelivering", "redeliver")} ${countOf(result.events, "event")} of ${countOf(result.businesses, "business")} to ${id}.`,
    );
  },
});

const test = command({
  name: "test",
  about:
    "Check the server and the stream of a destination without storing a message, and print the permissions it needs. Exits with 6 if something fails.",
  arguments: ["<destination>"],
  flags: { allowPlaintext: toggle("send a password without TLS, as serve --allow-plaintext does") },
  examples: ["destinations test bus", "destinations test bus --json"],
  async run(cli, { allowPlaintext }, nameOrId) {
    const rt = await cli.open();
    const destination = resolveDestination(cli, rt, nameOrId);
    const { testDestination } = await import("../test-destination.ts");
    const results = await testDestination(
      rt,
      destination,
      allowPlaintext ? { allowPlaintext } : {},
    );
    cli.printList(
      results,
      [
        { title: "WHAT", value: "about", noTruncate: true },
        { title: "RESULT", value: "result", noTruncate: true },
        { title: "DETAILS", value: "details", wraps: true },
      ],
      "",
    );
    return results.some(({ result }) => result === "failed") ? EXIT.someFailed : EXIT.ok;
  },
});

const toOutput = (rt: Runtime, destination: DestinationRow) => {
  const { sealed: _, ca, businessId, ...fields } = destination;
  return withIsoTimes(
    {
      ...fields,
      business: businessId === null ? null : slugOf(rt, businessId),
      hasCa: ca !== null,
      isLate: isLate(destination, rt.now()),
      state: destinationState(destination, rt.now()),
    },
    "createdAt",
    "updatedAt",
    "behindSince",
    "recreatedAt",
  );
};

export const definition = [create, list, show, update, deleteCommand, redeliver, test];
