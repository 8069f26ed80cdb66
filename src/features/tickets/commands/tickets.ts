import { toPublicTicket, type Ticket } from "../rules.ts";
import { toLocalMinute } from "../../../domain/local-time.ts";
import { command } from "../../../cli/command.ts";
import { choice, text, pageFlags } from "../../../cli/flags.ts";
import { toKey } from "../../../cli/objects/by-name.ts";
import { createNamer } from "../../../cli/objects/names.ts";
import { createTicketStore } from "../store.ts";

const STATUSES = ["VALID", "CHECKED_IN", "VOID"] as const satisfies Ticket["status"][];

const checkIn = command({
  name: "check-in",
  about: "Check in a ticket by its admission code or ID. A ticket can be checked in only once.",
  supportsDryRun: true,
  arguments: ["<code>"],
  examples: ["tickets check-in 4T7K-2M9Q-XF3N-WD0A", "tickets check-in tck_06f…"],
  async run(cli, _flags, codeOrId) {
    const rt = await cli.open();
    const { checkInTicket } = await import("../tickets.ts");
    cli.printObject(checkInTicket(rt, cli.business(rt).slug, codeOrId));
  },
});

const list = command({
  name: "list",
  about: "List tickets, newest first, without their admission codes.",
  flags: {
    publicEvent: text("key", "only tickets for this event"),
    order: text("order", "only tickets of this order (ID or code)"),
    status: choice(STATUSES, "only tickets with this status"),
    ...pageFlags,
  },
  examples: [
    "tickets list --public-event blue-hour-quartet --status CHECKED_IN",
    "tickets list --order K7M2-9QXF",
  ],
  async run(cli, { limit, publicEvent, order, ...filter }) {
    const { rt, business } = await cli.openBusiness();
    const { getPublicEventId } = await import("../../../app/catalog/objects.ts");
    const { getTicketOrder } = await import("../orders/change-order.ts");
    const eventId =
      publicEvent === undefined
        ? undefined
        : getPublicEventId(rt, business, toKey(rt, business, "public_event", publicEvent));
    const orderId = order === undefined ? undefined : getTicketOrder(rt, business.id, order).id;
    const nameOf = createNamer(rt, business);
    cli.printPage(
      limit,
      (most) =>
        rt
          .openStore(createTicketStore)
          .list({ businessId: business.id, eventId, orderId, ...filter }, most)
          .map((row) => toPublicTicket(row, business.doc.timezone)),
      [
        "id",
        "status",
        {
          title: "CHECKED IN",
          value: ({ checkedInAt }) =>
            checkedInAt && toLocalMinute(checkedInAt, business.doc.timezone),
          noTruncate: true,
        },
        { title: "TYPE", value: ({ ticketTypeId }) => nameOf(ticketTypeId) ?? ticketTypeId },
        { title: "ORDER", value: "orderId", noTruncate: true, optional: true },
      ],
      `${business.slug} has no tickets.`,
    );
  },
});

export const definition = [checkIn, list];
