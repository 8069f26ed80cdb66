import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import type { Outcome } from "./settle.ts";

/** How far a signature's timestamp may be from the receiver's clock. */
export const TOLERANCE_SEC = 300;

const PREFIX = "whsec_";
/** A multiple of 3, so that base64 needs no `=`. */
const RANDOM_BYTES = 36;

/**
 * Returns a new signing secret. Base64 without `+` or `/` can be used in shells and URLs and
 * selected with a double click.
 */
export function generateSecret(random: (bytes: number) => Buffer): string {
  for (;;) {
    const text = random(RANDOM_BYTES).toString("base64");
    if (!/[+/]/.test(text)) return PREFIX + text;
  }
}

/**
 * The keys of the two signatures that `sign` returns: from the whole text of the secret, and from
 * the bytes it encodes.
 */
export type SigningKey = { text: KeyObject; raw: KeyObject };

export const signingKey = (secret: string): SigningKey => ({
  text: createSecretKey(secret, "utf8"),
  raw: createSecretKey(secret.slice(PREFIX.length), "base64"),
});

export type SignatureHeaders = {
  "X-Service-Signature": string;
  "webhook-id": string;
  "webhook-timestamp": string;
  "webhook-signature": string;
};

/**
 * Returns the headers of both signatures of a delivery: `X-Service-Signature`, which deskbell's API
 * defines, and that of Standard Webhooks 1.0. Both sign the same body with the same timestamp in
 * seconds.
 * @param keys the current key first and the old one last, because a verifier that reads only the
 *   last signature may still have the old secret during a rotation
 */
export function sign(
  keys: readonly SigningKey[],
  eventId: string,
  timestampSec: number,
  body: Uint8Array,
): SignatureHeaders {
  const t = String(timestampSec);
  // There is no space after a comma, because some verifiers do not trim.
  const service = keys.map(({ text }) => `v1=${hmac(text, `${t}.`, body, "hex")}`).join(",");
  const standard = keys
    .map(({ raw }) => `v1,${hmac(raw, `${eventId}.${t}.`, body, "base64")}`)
    .join(" ");
  return {
    "X-Service-Signature": `t=${t},${service}`,
    "webhook-id": eventId,
    "webhook-timestamp": t,
    "webhook-signature": standard,
  };
}

const hmac = (
  key: string | KeyObject,
  prefix: string,
  body: Uint8Array,
  encoding: "hex" | "base64",
): string => createHmac("sha256", key).update(prefix).update(body).digest(encoding);

/**
 * Returns why a signature is not valid, or undefined if it is.
 * @param header X-Service-Signature
 * @param body exactly as received
 */
export function signatureError(
  header: string | undefined,
  body: Uint8Array,
  secret: string,
  nowSec: number,
): string | undefined {
  if (header === undefined) return "no X-Service-Signature header";
  const parts = header.split(",").map((part) => part.split("=", 2) as [string, string?]);
  const t = parts.find(([name]) => name === "t")?.[1] ?? "";
  if (!/^\d+$/.test(t)) return "X-Service-Signature has no timestamp";
  const expected = Buffer.from(hmac(secret, `${t}.`, body, "hex"));
  const matches = parts.some(([name, value]) => {
    const given = Buffer.from(value ?? "");
    return name === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
  });
  const problems = [];
  if (!matches) problems.push("no v1 signature matches: wrong secret, or the body was changed");
  if (Math.abs(nowSec - Number(t)) > TOLERANCE_SEC)
    problems.push(`the timestamp is more than ${TOLERANCE_SEC} s from now`);
  return problems.length === 0 ? undefined : problems.join("; and ");
}

export type WebhookPost = {
  url: string;
  /** Whether plain http and private addresses are allowed. */
  trusted: boolean;
  timeoutMs: number;
  headers: Record<string, string>;
  body: Buffer;
  /**
   * Returns whether the request is still to be sent. The sender calls it before it writes the
   * request, because connecting may have taken seconds.
   */
  isWanted?: () => boolean;
};

/** Sends a POST and returns its outcome, also if it fails. Never throws. */
export type Send = (post: WebhookPost) => Promise<Outcome>;

type DeliveryInfo = {
  deliveryId: string;
  eventId: string;
  eventType: string;
  /** The number of this attempt, from 1. */
  attempt: number;
  sequence: number;
};

/** Returns the headers of a delivery. The timestamp of its signatures is `at` in seconds. */
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
