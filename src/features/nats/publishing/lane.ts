import { userAgent } from "../../../platform/assets.ts";
import { messageIdOf, subjectOf } from "../rules.ts";
import { type SigningKey, deliveryHeaders } from "../../../domain/webhooks/webhook-post.ts";
import type { CursorRow, DestinationRow } from "../store.ts";
import type { EventRow } from "../../../store/events.ts";
import type { Message } from "./broker.ts";

/** The events of one business on their way to a destination. */
export type Lane = {
  /** The cursor at the last event that the stream has. */
  cursor: CursorRow;
  /** The cursor that is stored. */
  savedSequence: number;
  /** Read, but not published. */
  events: EventRow[];
  /** When the next event was created. */
  createdAt: number;
  /** Whether a publish is in flight. */
  isBusy: boolean;
  /** The stream may have more than the cursor says: ask it before publishing. */
  isUnclear: boolean;
  /** Failures in a row, and why the last one failed. */
  failures: number;
  lastError: string | null;
  /** Monotonic time before which nothing is published. */
  retryAt: number;
};

export const createLane = (cursor: CursorRow, createdAt: number, isUnclear: boolean): Lane => ({
  cursor,
  savedSequence: cursor.sequence,
  events: [],
  createdAt,
  isBusy: false,
  isUnclear,
  failures: 0,
  lastError: null,
  retryAt: 0,
});

/** The message ID of an event, with the number of its redelivery. */
const messageIdAt = (cursor: CursorRow, eventId: string, sequence: number): string =>
  messageIdOf(eventId, sequence <= cursor.redeliverUntil ? cursor.redelivery : 0);

/**
 * Whether a message shows that the stream has all events up to `sequence`. It must be the message
 * of our event, and of the current redelivery: one from before it says nothing.
 */
export const provesPosition = (
  cursor: CursorRow,
  message: { id: string },
  eventId: string | undefined,
  sequence: number,
): boolean =>
  eventId !== undefined &&
  message.id === messageIdAt(cursor, eventId, sequence) &&
  (cursor.sequence >= cursor.redeliverUntil || sequence <= cursor.redeliverUntil);

/** Returns the message of an event, with the body and headers of a webhook, signed for `at`. */
export function toMessage(
  { prefix }: DestinationRow,
  { cursor, failures }: Lane,
  { id: eventId, type: eventType, sequence, body }: EventRow,
  keys: readonly SigningKey[],
  at: number,
): Message {
  const id = messageIdAt(cursor, eventId, sequence);
  const info = { deliveryId: id, eventId, eventType, attempt: failures + 1, sequence };
  return {
    subject: subjectOf(prefix, cursor.slug, eventType),
    id,
    headers: deliveryHeaders(info, userAgent(), keys, at, body),
    body,
  };
}
