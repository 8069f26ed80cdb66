import type { EventType } from "../../domain/events/event-types.ts";

/** Returns the subject of an event. An event type has a dot, so it becomes two tokens. */
export const subjectOf = (prefix: string, slug: string, type: EventType): string =>
  `${prefix}.${slug}.${type}`;

/** Returns a pattern for all subjects of a business. */
export const businessSubjects = (prefix: string, slug: string): string => `${prefix}.${slug}.>`;

/**
 * Returns the ID by which a stream recognises a message that it already has. The number of a
 * redelivery makes the ID new, so that the message is stored again.
 */
export const messageIdOf = (eventId: string, redelivery: number): string =>
  redelivery === 0 ? eventId : `${eventId}:${redelivery}`;

const MIN_DELAY_MS = 1000;
const MAX_DELAY_MS = 30_000;

/** Returns the wait after this number of failures in a row, in milliseconds. */
export const publishDelayMs = (failures: number): number =>
  Math.min(MIN_DELAY_MS * 2 ** Math.max(failures - 1, 0), MAX_DELAY_MS);
