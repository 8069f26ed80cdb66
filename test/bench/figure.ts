/** `peer` and `ratio` are null if the goal is absolute. */
export type Figure = {
  id: string;
  description: string;
  ours: string;
  peer: string | null;
  ratio: number | null;
  goal: string;
};

export const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/**
 * Runs `ours` and `peer` alternately, so that other load disturbs both equally. Returns both
 * medians and the median of the ratios.
 */
export async function compareInTurns(
  rounds: number,
  ours: () => Promise<number>,
  peer: () => Promise<number>,
): Promise<{ ours: number; peer: number; ratio: number }> {
  const pairs: [number, number][] = [];
  for (let round = 0; round < rounds; round++) pairs.push([await ours(), await peer()]);
  return {
    ours: median(pairs.map(([a]) => a)),
    peer: median(pairs.map(([, b]) => b)),
    ratio: median(pairs.map(([a, b]) => a / b)),
  };
}

export const perSecond = (rate: number): string => `${Math.round(rate).toLocaleString("en")}/s`;

export const times = (tookMs: number[]): string => {
  const sorted = tookMs.toSorted((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
  return `p50 ${median(tookMs).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms of ${tookMs.length}`;
};
