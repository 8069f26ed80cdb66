import { parentPort, workerData } from "node:worker_threads";
import { Agent, request } from "undici";

// The least that undici does: POSTs of 2 KB one after the other on so many connections, nothing signed, nothing kept. Tells how
// many milliseconds they took, after as many that are not counted.

const { url, total, concurrency } = workerData as { url: string; total: number; concurrency: number };
const dispatcher = new Agent({ connections: concurrency, pipelining: 1 });
const body = Buffer.from(JSON.stringify({ description: "x".repeat(2000) }));
const headers = { "content-type": "application/json" };

async function post(count: number): Promise<void> {
  let left = count;
  const sender = async () => {
    while (left-- > 0) {
      const answer = await request(url, { dispatcher, method: "POST", headers, body });
      await answer.body.dump();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, sender));
}

await post(total);
const startedAt = performance.now();
await post(total);
parentPort?.postMessage(performance.now() - startedAt);
await dispatcher.close();
