import { toPublicReservation } from "../../domain/bookings/reservation.ts";
import { command, type CommandGroup } from "../command.ts";
import { integer, text } from "../flags.ts";
import { createOrLoad, inputFlag } from "../input/create-or-load.ts";
import { visitCommands } from "../objects/visit-commands.ts";

const create = command({
  name: "create",
  about: "Reserve a table, the smallest that is free for the party, and tell the partners.",
  supportsDryRun: true,
  flags: {
    party: integer(1, 10_000, "how many come"),
    start: text("time", "such as 2026-12-01T19:30, on the business's clocks"),
    area: text("key", "in this area"),
    table: text("key", "this table and no other"),
    customerRef: text("ref", "your own name or number of the customer"),
    from: inputFlag,
  },
  examples: [
    "reservations create --party 4 --start 2026-12-01T19:30 --area terrace",
    "reservations create --from reservations.ndjson",
  ],
  async run(cli, { from, ...given }) {
    const rt = await cli.open();
    const { slug } = cli.business(rt);
    const { createReservation } = await import("../../app/bookings/reservations.ts");
    return createOrLoad(cli, rt, from, given, { party: "--party", start: "--start" }, (input) =>
      createReservation(rt, slug, input),
    );
  },
});

export const reservations: CommandGroup = {
  name: "reservations",
  about: "Who has reserved a table, and when.",
  commands: [
    create,
    ...visitCommands({
      one: "reservation",
      exampleId: "rsv_06f…",
      freed: "its table",
      read: (rt, filter, limit) => rt.store.reservations.list(filter, limit),
      represent: toPublicReservation,
      kinds: ["table"],
      columns: (keyOf) => [
        { title: "ID", value: ({ id }) => id, noTruncate: true },
        { title: "STARTS", value: ({ startsAt }) => startsAt.slice(0, 16), noTruncate: true },
        { title: "PARTY", value: ({ partySize }) => partySize, align: "right" },
        { title: "STATUS", value: ({ status }) => status },
        { title: "CUSTOMER", value: ({ customerRef }) => customerRef },
        { title: "TABLE", value: ({ tableId }) => keyOf(tableId) },
      ],
      useCases: async () => {
        const { cancelReservation, getReservation } =
          await import("../../app/bookings/reservations.ts");
        return { cancel: cancelReservation, require: getReservation };
      },
    }),
  ],
};
