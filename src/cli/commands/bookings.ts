import { toPublicBooking } from "../../domain/bookings/booking.ts";
import { formatMoney } from "../../domain/money.ts";
import { command } from "../command.ts";
import { text, visitFlags } from "../flags.ts";
import { createOrLoad, inputFlag } from "../input/create-or-load.ts";
import { visitCommands } from "../objects/visit-commands.ts";

const create = command({
  name: "create",
  about: "Book a service, or a visit with several services, if it is available.",
  supportsDryRun: true,
  flags: {
    ...visitFlags,
    start: text("time", "local start time, such as 2026-12-01T10:00"),
    customerRef: text(
      "ref",
      "your own reference for the customer, such as a number; partners see it",
    ),
    input: inputFlag("start, service or variant, addons, staff, guests, customerRef"),
  },
  examples: [
    "bookings create --service cut --variant cut-senior --addon scalp-massage --start 2026-12-02T11:00 --staff maya",
    "bookings create --service gloss --service cut --staff cut:maya --start 2026-12-02T11:00",
    "bookings create --input bookings.ndjson",
  ],
  async run(cli, { input, addon, ...given }) {
    const { rt, business } = await cli.openBusiness();
    const { slug } = business;
    const { createBooking } = await import("../../app/bookings/bookings.ts");
    const required = {
      ...(given.variant.length === 0 && { service: "--service" }),
      start: "--start",
    };
    return createOrLoad(cli, rt, input, { ...given, addons: addon }, required, (fields) =>
      createBooking(rt, slug, fields),
    );
  },
});

export const definition = [
  create,
  ...visitCommands({
    noun: "booking",
    exampleId: "bkg_06f…",
    freed: "its time",
    read: (rt, filter, limit) => rt.store.bookings.list(filter, limit),
    toPublic: (booking, timezone) => ({
      ...toPublicBooking(booking, timezone),
      currencyDigits: booking.currencyDigits,
    }),
    columns: (keyOf) => [
      "id",
      { title: "STARTS", value: ({ startsAt }) => startsAt.slice(0, 16), noTruncate: true },
      {
        title: "SERVICE",
        value: ({ segments }) => segments.map(({ serviceId }) => keyOf(serviceId)).join(" "),
      },
      {
        title: "STAFF",
        value: ({ segments }) => segments.map(({ staffId }) => keyOf(staffId)).join(" "),
      },
      { title: "CUSTOMER", value: "customerRef" },
      { title: "STATUS", value: "status", noTruncate: true },
      { title: "ENDS", value: ({ endsAt }) => endsAt.slice(0, 16), optional: true },
      {
        title: "TOTAL",
        value: (booking) => formatMoney(booking.totalCents, booking),
        align: "right",
        optional: true,
      },
    ],
    useCases: async () => {
      const { cancelBooking, getBooking } = await import("../../app/bookings/bookings.ts");
      return { cancel: cancelBooking, get: getBooking };
    },
  }),
];
