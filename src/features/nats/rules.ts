import type { EventType } from "../../domain/event-types.ts";

/** The subject of an event. The dot in the type makes two tokens of it. */
export const subjectOf = (prefix: string, slug: string, type: EventType): string =>
  `${prefix}.${slug}.${type}`;

/** All subjects of a business. */
export const businessSubjects = (prefix: string, slug: string): string => `${prefix}.${slug}.>`;

/**
 * The ID by which a stream recognises a message that it already has. A redelivery has its number in
 * it, so that it is stored once more.
 */
export const messageIdOf = (eventId: string, redelivery: number): string =>
  redelivery === 0 ? eventId : `${eventId}:${redelivery}`;

const MIN_DELAY_MS = 1000;
const MAX_DELAY_MS = 30_000;

/** Returns the wait after this number of failures in a row. */
export const retryDelayMs = (failures: number): number =>
  Math.min(MIN_DELAY_MS * 2 ** Math.max(failures - 1, 0), MAX_DELAY_MS);
