import { availableParallelism, loadavg } from "node:os";

const measured = process.env["PROOFS_PATIENCE"];

/**
 * How many times longer things may take than on a quiet machine. `npm run proofs` measures this
 * before each group of proofs. The value is larger if more programs wait for each core when a test
 * file starts. The test suite assumes a quiet machine.
 */
export const PATIENCE =
  measured === undefined
    ? 1
    : Math.max(Number(measured), (loadavg()[0] ?? 0) / availableParallelism());

/** Returns how long to wait for what takes less than `ms` on a quiet machine. */
export const patient = (ms: number): number => ms * PATIENCE;

/**
 * Something took too long, but nothing false was seen. `npm run proofs` calls the claim undecided
 * if the machine was busy.
 */
export class OutOfPatience extends Error {
  override readonly name = "OutOfPatience";
}

/** Throws OutOfPatience if `what` took longer than it should on a machine as busy as this one. */
export function assertTook(what: string, ms: number, limitMs: number): void {
  if (ms < patient(limitMs)) return;
  throw new OutOfPatience(`${what} took ${Math.round(ms)} ms, expected less than ${limitMs} ms.`);
}
