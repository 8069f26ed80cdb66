import type { Runtime } from "../../app/runtime.ts";
import type { StartWork, ThreadWork } from "../../delivery/scheduler.ts";
import type { Publishers } from "./publishing/publishers.ts";
import { createDestinationStore } from "./store.ts";

type Load = () => Promise<{ createPublishers: (rt: Runtime) => Publishers }>;

/**
 * Publishes events to destinations. The code is loaded for the first destination: most servers have
 * none.
 */
export function startPublishing(
  rt: Runtime,
  load: Load = () => import("./publishing/publishers.ts"),
): ThreadWork {
  const { listVersions } = rt.openStore(createDestinationStore);
  let loading: Promise<Publishers> | undefined;
  let publishers: Publishers | undefined;

  async function start(): Promise<Publishers> {
    const { createPublishers } = await load();
    publishers = createPublishers(rt);
    publishers.wake();
    return publishers;
  }

  return {
    afterCommit() {
      if (loading === undefined && listVersions().length > 0) loading = start();
      else publishers?.wake();
    },
    everySecond: [() => publishers?.tick()],
    stop: async (graceMs) => (await loading)?.stop(graceMs),
  };
}

export const schedule: readonly StartWork[] = [(rt) => startPublishing(rt)];
