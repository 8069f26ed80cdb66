import { z } from "zod";
import { REASONS } from "../../availability/refusal.ts";
import { cents, count, currency, id, instant, localDate, minutes } from "./values.ts";

const times = { startsAt: instant, endsAt: instant };

export const visitSegment = z.strictObject({
  serviceId: id,
  variantId: id.nullable(),
  staffId: id
    .nullable()
    .describe("null: nobody is needed, or whoever would do it shows no profile"),
  staffIds: z.array(id).describe("Who could do it"),
  ...times,
  priceCents: cents.describe("For each guest"),
});

export const tableSegment = z.strictObject({ tableId: id, areaId: id.nullable(), ...times });

export const slot = z.strictObject({
  ...times,
  spotsLeft: count.describe("Seats of a class, tables for the party; 1 where one person does it"),
  spotsTotal: count,
  segments: z
    .array(z.union([visitSegment, tableSegment]))
    .describe("What is booked: each service in turn, or a table"),
});

export const refusedStart = z.strictObject({
  startsAt: instant,
  reason: z.enum(REASONS).describe("The first rule that it fails"),
  detail: z.string(),
  segment: count.describe("Which of the visit's services, counted from 0"),
});

const dayState = z
  .enum(["OPEN", "FULL", "CLOSED", "TOO_SOON", "TOO_FAR"])
  .describe(
    "OPEN: there are slots; FULL: all are taken; CLOSED: there are none; TOO_SOON, TOO_FAR: it is too late, or too early, to book them",
  );

export const day = z.strictObject({
  date: localDate,
  state: dayState,
  slots: z.array(slot),
  refused: z
    .array(refusedStart)
    .optional()
    .describe("With `explain=true`: the starts that are not offered"),
});

const terms = {
  timezone: z.string().describe("Whose clock the times are of; IANA"),
  from: localDate,
  durationMin: minutes,
  priceCents: cents.describe("For each guest"),
  currency,
};
const nextAvailable = instant
  .nullable()
  .describe("The first slot of all, also beyond what was asked for");

export const slotsByDay = z.strictObject({
  ...terms,
  to: localDate,
  days: z.array(day),
  nextAvailable,
});
export const dayCounts = z.strictObject({
  ...terms,
  to: localDate,
  days: z.array(z.strictObject({ date: localDate, state: dayState, slotCount: count })),
  nextAvailable,
});
export const nextSlots = z.strictObject({ ...terms, slots: z.array(slot), nextAvailable });

/** What is answered for each `granularity`. */
export const availability = z
  .union([slotsByDay, dayCounts, nextSlots])
  .describe("As `granularity` asks: slots, days, next");
