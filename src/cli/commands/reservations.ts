import { toPublicReservation } from "../../domain/bookings/reservation.ts";
import { toLocalMinute } from "../../domain/local-time.ts";
import { guestNameOf } from "../../app/bookings/guests.ts";
import { command } from "../command.ts";
import {
  guestFlags,
  ignoreNoticeFlag,
  integer,
  requiredText,
  text,
  groupCustomer,
} from "../flags.ts";
import { createOrLoad, inputFlag } from "../input/create-or-load.ts";
import {
  noteRepeatedStart,
  resolveVisitId,
  toStart,
  visitCommands,
} from "../objects/visit-commands.ts";

const create = command({
  name: "create",
  about: "Reserve the smallest available table for a party.",
  supportsDryRun: true,
  flags: {
    party: integer(1, 10_000, "party size"),
    start: text("time", "local start time, such as 2026-12-01T19:30, or with an offset"),
    area: text("key", "reserve in this area only"),
    table: text("key", "reserve this table only"),
    ...guestFlags,
    ignoreNotice: ignoreNoticeFlag,
    input: inputFlag("party, start, area, table, customerRef, customer"),
  },
  examples: [
    "reservations create --party 4 --start 2026-12-01T19:30 --area terrace",
    "reservations create --input reservations.ndjson",
  ],
  async run(cli, { input, ignoreNotice: ignoresNotice, ...flags }) {
    const { rt, business } = await cli.openBusiness();
    const { slug, doc } = business;
    const given = { ...flags, start: toStart(flags.start, doc.timezone, rt.now()) };
    const { createReservation } = await import("../../app/bookings/bookings.ts");
    const required = { party: "--party", start: "--start" };
    const code = await createOrLoad(cli, rt, input, groupCustomer(given), required, (fields) =>
      createReservation(rt, slug, fields, { ignoresNotice }),
    );
    noteRepeatedStart(cli, doc.timezone, given.start);
    return code;
  },
});

const reschedule = command({
  name: "reschedule",
  about: "Move a reservation, or change its party. The table is chosen again.",
  supportsDryRun: true,
  arguments: ["<id>"],
  flags: {
    start: requiredText(
      "time",
      "new local start time, such as 2026-12-01T19:30, or with an offset",
    ),
    party: integer(1, 10_000, "new party size (default: the same)"),
    area: text("key", "reserve in this area only; any for all areas (default: the same)"),
    ignoreNotice: ignoreNoticeFlag,
  },
  examples: [
    "reservations reschedule rsv_06f… --start 2026-12-01T19:30",
    "reservations reschedule rsv_06f… --start 2026-12-01T19:30 --party 4 --area any",
  ],
  async run(cli, { start: typed, party, area: typedArea, ignoreNotice }, given) {
    const { rt, business } = await cli.openBusiness();
    const id = resolveVisitId(rt.store.reservations, business, given);
    const start = toStart(typed, business.doc.timezone, rt.now());
    const { rescheduleReservation } = await import("../../app/bookings/reschedule.ts");
    const area = typedArea === "any" ? null : typedArea;
    const change = { start, partySize: party, area, ignoresNotice: ignoreNotice };
    cli.printObject(rescheduleReservation(rt, business.slug, id, change));
    noteRepeatedStart(cli, business.doc.timezone, start);
  },
});

export const definition = [
  create,
  reschedule,
  ...visitCommands({
    noun: "reservation",
    exampleId: "rsv_06f…",
    freed: "its table",
    store: (rt) => rt.store.reservations,
    toPublic: toPublicReservation,
    columns: (rt, { id: businessId, doc: { timezone } }) => [
      "id",
      {
        title: "STARTS",
        value: ({ startsAt }) => toLocalMinute(startsAt, timezone),
        noTruncate: true,
      },
      { title: "PARTY", value: "partySize", align: "right" },
      { title: "STATUS", value: "status", noTruncate: true },
      { title: "GUEST", value: (reservation) => guestNameOf(rt, reservation) },
      {
        title: "TABLE",
        value: ({ tableId }) =>
          rt.store.catalog.findByKeyOrId(businessId, "table", tableId)?.name ?? tableId,
      },
    ],
    useCases: async () => {
      const { cancellableVisits, changeReservation, getReservation } =
        await import("../../app/bookings/operator-changes.ts");
      const { RESERVATION } = await import("../../app/bookings/visit-kinds.ts");
      return {
        change: changeReservation,
        get: getReservation,
        cancellable: cancellableVisits(RESERVATION),
      };
    },
  }),
];
