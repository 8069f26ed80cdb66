import { userAgent } from "../../../platform/assets.ts";
import { messageIdOf, subjectOf } from "../rules.ts";
import { type SigningKey, deliveryHeaders } from "../../../domain/webhooks/webhook-post.ts";
import type { CursorRow, DestinationRow } from "../store.ts";
import type { EventRow } from "../../../store/events.ts";
import type { Message } from "./broker.ts";

/** The events of one business on their way to a destination. */
export type Lane = {
  /** The cursor in memory, at the last event that the stream has. */
  cursor: CursorRow;
  /** The sequence number of the stored cursor. */
  savedSequence: number;
  /** Events that were read, but are not published yet. */
  events: EventRow[];
  /** Since when the next event waits: its creation, or the time when its redelivery began. */
  waitsSince: number;
  /** Whether a publish is in flight. */
  isBusy: boolean;
  /**
   * Whether the stream may have events after the cursor. If so, the stream is asked before the next
   * publish.
   */
  isUnclear: boolean;
  /** The number of failures in a row. */
  failures: number;
  /** The reason of the last failure; null after a success. */
  lastError: string | null;
  /** When the next publish may begin, on the monotonic clock. */
  retryAt: number;
};

export const createLane = (cursor: CursorRow, waitsSince: number, isUnclear: boolean): Lane => ({
  cursor,
  savedSequence: cursor.sequence,
  events: [],
  waitsSince,
  isBusy: false,
  isUnclear,
  failures: 0,
  lastError: null,
  retryAt: 0,
});

/** Returns the message ID of an event, with the number of its redelivery if it has one. */
const messageIdAt = (cursor: CursorRow, eventId: string, sequence: number): string =>
  messageIdOf(eventId, sequence <= cursor.redeliverUntil ? cursor.redelivery : 0);

/**
 * Returns whether a message proves that the stream has all events up to `sequence`. The message
 * must have the ID of the event with that sequence number, including the number of the current
 * redelivery. During a redelivery, a message of an event after `redeliverUntil` proves nothing: the
 * stream may have stored it before the redelivery began.
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

/** Returns the message of an event: the body and headers of a webhook, signed for the time `at`. */
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
