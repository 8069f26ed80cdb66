import { representBooking, type VisitStatus } from "../../domain/day/booking.ts";
import { formatMoney } from "../../domain/money.ts";
import { command, type Group } from "../command.ts";
import { choice, integer, text, texts } from "../flags.ts";
import { createOrLoad, fromFlag } from "../load-lines.ts";
import { pageFlags, printPage } from "../page.ts";

export const VISIT_STATUSES = [
  "PENDING",
  "CONFIRMED",
  "CANCELLED",
  "COMPLETED",
  "NO_SHOW",
] as const satisfies VisitStatus[];

const create = command({
  name: "create",
  about: "Book a service, if it is free, and tell the partners.",
  flags: {
    service: text("key", "what is booked"),
    variant: text("key", "which variant of it; otherwise the usual one"),
    addon: texts("key", "an add-on, or several: wash*2; once for each"),
    start: text("time", "such as 2026-12-01T10:00, on the business's clocks"),
    staff: text("key", "with whom; otherwise whoever is free"),
    guests: integer(1, 10_000, "how many take part (1)"),
    customerRef: text("ref", "your own name or number of the customer"),
    from: fromFlag,
  },
  examples: [
    "bookings create --service cut --variant cut-long --addon treatment --start 2026-12-01T10:00 --staff mia",
    "bookings create --from bookings.ndjson",
  ],
  async run(cli, { from, addon, ...given }) {
    const rt = await cli.open();
    const { slug } = cli.business(rt);
    const { createBooking } = await import("../../app/bookings.ts");
    return createOrLoad(
      cli,
      rt,
      from,
      { ...given, addons: addon },
      { service: "--service", start: "--start" },
      (input) => createBooking(rt, slug, input),
    );
  },
});

const cancel = command({
  name: "cancel",
  about: "Cancel a booking; its time is free again.",
  arguments: ["<booking>"],
  examples: ["bookings cancel bkg_06f…", "bookings cancel bkg_06f… --json"],
  async run(cli, _flags, id) {
    const rt = await cli.open();
    const { cancelBooking } = await import("../../app/bookings.ts");
    cli.printObject(cancelBooking(rt, cli.business(rt).slug, id));
  },
});

const list = command({
  name: "list",
  about: "List bookings, the newest first.",
  flags: { status: choice(VISIT_STATUSES, "only those in this state"), ...pageFlags },
  examples: ["bookings list --status CONFIRMED", "bookings list --limit 500 --json"],
  async run(cli, { limit, ...filter }) {
    const rt = await cli.open();
    const { id: businessId, doc, slug } = cli.business(rt);
    printPage(
      cli,
      limit,
      (most) =>
        rt.store.bookings.list({ businessId, ...filter }, most).map((row) => representBooking(row, doc.timezone)),
      [
        { title: "ID", value: ({ id }) => id, whole: true },
        { title: "STARTS", value: ({ startsAt }) => startsAt, whole: true },
        { title: "ENDS", value: ({ endsAt }) => endsAt },
        { title: "STATUS", value: ({ status }) => status },
        { title: "TOTAL", value: ({ totalCents, currency }) => formatMoney(totalCents, currency), align: "right" },
        { title: "CUSTOMER", value: ({ customerRef }) => customerRef },
        { title: "STAFF", value: ({ segments }) => segments.map(({ staffId }) => staffId).join(" ") },
      ],
      `${slug} has no bookings.`,
    );
  },
});

const show = command({
  name: "show",
  about: "Show a booking with its segments.",
  arguments: ["<booking>"],
  examples: ["bookings show bkg_06f…", "bookings show bkg_06f… --json"],
  async run(cli, _flags, id) {
    const rt = await cli.open();
    const business = cli.business(rt);
    const { requireBooking } = await import("../../app/bookings.ts");
    cli.printObject(representBooking(requireBooking(rt, business.id, id), business.doc.timezone));
  },
});

export const bookings: Group = {
  name: "bookings",
  about: "Who has booked which service, and when.",
  commands: [create, cancel, list, show],
};
