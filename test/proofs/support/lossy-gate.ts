import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { Draw } from "../../support/documented-catalog.ts";

const LOST_PERCENT = 2;
const REPEATED_PERCENT = 5;

/**
 * Starts a server between deskbell and a partner's receiver. It accepts some webhooks that the
 * partner never gets, and passes others on twice. It is closed when the test ends.
 */
export async function startLossyGate(draw: Draw, partnerUrl: () => string) {
  const counts = { passed: 0, lost: 0, refused: 0 };
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    if (draw.chance(LOST_PERCENT)) {
      counts.lost += 1;
      return response.writeHead(204).end();
    }
    const headers = { "x-service-signature": String(request.headers["x-service-signature"]) };
    const pass = () =>
      fetch(partnerUrl(), { method: "POST", headers, body }).then(
        ({ status }) => status,
        () => 503,
      );
    const status = await pass();
    if (draw.chance(REPEATED_PERCENT)) await pass();
    counts[status === 204 ? "passed" : "refused"] += 1;
    response.writeHead(status).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, counts };
}
