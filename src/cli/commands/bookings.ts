import { toPublicBooking } from "../../domain/bookings/booking.ts";
import { toLocalMinute } from "../../domain/local-time.ts";
import { formatMoney } from "../../domain/money.ts";
import { guestNameOf } from "../../app/bookings/guests.ts";
import { command } from "../command.ts";
import {
  guestFlags,
  ignoreNoticeFlag,
  requiredText,
  text,
  visitFlags,
  groupCustomer,
} from "../flags.ts";
import { createOrLoad, inputFlag } from "../input/create-or-load.ts";
import { toKey, toStaffKeys } from "../objects/by-name.ts";
import { keyOf, resolveObject } from "../objects/objects.ts";
import {
  noteRepeatedStart,
  resolveVisitId,
  toStart,
  visitCommands,
} from "../objects/visit-commands.ts";

const create = command({
  name: "create",
  about: "Book a service, or a visit with several services, if it is available.",
  supportsDryRun: true,
  flags: {
    ...visitFlags,
    start: text("time", "local start time, such as 2026-12-01T10:00, or with an offset"),
    ...guestFlags,
    ignoreNotice: ignoreNoticeFlag,
    input: inputFlag("start, service or variant, addons, staff, guests, customerRef, customer"),
  },
  examples: [
    "bookings create --service cut --variant cut-senior --addon scalp-massage --start 2026-12-02T11:00 --staff maya",
    "bookings create --service gloss --service cut --staff cut:maya --start 2026-12-02T11:00",
    "bookings create --service cut --start 2026-12-02T11:00 --name 'Ana Silva' --phone '+351 910 000 000'",
    "bookings create --input bookings.ndjson",
  ],
  async run(cli, { input, addon, ignoreNotice: ignoresNotice, ...flags }) {
    const { rt, business } = await cli.openBusiness();
    const { slug, doc } = business;
    const given = { ...flags, start: toStart(flags.start, doc.timezone, rt.now()) };
    const { createBooking } = await import("../../app/bookings/bookings.ts");
    const required = {
      ...(given.variant.length === 0 && { service: "--service" }),
      start: "--start",
    };
    const described = groupCustomer({
      ...given,
      service: given.service.map((name) => toKey(rt, business, "service", name)),
      staff: toStaffKeys(rt, business, given.staff),
      addons: addon,
    });
    const code = await createOrLoad(cli, rt, input, described, required, (fields) =>
      createBooking(rt, slug, fields, { ignoresNotice }),
    );
    noteRepeatedStart(cli, doc.timezone, given.start);
    return code;
  },
});

const reschedule = command({
  name: "reschedule",
  about: "Move a booking. Its services and prices stay, unless another staff member is named.",
  supportsDryRun: true,
  arguments: ["<id>"],
  flags: {
    start: requiredText(
      "time",
      "new local start time, such as 2026-12-01T10:00, or with an offset",
    ),
    staff: text("key", "the staff member for the whole booking (default: unchanged)"),
    ignoreNotice: ignoreNoticeFlag,
  },
  examples: [
    "bookings reschedule bkg_06f… --start 2026-12-03T11:00",
    "bookings reschedule bkg_06f… --start 2026-12-03T11:00 --staff daniel",
  ],
  async run(cli, { start: typed, staff, ignoreNotice: ignoresNotice }, given) {
    const { rt, business } = await cli.openBusiness();
    const id = resolveVisitId(rt.store.bookings, business, given);
    const start = toStart(typed, business.doc.timezone, rt.now());
    const { getBooking } = await import("../../app/bookings/operator-changes.ts");
    const { rescheduleBooking } = await import("../../app/bookings/reschedule.ts");
    const staffId =
      staff === undefined ? undefined : resolveObject(rt, business, "staff", staff).id;
    const booked = getBooking(rt, business.id, id).segments;
    // A booking keeps its prices only if no segments are passed, so none are passed if the named
    // staff member is already booked for every segment.
    const segments =
      staffId === undefined || booked.every((segment) => segment.staffId === staffId)
        ? undefined
        : booked.map((segment) => ({ ...segment, staffId }));
    cli.printObject(rescheduleBooking(rt, business.slug, id, { start, segments, ignoresNotice }));
    noteRepeatedStart(cli, business.doc.timezone, start);
  },
});

export const definition = [
  create,
  reschedule,
  ...visitCommands({
    noun: "booking",
    exampleId: "bkg_06f…",
    freed: "its time",
    store: (rt) => rt.store.bookings,
    toPublic: (booking, timezone) => ({
      ...toPublicBooking(booking, timezone),
      currencyDigits: booking.currencyDigits,
    }),
    columns: (rt, { doc: { timezone } }) => [
      "id",
      {
        title: "STARTS",
        value: ({ startsAt }) => toLocalMinute(startsAt, timezone),
        noTruncate: true,
      },
      {
        title: "SERVICE",
        value: ({ segments }) =>
          segments
            .map(({ serviceName, serviceId }) => serviceName ?? keyOf(rt, serviceId))
            .join(", "),
        wraps: true,
      },
      {
        title: "STAFF",
        value: ({ segments }) =>
          segments
            .flatMap(({ staffName, staffId }) => staffName ?? (staffId ? keyOf(rt, staffId) : []))
            .join(", "),
        wraps: true,
      },
      { title: "GUEST", value: (booking) => guestNameOf(rt, booking), wraps: true },
      { title: "STATUS", value: "status", noTruncate: true },
      { title: "ENDS", value: ({ endsAt }) => toLocalMinute(endsAt, timezone), optional: true },
      {
        title: "TOTAL",
        value: (booking) => formatMoney(booking.totalCents, booking),
        align: "right",
        optional: true,
      },
    ],
    useCases: async () => {
      const { cancellableVisits, changeBooking, getBooking } =
        await import("../../app/bookings/operator-changes.ts");
      const { BOOKING } = await import("../../app/bookings/visit-kinds.ts");
      return {
        change: changeBooking,
        get: getBooking,
        cancellable: cancellableVisits(BOOKING),
      };
    },
  }),
];
