import { type SigningKey, sign } from "./signature.ts";
import type { Outcome } from "./outcome.ts";

/** One POST to an endpoint. */
export type WebhookPost = {
  url: string;
  /** The operator's word for this endpoint: http and private addresses are fine. */
  trusted: boolean;
  timeoutMs: number;
  headers: Record<string, string>;
  body: Buffer;
};

/** Makes one POST. Never throws: the outside world failing is a value. */
export type Send = (post: WebhookPost) => Promise<Outcome>;

/** What the headers tell of a delivery. */
export type DeliveryInfo = {
  deliveryId: string;
  eventId: string;
  eventType: string;
  /** This attempt's number, from 1. */
  attempt: number;
  sequence: number;
};

/** The headers of one attempt, signed for its second. */
export const deliveryHeaders = (
  cover: DeliveryInfo,
  userAgent: string,
  keys: readonly SigningKey[],
  at: number,
  body: Uint8Array,
): Record<string, string> => ({
  "Content-Type": "application/json; charset=utf-8",
  "User-Agent": userAgent,
  "X-Service-Event": cover.eventType,
  "X-Service-Delivery": cover.deliveryId,
  "X-Service-Attempt": String(cover.attempt),
  "X-Service-Sequence": String(cover.sequence),
  ...sign(keys, cover.eventId, Math.floor(at / 1000), body),
});
