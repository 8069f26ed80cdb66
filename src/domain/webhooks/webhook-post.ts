import { type SigningKey, sign } from "./signature.ts";
import type { Outcome } from "./outcome.ts";

export type WebhookPost = {
  url: string;
  /** Http and private addresses are allowed. */
  trusted: boolean;
  timeoutMs: number;
  headers: Record<string, string>;
  body: Buffer;
  /** Asked before the request is written: connecting to the receiver may have taken seconds. */
  isWanted?: () => boolean;
};

/** Never throws: a failure is an Outcome. */
export type Send = (post: WebhookPost) => Promise<Outcome>;

type DeliveryInfo = {
  deliveryId: string;
  eventId: string;
  eventType: string;
  /** The number of this attempt, from 1. */
  attempt: number;
  sequence: number;
};

/** Signed for the current second. */
export const deliveryHeaders = (
  info: DeliveryInfo,
  userAgent: string,
  keys: readonly SigningKey[],
  at: number,
  body: Uint8Array,
): Record<string, string> => ({
  "Content-Type": "application/json; charset=utf-8",
  "User-Agent": userAgent,
  "X-Service-Event": info.eventType,
  "X-Service-Delivery": info.deliveryId,
  "X-Service-Attempt": String(info.attempt),
  "X-Service-Sequence": String(info.sequence),
  ...sign(keys, info.eventId, Math.floor(at / 1000), body),
});
