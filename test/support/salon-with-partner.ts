import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import { readConfig } from "../../src/config.ts";
import type { SeededRandom } from "../../src/app/sample-catalog/generator.ts";
import type { Envelope } from "../../src/domain/envelope.ts";
import { openRuntime } from "../../src/app/runtime.ts";
import { createSeededSalon } from "./daemon.ts";

// A process that changes prices, and a partner that receives the events, for tests that kill or
// restart the daemon in between.

type Arrival = {
  deliveryId: string;
  eventId: string;
  type: string;
  priceCents: number | undefined;
  at: number;
};

/** Starts a receiver that records every request. */
async function startPartner(random: SeededRandom): Promise<{ url: string; received: Arrival[] }> {
  const received: Arrival[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    request.on("error", () => {});
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    await once(request, "end").catch(() => {});
    if (!request.complete) return;
    const { id, type, data } = JSON.parse(Buffer.concat(chunks).toString()) as Envelope;
    const { priceCents } = data.object as { priceCents?: number };
    const deliveryId = String(request.headers["x-service-delivery"]);
    received.push({ deliveryId, eventId: id, type, priceCents, at: performance.now() });
    await sleep(random.integer(0, 40));
    response.writeHead(200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, received };
}

/** Starts a process that sets one price after the other. Each is acknowledged after its commit. */
export function startPriceEditor(dataDir: string) {
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [
    fileURLToPath(new URL("./price-editor.ts", import.meta.url)),
    dataDir,
  ]);
  const acknowledged: number[] = [];
  let next = 10_000;
  let isRunning = true;
  const ended = once(child, "exit");
  const set = () => (isRunning ? child.stdin.write(`${next}\n`) : child.stdin.end());
  createInterface({ input: child.stdout }).on("line", () => {
    acknowledged.push(next);
    next += 1;
    // Fast enough to keep the daemon busy, slow enough that it can catch up in the end.
    setTimeout(set, 10);
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  set();
  return {
    acknowledged,
    async stop(): Promise<void> {
      isRunning = false;
      await ended;
    },
  };
}

/** Creates the sample salon, and a partner that is subscribed to all events. */
export async function createSalonWithPartner(random: SeededRandom, ...more: string[]) {
  const salon = await createSeededSalon();
  const partner = await startPartner(random);
  const trusted = ["--name", "site", "--url", partner.url, "--event", "all", "--allow-private"];
  await salon.deskbell("webhooks", "create", ...trusted, ...more);
  return { ...salon, partner };
}

/** Without any delivery. A backlog takes as long as the partner needs: 4 in flight are 200/s. */
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
        timeout: STALLED_MS,
        interval: 20,
      })
      .toBe(true);
  }
  const { DELIVERED: delivered = 0, ...others } = rt.store.tallies.countByStatus();
  expect(Object.values(others).filter((count) => count !== 0)).toEqual([]);
  return delivered;
}
