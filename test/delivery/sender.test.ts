import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Resolve } from "../../src/app/webhooks/host-limits.ts";
import { createSender } from "../../src/delivery/sender.ts";
import { createReceiver } from "../support/receiver.ts";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

const ALLOW_LOCAL = { allowHttp: true, allowPrivate: ["127.0.0.0/8"] };
/** The timeout is longer than a test may take, so that only a test with fake timers reaches it. */
const TIMEOUT_MS = 60_000;

function createTestSender(policy = ALLOW_LOCAL, resolve?: Resolve) {
  const deps = resolve && { resolve };
  const { send, close } = createSender(policy, () => performance.now(), deps);
  onTestFinished(close);
  const post = (url: string, trusted = false) =>
    send({ url, trusted, timeoutMs: TIMEOUT_MS, headers: {}, body: Buffer.from("{}") });
  return { post };
}

/** Starts a TCP server that sends only what its test writes. */
async function startRawServer(
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

test("an outcome has the status, Retry-After and the first 4 KiB of the body", async () => {
  const partner = await createReceiver([
    { status: 503, headers: { "retry-after": "120" }, body: "x".repeat(5000) },
  ]);
  expect(await createTestSender().post(partner.url)).toEqual({
    kind: "responded",
    statusCode: 503,
    retryAfter: "120",
    responseText: "x".repeat(4096),
  });
});

test("a redirect is the outcome and is not followed", async () => {
  const other = await createReceiver();
  const partner = await createReceiver([{ status: 302, headers: { location: other.url } }]);
  expect(await createTestSender().post(partner.url)).toMatchObject({
    kind: "responded",
    statusCode: 302,
  });
  expect(other.requests).toHaveLength(0);
});

test("requests to one origin reuse a connection", async () => {
  const partner = await createReceiver();
  const { post } = createTestSender();
  for (let i = 0; i < 3; i++) {
    await post(partner.url);
    await new Promise(setImmediate);
  }
  expect(new Set(partner.requests.map(({ clientPort }) => clientPort)).size).toBe(1);
});

test.each<{ name: string; write: (socket: Socket) => void; outcome: object }>([
  {
    name: "closes the connection",
    write: (socket) => socket.destroy(),
    outcome: { kind: "refused" },
  },
  {
    name: "resets the connection",
    write: (socket) => socket.resetAndDestroy(),
    outcome: { kind: "refused" },
  },
  {
    name: "does not speak HTTP",
    write: (socket) => socket.end("SSH-2.0-OpenSSH\r\n"),
    outcome: { kind: "refused" },
  },
  {
    name: "responds with 200 and an incomplete body",
    write: (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\nthanks"),
    outcome: { kind: "responded", statusCode: 200, responseText: "thanks" },
  },
])("a receiver that $name causes an outcome before the timeout", async ({ write, outcome }) => {
  const { url } = await startRawServer(write);
  expect(await createTestSender().post(url)).toMatchObject(outcome);
});

test.each([
  { name: "never responds", first: "", repeated: "", outcome: { kind: "timed_out" } },
  {
    name: "sends 102 forever",
    first: "",
    repeated: "HTTP/1.1 102 Processing\r\n\r\n",
    outcome: { kind: "timed_out" },
  },
  {
    name: "responds with 200 and a body that never ends",
    first: "HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n",
    repeated: "x",
    outcome: { kind: "responded", statusCode: 200 },
  },
])(
  "a receiver that $name causes an outcome at the timeout",
  async ({ first, repeated, outcome }) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const write = vi.fn<(socket: Socket) => void>((socket) => void socket.write(repeated));
    const { url } = await startRawServer((socket) => {
      socket.write(first);
      const timer = setInterval(write, 10, socket);
      socket.on("close", () => clearInterval(timer));
    });
    const settled = vi.fn<(outcome: unknown) => void>();
    const posted = createTestSender().post(url).then(settled);
    // The writes are 10 ms apart, so the sender has read each write before the next one.
    const waitForWrites = async (count: number) => {
      const end = write.mock.calls.length + count;
      while (write.mock.calls.length < end) await new Promise(setImmediate);
    };
    await waitForWrites(3);
    vi.advanceTimersByTime(TIMEOUT_MS - 1);
    await waitForWrites(3);
    expect(settled).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    await posted;
    expect(settled).toHaveBeenCalledWith(expect.objectContaining(outcome));
  },
);

test.each([
  { name: "100 Continue", interim: ["HTTP/1.1 100 Continue\r\n\r\n"] },
  { name: "100 Continue in pieces", interim: ["HTTP/1.1 10", "0 Continue\r\nx: y\r", "\n\r\n"] },
  {
    name: "several interim responses",
    interim: ["HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n"].concat(
      "HTTP/1.1 100 Continue\r\n\r\n",
    ),
  },
])("$name before the response does not change the outcome", async ({ interim }) => {
  const { url } = await startRawServer(async (socket) => {
    socket.setNoDelay();
    for (const part of interim) {
      socket.write(part);
      await new Promise(setImmediate);
    }
    socket.end("HTTP/1.1 200 OK\r\ncontent-length: 22\r\n\r\nHTTP/1.1 100 is a body");
  });
  expect(await createTestSender().post(url)).toMatchObject({
    kind: "responded",
    statusCode: 200,
    responseText: "HTTP/1.1 100 is a body",
  });
});

test.each(["HTTP/1.1 000 Hm\r\n\r\n", "HTTP/1.1 OK\r\n\r\n", "SSH-2.0-OpenSSH\r\n"])(
  "the outcome of the malformed response %j says that it is not valid HTTP",
  async (response) => {
    const { url } = await startRawServer((socket) => socket.end(response));
    expect(await createTestSender().post(url)).toEqual({
      kind: "refused",
      error: "the response is not valid HTTP",
    });
  },
);

test("an endless body is not read to the end, and the outcome has the response with the first 4 KiB", async () => {
  let written = 0;
  let closed: () => void = () => {};
  const isClosed = new Promise<void>((resolve) => (closed = resolve));
  const { url } = await startRawServer((socket) => {
    socket.on("close", () => closed());
    socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
    const writeUntilFull = () => {
      while (!socket.destroyed && socket.write(`4000\r\n${"x".repeat(0x4000)}\r\n`))
        written += 0x4000;
    };
    socket.on("drain", writeUntilFull);
    writeUntilFull();
  });
  const outcome = await createTestSender().post(url);
  expect(outcome).toMatchObject({
    kind: "responded",
    statusCode: 200,
    responseText: "x".repeat(4096),
  });
  await isClosed;
  expect(written).toBeLessThan(50_000_000);
});

test("the outcome of a closed port is refused, and the outcome of a port without TLS is tls_failed", async () => {
  const partner = await createReceiver();
  const { post } = createTestSender();
  expect(await post(partner.url.replace("http:", "https:"))).toMatchObject({ kind: "tls_failed" });
  await partner.close();
  expect(await post(partner.url)).toEqual({ kind: "refused", error: "ECONNREFUSED" });
});

test("if an address of a host name does not answer, the next is tried", async () => {
  const partner = await createReceiver();
  const url = `http://partner.example:${partner.port}/hook`;
  expect(
    await createTestSender(ALLOW_LOCAL, async () => ["127.0.0.9", "127.0.0.1"]).post(url),
  ).toMatchObject({
    statusCode: 200,
  });
  expect(partner.requests[0]!.headers.host).toBe(`partner.example:${partner.port}`);
});

test("the outcome of a host name without an address is unresolvable", async () => {
  expect(
    await createTestSender(ALLOW_LOCAL, async () => []).post("http://partner.example/"),
  ).toMatchObject({
    kind: "unresolvable",
  });
});

test.each([
  { name: "an IP address", url: (port: number) => `http://127.0.0.1:${port}/`, addresses: [] },
  {
    name: "a host name",
    url: (port: number) => `http://partner.example:${port}/`,
    addresses: ["127.0.0.1"],
  },
  {
    name: "a host name with one public address",
    url: (port: number) => `http://p.example:${port}/`,
    addresses: ["1.1.1.1", "127.0.0.1"],
  },
])(
  "$name with an address that is not allowed is blocked before connecting",
  async ({ url, addresses }) => {
    const { server, sockets } = await startRawServer(() => {});
    const { port } = server.address() as AddressInfo;
    const { post } = createTestSender({ allowHttp: true, allowPrivate: [] }, async () => addresses);
    expect(await post(url(port))).toMatchObject({ kind: "blocked" });
    expect(sockets).toHaveLength(0);
  },
);

test("a DNS result is reused, but never for an endpoint whose URL policy forbids the addresses in it", async () => {
  let lookups = 0;
  const partner = await createReceiver();
  const { post } = createTestSender({ allowHttp: true, allowPrivate: [] }, async () => {
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

/** A server in a process of its own, which responds a moment after each request. */
const SERVER = `
  const server = require("node:http").createServer((request, response) => {
    console.log("request");
    setTimeout(() => response.end(), 300);
  });
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));`;

test("a response that arrived while the process was suspended counts, even after the timeout", async () => {
  const child = spawn(process.execPath, ["-e", SERVER], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface(child.stdout);
  const [port] = (await once(lines, "line")) as [string];
  const sender = createSender({ allowHttp: true, allowPrivate: ["127.0.0.0/8"] }, () =>
    performance.now(),
  );
  onTestFinished(sender.close);
  const url = `http://127.0.0.1:${port}/`;
  const post = { url, trusted: true, timeoutMs: 1000, headers: {}, body: Buffer.from("{}") };
  const sent = sender.send(post);
  await once(lines, "line");
  // Blocks the thread for longer than the timeout, as SIGSTOP does.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500);
  expect(await sent).toMatchObject({ kind: "responded", statusCode: 200 });
});
