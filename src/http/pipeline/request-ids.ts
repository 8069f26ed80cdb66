import { createIdSource } from "../../domain/ids.ts";
import type { Runtime } from "../../app/runtime.ts";

const COUNTER_DIGITS = 6;

/** Ids that name one request in an answer and in the log: a start of their own each process, then a count. */
export function createRequestIds(rt: Runtime): () => string {
  const newId = createIdSource(rt.now, (bytes) =>
    Uint8Array.from({ length: bytes }, () => rt.randomFraction() * 256),
  );
  let start = "";
  let count = 0;
  return () => {
    if (count === 0) start = newId("req").slice(0, -COUNTER_DIGITS);
    const digits = count.toString(32).padStart(COUNTER_DIGITS, "0");
    count = (count + 1) % 32 ** COUNTER_DIGITS;
    return start + digits;
  };
}
