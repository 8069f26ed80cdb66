import { createHash } from "node:crypto";

/** The kinds of id, by prefix. Catalog ids are derived from the author's key, the others are time-sortable. */
export type IdPrefix = CatalogIdPrefix | "key" | "whe" | "whs" | "evt" | "dlv" | "req" | "bkg" | "rsv" | "tor" | "tck";
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

// Crockford's alphabet in lower case: no i, l, o, u, so that an id can be read over the telephone.
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

function base32(bytes: Uint8Array, length: number): string {
  let text = "";
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5 && text.length < length) {
      bits -= 5;
      text += ALPHABET[(held >>> bits) & 31];
    }
    held &= (1 << bits) - 1;
  }
  return text;
}

/** Id of a catalog object: the same for the same business, place and keys, so that a box rebuilt from its file keeps its ids. */
export function catalogId(prefix: CatalogIdPrefix, businessSlug: string, ...keys: string[]): string {
  const hash = createHash("sha256")
    .update([businessSlug, prefix, ...keys].join("\0"))
    .digest();
  return `${prefix}_${base32(hash, 20)}`;
}

/** Time-sortable id: 48 bits of milliseconds, then 80 random bits. `random` must give at least 10 bytes. */
export function sortableId(prefix: IdPrefix, nowMs: number, random: Uint8Array): string {
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(nowMs) << 16n);
  bytes.set(random.subarray(0, 10), 6);
  return `${prefix}_${base32(bytes, 26)}`;
}
