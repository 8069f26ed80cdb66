import { closest, distance } from "fastest-levenshtein";

export function nearest(name: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const lower = name.toLowerCase();
  const best =
    known.find((candidate) => candidate.toLowerCase() === lower) ??
    closest(name, known as string[]);
  return distance(lower, best.toLowerCase()) <= Math.max(2, Math.floor(name.length / 3))
    ? best
    : undefined;
}

/** ` Did you mean 'x'?`, or nothing. */
export function didYouMean(name: string, known: readonly string[]): string {
  const best = nearest(name, known);
  return best === undefined ? "" : ` Did you mean '${best}'?`;
}
