import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished } from "vitest";
import { readConfig } from "../../src/config.ts";
import type { SeededRandom } from "../../src/app/sample-catalog/seeded-random.ts";
import type { Envelope } from "../../src/domain/envelope.ts";
import { openRuntime } from "../../src/app/runtime.ts";
import { createSeededSalon } from "./daemon.ts";

// Those who look on while a daemon is mistreated: somebody who changes prices, and a partner who hears of it.

type Arrival = {
  deliveryId: string;
  eventId: string;
  type: string;
  priceCents: number | undefined;
  at: number;
};

/** A partner in this process, which no daemon takes down with it: it keeps a book of its own. */
async function openPartner(random: SeededRandom): Promise<{ url: string; book: Arrival[] }> {
  const book: Arrival[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    request.on("error", () => {});
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    await once(request, "end").catch(() => {});
    if (!request.complete) return;
    const { id, type, data } = JSON.parse(Buffer.concat(chunks).toString()) as Envelope;
    const { priceCents } = data.object as { priceCents?: number };
    const deliveryId = String(request.headers["x-service-delivery"]);
    book.push({ deliveryId, eventId: id, type, priceCents, at: performance.now() });
    await sleep(random.integer(0, 40));
    response.writeHead(200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, book };
}

/** Sets prices from another process, one after the other, as fast as they are acknowledged. */
export function startPriceEditor(dataDir: string) {
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [
    fileURLToPath(new URL("./price-editor.ts", import.meta.url)),
    dataDir,
  ]);
  const acknowledged: number[] = [];
  let next = 10_000;
  let isGoingOn = true;
  const ended = once(child, "exit");
  const set = () => (isGoingOn ? child.stdin.write(`${next}\n`) : child.stdin.end());
  createInterface({ input: child.stdout }).on("line", () => {
    acknowledged.push(next);
    next += 1;
    // So many that the daemon is never done, and few enough that it ever will be.
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
      isGoingOn = false;
      await ended;
    },
  };
}

/** The salon, and a partner who has subscribed to everything. */
export async function createSalonWithPartner(random: SeededRandom, ...more: string[]) {
  const box = await createSeededSalon();
  const partner = await openPartner(random);
  const trusted = ["--name", "site", "--url", partner.url, "--event", "all", "--allow-private"];
  await box.deskbell("webhooks", "create", ...trusted, ...more);
  return { ...box, partner };
}

const PATIENCE_MS = 20_000;

/** Waits until a daemon owes nothing any more, and makes sure that everything ended well: how many deliveries that were. */
export async function waitForDeliveries(dataDir: string): Promise<number> {
  const rt = openRuntime(readConfig({ dataDir }, {}), 5000, { log: () => {} });
  onTestFinished(rt.close);
  await expect
    .poll(() => rt.store.tallies.countByStatus().PENDING, { timeout: PATIENCE_MS, interval: 20 })
    .toBe(0);
  const { DELIVERED: delivered = 0, ...others } = rt.store.tallies.countByStatus();
  expect(Object.values(others).filter((count) => count !== 0)).toEqual([]);
  return delivered;
}
