import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import type { Draw } from "./documented-catalog.ts";
import type { Delivered } from "./documented-mirror.ts";

/**
 * Starts a receiver that is sometimes down, and that loses, repeats and delays what it has
 * received. The end of the test closes it.
 */
export async function startUnreliableReceiver(draw: Draw, receive: (event: Delivered) => void) {
  const waiting: Delivered[] = [];
  const delayed: Delivered[] = [];
  const all: Delivered[] = [];
  let isUp = true;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      if (!isUp || draw.chance(10)) return void request.socket.destroy();
      if (draw.chance(10)) return void response.writeHead(500).end();
      response.writeHead(204).end();
      if (request.headers["x-service-test"] === "true") return;
      const delivered = {
        event: JSON.parse(Buffer.concat(chunks).toString()),
        sequence: Number(request.headers["x-service-sequence"]),
      };
      all.push(delivered);
      if (draw.chance(70)) waiting.push(delivered);
      if (draw.chance(35)) delayed.push(delivered);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    setUp: (up: boolean) => (isUp = up),
    received: () => all.length,
    /**
     * Hands over what has arrived, in random order and partly twice. Delayed events follow later.
     */
    handOver: () => {
      const again = all.length > 0 && draw.chance(30) ? [draw.pick(all)] : [];
      for (const delivered of shuffle([...waiting.splice(0), ...again], draw)) receive(delivered);
      if (draw.chance(60)) waiting.push(...delayed.splice(0));
    },
  };
}

function shuffle<T>(list: T[], draw: Draw): T[] {
  return list
    .map((value) => ({ value, rank: draw.int(1_000_000) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ value }) => value);
}
