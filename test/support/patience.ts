/**
 * How many times longer than on a quiet machine things may take. `npm run proofs` measures it before
 * each group; the test suite assumes a quiet machine.
 */
export const PATIENCE = Number(process.env["PROOFS_PATIENCE"] ?? 1);

/** Returns how long to wait for what takes less than `ms` on a quiet machine. */
export const patient = (ms: number): number => ms * PATIENCE;

/**
 * Something took too long, but nothing false was seen. `npm run proofs` calls the claim undecided if
 * the machine was busy.
 */
export class OutOfPatience extends Error {
  override readonly name = "OutOfPatience";
}

/** Throws OutOfPatience if `what` took longer than it should on a machine as busy as this one. */
export function assertTook(what: string, ms: number, limitMs: number): void {
  if (ms < patient(limitMs)) return;
  throw new OutOfPatience(`${what} took ${Math.round(ms)} ms, expected less than ${limitMs} ms.`);
}
