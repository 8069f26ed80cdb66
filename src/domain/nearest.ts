import { distance } from "fastest-levenshtein";

const MAX_SUGGESTIONS = 3;

/**
 * Returns up to three known names that `name` probably means. All of them have the same, best rank.
 */
export function nearest(name: string, known: readonly string[]): string[] {
  const typed = name.toLowerCase();
  const stem = stemOf(typed);
  const isTypedCapital = isCapital(name);
  let [bestRank, best]: [number, string[]] = [Infinity, []];
  for (const candidate of known) {
    // Some names exist both in capitals and in small letters; the case that was typed ranks first.
    const rank =
      rankOf(typed, stem, candidate) + (isTypedCapital === isCapital(candidate) ? 0 : 0.5);
    if (rank < bestRank) [bestRank, best] = [rank, []];
    if (rank === bestRank && rank < Infinity) best.push(candidate);
  }
  return best.slice(0, MAX_SUGGESTIONS);
}

/** Returns whether `name` probably means a known name. */
export const isLike = (name: string, known: string): boolean => nearest(name, [known]).length > 0;

const isCapital = (name: string): boolean => name === name.toUpperCase();

/** Returns ` Did you mean 'x'?`, or an empty text. */
export function didYouMean(
  name: string,
  known: readonly string[],
  show = (candidate: string) => `'${candidate}'`,
): string {
  const names = [...new Set(nearest(name, known).map(show))];
  return names.length === 0 ? "" : ` Did you mean ${names.join(" or ")}?`;
}

/**
 * Returns a lower number for a better match, Infinity for none. A plural, or a name that begins
 * with the typed text or has it as a word, ranks before a name with two typos, although more
 * letters differ.
 */
function rankOf(typed: string, stem: string, candidate: string): number {
  const lower = candidate.toLowerCase();
  if (lower === typed) return 0;
  if (stemOf(lower) === stem) return 1;
  const typos = typosBetween(typed, lower);
  if (typos === 1) return 2;
  if (stem.length >= 3 && lower.includes(stem)) {
    if (lower.startsWith(stem)) return 3;
    if (wordsOf(candidate).some((word) => stemOf(word) === stem)) return 4;
  }
  return 4 + typos;
}

/** Returns the singular of an English plural. Other words that end with s may lose letters. */
function stemOf(word: string): string {
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (/(?:s|x|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}

/** Returns the words of a name: `min` and `seats` for `minSeats`. */
const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z])(?=[A-Z])/g, "$1 ")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);

const MAX_SHORT_LENGTH = 5;

/**
 * Returns the number of letters that are wrong, missing or surplus; two swapped letters count as
 * one. Returns Infinity if there are too many for a word of this length.
 */
function typosBetween(typed: string, lower: string): number {
  const most = maxTypos(typed, lower);
  // The distance is at least the difference in length, which is faster to compute.
  if (Math.abs(typed.length - lower.length) > most) return Infinity;
  const letters = distance(typed, lower);
  if (letters === 2 && sorted(typed) === sorted(lower)) return 1;
  return letters <= most ? letters : Infinity;
}

const sorted = (text: string): string => [...text].sort().join("");

/**
 * Returns the maximum number of typos. A short name may have two typos only if the other name
 * contains a piece of it that is longer than half of it: `phone` contains `one` of `fone`.
 */
function maxTypos(typed: string, lower: string): number {
  const { length } = typed;
  if (length < 2) return 0;
  if (length > MAX_SHORT_LENGTH) return Math.max(2, Math.floor(length / 3));
  const rightLength = Math.floor(length / 2) + 1;
  for (let at = 0; at + rightLength <= length; at++)
    if (lower.includes(typed.slice(at, at + rightLength))) return 2;
  return 1;
}
