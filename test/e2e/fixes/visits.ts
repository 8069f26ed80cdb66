import type { FixCase } from "../../support/fixes.ts";

// These cases are about messages on bookings, reservations, ticket orders and calendars.

const salon = "--business salon-aurora";
const cafe = "--business cafe-lumen";
const venue = "--business kita-live";
const CUT = `bookings create --service cut --start 2026-12-02T11:00 ${salon}`;
const TABLE = `reservations create --party 2 --start 2026-12-01T12:00 ${cafe}`;

export const fixes: FixCase[] = [
  {
    text: "deskbell {}s list",
    name: "bookings",
    given: [CUT],
    line: `bookings show bkg_nope ${salon}`,
    outcome: "line succeeds",
    instead: "bkg_nope",
  },
  {
    text: "deskbell {}s list",
    name: "reservations",
    given: [TABLE],
    line: `reservations show rsv_nope ${cafe}`,
    outcome: "line succeeds",
    instead: "rsv_nope",
  },
  {
    text: "deskbell availability {} --date {}",
    name: "a service",
    given: [],
    line: `bookings create --service cut --start 2026-11-25T02:00 ${salon}`,
    outcome: /2026-11-25/,
  },
  {
    text: "deskbell availability {} --date {}",
    name: "a table",
    line: `reservations create --party 2 --start 2026-11-25T02:00 ${cafe}`,
    outcome: /2026-11-25/,
  },
  {
    text: "deskbell reservations reschedule {} --start {}{} --area any{}",
    given: [`reservations create --party 2 --start 2026-12-01T12:00 --area window-bar ${cafe}`],
    line: `reservations reschedule rsv_… --start 2026-12-01T13:00 --party 4 ${cafe}`,
    outcome: /party size\s4/,
  },
  {
    text: "deskbell ticket-orders list",
    given: [`ticket-orders create --public-event blue-hour-quartet --item seated*2 ${venue}`],
    line: `ticket-orders show nope ${venue}`,
    outcome: "line succeeds",
    instead: "nope",
  },
  {
    text: "deskbell public-events show {}",
    line: `ticket-orders create --public-event blue-hour-quartet --item nope ${venue}`,
    outcome: /seated/,
  },
  {
    text: "deskbell tickets list --order <order>",
    given: [
      `ticket-orders create --public-event blue-hour-quartet --item seated*2 ${venue}`,
      `ticket-orders confirm tor_… ${venue}`,
    ],
    line: `tickets check-in nope ${venue}`,
    fill: { "<order>": "tor_…" },
    outcome: "line succeeds",
    instead: "nope",
  },
  {
    text: "deskbell calendars list",
    given: [`calendars create ${salon}`],
    line: `calendars revoke cal_nope ${salon}`,
    outcome: "line succeeds",
    instead: "cal_nope",
  },
  {
    text: "deskbell {} list --status PENDING{}",
    given: [CUT],
    arrange: ({ edit }) => edit("UPDATE booking SET status = 'PENDING', decide_by = starts_at"),
    line: "status",
    fill: { SLUG: "salon-aurora" },
    outcome: /PENDING/,
  },
  {
    text: "deskbell {} show {} --business {}, then reschedule or cancel it",
    given: [CUT],
    arrange: ({ edit }) => edit("DELETE FROM catalog_object WHERE kind = 'staff'"),
    line: "doctor",
    outcome: /CONFIRMED/,
  },
  {
    text: "deskbell desk list",
    given: [`desk create --name Door ${salon}`],
    line: `desk link nope ${salon}`,
    outcome: "line succeeds",
    instead: "nope",
  },
  {
    text: "Open the link on the device within an hour: it works once. For another device: deskbell desk link {} --business {}",
    line: `desk create --name Door ${salon}`,
    outcome: /\/desk\/pair\/deskbell_dl_/,
  },
  {
    text: "deskbell staff away {} --from {} --to {} --reassign --business {}",
    given: [`${CUT} --staff maya`],
    line: `staff away maya --date 2026-12-02 ${salon}`,
    outcome: /Daniel Reyes\tDaniel Reyes/,
  },
  {
    text: "deskbell bookings reschedule ID --start TIME --business {}, or bookings cancel ID",
    given: [`${CUT} --staff maya`],
    arrange: ({ edit }) =>
      edit("DELETE FROM catalog_object WHERE kind = 'staff' AND key <> 'maya'"),
    line: `staff away maya --date 2026-12-02 ${salon}`,
    fill: { ID: "bkg_…", TIME: "2026-12-03T11:00" },
    outcome: /CONFIRMED/,
  },
];
