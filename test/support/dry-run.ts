import type { Runtime } from "../../src/app/runtime.ts";

export function dryRun<T>(rt: Runtime, work: () => T): T {
  const end = rt.startDryRun();
  try {
    return work();
  } finally {
    end();
  }
}
