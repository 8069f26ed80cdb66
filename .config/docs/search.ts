// The search of /docs. The build makes the index; the browser loads this file without its types.

/** Something that readers search for, with the words by which it is found. */
export type Entry = {
  kind: string;
  title: string;
  url: string;
  /**
   * Three texts of word stems: of the words in the entry's name, of everyday words for them, and of
   * its description.
   */
  words: readonly [name: string, everyday: string, text: string];
};

const WEIGHTS = [8, 6, 1];
const MAX_RESULTS = 12;

/** Words that nearly every text has. */
const STOP_WORDS = new Set(
  "a an and any are as at be been by can do for from has have i if in is it its me my of on one or so such that the there this to what with you your".split(
    " ",
  ),
);

/** Returns the common beginning of the forms of an English word: cancel, cancels, cancelled. */
export function stemOf(word: string): string {
  const stem = word.replace(/(?<=\w{3})(?:ing|ed|es|s|e|y)$/, "");
  return stem.replace(/(?<=\w{2})([^aeiou\d])\1$/, "$1").replace(/(?<=\w{2})i$/, "");
}

/** Returns the words of a text. A name such as listServices is also split into its parts. */
export const wordsOf = (text: string): string[] =>
  text
    .replaceAll(/(\w*[a-z])([A-Z]\w*)/g, (name) => `${name} ${name.replaceAll(/([A-Z])/g, " $1")}`)
    .toLowerCase()
    .match(/[\p{L}\d]+/gu) ?? [];

/** Returns the stems of words, each once, without words that nearly every text has. */
export const stemsOf = (words: readonly string[]): string[] => [
  ...new Set(words.filter((word) => !STOP_WORDS.has(word)).map(stemOf)),
];

/** Returns the entries that fit a query, the best first. */
export function findEntries<E extends Entry>(entries: readonly E[], query: string): E[] {
  const wanted = stemsOf(wordsOf(query));
  const scored = entries.map((entry) => ({
    entry,
    found: 0,
    score: isTitle(entry, query) ? 1e6 : 0,
  }));
  for (const word of wanted) {
    const fits = scored.map(({ entry }) => fitOf(entry, word));
    // A word that few entries have counts more, because it says more about what the reader wants.
    const rarity = Math.log(1 + entries.length / fits.filter((fit) => fit > 0).length);
    for (const [i, one] of scored.entries()) {
      const fit = fits[i] ?? 0;
      if (fit === 0) continue;
      one.score += fit * rarity;
      one.found += 1;
    }
  }
  for (const one of scored) one.score *= (one.found / wanted.length) ** 2;
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || a.entry.title.length - b.entry.title.length)
    .slice(0, MAX_RESULTS)
    .map(({ entry }) => entry);
}

/** Returns whether a query is the title of an entry, or its name, such as an operation ID. */
const isTitle = ({ title, url }: Entry, query: string): boolean =>
  title.toLowerCase() === query.trim().toLowerCase() || url.endsWith(`#${query.trim()}`);

/** Returns how well a word fits an entry: a whole word counts more than the beginning of one. */
function fitOf({ words }: Entry, wanted: string): number {
  let best = 0;
  for (const [i, text] of words.entries()) {
    const stems = text.split(" ");
    const isWhole = stems.includes(wanted);
    const fit = isWhole ? 2 : Number(stems.some((stem) => stem.startsWith(wanted)));
    best = Math.max(best, fit * (WEIGHTS[i] ?? 0));
  }
  return best;
}
