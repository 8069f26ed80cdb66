import type { Runtime } from "../../app/runtime.ts";
import type { Cli } from "../cli.ts";

const PATIENCE_MS = 1000;
// Reading is the first step and cannot be interrupted: so much takes longer than a second.
const LONG_READ_BYTES = 8_000_000;

/** Says on stderr which step begins, once the work has taken longer than a second or is bound to. */
export function createStepReporter(
  cli: Cli,
  rt: Pick<Runtime, "monotonic">,
  bytes: number,
): (step: string) => void {
  const startedAt = rt.monotonic();
  let isFirst = true;
  return (step) => {
    if (isFirst ? bytes > LONG_READ_BYTES : rt.monotonic() - startedAt > PATIENCE_MS)
      cli.note(`${step} …`);
    isFirst = false;
  };
}
