/** `1 entry`, `2 entries` */
export const countOf = (count: number, noun: string): string =>
  `${count} ${count === 1 ? noun : noun.endsWith("y") ? `${noun.slice(0, -1)}ies` : `${noun}s`}`;
