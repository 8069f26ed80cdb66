/** Returns the size of a proof: small in the test suite, full in `npm run proofs`. */
export const chooseScale = (inSuite: number, inFull: number): number =>
  process.env.PROOFS === "full" ? inFull : inSuite;
