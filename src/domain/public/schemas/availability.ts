import { z } from "zod";
import { REASONS } from "../../availability/refusal.ts";
import { cents, count, currency, id, instant, localDate, minutes } from "./values.ts";

const times = { startsAt: instant, endsAt: instant };

const visitSegment = z.strictObject({
  serviceId: id,
  variantId: id.nullable(),
  staffId: id.nullable().describe("null: nobody is needed, or whoever would do it shows no profile"),
  staffIds: z.array(id).describe("Who could do it"),
  ...times,
  priceCents: cents.describe("For each guest"),
});

const tableSegment = z.strictObject({ tableId: id, areaId: id.nullable(), ...times });

export const slot = z.strictObject({
  ...times,
  spotsLeft: count,
  spotsTotal: count,
  segments: z.array(z.union([visitSegment, tableSegment])),
});

export const refusal = z.strictObject({
  startsAt: instant,
  reason: z.enum(REASONS).describe("The first rule that it fails"),
  detail: z.string(),
  segment: count.describe("Which of the visit's services, counted from 0"),
});

const dayState = z.enum(["OPEN", "FULL", "CLOSED", "TOO_SOON", "TOO_FAR"]);

export const day = z.strictObject({
  date: localDate,
  state: dayState,
  slots: z.array(slot),
  refused: z.array(refusal).optional().describe("With `explain=true`: the starts that are not offered"),
});

const terms = {
  timezone: z.string().describe("Whose clock the times are of; IANA"),
  from: localDate,
  durationMin: minutes,
  priceCents: cents.describe("For each guest"),
  currency,
};
const nextAvailable = instant.nullable().describe("The first slot of all, also beyond what was asked for");

/** What is answered for each `granularity`. */
export const availability = z.union([
  z.strictObject({ ...terms, to: localDate, days: z.array(day), nextAvailable }).describe("granularity=slots"),
  z
    .strictObject({
      ...terms,
      to: localDate,
      days: z.array(z.strictObject({ date: localDate, state: dayState, slotCount: count })),
      nextAvailable,
    })
    .describe("granularity=days"),
  z.strictObject({ ...terms, slots: z.array(slot), nextAvailable }).describe("granularity=next"),
]);
