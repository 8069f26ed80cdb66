/**
 * Returns the size of a proof: `inSuite` in the test suite, `inFull` in `npm run proofs`, `inQuick`
 * with --quick.
 */
export function chooseScale<T>(inSuite: T, inFull: T, inQuick: T = inSuite): T {
  if (process.env.PROOFS === "full") return inFull;
  return process.env.PROOFS === "quick" ? inQuick : inSuite;
}

/**
 * Returns the seed of a proof: `inSuite` in the test suite, and the seed of the run in `npm run
 * proofs`.
 */
export const chooseSeed = (inSuite: number): number =>
  Number(process.env["PROOFS_SEED"] ?? inSuite);
