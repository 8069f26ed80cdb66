import type { Refusal } from "./refusal.ts";

/** Short explanations for readers who do not know the rules. */
export const REFUSAL_TEXT: Record<Refusal["reason"], string> = {
  TOO_FAR: "it is too far in the future",
  TOO_SOON: "the minimum notice is not met",
  NOBODY_ABLE: "no staff member or table can take it",
  OUTSIDE_HOURS: "it is outside working hours",
  CLOSURE: "the business is closed",
  BREAK: "it overlaps a break",
  TIME_OFF: "the staff member has time off",
  OFF_GRID: "visits start at other times",
  SEATS_TAKEN: "no places are left",
  TAKEN: "it is already booked",
  BUFFER: "it is too close to another booking",
  RESOURCE_TAKEN: "a required resource is in use",
};

/** Adds the service's number, except for the first. */
export const refusalSentence = (detail: string, segment: number): string =>
  segment === 0 ? detail : `service ${segment + 1}: ${detail}`;
