import fc from "fast-check";
import { chooseSeed } from "./scale.ts";

/**
 * The seed of every property. The seed of the test suite is fixed, so that results repeat. `npm run
 * proofs` varies the seed, and prints it so that a run can be repeated.
 */
export const PROPERTY_SEED = chooseSeed(20261122);
fc.configureGlobal({ seed: PROPERTY_SEED });

const SURROGATES = { first: 0xd8_00, count: 0x8_00 };

/** Any character of Unicode. The unit "binary" of fast-check takes seconds to list all of them. */
const character = fc.integer({ min: 0, max: 0x10_ff_ff - SURROGATES.count }).map(
  (n) => String.fromCodePoint(n < SURROGATES.first ? n : n + SURROGATES.count),
  (text) => {
    if (typeof text !== "string" || !text.isWellFormed() || [...text].length !== 1)
      throw new Error("Not one character.");
    const code = text.codePointAt(0) ?? 0;
    return code < SURROGATES.first ? code : code - SURROGATES.count;
  },
);

export const unicodeText = (maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: character, maxLength });

export * from "fast-check";
export { fc };
