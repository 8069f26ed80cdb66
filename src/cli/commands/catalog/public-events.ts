import { formatLocalMinute } from "../../../domain/local-time.ts";
import type { PublicEventDoc } from "../../../domain/catalog/catalog.ts";
import { countOf, shellQuote } from "../../../domain/text.ts";
import type { PublicEventChange } from "../../../app/catalog/public-events.ts";
import type { Cli } from "../../cli.ts";
import { command } from "../../command.ts";
import { usageError } from "../../failure.ts";
import { choice, text } from "../../flags.ts";
import { parseTime } from "../../typed-times.ts";
import { description, namingFlags, parseTexts, withGiven } from "../../objects/edits.ts";
import { toKey } from "../../objects/by-name.ts";
import { objectCommands } from "../../objects/objects.ts";
import { notePast } from "../../objects/without-effect.ts";
import { reportChange } from "../../output/change-report.ts";

const listAndShow = objectCommands({
  kind: "public_event",
  noun: "public-events",
  example: { business: "kita-live", key: "blue-hour-quartet" },
  about: {
    list: "List events with tickets, including drafts and past ones.",
    show: "Show an event with its ticket types and quotas.",
  },
  columns: ({ timezone }) => [
    {
      title: "STARTS",
      value: ({ startsAt }) => formatLocalMinute(startsAt, timezone),
      noTruncate: true,
    },
    { title: "VENUE", value: ({ venue }) => venue?.name, optional: true },
    { title: "TICKET TYPES", value: ({ ticketTypes }) => ticketTypes.length, align: "right" },
  ],
  withTimes: (doc, time) => ({
    ...doc,
    startsAt: time(doc.startsAt),
    endsAt: time(doc.endsAt),
    doorsAt: doc.doorsAt && time(doc.doorsAt),
    ticketTypes: doc.ticketTypes.map(({ salesStartAt, salesEndAt, ...type }) => ({
      ...type,
      salesStartAt: salesStartAt && time(salesStartAt),
      salesEndAt: salesEndAt && time(salesEndAt),
    })),
  }),
});

const update = command({
  name: "update",
  about: "Update an event with tickets. Orders stay as they are.",
  supportsDryRun: true,
  arguments: ["<public-event>"],
  flags: {
    name: text("name", "new name"),
    description,
    start: text("time", "new start; the end, the doors and the end of ticket sales move with it"),
    end: text("time", "new end"),
    doors: text("time", "when the doors open"),
    venue: text("name", "new venue; its address is removed unless --venue-address is given"),
    venueAddress: text("text", "new address of the venue"),
    status: choice(
      ["DRAFT", "PUBLISHED", "CANCELLED", "POSTPONED"],
      "new status; tickets are sold only for PUBLISHED",
    ),
  },
  examples: [
    "public-events update blue-hour-quartet --start 20:00 --end 22:00 --doors 19:00",
    "public-events update blue-hour-quartet --status PUBLISHED",
  ],
  async run(cli, given, event) {
    const { start, end, doors, venue, venueAddress, ...fields } = parseTexts(given);
    const { rt, business } = await cli.openBusiness();
    const name = toKey(rt, business, "public_event", event);
    const clock = { timezone: business.doc.timezone, now: rt.now() };
    const { editPublicEvent, movedTo } = await import("../../../app/catalog/public-events.ts");
    // `edit` assigns the changed event during the transaction, and the notes below read the event.
    // TypeScript does not see the assignment: without `as`, the variable would have the type null
    // there.
    let updated = null as PublicEventDoc | null;
    let orders: string[] = [];
    const edit = (doc: PublicEventDoc): PublicEventDoc => {
      const time = (flag: string, text: string | undefined, day: number) =>
        text === undefined
          ? undefined
          : parseTime(flag, text, clock, day, "on the day of the event");
      const startsAt = time("--start", start, doc.startsAt);
      const moved = startsAt === undefined ? doc : movedTo(doc, startsAt);
      const times = {
        endsAt: time("--end", end, moved.startsAt),
        doorsAt: time("--doors", doors, moved.startsAt),
      };
      return (updated = withGiven(moved, {
        ...fields,
        ...times,
        venue: newVenue(doc.venue, venue, venueAddress),
      }));
    };
    const flags = { startsAt: "--start", endsAt: "--end", doorsAt: "--doors" };
    reportChange(
      cli,
      namingFlags(flags, () => {
        const change = editPublicEvent(rt, business.slug, name, edit);
        orders = change.orders;
        return change.result;
      }),
    );
    if (updated === null) return;
    const { name: _name, description: _description, ...ofVisit } = given;
    if (Object.values(ofVisit).some((value) => value !== undefined))
      noteOrders(cli, name, business.slug, orders);
    const isOver = updated.endsAt <= rt.now();
    const consequence = isOver
      ? "the event is over, so no tickets are sold"
      : "the event has begun";
    if (start !== undefined)
      notePast(
        cli,
        business,
        rt.now(),
        { time: `--start ${start}`, end: updated.startsAt },
        consequence,
      );
    else if (end !== undefined)
      notePast(cli, business, rt.now(), { time: `--end ${end}`, end: updated.endsAt }, consequence);
  },
});

/** Returns the changed venue; undefined to keep the current one. */
function newVenue(
  current: PublicEventDoc["venue"],
  name: string | undefined,
  address: string | undefined,
): PublicEventDoc["venue"] | undefined {
  if (name === undefined && address === undefined) return undefined;
  const venueName = name ?? current?.name;
  if (venueName === undefined)
    throw usageError("The event has no venue to add an address to.", "add --venue NAME");
  return { name: venueName, address: address?.trim() || null };
}

const cancel = command({
  name: "cancel",
  about: "Cancel an event: partners are notified, and its tickets are no longer sold.",
  supportsDryRun: true,
  arguments: ["<public-event>"],
  examples: [
    "public-events cancel blue-hour-quartet --business kita-live",
    "public-events cancel blue-hour-quartet --dry-run",
  ],
  async run(cli, _flags, event) {
    const { rt, business } = await cli.openBusiness();
    const name = toKey(rt, business, "public_event", event);
    const { cancelPublicEvent } = await import("../../../app/catalog/public-events.ts");
    reportWithOrders(cli, name, cancelPublicEvent(rt, business.slug, name));
  },
});

const postpone = command({
  name: "postpone",
  about:
    "Postpone an event: partners are notified, and its tickets are not sold until it is published again.",
  supportsDryRun: true,
  arguments: ["<public-event>"],
  flags: {
    start: text(
      "time",
      "new start, if it is known; the end, the doors and the end of ticket sales move with it",
    ),
  },
  examples: [
    "public-events postpone blue-hour-quartet --start 2027-01-15T19:30",
    "public-events postpone blue-hour-quartet --business kita-live",
  ],
  async run(cli, { start }, event) {
    const { rt, business } = await cli.openBusiness();
    const name = toKey(rt, business, "public_event", event);
    const { postponePublicEvent } = await import("../../../app/catalog/public-events.ts");
    const startsAt =
      start === undefined
        ? null
        : parseTime("--start", start, { timezone: business.doc.timezone, now: rt.now() });
    const change = postponePublicEvent(rt, business.slug, name, startsAt);
    reportWithOrders(cli, name, change);
    cli.note(
      `To sell tickets again and show guests the time: ${cli.program} public-events update ${shellQuote(name)} --status PUBLISHED --business ${business.slug}`,
    );
  },
});

function reportWithOrders(cli: Cli, name: string, { result, orders }: PublicEventChange): void {
  if (cli.flags.json) cli.printObject({ ...result, orders });
  else reportChange(cli, result);
  noteOrders(cli, name, result.slug, orders);
}

/** Names the orders whose guests a change of the time, place or status of an event concerns. */
function noteOrders(cli: Cli, name: string, slug: string, orders: readonly string[]): void {
  if (orders.length === 0) return;
  const verb = orders.length === 1 ? "stays" : "stay";
  cli.note(
    `${countOf(orders.length, "ticket order")} ${verb} valid: ${cli.program} ticket-orders list --public-event ${shellQuote(name)} --business ${slug}`,
  );
}

export const definition = [...listAndShow, update, cancel, postpone];
