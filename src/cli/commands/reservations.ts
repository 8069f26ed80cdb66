import { representReservation } from "../../domain/day/reservation.ts";
import { command, type Group } from "../command.ts";
import { choice, integer, text } from "../flags.ts";
import { createOrLoad, fromFlag } from "../load-lines.ts";
import { pageFlags, printPage } from "../page.ts";
import { VISIT_STATUSES } from "./bookings.ts";

const create = command({
  name: "create",
  about: "Reserve a table, the smallest that is free for the party, and tell the partners.",
  flags: {
    party: integer(1, 10_000, "how many come"),
    start: text("time", "such as 2026-12-01T19:30, on the business's clocks"),
    area: text("key", "in this area"),
    table: text("key", "this table and no other"),
    customerRef: text("ref", "your own name or number of the customer"),
    from: fromFlag,
  },
  examples: [
    "reservations create --party 4 --start 2026-12-01T19:30 --area terrace",
    "reservations create --from reservations.ndjson",
  ],
  async run(cli, { from, ...given }) {
    const rt = await cli.open();
    const { slug } = cli.business(rt);
    const { createReservation } = await import("../../app/reservations.ts");
    return createOrLoad(cli, rt, from, given, { party: "--party", start: "--start" }, (input) =>
      createReservation(rt, slug, input),
    );
  },
});

const cancel = command({
  name: "cancel",
  about: "Cancel a reservation; its table is free again.",
  arguments: ["<reservation>"],
  examples: ["reservations cancel rsv_06f…", "reservations cancel rsv_06f… --json"],
  async run(cli, _flags, id) {
    const rt = await cli.open();
    const { cancelReservation } = await import("../../app/reservations.ts");
    cli.printObject(cancelReservation(rt, cli.business(rt).slug, id));
  },
});

const list = command({
  name: "list",
  about: "List reservations, the newest first.",
  flags: { status: choice(VISIT_STATUSES, "only those in this state"), ...pageFlags },
  examples: ["reservations list --status CONFIRMED", "reservations list --limit 500 --json"],
  async run(cli, { limit, ...filter }) {
    const rt = await cli.open();
    const { id: businessId, doc, slug } = cli.business(rt);
    printPage(
      cli,
      limit,
      (most) =>
        rt.store.reservations
          .list({ businessId, ...filter }, most)
          .map((row) => representReservation(row, doc.timezone)),
      [
        { title: "ID", value: ({ id }) => id, whole: true },
        { title: "STARTS", value: ({ startsAt }) => startsAt, whole: true },
        { title: "PARTY", value: ({ partySize }) => partySize, align: "right" },
        { title: "STATUS", value: ({ status }) => status },
        { title: "CUSTOMER", value: ({ customerRef }) => customerRef },
        { title: "TABLE", value: ({ tableId }) => tableId },
      ],
      `${slug} has no reservations.`,
    );
  },
});

const show = command({
  name: "show",
  about: "Show a reservation.",
  arguments: ["<reservation>"],
  examples: ["reservations show rsv_06f…", "reservations show rsv_06f… --json"],
  async run(cli, _flags, id) {
    const rt = await cli.open();
    const business = cli.business(rt);
    const { requireReservation } = await import("../../app/reservations.ts");
    cli.printObject(representReservation(requireReservation(rt, business.id, id), business.doc.timezone));
  },
});

export const reservations: Group = {
  name: "reservations",
  about: "Who has reserved a table, and when.",
  commands: [create, cancel, list, show],
};
