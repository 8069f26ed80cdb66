import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";

/**
 * What becomes of an exchange: the server never gets a lost request, a lost response comes from a
 * server that has done what was asked, a held response arrives when the test releases it, and the
 * server never gets a refused request, to which the proxy responds with 429.
 */
export type Fate = "passes" | "request lost" | "response lost" | "held" | "refused";

/**
 * Starts a proxy that plays a bad network between a phone and the server.
 * @param decide returns the fate of each request
 * @param delayMs the time that each exchange takes in addition
 */
export async function startLossyProxy(
  serverUrl: string,
  decide: (method: string) => Fate,
  delayMs = 0,
) {
  const held: (() => void)[] = [];
  const counts = { passes: 0, "request lost": 0, "response lost": 0, held: 0, refused: 0 };
  const server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    const body = await buffer(request);
    const fate = decide(method);
    counts[fate] += 1;
    if (delayMs > 0) await delay(delayMs);
    if (fate === "request lost") return void request.socket.destroy();
    if (fate === "refused")
      return void response.writeHead(429).end(JSON.stringify({ detail: "Too many requests." }));
    const { host: _, connection: __, "content-length": ___, ...others } = headers;
    const passed = await fetch(serverUrl + url, {
      method,
      headers: { ...(others as Record<string, string>), origin: serverUrl },
      redirect: "manual",
      ...(method === "POST" && { body }),
    }).catch(() => null);
    const bytes = await passed?.arrayBuffer().catch(() => null);
    // The server of a test may have stopped while the page still sends requests.
    if (passed === null || !bytes || fate === "response lost") return void request.socket.destroy();
    if (fate === "held") await new Promise<void>((resolve) => held.push(resolve));
    const kept = [...passed.headers].filter(
      ([name]) => !["content-encoding", "content-length", "transfer-encoding"].includes(name),
    );
    response.writeHead(passed.status, Object.fromEntries(kept)).end(Buffer.from(bytes));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    release: () => held.splice(0).forEach((resolve) => resolve()),
    heldCount: () => held.length,
  };
}
