import { parentPort, workerData } from "node:worker_threads";
import { Agent, request } from "undici";
import { BARE_HEADERS } from "./bare-headers.ts";

// The lower bound of the time from a commit to the first byte: a thread that POSTs 2 KB to each
// endpoint with plain undici when it gets a sequence number. Nothing is read or signed.

const { receiver, endpoints } = workerData as { receiver: string; endpoints: number };
const dispatcher = new Agent();
const body = Buffer.from(JSON.stringify({ description: "x".repeat(2000) }));

async function post(endpoint: number, sequence: number): Promise<void> {
  const headers = { ...BARE_HEADERS, "X-Service-Sequence": String(sequence) };
  const response = await request(`${receiver}${endpoint}`, {
    dispatcher,
    method: "POST",
    headers,
    body,
  });
  await response.body.dump();
}

parentPort?.on("message", (sequence: number) => {
  for (let endpoint = 0; endpoint < endpoints; endpoint++) void post(endpoint, sequence);
});
