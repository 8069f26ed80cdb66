import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import { readConfig } from "../../src/config.ts";
import type { SeededRandom } from "../../src/domain/seeded-random.ts";
import type { Envelope } from "../../src/domain/events/envelope.ts";
import { openRuntime } from "../../src/app/runtime.ts";
import { createSeededSalon } from "./daemon.ts";
import { patient } from "./patience.ts";

// A process that changes prices, and a partner that receives the events, for tests that kill or
// restart the daemon in between.

type Arrival = {
  deliveryId: string;
  eventId: string;
  type: string;
  objectId: string | undefined;
  priceCents: number | undefined;
  at: number;
};

type Partner = {
  url: string;
  /** The requests that were complete and got a 200, in the order of their arrival. */
  received: Arrival[];
  /** The deliveries that failed at their first arrival. */
  refused: Set<string>;
};

/**
 * Starts a receiver.
 * @param failures the share of deliveries that fail at their first arrival, by a 500 or a closed
 * connection
 */
export async function startPartner(random: SeededRandom, failures: number): Promise<Partner> {
  const received: Arrival[] = [];
  const refused = new Set<string>();
  const seen = new Set<string>();
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    request.on("error", () => {});
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    await once(request, "end").catch(() => {});
    if (!request.complete) return;
    const { id, type, data } = JSON.parse(Buffer.concat(chunks).toString()) as Envelope;
    const { id: objectId, priceCents } = data.object as { id?: string; priceCents?: number };
    const deliveryId = String(request.headers["x-service-delivery"]);
    if (!seen.has(deliveryId) && random.chance(failures)) {
      seen.add(deliveryId);
      refused.add(deliveryId);
      if (random.chance(0.5)) request.socket.destroy();
      else response.writeHead(500).end();
      return;
    }
    seen.add(deliveryId);
    received.push({ deliveryId, eventId: id, type, objectId, priceCents, at: performance.now() });
    await sleep(random.integer(0, 40));
    response.writeHead(200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, received, refused };
}

/**
 * Starts a process that sets one price after the other, and acknowledges each after its commit. If
 * the process is killed, another one goes on with the next price.
 */
export function startPriceEditor(dataDir: string) {
  const acknowledged: number[] = [];
  let next = 10_000;
  let isRunning = true;

  function start() {
    const child = spawn(process.execPath, [
      fileURLToPath(new URL("./price-editor.ts", import.meta.url)),
      dataDir,
    ]);
    // A killed process no longer reads its input.
    child.stdin.on("error", () => {});
    const set = () => (isRunning ? child.stdin.write(`${next}\n`) : child.stdin.end());
    createInterface({ input: child.stdout }).on("line", () => {
      acknowledged.push(next);
      next += 1;
      // This pace keeps the daemon busy, but lets it catch up in the end.
      setTimeout(set, 10);
    });
    set();
    return { child, ended: once(child, "exit") };
  }

  let editor = start();
  const kill = async (): Promise<void> => {
    editor.child.kill("SIGKILL");
    await editor.ended;
  };
  onTestFinished(kill);
  return {
    acknowledged,
    async killAndStartAgain(): Promise<void> {
      await kill();
      // The price that was being set may have been committed without its acknowledgement.
      next += 1;
      editor = start();
    },
    async stop(): Promise<void> {
      isRunning = false;
      await editor.ended;
    },
  };
}

type SalonOptions = { failures?: number; flags?: string[] };

/**
 * Creates the sample salon, and a partner that is subscribed to all events.
 * @param flags further flags of `webhooks create`
 */
export async function createSalonWithPartner(
  random: SeededRandom,
  { failures = 0, flags = [] }: SalonOptions = {},
) {
  const salon = await createSeededSalon();
  const partner = await startPartner(random, failures);
  const trusted = ["--name", "site", "--url", partner.url, "--event", "all", "--allow-private"];
  await salon.deskbell("webhooks", "create", ...trusted, ...flags);
  return { ...salon, partner };
}

/**
 * The longest wait for the next delivery. A whole backlog takes longer: with 4 requests in flight,
 * the partner accepts 200 deliveries/s.
 */
const STALLED_MS = 20_000;

/** Waits until nothing is pending, asserts that all was delivered, and returns the number. */
export async function waitForDeliveries(dataDir: string): Promise<number> {
  const rt = openRuntime(readConfig({ dataDir }, {}), 5000, { log: () => {} });
  onTestFinished(rt.close);
  const count = (status: "PENDING" | "DELIVERED") => rt.store.tallies.countByStatus()[status] ?? 0;
  while (count("PENDING") > 0) {
    const before = count("DELIVERED");
    await expect
      .poll(() => count("DELIVERED") > before || count("PENDING") === 0, {
        timeout: patient(STALLED_MS),
        interval: 20,
      })
      .toBe(true);
  }
  const { DELIVERED: delivered = 0, ...others } = rt.store.tallies.countByStatus();
  expect(Object.values(others).filter((count) => count !== 0)).toEqual([]);
  return delivered;
}
