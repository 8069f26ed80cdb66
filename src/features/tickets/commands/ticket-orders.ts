import { formatMoney } from "../../../domain/money.ts";
import { commitOnceShown } from "../../../app/commit-once-shown.ts";
import { toPublicTicketOrder, type TicketOrder } from "../rules.ts";
import { toLocalMinute } from "../../../domain/local-time.ts";
import { command } from "../../../cli/command.ts";
import { choice, guestFlags, text, texts, pageFlags } from "../../../cli/flags.ts";
import { cancelCommand } from "../../../cli/objects/cancel-command.ts";
import { createNamer } from "../../../cli/objects/names.ts";
import { resolveMaker } from "../../../cli/objects/objects.ts";
import { toGivenKey, toKey } from "../../../cli/objects/by-name.ts";
import { createOrLoad, inputFlag } from "../../../cli/input/create-or-load.ts";
import type { Column } from "../../../cli/output/table.ts";
import { createOrderStore } from "../store.ts";

const STATUSES = [
  "PENDING",
  "CONFIRMED",
  "CANCELLED",
  "EXPIRED",
] as const satisfies TicketOrder["status"][];

/** Returns an order with what partners do not see: the cancel reason and the payment reference. */
const toShownOrder = (order: TicketOrder, timezone: string) => ({
  ...toPublicTicketOrder(order, timezone),
  cancelReason: order.cancelReason,
  paymentRef: order.paymentRef,
});

const create = command({
  name: "create",
  about: "Create an order, which takes its tickets and expires if not confirmed in 15 minutes.",
  supportsDryRun: true,
  flags: {
    publicEvent: text("key", "the event"),
    item: texts("ticket-type", "a ticket type, such as seated or seated*2 (repeatable)"),
    customerRef: guestFlags.customerRef,
    input: inputFlag("event, items, customerRef"),
  },
  examples: [
    "ticket-orders create --public-event blue-hour-quartet --item seated*2 --item student",
    "ticket-orders create --input orders.ndjson --json",
  ],
  async run(cli, { input, publicEvent, item, ...given }) {
    const { rt, business } = await cli.openBusiness();
    const { slug } = business;
    const { createTicketOrder } = await import("../orders/orders.ts");
    return createOrLoad(
      cli,
      rt,
      input,
      { ...given, event: toGivenKey(rt, business, "public_event", publicEvent), items: item },
      { event: "--public-event", items: "--item" },
      (fields) => createTicketOrder(rt, slug, fields),
    );
  },
});

const confirm = command({
  name: "confirm",
  about:
    "Confirm a paid order: create its tickets and print their admission codes, which are shown only once.",
  supportsDryRun: true,
  arguments: ["<order>"],
  examples: ["ticket-orders confirm K7M2-9QXF", "ticket-orders confirm tor_06f… --json"],
  async run(cli, _flags, name) {
    const rt = await cli.open();
    const { confirmTicketOrder } = await import("../orders/orders.ts");
    const business = cli.business(rt);
    const nameOf = createNamer(rt, business);
    const toText = (confirmed: ReturnType<typeof confirmTicketOrder>): string =>
      cli.flags.json
        ? `${cli.toJson({ data: confirmed })}\n`
        : cli.toList(confirmed.tickets, [
            { title: "TICKET", value: "id", noTruncate: true },
            { title: "CODE", value: "admissionCode", noTruncate: true },
            { title: "TYPE", value: ({ ticketTypeId }) => nameOf(ticketTypeId) ?? ticketTypeId },
          ]);
    const confirmed = commitOnceShown(
      rt,
      () => confirmTicketOrder(rt, business.slug, name),
      (created) => {
        // A dry run prints after the transaction, so that a stopped terminal does not block other
        // writes.
        if (!cli.flags.dryRun) cli.printNow(toText(created), "run the command again");
      },
    );
    if (cli.flags.dryRun) cli.print(toText(confirmed));
    if (cli.flags.json) return;
    cli.note(`${cli.verb("Confirmed", "confirm")} order ${confirmed.order.code}.`);
    if (!cli.flags.dryRun)
      cli.note(
        "The codes are shown only once. If the guest ordered on the booking page, the page of the order shows them, too.",
      );
  },
});

const toRow = (order: TicketOrder, timezone: string) => ({
  ...toShownOrder(order, timezone),
  currencyDigits: order.currencyDigits,
});

type Row = ReturnType<typeof toRow>;

const columnsIn = (timezone: string): Column<Row>[] => [
  "id",
  { title: "CODE", value: "code", noTruncate: true },
  "status",
  {
    title: "TICKETS",
    value: ({ items }) => items.reduce((sum, item) => sum + item.quantity, 0),
    align: "right",
  },
  {
    title: "TOTAL",
    value: (order) => formatMoney(order.totalCents, order),
    align: "right",
  },
  {
    title: "EXPIRES",
    value: ({ expiresAt }) => expiresAt && toLocalMinute(expiresAt, timezone),
    noTruncate: true,
    optional: true,
  },
  { title: "CUSTOMER", value: "customerRef" },
];

const cancel = cancelCommand({
  group: "ticket-orders",
  noun: "ticket order",
  about:
    "Cancel an order, paid or not, or all that a key has made since a time. Its tickets become void and can be sold again.",
  argument: "[order]",
  reason: "why; partners do not see it",
  notStarted: "whose event has not started",
  examples: [
    "ticket-orders cancel K7M2-9QXF",
    "ticket-orders cancel tor_06f… --reason 'paid twice' --json",
  ],
  async cancelOne(cli, name, reason) {
    const rt = await cli.open();
    const { cancelTicketOrder } = await import("../orders/change-order.ts");
    cli.printObject(cancelTicketOrder(rt, cli.business(rt).slug, name, reason));
  },
  useCases: async () => {
    const { CANCELLABLE_ORDERS } = await import("../orders/cancel-orders.ts");
    return { cancellable: CANCELLABLE_ORDERS };
  },
  toShown: toRow,
  columns: (_rt, { doc: { timezone } }) => columnsIn(timezone),
});

const list = command({
  name: "list",
  about: "List ticket orders, newest first.",
  flags: {
    publicEvent: text("key", "only orders for this event"),
    status: choice(STATUSES, "only orders with this status"),
    key: text("key", "only those that this API key made"),
    ...pageFlags,
  },
  examples: [
    "ticket-orders list --public-event blue-hour-quartet --status CONFIRMED",
    "ticket-orders list --limit 500 --json",
  ],
  async run(cli, { limit, publicEvent, key, ...filter }) {
    const { rt, business } = await cli.openBusiness();
    const createdByKey = key === undefined ? undefined : resolveMaker(cli, rt, business, key).id;
    const { getPublicEventId } = await import("../../../app/catalog/objects.ts");
    const eventId =
      publicEvent === undefined
        ? undefined
        : getPublicEventId(rt, business, toKey(rt, business, "public_event", publicEvent));
    cli.printPage<Row>(
      limit,
      (most): Row[] =>
        rt
          .openStore(createOrderStore)
          .list({ businessId: business.id, eventId, createdByKey, ...filter }, most)
          .map((order) => toRow(order, business.doc.timezone)),
      columnsIn(business.doc.timezone),
      `${business.slug} has no ticket orders.`,
    );
  },
});

const show = command({
  name: "show",
  about: "Show a ticket order by its ID or code.",
  arguments: ["<order>"],
  examples: ["ticket-orders show K7M2-9QXF", "ticket-orders show tor_06f… --json"],
  async run(cli, _flags, name) {
    const { rt, business } = await cli.openBusiness();
    const { getTicketOrder } = await import("../orders/change-order.ts");
    cli.printObject(toShownOrder(getTicketOrder(rt, business.id, name), business.doc.timezone));
  },
});

export const definition = [create, confirm, cancel, list, show];
