import { AppError } from "../../domain/errors.ts";
import { countOf } from "../../domain/text.ts";
import {
  ALL_EVENT_TYPES,
  CHANGED_FLAGS,
  prefixOf,
  settableFlags,
} from "../../domain/events/event-types.ts";
import { command } from "../command.ts";
import { pastTime, text, pageFlags, eventType, parseEventType } from "../flags.ts";
import { resolveEndpointId } from "../objects/objects.ts";
import { shortTime, withIsoTimes } from "../output/table.ts";

const list = command({
  name: "list",
  about: "List events, newest first.",
  flags: {
    type: eventType("only events of this type"),
    since: pastTime("only events since a date or time (UTC), or of the last 2h, 3d, …"),
    ...pageFlags,
  },
  examples: ["events list --since 2h", "events list --type service_price.updated --json"],
  async run(cli, { since, limit, ...given }) {
    const rt = await cli.open();
    const filter = {
      ...given,
      businessId: cli.businessId(rt),
      since: since?.(rt.now()),
    };
    cli.printPage(
      limit,
      (maximum) =>
        rt.store.events.list(filter, maximum).map((event) => withIsoTimes(event, "createdAt")),
      [
        "id",
        { title: "CREATED", value: ({ createdAt }) => shortTime(createdAt), noTruncate: true },
        { title: "SEQUENCE", value: "sequence", align: "right", optional: true },
        "type",
        { title: "BYTES", value: "bytes", align: "right", optional: true },
        { title: "BUSINESS", value: "businessId", optional: true },
      ],
      "No events.",
    );
  },
});

const show = command({
  name: "show",
  about: "Show an event as receivers get it.",
  arguments: ["<event>"],
  examples: ["events show evt_06f…", "events show evt_06f… --json"],
  async run(cli, _flags, id) {
    const rt = await cli.open();
    const event = rt.store.events.findById(id);
    if (!event)
      throw new AppError("resource_not_found", `There is no event '${id}'.`, {
        fix: "deskbell events list",
      });
    const envelope = JSON.parse(event.body.toString()) as object;
    if (cli.flags.json) cli.printObject(envelope);
    else cli.printFields(envelope);
  },
});

const types = command({
  name: "types",
  about: "List the event types: when each is sent, and its 'changed' flags.",
  examples: ["events types", "events types --json"],
  async run(cli) {
    const { SENT_WHEN } = await import("../../domain/events/event-descriptions.ts");
    const rows = ALL_EVENT_TYPES.map((type) => ({
      type,
      changed: CHANGED_FLAGS[prefixOf(type)],
      canBeTrue: settableFlags(type),
      sentWhen: SENT_WHEN[type],
    }));
    cli.printList(
      rows,
      [
        { title: "TYPE", value: "type", noTruncate: true },
        { title: "CHANGED", value: ({ changed }) => changed.join(" ") },
      ],
      "",
    );
  },
});

const trigger = command({
  name: "trigger",
  about: "Publish a sample event for an existing object, to test partners' integrations.",
  supportsDryRun: true,
  arguments: ["<type>"],
  flags: {
    endpoint: text(
      "endpoint",
      "send only to this endpoint (ID or name), even if it is not subscribed",
    ),
  },
  examples: [
    "events trigger service.updated",
    "events trigger catalog.changed --endpoint whe_06f…",
  ],
  async run(cli, { endpoint }, name) {
    const type = parseEventType(name);
    const rt = await cli.open();
    const { triggerEvent } = await import("../../app/webhooks/sample-events.ts");
    const { events, deliveries } = triggerEvent(
      rt,
      cli.business(rt),
      type,
      endpoint === undefined ? undefined : resolveEndpointId(cli, rt, endpoint),
    );
    const id = events[0]?.id ?? "";
    if (cli.flags.json) cli.printObject({ id, type, deliveries });
    else cli.print(`${id}\n`);
    cli.note(
      `${cli.verb("Triggered", "trigger")} ${type}: ${countOf(deliveries, "webhook")} to send.`,
    );
  },
});

export const definition = [list, show, types, trigger];
