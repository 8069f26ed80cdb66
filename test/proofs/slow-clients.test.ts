import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { startServer } from "../../src/http/server.ts";
import { api, SALON } from "../http/support/api.ts";

// A6 in short: whoever sends drop by drop is hung up on, and others do not notice.

const STAFF = `/v1/businesses/${SALON}/staff`;
const WEBHOOKS = `/v1/businesses/${SALON}/webhooks`;
const CLIENTS = 100;

const SLOW: { what: string; begin: (key: string) => string; drop: string }[] = [
  { what: "never speak", begin: () => "", drop: "" },
  { what: "send headers drop by drop", begin: () => "GET / HTTP/1.1\r\nHost: x\r\n", drop: "X: y\r\n" },
  {
    what: "send a body drop by drop",
    begin: (key) =>
      `POST ${WEBHOOKS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 10000\r\n\r\n{`,
    drop: " ",
  },
];

test(
  "slow clients are hung up on within 15 seconds, and the others are served meanwhile",
  { timeout: 40_000 },
  async () => {
    const a = api();
    const { secret } = a.newKey({ limitMinute: 1_000_000, limitHour: 1_000_000 });
    const server = await startServer(a, { host: "127.0.0.1", port: 0 });
    onTestFinished(() => server.close());
    const startedAt = performance.now();
    const closed = SLOW.flatMap(({ begin, drop }) =>
      Array.from({ length: CLIENTS }, async () => {
        const socket = connect(server.port, "127.0.0.1");
        socket.on("error", () => {});
        socket.resume();
        socket.write(begin(secret));
        const dripping = setInterval(() => socket.write(drop), 500);
        await once(socket, "close");
        clearInterval(dripping);
        return performance.now() - startedAt;
      }),
    );
    const allClosed = new AbortController();
    const lasting = Promise.all(closed).finally(() => allClosed.abort());
    const tookMs: number[] = [];
    while (!allClosed.signal.aborted) {
      const askedAt = performance.now();
      const response = await fetch(server.url + STAFF, { headers: { authorization: `Bearer ${secret}` } });
      await response.arrayBuffer();
      expect(response.status).toBe(200);
      tookMs.push(performance.now() - askedAt);
      await delay(20);
    }
    expect(Math.max(...(await lasting))).toBeLessThan(15_000);
    expect(tookMs.length).toBeGreaterThan(50);
    expect(tookMs.toSorted((x, y) => x - y)[Math.floor(tookMs.length * 0.99)]).toBeLessThan(250);
  },
);

test("400 MB that are announced are refused before they are read", async () => {
  const a = api();
  const server = await startServer(a, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => server.close());
  const flood = async (): Promise<number> => {
    const socket: Socket = connect(server.port, "127.0.0.1");
    socket.on("error", () => {});
    const startedAt = performance.now();
    socket.write(
      `POST ${WEBHOOKS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${a.key}\r\nContent-Type: application/json\r\nContent-Length: 400000000\r\n\r\n${"x".repeat(65_536)}`,
    );
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 413 /);
    const tookMs = performance.now() - startedAt;
    socket.destroy();
    return tookMs;
  };
  // The first one pays for what is loaded at the first use.
  await flood();
  expect(await flood()).toBeLessThan(200);
});
