import { hash } from "node:crypto";
import { crc32 } from "node:zlib";

export const SCOPES = [
  "services.read",
  "webhooks.read",
  "webhooks.write",
  "bookings.write",
  "tickets.write",
  "bookings.read",
  "bookings.manage",
  "guests.read",
] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * The scope that a request needs; if there are several, one of them suffices. `anyKey`: every valid
 * key of the business may send it.
 */
export type NeededScope = Scope | readonly Scope[] | "anyKey";

/** The other scopes that a scope grants. */
const INCLUDED: Partial<Record<Scope, readonly Scope[]>> = {
  "webhooks.write": ["webhooks.read"],
  "bookings.manage": ["bookings.write", "tickets.write", "bookings.read"],
};

/** The scopes of version 0.1. A secret key of that version has all of them. */
export const FIRST_SCOPES: readonly Scope[] = ["services.read", "webhooks.read", "webhooks.write"];

/**
 * A secret key is created with every scope, a restricted key with the scopes that the operator
 * lists.
 */
export type KeyKind = "SECRET" | "RESTRICTED";

/** The limits of a key for which the operator sets none. */
export const DEFAULT_LIMITS = {
  /** Requests in a minute. */
  minute: 60,
  /** Requests in an hour. */
  hour: 1000,
  endpoints: 10,
  /** Open holds and unpaid ticket orders together, at a time. */
  holds: 20,
  /** Bookings and reservations in 24 hours. */
  bookingsDay: 200,
};

const PREFIX: Record<KeyKind, string> = { SECRET: "deskbell_sk_", RESTRICTED: "deskbell_rk_" };
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^deskbell_[sr]k_[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

export const isScope = (name: string): name is Scope =>
  (SCOPES as readonly string[]).includes(name);

export const grants = ({ scopes }: { scopes: readonly Scope[] }, needed: Scope): boolean =>
  scopes.some((scope) => scope === needed || INCLUDED[scope]?.includes(needed));

/**
 * What happens to the webhook endpoints of a key that ends. UNDECIDED: the key ended under version
 * 0.2, which left its endpoints as they were, and the operator has to decide.
 */
export type EndpointsAtEnd = "STOP" | "KEEP" | "UNDECIDED";

type Lifetime = { revokedAt: number | null; expiresAt: number | null };

export const hasEnded = ({ revokedAt, expiresAt }: Lifetime, now: number): boolean =>
  revokedAt !== null || (expiresAt !== null && expiresAt <= now);

/** Returns whether a key has ended and its webhook endpoints receive nothing any more. */
export const stopsEndpoints = (
  key: Lifetime & { endpointsAtEnd: EndpointsAtEnd },
  now: number,
): boolean => key.endpointsAtEnd === "STOP" && hasEnded(key, now);

/** Returns a new API key: 190 random bits, and a checksum that reveals typing errors. */
export function generateApiKey(kind: KeyKind, random: (bytes: number) => Uint8Array): string {
  let text = PREFIX[kind];
  while (text.length < PREFIX[kind].length + RANDOM_LENGTH) {
    // Bytes from 248 on are skipped: 248 is the largest multiple of 62 up to 256, and higher bytes
    // would make some characters more frequent than others.
    const [byte = 0] = random(1);
    if (byte < 248) text += BASE62[byte % 62];
  }
  return text + checksum(text);
}

export const isWellFormed = (text: string): boolean =>
  SHAPE.test(text) && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);

/** Returns the SHA-256 of an API key. Its 190 random bits need neither salt nor stretching. */
export const hashApiKey = (text: string): Buffer => hash("sha256", text, "buffer");

/**
 * Returns the ID of the secret with this hash. Secrets that ended for good are recorded by this ID,
 * so that a restored backup does not make them valid again.
 */
export const secretId = (secretHash: Buffer): string => `secret_${secretHash.toString("hex")}`;

export const keyHints = (kind: KeyKind, text: string): { prefix: string; last4: string } => ({
  prefix: PREFIX[kind],
  last4: text.slice(-4),
});

/** Returns the CRC-32 of a text as base-62 digits. */
function checksum(text: string): string {
  let remainder = crc32(text);
  let digits = "";
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = `${BASE62[remainder % 62]}${digits}`;
    remainder = Math.floor(remainder / 62);
  }
  return digits;
}
