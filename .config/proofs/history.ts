/** Bugs of the product that a proof found, and the commits that fixed them. Written by hand. */
export const BUGS_FOUND: readonly { bug: string; foundBy: string; commit: string }[] = [];

/** What the proofs do not show. */
export const NOT_COVERED: readonly string[] = [];
