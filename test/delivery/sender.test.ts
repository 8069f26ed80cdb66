import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { Resolve } from "../../src/app/webhooks/resolver.ts";
import { createSender } from "../../src/delivery/sender.ts";
import { createReceiver } from "../support/receiver.ts";

const OPEN = { allowHttp: true, allowPrivate: ["127.0.0.0/8"] };
const DEADLINE_MS = 300;

function sender(lab = OPEN, resolve?: Resolve) {
  const deps = resolve && { resolve };
  const { send, close } = createSender(lab, () => performance.now(), deps);
  onTestFinished(close);
  const post = (url: string, trusted = false) =>
    send({ url, trusted, timeoutMs: DEADLINE_MS, headers: {}, body: Buffer.from("{}") });
  return { post };
}

/** A server that speaks no more HTTP than its test makes it. */
async function rawServer(
  onRequest: (socket: Socket) => void,
): Promise<{ url: string; server: Server; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.once("data", () => onRequest(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server, sockets };
}

test("an answer is its status, its hint and the start of its text", async () => {
  const partner = await createReceiver([
    { status: 503, headers: { "retry-after": "120" }, body: "x".repeat(5000) },
  ]);
  expect(await sender().post(partner.url)).toEqual({
    kind: "responded",
    statusCode: 503,
    retryAfter: "120",
    responseText: "x".repeat(4096),
  });
});

test("a redirect is an answer, and not followed", async () => {
  const other = await createReceiver();
  const partner = await createReceiver([{ status: 302, headers: { location: other.url } }]);
  expect(await sender().post(partner.url)).toMatchObject({ kind: "responded", statusCode: 302 });
  expect(other.requests).toHaveLength(0);
});

test("connections are used again", async () => {
  const partner = await createReceiver();
  const { post } = sender();
  for (let i = 0; i < 3; i++) {
    await post(partner.url);
    await new Promise(setImmediate);
  }
  expect(new Set(partner.requests.map(({ clientPort }) => clientPort)).size).toBe(1);
});

test.each<{ name: string; write: (socket: Socket) => void; outcome: object }>([
  { name: "never answers", write: () => {}, outcome: { kind: "timed_out" } },
  { name: "hangs up", write: (socket) => socket.destroy(), outcome: { kind: "refused" } },
  { name: "resets", write: (socket) => socket.resetAndDestroy(), outcome: { kind: "refused" } },
  {
    name: "talks garbage",
    write: (socket) => socket.end("SSH-2.0-OpenSSH\r\n"),
    outcome: { kind: "refused" },
  },
  {
    name: "says 102 for ever",
    write: (socket) => {
      const timer = setInterval(() => socket.write("HTTP/1.1 102 Processing\r\n\r\n"), 10);
      socket.on("close", () => clearInterval(timer));
    },
    outcome: { kind: "timed_out" },
  },
  {
    name: "says 200 and drips a body that never ends",
    write: (socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n");
      const timer = setInterval(() => socket.write("x"), 20);
      socket.on("close", () => clearInterval(timer));
    },
    outcome: { kind: "responded", statusCode: 200 },
  },
  {
    name: "says 200 and breaks off",
    write: (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\nthanks"),
    outcome: { kind: "responded", statusCode: 200, responseText: "thanks" },
  },
])("a receiver that $name ends within the deadline", async ({ write, outcome }) => {
  const { url } = await rawServer(write);
  const started = performance.now();
  expect(await sender().post(url)).toMatchObject(outcome);
  expect(performance.now() - started).toBeLessThan(DEADLINE_MS + 1000);
});

test("an endless body is read for 16 KiB and then cut off, as one success", async () => {
  let written = 0;
  let closed: () => void = () => {};
  const isClosed = new Promise<void>((resolve) => (closed = resolve));
  const { url } = await rawServer((socket) => {
    socket.on("close", () => closed());
    socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
    const flood = () => {
      while (!socket.destroyed && socket.write(`4000\r\n${"x".repeat(0x4000)}\r\n`))
        written += 0x4000;
    };
    socket.on("drain", flood);
    flood();
  });
  const outcome = await sender().post(url);
  expect(outcome).toMatchObject({
    kind: "responded",
    statusCode: 200,
    responseText: "x".repeat(4096),
  });
  await isClosed;
  expect(written).toBeLessThan(50_000_000);
});

test("a host without a listener is refused; one that speaks no TLS is said to fail at that", async () => {
  const partner = await createReceiver();
  const { post } = sender();
  expect(await post(partner.url.replace("http:", "https:"))).toMatchObject({ kind: "tls_failed" });
  await partner.close();
  expect(await post(partner.url)).toEqual({ kind: "refused", error: "ECONNREFUSED" });
});

test("a name is looked up and tried at each of its addresses", async () => {
  const partner = await createReceiver();
  const url = `http://partner.example:${partner.port}/hook`;
  expect(await sender(OPEN, async () => ["127.0.0.9", "127.0.0.1"]).post(url)).toMatchObject({
    statusCode: 200,
  });
  expect(partner.requests[0]!.headers.host).toBe(`partner.example:${partner.port}`);
});

test("a name without address is unresolvable", async () => {
  expect(await sender(OPEN, async () => []).post("http://partner.example/")).toMatchObject({
    kind: "unresolvable",
  });
});

test.each([
  { name: "a literal", url: (port: number) => `http://127.0.0.1:${port}/`, addresses: [] },
  {
    name: "a name",
    url: (port: number) => `http://partner.example:${port}/`,
    addresses: ["127.0.0.1"],
  },
  {
    name: "a name with one public address",
    url: (port: number) => `http://p.example:${port}/`,
    addresses: ["1.1.1.1", "127.0.0.1"],
  },
])(
  "$name that leads to an address nobody approved is blocked before a connection is made",
  async ({ url, addresses }) => {
    const { server, sockets } = await rawServer(() => {});
    const { port } = server.address() as AddressInfo;
    const { post } = sender({ allowHttp: true, allowPrivate: [] }, async () => addresses);
    expect(await post(url(port))).toMatchObject({ kind: "blocked" });
    expect(sockets).toHaveLength(0);
  },
);

test("an answer from DNS is kept for a minute, but judged for each endpoint by what that one is allowed", async () => {
  let lookups = 0;
  const partner = await createReceiver();
  const { post } = sender({ allowHttp: true, allowPrivate: [] }, async () => {
    lookups += 1;
    return ["127.0.0.1"];
  });
  const url = `http://partner.example:${partner.port}/`;
  expect(await post(url, true)).toMatchObject({ statusCode: 200 });
  expect(await post(url, false)).toMatchObject({ kind: "blocked" });
  expect(await post(url, true)).toMatchObject({ statusCode: 200 });
  expect(lookups).toBe(2);
  expect(partner.requests).toHaveLength(2);
});
