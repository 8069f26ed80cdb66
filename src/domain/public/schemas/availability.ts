import { z } from "zod";
import { REASONS } from "../../availability/refusal.ts";
import { cents, count, currency, id, instant, localDate, minutes, orNull } from "./values.ts";

const times = { startsAt: instant, endsAt: instant };

export const visitSegment = z.strictObject({
  serviceId: id,
  variantId: orNull(id, "Variant to book; null if there is none"),
  addons: z
    .array(z.strictObject({ addonId: id, quantity: z.int() }))
    .describe("Requested and required add-ons"),
  staffId: orNull(
    id,
    "Staff member proposed for the service; null if it needs nobody, or if the person has no public profile",
  ),
  staffIds: z
    .array(id)
    .describe(
      "Staff members with a public profile who are free to perform the service at this time, and with whom the whole visit is possible",
    ),
  ...times,
  priceCents: cents.describe("Price per guest, in minor units"),
});

export const tableSegment = z.strictObject({
  tableId: id.describe("Table; no route lists tables, but their IDs stay the same"),
  areaId: orNull(id, "Area of the table; null if it belongs to none"),
  ...times,
});

const visitRequest = z.strictObject({
  startsAt: instant,
  segments: z.array(
    visitSegment.pick({ serviceId: true, variantId: true, addons: true, staffId: true }),
  ),
  guests: z.int().optional(),
});

const tableRequest = z.strictObject({
  startsAt: instant,
  partySize: z.int(),
  areaId: id.optional(),
});

export const slot = z.strictObject({
  ...times,
  spotsLeft: count.describe(
    "Free places: tables that fit the party; seats of a class in the session of the proposed staff member; 1 for an individual appointment with a staff member; without staff, how many visits the rooms and equipment still allow, or how many guests if it needs none. Of several services, the first with the fewest counts",
  ),
  spotsTotal: count.describe("Places of the same service at this time, free or taken"),
  segments: z
    .array(z.union([visitSegment, tableSegment]))
    .describe("The services of the visit in order, or the table"),
  bookingRequest: z
    .union([visitRequest, tableRequest])
    .optional()
    .describe(
      "Body of `POST …/holds`, and of `POST …/bookings` or `POST …/reservations`, for this slot; only with `includeBookingRequest=true`",
    ),
});

export const refusedStart = z.strictObject({
  startsAt: instant,
  reason: z
    .enum(REASONS)
    .describe(
      "Code of the first rule, in this order, that excludes this start. Keys without bookings.read get TOO_FAR, TOO_SOON, OUTSIDE_HOURS (also for CLOSURE), OFF_GRID or TAKEN (for all others, such as BREAK, TIME_OFF and NOBODY_ABLE)",
    ),
  detail: z.string().describe("Explanation in English"),
  segment: count.describe("Index of the service in the visit, starting at 0"),
});

const dayState = z
  .enum(["OPEN", "FULL", "CLOSED", "TOO_SOON", "TOO_FAR"])
  .describe(
    "OPEN: has free slots; FULL: has starts that could be booked, and all are taken; CLOSED: has no starts; TOO_SOON: inside the minimum notice; TOO_FAR: beyond the booking horizon. A closed day wholly inside the notice or beyond the horizon is TOO_SOON or TOO_FAR, too",
  );

export const day = z.strictObject({
  date: localDate,
  state: dayState,
  slots: z.array(slot),
  refused: z
    .array(refusedStart)
    .optional()
    .describe(
      "Starts that cannot be booked, of the grid and of classes that take place, each with the reason; only with `explain=true`. A day wholly inside the minimum notice or beyond the booking horizon can have none listed: its `state` is the reason of all",
    ),
});

const terms = {
  timezone: z.string().describe("IANA time zone of the times in this response"),
  from: localDate.describe("First day of the search"),
  durationMin: minutes.describe(
    "Duration of the whole visit in minutes, without waits: of its services, variants and add-ons, with the durations of the staff named in `staffIds`. With others, a slot can be longer or shorter",
  ),
  priceCents: cents.describe(
    "Price of the whole visit per guest, in minor units, without promotions: of its services, variants and add-ons, with the prices of the staff named in `staffIds`. With others, the prices in a slot can differ",
  ),
  currency,
};
const to = localDate.describe("Last day of the search");
const nextAvailable = orNull(
  instant,
  "Start of the first free slot, even after `to`; null if there is none",
);

export const slotsByDay = z.strictObject({ ...terms, to, days: z.array(day), nextAvailable });
export const dayCounts = z.strictObject({
  ...terms,
  to,
  days: z.array(
    z.strictObject({
      date: localDate,
      state: dayState,
      slotCount: count.describe("Number of free slots"),
    }),
  ),
  nextAvailable,
});
export const nextSlots = z.strictObject({ ...terms, slots: z.array(slot), nextAvailable });

/** The response for each `granularity`: slots, days, next. */
export const availability = z
  .union([slotsByDay, dayCounts, nextSlots])
  .describe("SlotsByDay, DayCounts or NextSlots, as requested with `granularity`");
