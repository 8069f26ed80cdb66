import { toPublicReservation } from "../../domain/bookings/reservation.ts";
import { command } from "../command.ts";
import { integer, text } from "../flags.ts";
import { createOrLoad, inputFlag } from "../input/create-or-load.ts";
import { visitCommands } from "../objects/visit-commands.ts";

const create = command({
  name: "create",
  about: "Reserve the smallest available table for a party.",
  supportsDryRun: true,
  flags: {
    party: integer(1, 10_000, "party size"),
    start: text("time", "local start time, such as 2026-12-01T19:30"),
    area: text("key", "reserve in this area only"),
    table: text("key", "reserve this table only"),
    customerRef: text(
      "ref",
      "your own reference for the customer, such as a number; partners see it",
    ),
    input: inputFlag("party, start, area, table, customerRef"),
  },
  examples: [
    "reservations create --party 4 --start 2026-12-01T19:30 --area terrace",
    "reservations create --input reservations.ndjson",
  ],
  async run(cli, { input, ...given }) {
    const { rt, business } = await cli.openBusiness();
    const { slug } = business;
    const { createReservation } = await import("../../app/bookings/bookings.ts");
    return createOrLoad(cli, rt, input, given, { party: "--party", start: "--start" }, (fields) =>
      createReservation(rt, slug, fields),
    );
  },
});

export const definition = [
  create,
  ...visitCommands({
    noun: "reservation",
    exampleId: "rsv_06f…",
    freed: "its table",
    read: (rt, filter, limit) => rt.store.reservations.list(filter, limit),
    toPublic: toPublicReservation,
    columns: (keyOf) => [
      "id",
      { title: "STARTS", value: ({ startsAt }) => startsAt.slice(0, 16), noTruncate: true },
      { title: "PARTY", value: "partySize", align: "right" },
      "status",
      { title: "CUSTOMER", value: "customerRef" },
      { title: "TABLE", value: ({ tableId }) => keyOf(tableId) },
    ],
    useCases: async () => {
      const { cancelReservation, getReservation } = await import("../../app/bookings/bookings.ts");
      return { cancel: cancelReservation, get: getReservation };
    },
  }),
];
