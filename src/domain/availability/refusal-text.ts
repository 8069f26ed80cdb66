import type { Refusal } from "./refusal.ts";

/** What a refusal is to somebody who knows no rules. */
export const REFUSAL_TEXT: Record<Refusal["reason"], string> = {
  TOO_FAR: "that is too far ahead",
  TOO_SOON: "that is too soon",
  NOBODY_ABLE: "nobody can do it then",
  OUTSIDE_HOURS: "that is outside the hours",
  CLOSURE: "the business is closed",
  BREAK: "that is a break",
  TIME_OFF: "whoever could do it is away",
  OFF_GRID: "visits begin at other minutes",
  SEATS_TAKEN: "no seat is left",
  TAKEN: "it is taken",
  BUFFER: "that is too close to another visit",
  RESOURCE_TAKEN: "what it needs is in use",
};

/** Which of several services it is that cannot be done is told from the second on. */
export const refusalSentence = (detail: string, segment: number): string =>
  segment === 0 ? detail : `service ${segment + 1}: ${detail}`;
