import { hash } from "node:crypto";
import { base32 } from "../../domain/ids.ts";

// People read the codes of orders and tickets aloud and type them. Crockford's base 32 in groups of
// four characters makes this easy.

/** A group has four characters of five bits each. */
const BITS_PER_GROUP = 20;

/** Returns a random code such as `K7M2-9QXF`, which has two groups. */
export function generateCode(random: (bytes: number) => Uint8Array, groups: number): string {
  const length = groups * 4;
  return formatGroups(base32(random(Math.ceil((groups * BITS_PER_GROUP) / 8)), length));
}

/**
 * Returns a typed code in the form in which it was generated: in upper case and with dashes, with O
 * replaced by 0, and I and L by 1.
 */
export const normalizeCode = (typed: string): string =>
  formatGroups(
    typed.toLowerCase().replace(/[\s-]/g, "").replaceAll("o", "0").replace(/[il]/g, "1"),
  );

const formatGroups = (letters: string): string =>
  letters.toUpperCase().replace(/(.{4})(?=.)/g, "$1-");

/**
 * Returns the hash of an admission code, however it is typed. The hash needs no salt, because a
 * code has 80 random bits.
 */
export const hashAdmissionCode = (code: string): Buffer =>
  hash("sha256", normalizeCode(code), "buffer");
