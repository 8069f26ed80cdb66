import { Agent, request } from "undici";

// The lower bound with undici: sends the same POSTs over the given number of connections, without
// signing or storing anything. Prints the milliseconds of the last run, after warm-up runs.

const [sink = "", total = "", concurrency = "", warmUps = ""] = process.argv.slice(2);
const dispatcher = new Agent({ connections: Number(concurrency), pipelining: 1 });
const body = Buffer.from(JSON.stringify({ description: "x".repeat(2000) }));
const headers = {
  "Content-Type": "application/json; charset=utf-8",
  "User-Agent": "deskbell/0.2.0 (+https://example.com/deskbell)",
  "X-Service-Event": "service.updated",
  "X-Service-Delivery": `dlv_${"0".repeat(26)}`,
  "X-Service-Attempt": "1",
  "X-Service-Sequence": "1042",
  "X-Service-Signature": `t=1763615045,v1=${"0".repeat(64)}`,
  "webhook-id": `evt_${"0".repeat(26)}`,
  "webhook-timestamp": "1763615045",
  "webhook-signature": `v1,${"0".repeat(43)}=`,
};

async function post(): Promise<number> {
  let left = Number(total);
  const sender = async () => {
    while (left-- > 0) {
      const response = await request(`${sink}0`, { dispatcher, method: "POST", headers, body });
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
