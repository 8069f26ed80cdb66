import type { SeededRandom } from "../../../src/domain/seeded-random.ts";

// Spells addresses that are not public in the many ways that URL parsers accept.

const PRIVATE_V4: readonly [number, number][] = [
  [0x00000000, 8],
  [0x0a000000, 8],
  [0x64400000, 10],
  [0x7f000000, 8],
  [0xa9fe0000, 16],
  [0xac100000, 12],
  [0xc0000000, 24],
  [0xc0a80000, 16],
  [0xc6120000, 15],
  [0xe0000000, 4],
  [0xf0000000, 4],
  [0xa9fea9fe, 32],
  [0xa83f8110, 32],
];

/** The first group of each range, and how many of its bits are fixed. */
const PRIVATE_V6: readonly [number, number][] = [
  [0xfc00, 7],
  [0xfe80, 10],
  [0xfec0, 10],
  [0xff00, 8],
  [0x0100, 16],
  [0x5f00, 16],
  [0x4000, 3],
];

const DIGITS = [
  "0123456789",
  "０１２３４５６７８９",
  "𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗",
  "𝟢𝟣𝟤𝟥𝟦𝟧𝟨𝟩𝟪𝟫",
  "₀₁₂₃₄₅₆₇₈₉",
  "⁰¹²³⁴⁵⁶⁷⁸⁹",
].map((digits) => [...digits]);
const DOTS = [".", ".", ".", ".", "。", "．", "｡", "%2e", "%2E", "%EF%BC%8E"];
const WRAPS: readonly ((v4: string, groups: string) => string)[] = [
  (v4) => `::ffff:${v4}`,
  (_, groups) => `::ffff:${groups}`,
  (_, groups) => `0:0:0:0:0:FFFF:${groups}`,
  (v4) => `0000:0000::0000:ffff:${v4}`,
  (v4) => `::${v4}`,
  (v4) => `::ffff:0:${v4}`,
  (v4) => `64:ff9b::${v4}`,
  (_, groups) => `64:FF9B::${groups}`,
  (_, groups) => `64:ff9b:1::${groups}`,
  (_, groups) => `2002:${groups}::`,
  (_, groups) => `2002:${groups}:0:0:0:0:1`,
];

export function spellPrivateAddress(random: SeededRandom): string {
  if (random.chance(0.15)) return `[${spellV6(random)}]`;
  const address = pickV4(random);
  if (random.chance(0.25)) return `[${wrap(random, address)}]`;
  return disguise(random, spellV4(random, address));
}

function pickV4({ pick, integer }: SeededRandom): number {
  const [base, bits] = pick(PRIVATE_V4);
  return base + integer(0, 2 ** (32 - bits) - 1);
}

/**
 * Spells an IPv4 address with one to four parts in decimal, octal or hexadecimal. The last part
 * holds the remaining bytes.
 */
function spellV4({ pick, integer, chance }: SeededRandom, address: number): string {
  const bytes = bytesOf(address);
  const count = integer(1, 4);
  const last = bytes.slice(count - 1).reduce((number, byte) => number * 256 + byte, 0);
  const parts = [...bytes.slice(0, count - 1), last].map((part) => {
    const zeros = "0".repeat(chance(0.3) ? integer(1, 12) : 0);
    const hex = part.toString(16);
    return pick([
      String(part),
      `0${zeros}${part.toString(8)}`,
      `0x${zeros}${hex}`,
      `0X${zeros}${hex.toUpperCase()}`,
    ]);
  });
  return parts.join(".") + (chance(0.1) ? "." : "");
}

/** Replaces characters by Unicode look-alikes or percent escapes. */
function disguise({ pick, chance }: SeededRandom, host: string): string {
  if (chance(0.3)) return host;
  const [often, digits] = [chance(0.5) ? 0.2 : 1, pick(DIGITS)];
  const letters = [...host].map((letter) => {
    if (letter === ".") return chance(often) ? pick(DOTS) : letter;
    if (!chance(often)) return letter;
    if (chance(0.3)) return `%${letter.charCodeAt(0).toString(16)}`;
    if (/\d/.test(letter)) return digits[Number(letter)];
    return String.fromCodePoint(letter.charCodeAt(0) + 0xfee0);
  });
  return letters.join("");
}

function wrap({ pick }: SeededRandom, address: number): string {
  const bytes = bytesOf(address);
  const groups = [address >>> 16, address & 0xffff].map((group) => group.toString(16)).join(":");
  return pick(WRAPS)(bytes.join("."), groups);
}

function spellV6({ pick, integer, chance }: SeededRandom): string {
  const [base, bits] = pick(PRIVATE_V6);
  const groups = [
    base + integer(0, 2 ** (16 - bits) - 1),
    ...Array.from({ length: 7 }, () => integer(0, 0xffff)),
  ];
  const text = groups
    .map((group) => group.toString(16).padStart(chance(0.5) ? 4 : 1, "0"))
    .join(":");
  return chance(0.5) ? text.toUpperCase() : text;
}

const bytesOf = (address: number): number[] =>
  [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff);
