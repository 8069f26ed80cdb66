/** How much of a proof to run: its share of the suite, or all of it (`npm run proofs`). */
export const chooseScale = (inSuite: number, inFull: number): number =>
  process.env.PROOFS === "full" ? inFull : inSuite;
