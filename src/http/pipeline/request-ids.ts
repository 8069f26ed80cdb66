import type { Runtime } from "../../app/runtime.ts";
import { createIdSource } from "../../domain/ids.ts";

const COUNTER_DIGITS = 6;

/** Creates request IDs: a random prefix for each process, then a counter, which is cheap. */
export function createRequestIds(rt: Runtime): () => string {
  const newId = createIdSource(rt.now, (bytes) =>
    Uint8Array.from({ length: bytes }, () => rt.randomFraction() * 256),
  );
  let prefix = "";
  let count = 0;
  return () => {
    if (count === 0) prefix = newId("req").slice(0, -COUNTER_DIGITS);
    const digits = count.toString(32).padStart(COUNTER_DIGITS, "0");
    count = (count + 1) % 32 ** COUNTER_DIGITS;
    return prefix + digits;
  };
}
