import { hash } from "node:crypto";
import type { ValuesIn } from "../features/index.ts";

/**
 * The part of an ID before `_`. IDs of catalog objects are derived from the keys in the file; all
 * others sort by the time at which they were made.
 */
export type IdPrefix =
  | CatalogIdPrefix
  | "key"
  | "whe"
  | "whs"
  | "evt"
  | "dlv"
  | "req"
  | "hld"
  | "bkg"
  | "rsv"
  | "tof"
  | "aud"
  | ValuesIn<"idPrefixes">;
export type CatalogIdPrefix =
  | "biz"
  | "mct"
  | "mit"
  | "mgr"
  | "mop"
  | "msz"
  | "sct"
  | "svc"
  | "svv"
  | "adn"
  | "adl"
  | "stf"
  | "prm"
  | "pev"
  | "ett"
  | "res"
  | "are"
  | "tbl"
  | "img";

/** The number of characters of an ID after its prefix, each of which holds 5 bits. */
const CATALOG_ID_LENGTH = 20;
const TIME_ID_LENGTH = 25;

// Crockford's alphabet leaves out i, l, o and u, so that an ID can be read aloud.
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

/**
 * Returns the first `length` characters of the bytes in Crockford's base 32, in lower case, with
 * the most significant bits first.
 */
export function base32(bytes: Uint8Array, length: number): string {
  let text = "";
  let bits = 0;
  let buffer = 0;
  for (const byte of bytes) {
    buffer = (buffer << 8) | byte;
    bits += 8;
    while (bits >= 5 && text.length < length) {
      bits -= 5;
      text += ALPHABET[(buffer >>> bits) & 31];
    }
    buffer &= (1 << bits) - 1;
  }
  return text;
}

/**
 * Returns an ID that is derived from slug, prefix and keys, so that a reloaded file keeps its IDs.
 */
export function catalogId(
  prefix: CatalogIdPrefix,
  businessSlug: string,
  ...keys: string[]
): string {
  const digest = hash("sha256", [businessSlug, prefix, ...keys].join("\0"), "buffer");
  return `${prefix}_${base32(digest, CATALOG_ID_LENGTH)}`;
}

/** Returns the smallest ID that can be created at `ms` or later. */
export function minIdAt(prefix: IdPrefix, ms: number): string {
  return `${prefix}_${base32(bytesOf(Math.max(0, ms), 0), TIME_ID_LENGTH)}`;
}

/** Returns 16 bytes: `ms` in the first 6, `count` in 2, and 8 zeros for random bits. */
function bytesOf(ms: number, count: number): Uint8Array {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, Math.floor(ms / 0x10000));
  view.setUint16(4, ms % 0x10000);
  view.setUint16(6, count);
  return bytes;
}

const RANDOM_BYTES = 8;
const POOL_BYTES = 64 * RANDOM_BYTES;

/**
 * Returns a function that makes time-sortable IDs: 48 bits of milliseconds, a 16-bit counter and 61
 * random bits. Each ID is larger than the one before, even if the clock stops or goes back.
 */
export function createIdSource(
  now: () => number,
  random: (bytes: number) => Uint8Array,
): (prefix: IdPrefix) => string {
  let lastMs = 0;
  let count = 0;
  let pool: Uint8Array = new Uint8Array();
  let used = 0;
  // Random bytes are drawn for 64 IDs at once, because a system call for each ID would take long.
  const drawBytes = (): Uint8Array => {
    if (used === pool.length) [pool, used] = [random(POOL_BYTES), 0];
    used += RANDOM_BYTES;
    return pool.subarray(used - RANDOM_BYTES, used);
  };
  return (prefix) => {
    const ms = now();
    if (ms > lastMs) {
      lastMs = ms;
      count = 0;
    } else if (++count > 0xffff) {
      // The counter is full, so the IDs run ahead of the clock.
      lastMs += 1;
      count = 0;
    }
    const bytes = bytesOf(lastMs, count);
    bytes.set(drawBytes(), 8);
    return `${prefix}_${base32(bytes, TIME_ID_LENGTH)}`;
  };
}
