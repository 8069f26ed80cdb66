import type { Runtime } from "./runtime.ts";

/**
 * Commits what `create` makes only after `handOver` has returned, so that no secret is stored that
 * nobody received.
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
