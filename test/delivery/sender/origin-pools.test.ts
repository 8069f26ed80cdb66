import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Pool } from "undici";
import { expect, onTestFinished, test, vi } from "vitest";
import { createOriginPools } from "../../../src/delivery/sender.ts";
import { WAITS } from "../../support/waits.ts";

/**
 * Starts a receiver that responds to each request, and keeps connections open if the path says so.
 */
async function startReceiver(): Promise<string> {
  const server = createServer((request, response) => {
    const connection = request.url === "/keep" ? "keep-alive" : "close";
    response.writeHead(204, { connection }).end();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function openPools() {
  const pools = createOriginPools({});
  onTestFinished(pools.destroy);
  const post = async (origin: string, path: string) => {
    const received = await new Promise<number>((resolve, reject) => {
      let status = 0;
      pools.dispatch(
        { origin, path, method: "POST", body: "{}" },
        {
          onRequestStart() {},
          onResponseStart: (_controller, statusCode) => void (status = statusCode),
          onResponseData() {},
          onResponseEnd: () => resolve(status),
          onResponseError: (_controller, error) => reject(error),
        },
      );
    });
    // The connection becomes free for another request in the next turn of the event loop.
    await new Promise(setImmediate);
    return received;
  };
  return { pools, post };
}

test("an origin's pool is kept while a connection is open, and removed after the last connection closes", async () => {
  const receiver = await startReceiver();
  const { pools, post } = openPools();
  expect(await post(receiver, "/keep")).toBe(204);
  expect(pools.count()).toBe(1);
  expect(await post(receiver, "/close")).toBe(204);
  await vi.waitFor(() => expect(pools.count()).toBe(0), WAITS);
  expect(await post(receiver, "/keep")).toBe(204);
  expect(pools.count()).toBe(1);
});

test("the pool of an origin that refuses connections is removed", async () => {
  const { pools, post } = openPools();
  await expect(post("http://127.0.0.1:1", "/")).rejects.toThrow();
  await vi.waitFor(() => expect(pools.count()).toBe(0), WAITS);
});

test("the work for a connection that closes does not grow with the number of other origins", async () => {
  const receivers = await Promise.all([startReceiver(), startReceiver(), startReceiver()]);
  const { pools, post } = openPools();
  for (const receiver of receivers) await post(receiver, "/keep");
  const stats = vi.spyOn(Pool.prototype, "stats", "get");
  await post(receivers[0] ?? "", "/close");
  await vi.waitFor(() => expect(pools.count()).toBe(2), WAITS);
  expect(stats).toHaveBeenCalledTimes(1);
});
