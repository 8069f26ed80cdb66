import { Agent, request } from "undici";
import { BARE_HEADERS } from "./bare-headers.ts";

// The lower bound with undici: sends POSTs of 2 KB over the given number of connections, and
// neither signs nor stores anything. Prints the milliseconds of the last run, after warm-up runs.

const [sink = "", total = "", concurrency = "", warmUps = ""] = process.argv.slice(2);
const dispatcher = new Agent({ connections: Number(concurrency), pipelining: 1 });
const body = Buffer.from(JSON.stringify({ description: "x".repeat(2000) }));

async function post(): Promise<number> {
  let left = Number(total);
  const sender = async () => {
    while (left-- > 0) {
      const response = await request(`${sink}0`, {
        dispatcher,
        method: "POST",
        headers: BARE_HEADERS,
        body,
      });
      await response.body.dump();
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: Number(concurrency) }, sender));
  return performance.now() - startedAt;
}

for (let i = 0; i < Number(warmUps); i++) await post();
console.log(`took ${await post()} ms`);
await dispatcher.close();
