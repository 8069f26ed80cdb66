import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";

/** How far a receiver lets a signature's timestamp be from its own clock. */
export const TOLERANCE_SEC = 300;

const PREFIX = "whsec_";
const RANDOM_BYTES = 36;

/**
 * A signing secret: `whsec_` and 36 random bytes in base64, drawn until neither `+` nor `/` is in it, so that it survives
 * shells, URLs and double clicks.
 */
export function generateSecret(random: (bytes: number) => Buffer): string {
  for (;;) {
    const text = random(RANDOM_BYTES).toString("base64");
    if (!/[+/]/.test(text)) return PREFIX + text;
  }
}

/** Both keys that a secret stands for: its whole text, and what it encodes. */
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
 * The spec's signature and the one of Standard Webhooks 1.0, over the same bytes and second.
 * @param keys the current secret's first: during a rotation some verifiers read the last signature only, and hold the old secret
 */
export function sign(
  keys: readonly SigningKey[],
  eventId: string,
  timestampSec: number,
  body: Uint8Array,
): SignatureHeaders {
  const t = String(timestampSec);
  // No space after a comma: some verifiers do not trim.
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

/** Why a request is not accepted; undefined when it is genuine. Takes `X-Service-Signature` and the body exactly as received. */
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
  const genuine = parts.some(([name, value]) => {
    const given = Buffer.from(value ?? "");
    return name === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
  });
  const refusals = [];
  if (!genuine)
    refusals.push(
      "no v1 signature matches: another secret, or the body is not the one that was signed",
    );
  if (Math.abs(nowSec - Number(t)) > TOLERANCE_SEC)
    refusals.push(`the timestamp is more than ${TOLERANCE_SEC} s from now`);
  return refusals.length === 0 ? undefined : refusals.join("; and ");
}
