import { join } from "node:path";
import { readConfig } from "../../src/config.ts";
import { openRuntime } from "../../src/app/runtime.ts";
import { BIN } from "../support/program.ts";
import type { Figure } from "./figure.ts";
import { BASE, FIRST_DAY, SERVICE_ID, SLUG, storeData } from "./growth/data.ts";
import { BenchProcesses } from "./processes.ts";

const STORED = 1_000_000;
const REQUESTS = 1000;
const DAYS = 31;

/** Measures POST /bookings with a million bookings stored, one request after the other. */
export async function benchBookings(): Promise<Figure[]> {
  await using processes = new BenchProcesses();
  const dataDir = join(processes.dir, "data");
  const rt = openRuntime(readConfig({ dataDir }, {}), 5000);
  const [target] = await storeData(rt, { ...BASE, bookings: STORED });
  rt.close();
  const daemon = [process.execPath, BIN, "--data-dir", dataDir, "serve", "--port", "0"];
  const url = await processes.start(daemon, /(http:\/\/127\.0\.0\.1:\d+)/);
  const api = `${url}/v1/businesses/${SLUG}`;
  const headers = {
    authorization: `Bearer ${target?.secret}`,
    "content-type": "application/json",
  };
  const starts = await listStarts(api, headers);
  const tookMs: number[] = [];
  for (const [n, startsAt] of starts.slice(0, REQUESTS).entries()) {
    const startedAt = performance.now();
    const response = await fetch(`${api}/bookings`, {
      method: "POST",
      headers: { ...headers, "idempotency-key": `bench-${n}` },
      body: JSON.stringify({
        startsAt,
        segments: [{ serviceId: SERVICE_ID }],
        customer: { name: "Ana" },
      }),
    });
    if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
    await response.arrayBuffer();
    tookMs.push(performance.now() - startedAt);
  }
  const sorted = tookMs.toSorted((a, b) => a - b);
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(1);
  return [
    {
      id: "bookings",
      description: `POST /bookings with ${STORED.toLocaleString("en")} bookings stored, ${sorted.length} requests`,
      ours: `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`,
      peer: null,
      ratio: null,
      goal: "p50 <= 5 ms, p99 <= 25 ms",
    },
  ];
}

/** Returns the free starts of the next days. Consecutive ones are on different days. */
async function listStarts(api: string, headers: Record<string, string>): Promise<string[]> {
  const from = FIRST_DAY.add({ days: 10 });
  const to = from.add({ days: DAYS - 1 });
  const query = `serviceId=${SERVICE_ID}&from=${from}&to=${to}`;
  const response = await fetch(`${api}/availability?${query}`, { headers });
  const { data } = (await response.json()) as {
    data: { days: { slots: { startsAt: string }[] }[] };
  };
  const slots = data.days.map(({ slots }) => slots.map(({ startsAt }) => startsAt));
  return Array.from({ length: Math.max(...slots.map(({ length }) => length)) }, (_, i) =>
    slots.flatMap((ofDay) => ofDay[i] ?? []),
  ).flat();
}
