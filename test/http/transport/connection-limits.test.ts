import { once } from "node:events";
import { createServer as createHttpServer, type ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  isExemptFromLimits,
  limitConnections,
  connectionLimits,
  createConnectionTable,
} from "../../../src/http/transport/connection-limits.ts";
import { createLastingState } from "../../../src/http/lasting-state.ts";
import { listDaemonConditions } from "../../../src/app/operations/conditions.ts";
import { CHECKS } from "../../support/checks.ts";
import { createTempFolder } from "../../support/cli.ts";
import { createRunningServer } from "../../support/conditions.ts";
import { type Certificate, createAuthority } from "../../support/hostile/tls.ts";
import { WAITS } from "../../support/waits.ts";

const NONE = Infinity;

type Limited = Parameters<typeof limitConnections>;

/** Starts a server that greets each connection. `open` connects from an address. */
async function serve(limits: Limited[1], isExempt: Limited[2] = () => false, host = "127.0.0.1") {
  const server = createServer();
  const full: (string | null)[] = [];
  limitConnections(server, limits, isExempt, (client) => void full.push(client));
  server.on(
    "connection",
    (socket) => void (socket.destroyed || socket.on("error", () => {}).write("hello")),
  );
  await once(server.listen(0, host), "listening");
  onTestFinished(() => void server.close());
  const open = async (localAddress = "127.0.0.1") => {
    const { port } = server.address() as AddressInfo;
    const socket = connect({ port, host: "127.0.0.1", localAddress }).on("error", () => {});
    onTestFinished(() => void socket.destroy());
    const event = await Promise.race([
      new Promise((resolve) => socket.once("data", () => resolve("served"))),
      closing(socket).then(() => "refused"),
    ]);
    return { socket, event };
  };
  return { open, full };
}

/** Resolves when the socket is closed, with or without an error. */
const closing = (socket: Socket) => new Promise((resolve) => socket.once("close", resolve));

test("a client at its limit gets no further connection, until one of its connections ends", async () => {
  const { open } = await serve({ client: 3, network: NONE, total: NONE });
  const first = await open();
  expect([first.event, (await open()).event, (await open()).event]).toEqual([
    "served",
    "served",
    "served",
  ]);
  expect((await open()).event).toBe("refused");
  expect((await open("127.0.0.2")).event).toBe("served");
  first.socket.destroy();
  await vi.waitFor(async () => expect((await open()).event).toBe("served"), WAITS);
});

test("each IPv4 client of a server that listens on :: has a limit of its own", async () => {
  const { open } = await serve({ client: 1, network: 1, total: NONE }, () => false, "::");
  for (const address of ["127.0.0.1", "127.0.0.2", "127.0.0.3"]) {
    expect([address, (await open(address)).event]).toEqual([address, "served"]);
    expect([address, (await open(address)).event]).toEqual([address, "refused"]);
  }
});

test("if the server is full, a new client replaces the oldest connection of the network that has most connections", async () => {
  const { open, full } = await serve({ client: NONE, network: NONE, total: 4 });
  const small = await open("127.0.0.2");
  const large = [await open("127.0.0.3"), await open("127.0.0.3"), await open("127.0.0.3")];
  expect(full).toEqual([]);
  const lost = closing(large[0]?.socket as Socket);
  expect((await open("127.0.0.4")).event).toBe("served");
  await lost;
  expect(full).toEqual(["127.0.0.3"]);
  expect([small, ...large].map(({ socket }) => socket.destroyed)).toEqual([
    false,
    true,
    false,
    false,
  ]);
});

/** Starts an HTTP server that leaves each request unanswered until the test answers it. */
async function serveHttp(tls: Certificate | null, total: number) {
  const server = tls ? createHttpsServer(tls) : createHttpServer();
  limitConnections(server, { client: NONE, network: NONE, total }, () => false);
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const open = async (localAddress: string): Promise<Socket> => {
    const socket = connect({ port, host: "127.0.0.1", localAddress }).on("error", () => {});
    onTestFinished(() => void socket.destroy());
    const used = tls ? connectTls({ socket, rejectUnauthorized: false }) : socket;
    await once(
      used.on("error", () => {}),
      tls ? "secureConnect" : "connect",
    );
    return used;
  };
  return { server, open };
}

test.for([
  { of: "HTTP", issue: () => null },
  { of: "HTTPS", issue: () => createAuthority(createTempFolder()).selfSign("localhost") },
])(
  "if $of is full, the largest network loses an idle connection rather than one with a request",
  async ({ issue }) => {
    const { server, open } = await serveHttp(issue(), 3);
    const [oldest, idle] = [await open("127.0.0.3"), await open("127.0.0.3")];
    const requested = once(server, "request");
    oldest.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const [, response] = (await requested) as [unknown, ServerResponse];
    await open("127.0.0.2");
    const lost = Promise.race([
      closing(idle).then(() => "idle"),
      closing(oldest).then(() => "in use"),
    ]);
    await open("127.0.0.4");
    expect(await lost).toBe("idle");

    const answered = once(oldest, "data");
    response.end("done");
    await answered;
    const lostAfterResponse = closing(oldest);
    await open("127.0.0.3");
    await lostAfterResponse;
  },
);

test("connections of a trusted proxy are never closed, and take the place of other clients", async () => {
  const limits = { client: 2, network: 2, total: 2 };
  const { open, full } = await serve(limits, isExemptFromLimits(["127.0.0.9"]));
  // The second server counts loopback addresses as clients; a real server exempts them.
  const isProxy = (address: string) => address === "127.0.0.9";
  const { open: openOther, full: fullOther } = await serve(limits, isProxy);
  const other = await openOther("127.0.0.2");
  const lost = closing(other.socket);
  const forwarded = [];
  for (let i = 0; i < 20; i++) forwarded.push(await openOther("127.0.0.9"));
  await lost;
  expect(forwarded.every(({ event, socket }) => event === "served" && !socket.destroyed)).toBe(
    true,
  );
  expect(fullOther.at(-1)).toBeNull();
  expect((await openOther("127.0.0.2")).event).toBe("refused");
  for (let i = 0; i < 20; i++) expect((await open("127.0.0.2")).event).toBe("served");
  expect(full.at(-1)).toBeNull();
});

describe("the table of connections", () => {
  const LIMITS = { client: 2, network: 3, total: 5 };

  test("an IPv6 /48 has a connection limit of its own, however many /64s it uses", () => {
    const table = createConnectionTable<string>(LIMITS);
    const admit = (name: string, address: string) => table.add(name, address).refused;
    expect(admit("a1", "2001:db8:1:1::1")).toBeUndefined();
    expect(admit("a2", "2001:db8:1:1::2")).toBeUndefined();
    expect(admit("a3", "2001:db8:1:1::3")).toBe("a3");
    expect(admit("a4", "2001:db8:1:2::1")).toBeUndefined();
    expect(admit("a5", "2001:db8:1:3::1")).toBe("a5");
    expect(admit("b1", "2001:db8:2:3::1")).toBeUndefined();
    table.remove("a1", "2001:db8:1:1::1");
    expect(admit("a6", "2001:db8:1:3::1")).toBeUndefined();
  });

  test("each IPv4 address is a client of its own, even in IPv6 notation", () => {
    const table = createConnectionTable<string>(LIMITS);
    const admit = (name: string, address: string) => table.add(name, address).refused;
    expect(admit("a1", "::ffff:203.0.113.1")).toBeUndefined();
    expect(admit("a2", "203.0.113.1")).toBeUndefined();
    expect(admit("a3", "::ffff:203.0.113.1")).toBe("a3");
    expect(admit("b1", "::ffff:203.0.113.2")).toBeUndefined();
    expect(admit("b2", "::ffff:203.0.113.2")).toBeUndefined();
    expect(table.largestNetwork()).toBe("203.0.113.1");
    table.remove("a1", "203.0.113.1");
    table.remove("a2", "::ffff:203.0.113.1");
    expect(table.largestNetwork()).toBe("203.0.113.2");
  });

  test("a connection that was closed to make room is subtracted from the counts only once", () => {
    const table = createConnectionTable<number>({ client: 9, network: 9, total: 3 });
    for (let i = 0; i < 3; i++) expect(table.add(i, "203.0.113.1")).toEqual({});
    expect(table.add(3, "203.0.113.2")).toEqual({ refused: 0, isFull: true });
    table.remove(0, "203.0.113.1");
    table.remove(0, "203.0.113.1");
    expect(table.add(4, "203.0.113.3")).toEqual({ refused: 1, isFull: true });
    table.remove(4, "203.0.113.3");
    expect(table.add(5, "203.0.113.3")).toEqual({});
  });

  test("a full server refuses a client's new idle connection, but closes the client's oldest for a new active one", () => {
    const inUse = new Set([0, 1]);
    const limits = { client: 9, network: 9, total: 2 };
    const table = createConnectionTable<number>(limits, (connection) => inUse.has(connection));
    for (const i of inUse) expect(table.add(i, "203.0.113.1")).toEqual({});
    expect(table.add(2, "203.0.113.1")).toEqual({ refused: 2, isFull: true });
    inUse.add(3);
    expect(table.add(3, "203.0.113.1")).toEqual({ refused: 0, isFull: true });
  });

  test("the largest network is found after any sequence of new and ended connections", () => {
    const limits = { client: NONE, network: NONE, total: 20 };
    const table = createConnectionTable<number>(limits);
    const open = new Map<number, string>();
    const countOf = (address: string) =>
      [...open.values()].filter((other) => other === address).length;
    for (let i = 0; i < 3000; i++) {
      // A multiplicative generator gives the same sequence in each run.
      const random = (i * 48_271 * 7919) % 2_147_483_647;
      const address = `203.0.113.${Math.floor(Math.sqrt(random % 100))}`;
      open.set(i, address);
      const { refused } = table.add(i, address);
      if (refused !== undefined) {
        const sizes = [...new Set(open.values())].map(countOf);
        expect(countOf(open.get(refused) as string)).toBe(Math.max(...sizes));
        open.delete(refused);
      }
      const [oldest, of] = [...open][random % open.size] as [number, string];
      if (random % 3 === 0) {
        table.remove(oldest, of);
        open.delete(oldest);
      }
    }
    expect(open.size).toBeGreaterThan(0);
  });
});

test("connection limits follow the limit of open files, and one network never gets all connections", () => {
  expect(connectionLimits(1024)).toEqual({ client: 128, network: 256, total: 512 });
  expect(connectionLimits(65_536)).toEqual({ client: 256, network: 1024, total: 32_768 });
  expect(connectionLimits(null)).toEqual({ client: 256, network: 1024, total: 4096 });
});

test("a full server has the condition connections.full for 10 minutes, which names the largest network", async () => {
  const rt = await createRunningServer();
  const full = createLastingState(rt, 10 * 60_000, rt.store.daemon.saveConnectionsFull);
  const check = () => {
    full.flush();
    return listDaemonConditions(rt, CHECKS)
      .filter(({ code }) => code === "connections.full")
      .map(({ text, command }) => `${text}: ${command}`);
  };
  expect(check()).toEqual([]);
  full.record("2001:db8::/48");
  expect(check()).toEqual([
    expect.stringContaining("most of them 2001:db8::/48: the largest clients lost"),
  ]);
  rt.advance(9 * 60_000);
  expect(check()).toHaveLength(1);
  rt.advance(2 * 60_000);
  expect(check()).toEqual([]);
  full.record("");
  expect(check()).toEqual([expect.stringContaining("LimitNOFILE")]);
});
