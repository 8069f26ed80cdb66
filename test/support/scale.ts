/** Returns the size of a proof: small in the test suite, full in `npm run proofs`. */
export const chooseScale = <T>(inSuite: T, inFull: T): T =>
  process.env.PROOFS === "full" ? inFull : inSuite;
