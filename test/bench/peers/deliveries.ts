import { readdirSync, readFileSync } from "node:fs";
import { Agent, request } from "undici";
import { deliveryHeaders, signingKey } from "../../../src/domain/webhooks/webhook-post.ts";

// What the peers of the delivery worker have in common: the same signed POST of 2 KB, the
// connections, and the figures that they print.

/** A stored delivery: the number of its endpoint, and the body of its event. */
export type StoredDelivery = { endpoint: number; body: string };

const ENDPOINTS = 10;
const BODY = JSON.stringify({ description: "x".repeat(2000) });

export const createDeliveries = (total: number): StoredDelivery[] =>
  Array.from({ length: total }, (_, n) => ({ endpoint: n % ENDPOINTS, body: BODY }));

/** Returns a function that signs and sends a delivery. It throws unless the receiver accepts. */
export function createPost(sink: string, connections: number) {
  const dispatcher = new Agent({ connections, pipelining: 1 });
  const keys = [signingKey(`whsec_${"c2VjcmV0".repeat(6)}`)];
  let sequence = 0;
  const post = async (id: string, { endpoint, body }: StoredDelivery): Promise<void> => {
    const bytes = Buffer.from(body);
    const info = { deliveryId: id, eventId: id, eventType: "service.updated", attempt: 1 };
    const response = await request(`${sink}${endpoint}`, {
      dispatcher,
      method: "POST",
      headers: deliveryHeaders(
        { ...info, sequence: ++sequence },
        "deskbell/0.3.0 (+https://example.com/deskbell)",
        keys,
        Date.now(),
        bytes,
      ),
      body: bytes,
    });
    await response.body.dump();
    if (response.statusCode !== 204) throw new Error(`HTTP ${response.statusCode}`);
  };
  return { post, close: () => dispatcher.close() };
}

/** Linux counts CPU time in clock ticks, of which a second has this many. */
const TICKS_PER_SECOND = 100;

/** Returns the CPU time of a process, of its children, and of children that have ended. */
function cpuMsOfServer(pid: number): number {
  const processes = readdirSync("/proc").flatMap((id) => (/^\d+$/.test(id) ? readStat(id) : []));
  const ticks = processes
    .filter(({ id, parent }) => id === pid || parent === pid)
    .reduce((sum, one) => sum + one.ticks + (one.id === pid ? one.ticksOfEnded : 0), 0);
  return (ticks / TICKS_PER_SECOND) * 1000;
}

function readStat(id: string) {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [user, system, userOfEnded, systemOfEnded] = fields.slice(11, 15).map(Number) as [
      number,
      number,
      number,
      number,
    ];
    const parent = Number(fields[1]);
    return [
      { id: Number(id), parent, ticks: user + system, ticksOfEnded: userOfEnded + systemOfEnded },
    ];
  } catch {
    // The process has ended meanwhile.
    return [];
  }
}

type Drain = {
  sink: string;
  total: number;
  warmUps: number;
  /** The server that stores the deliveries. */
  serverPid: number;
  /** Stores the deliveries of a run. */
  prepare: () => Promise<unknown>;
  /** Sends the stored deliveries. Resolves when all outcomes are stored. */
  drain: () => Promise<unknown>;
};

/** Prints the milliseconds and the CPU time of the last run, after warm-up runs. */
export async function measureDrain(options: Drain): Promise<void> {
  const { sink, total, warmUps, serverPid, prepare, drain } = options;
  for (let run = 0; run < warmUps; run++) {
    await prepare();
    await drain();
  }
  await prepare();
  await fetch(`${sink}reset`);
  const [before, ofServer] = [process.cpuUsage(), cpuMsOfServer(serverPid)];
  const startedAt = performance.now();
  await drain();
  const tookMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 1000 + cpuMsOfServer(serverPid) - ofServer;
  const received = Number(await (await fetch(`${sink}count`)).text());
  if (received !== total) throw new Error(`Only ${received} of ${total} deliveries were received.`);
  console.log(`took ${tookMs} ms, ${cpuMs} ms CPU`);
}
