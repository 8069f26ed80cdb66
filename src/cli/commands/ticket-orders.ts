import { formatMoney } from "../../domain/money.ts";
import { toPublicTicketOrder, type TicketOrder } from "../../domain/bookings/ticket-order.ts";
import { command, type CommandGroup } from "../command.ts";
import { choice, text, texts } from "../flags.ts";
import { createOrLoad, inputFlag } from "../input/create-or-load.ts";
import { pageFlags, printPage } from "../output/page.ts";

const STATUSES = [
  "PENDING",
  "CONFIRMED",
  "CANCELLED",
  "EXPIRED",
] as const satisfies TicketOrder["status"][];

const create = command({
  name: "create",
  about: "Hold tickets for 15 minutes, until they are paid, and tell the partners.",
  supportsDryRun: true,
  flags: {
    event: text("key", "the event"),
    item: texts("type", "a ticket type, or several of it: seated*2; once for each"),
    customerRef: text("ref", "your own name or number of the customer"),
    from: inputFlag,
  },
  examples: [
    "orders create --event blue-hour-quartet --item seated*2 --item student",
    "orders create --from orders.ndjson --json",
  ],
  async run(cli, { from, item, ...given }) {
    const rt = await cli.open();
    const { slug } = cli.business(rt);
    const { createTicketOrder } = await import("../../app/bookings/ticket-orders.ts");
    return createOrLoad(
      cli,
      rt,
      from,
      { ...given, items: item },
      { event: "--event", items: "--item" },
      (input) => createTicketOrder(rt, slug, input),
    );
  },
});

const confirm = command({
  name: "confirm",
  about: "Make a paid order's tickets and print the codes that admit their holders, this once.",
  supportsDryRun: true,
  arguments: ["<order>"],
  examples: ["orders confirm K7M2-9QXF", "orders confirm tor_06f… --json"],
  async run(cli, _flags, name) {
    const rt = await cli.open();
    const { confirmTicketOrder } = await import("../../app/bookings/ticket-orders.ts");
    const confirmed = confirmTicketOrder(rt, cli.business(rt).slug, name);
    if (cli.flags.json) return cli.printObject(confirmed);
    cli.printList(
      confirmed.tickets,
      [
        { title: "TICKET", value: ({ id }) => id, noTruncate: true },
        { title: "CODE", value: ({ admissionCode }) => admissionCode, noTruncate: true },
        { title: "TYPE", value: ({ ticketTypeId }) => ticketTypeId },
      ],
      "",
    );
    cli.note(`${cli.verb("Confirmed", "confirm")} order ${confirmed.order.code}.`);
    if (!cli.flags.dryRun)
      cli.note("These codes are shown only once; deskbell keeps their hashes.");
  },
});

const cancel = command({
  name: "cancel",
  about: "Cancel an order, paid or not: its tickets are void and can be sold again.",
  supportsDryRun: true,
  arguments: ["<order>"],
  examples: ["orders cancel K7M2-9QXF", "orders cancel tor_06f… --json"],
  async run(cli, _flags, name) {
    const rt = await cli.open();
    const { cancelTicketOrder } = await import("../../app/bookings/ticket-orders.ts");
    cli.printObject(cancelTicketOrder(rt, cli.business(rt).slug, name));
  },
});

const list = command({
  name: "list",
  about: "List ticket orders, the newest first.",
  flags: {
    event: text("key", "only those for this event"),
    status: choice(STATUSES, "only those in this state"),
    ...pageFlags,
  },
  examples: [
    "orders list --event blue-hour-quartet --status CONFIRMED",
    "orders list --limit 500 --json",
  ],
  async run(cli, { limit, event, ...filter }) {
    const rt = await cli.open();
    const business = cli.business(rt);
    const { getPublicEventId } = await import("../../app/catalog/objects.ts");
    const eventId = event === undefined ? undefined : getPublicEventId(rt, business, event);
    printPage(
      cli,
      limit,
      (most) =>
        rt.store.orders
          .list({ businessId: business.id, eventId, ...filter }, most)
          .map((row) => toPublicTicketOrder(row, business.doc.timezone)),
      [
        { title: "ID", value: ({ id }) => id, noTruncate: true },
        { title: "CODE", value: ({ code }) => code, noTruncate: true },
        { title: "STATUS", value: ({ status }) => status },
        {
          title: "TICKETS",
          value: ({ items }) => items.reduce((sum, item) => sum + item.quantity, 0),
          align: "right",
        },
        {
          title: "TOTAL",
          value: ({ totalCents, currency }) => formatMoney(totalCents, currency),
          align: "right",
        },
        {
          title: "EXPIRES",
          value: ({ expiresAt }) => expiresAt?.slice(0, 16),
          noTruncate: true,
          optional: true,
        },
        { title: "CUSTOMER", value: ({ customerRef }) => customerRef },
      ],
      `${business.slug} has no orders.`,
    );
  },
});

const show = command({
  name: "show",
  about: "Show an order, by its id or its code.",
  arguments: ["<order>"],
  examples: ["orders show K7M2-9QXF", "orders show tor_06f… --json"],
  async run(cli, _flags, name) {
    const rt = await cli.open();
    const business = cli.business(rt);
    const { getTicketOrder } = await import("../../app/bookings/ticket-orders.ts");
    cli.printObject(
      toPublicTicketOrder(getTicketOrder(rt, business.id, name), business.doc.timezone),
    );
  },
});

export const ticketOrders: CommandGroup = {
  name: "orders",
  about: "Tickets that customers have ordered.",
  commands: [create, confirm, cancel, list, show],
};
