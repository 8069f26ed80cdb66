import { createKey, type NewKey } from "../../src/app/keys.ts";
import { readConfig } from "../../src/config.ts";
import { businessId } from "../../src/domain/catalog/object-id.ts";
import { openRuntime } from "../../src/app/runtime.ts";

// A process that writes until its parent disconnects, each time in a transaction of its own.
// Arguments: the data folder, and the milliseconds between two writes. A message of the parent
// makes it send the duration of each write (ms), and exit. A write that waits 30 s for the lock
// fails.

const [dataDir, pauseMs] = process.argv.slice(2);
const rt = openRuntime(readConfig({ dataDir }, {}), 30_000);

const key: NewKey = { businessId: businessId("shop"), name: "key", kind: "SECRET", scopes: [] };
const tookMs: number[] = [];

function write(): void {
  const startedAt = performance.now();
  createKey(rt, key);
  tookMs.push(performance.now() - startedAt);
}

process.on("message", () => {
  process.send?.(tookMs);
  process.disconnect?.();
});
process.send?.("ready");
for (;;) {
  write();
  if (process.connected === false) break;
  if (Number(pauseMs) > 0) await new Promise((resolve) => setTimeout(resolve, Number(pauseMs)));
  // `setImmediate` lets this process receive messages from its parent, which it could not do while
  // it writes in a loop.
  else if (tookMs.length % 100 === 0) await new Promise(setImmediate);
}
rt.close();
