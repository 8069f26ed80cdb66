import { formatMoney } from "../../domain/money.ts";
import { representOrder, type TicketOrder } from "../../domain/day/ticket-order.ts";
import { command, type Group } from "../command.ts";
import { choice, text, texts } from "../flags.ts";
import { createOrLoad, fromFlag } from "../input/load-lines.ts";
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
  canRehearse: true,
  flags: {
    event: text("key", "the event"),
    item: texts("type", "a ticket type, or several of it: seated*2; once for each"),
    customerRef: text("ref", "your own name or number of the customer"),
    from: fromFlag,
  },
  examples: [
    "orders create --event blue-hour-quartet --item seated*2 --item student",
    "orders create --from orders.ndjson --json",
  ],
  async run(cli, { from, item, ...given }) {
    const rt = await cli.open();
    const { slug } = cli.business(rt);
    const { createOrder } = await import("../../app/day/orders.ts");
    return createOrLoad(
      cli,
      rt,
      from,
      { ...given, items: item },
      { event: "--event", items: "--item" },
      (input) => createOrder(rt, slug, input),
    );
  },
});

const confirm = command({
  name: "confirm",
  about: "Make a paid order's tickets and print the codes that admit their holders, this once.",
  canRehearse: true,
  arguments: ["<order>"],
  examples: ["orders confirm K7M2-9QXF", "orders confirm tor_06f… --json"],
  async run(cli, _flags, name) {
    const rt = await cli.open();
    const { confirmOrder } = await import("../../app/day/orders.ts");
    const confirmed = confirmOrder(rt, cli.business(rt).slug, name);
    if (cli.flags.json) return cli.printObject(confirmed);
    cli.printList(
      confirmed.tickets,
      [
        { title: "TICKET", value: ({ id }) => id, whole: true },
        { title: "CODE", value: ({ admissionCode }) => admissionCode, whole: true },
        { title: "TYPE", value: ({ ticketTypeId }) => ticketTypeId },
      ],
      "",
    );
    cli.note(
      `Order ${confirmed.order.code} is confirmed. These codes are shown this once; only their hashes are kept.`,
    );
  },
});

const cancel = command({
  name: "cancel",
  about: "Cancel an order, paid or not: its tickets are void and can be sold again.",
  canRehearse: true,
  arguments: ["<order>"],
  examples: ["orders cancel K7M2-9QXF", "orders cancel tor_06f… --json"],
  async run(cli, _flags, name) {
    const rt = await cli.open();
    const { cancelOrder } = await import("../../app/day/orders.ts");
    cli.printObject(cancelOrder(rt, cli.business(rt).slug, name));
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
    const { publicEventId } = await import("../../app/catalog/find-object.ts");
    const eventId = event === undefined ? undefined : publicEventId(rt, business, event);
    printPage(
      cli,
      limit,
      (most) =>
        rt.store.orders
          .list({ businessId: business.id, eventId, ...filter }, most)
          .map((row) => representOrder(row, business.doc.timezone)),
      [
        { title: "ID", value: ({ id }) => id, whole: true },
        { title: "CODE", value: ({ code }) => code, whole: true },
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
          whole: true,
          spare: true,
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
    const { requireOrder } = await import("../../app/day/orders.ts");
    cli.printObject(representOrder(requireOrder(rt, business.id, name), business.doc.timezone));
  },
});

export const orders: Group = {
  name: "orders",
  about: "Tickets that customers have ordered.",
  commands: [create, confirm, cancel, list, show],
};
