import { createHash } from "node:crypto";
import { base32 } from "../ids.ts";

// Codes that a person reads out or types: Crockford's alphabet, in groups of four.

const BITS_PER_GROUP = 20;

/** `K7M2-9QXF` */
export function generateCode(random: (bytes: number) => Uint8Array, groups: number): string {
  const length = groups * 4;
  return grouped(base32(random(Math.ceil((groups * BITS_PER_GROUP) / 8)), length));
}

/** The code that was meant: with or without its dashes, in small letters, an O for a zero. */
export const normalizeCode = (typed: string): string =>
  grouped(typed.toLowerCase().replace(/[\s-]/g, "").replaceAll("o", "0").replace(/[il]/g, "1"));

const grouped = (letters: string): string => letters.toUpperCase().replace(/(.{4})(?=.)/g, "$1-");

/** What is kept of the code that admits a ticket's holder. Its 80 random bits need no salt. */
export const hashAdmissionCode = (code: string): Buffer =>
  createHash("sha256").update(normalizeCode(code)).digest();
