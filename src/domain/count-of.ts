/** `1 entry`, `2 entries`, `3 dishes`. */
export function countOf(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`;
  if (/[^aeiou]y$/.test(noun)) return `${count} ${noun.slice(0, -1)}ies`;
  return `${count} ${noun}${/(?:s|sh|x)$/.test(noun) ? "es" : "s"}`;
}
