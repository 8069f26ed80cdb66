import type { Runtime } from "../../app/runtime.ts";
import type { Cli } from "../cli.ts";

const QUIET_MS = 1000;
// The first step reads and parses. More bytes than this take longer than a second.
const LONG_READ_BYTES = 8_000_000;

/**
 * Returns a function that prints the current step on stderr once the work takes longer than a
 * second.
 */
export function createStepReporter(
  cli: Cli,
  rt: Pick<Runtime, "monotonic">,
  bytes: number,
): (step: string) => void {
  const startedAt = rt.monotonic();
  let isFirst = true;
  return (step) => {
    if (isFirst ? bytes > LONG_READ_BYTES : rt.monotonic() - startedAt > QUIET_MS)
      cli.note(`${step} …`);
    isFirst = false;
  };
}
