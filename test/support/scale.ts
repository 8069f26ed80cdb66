/**
 * Returns the size of a proof: small in the test suite; `npm run proofs` chooses the full size, and
 * `npm run proofs -- --quick` the quick one, which is that of the suite unless it is given.
 */
export function chooseScale<T>(inSuite: T, inFull: T, inQuick: T = inSuite): T {
  if (process.env.PROOFS === "full") return inFull;
  return process.env.PROOFS === "quick" ? inQuick : inSuite;
}

/** Returns the seed of a proof: fixed in the test suite, that of the run in `npm run proofs`. */
export const chooseSeed = (inSuite: number): number =>
  Number(process.env["PROOFS_SEED"] ?? inSuite);
