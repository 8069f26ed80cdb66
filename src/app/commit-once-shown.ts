import type { Runtime } from "./runtime.ts";

/**
 * Creates an object with a secret, and commits it only after `show` has returned. Otherwise a
 * secret that nobody has seen could be stored.
 */
export const commitOnceShown = <Created>(
  rt: Runtime,
  create: () => Created,
  show: (created: Created) => void,
): Created =>
  rt.tx(() => {
    const created = create();
    show(created);
    return created;
  });
