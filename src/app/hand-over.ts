import type { Runtime } from "./runtime.ts";

/**
 * Creates an object with a secret, and commits it only after `handOver` has returned: no secret is
 * stored that nobody received.
 */
export const createAndHandOver = <Created>(
  rt: Runtime,
  create: () => Created,
  handOver: (created: Created) => void,
): Created =>
  rt.tx(() => {
    const created = create();
    handOver(created);
    return created;
  });
