import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { createConnector } from "../../src/delivery/connector.ts";
import { WAITS } from "../support/waits.ts";

const MAX_RESPONSE_BYTES = 256 * 1024;

/** Connects to a server. Returns both ends; the client reads all that the server writes. */
async function connect(): Promise<{ client: Socket; server: Socket }> {
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const accepted = new Promise<Socket>((resolve) => listener.once("connection", resolve));
  const policy = { allowHttp: true, allowPrivate: ["127.0.0.0/8"], trusted: false };
  const connector = createConnector(async () => [], policy);
  const client = await new Promise<Socket>((resolve, reject) =>
    connector(
      {
        hostname: "127.0.0.1",
        protocol: "http:",
        port: String((listener.address() as AddressInfo).port),
      },
      (error, socket) => (socket === null ? reject(error) : resolve(socket)),
    ),
  );
  const server = await accepted;
  onTestFinished(() => {
    for (const socket of [client, server]) socket.destroy();
    listener.close();
  });
  client.on("readable", () => {
    while (client.read() !== null);
  });
  return { client, server };
}

test("a connection is closed once a response exceeds 256 KiB, counted separately for each of its responses", async () => {
  const { client, server } = await connect();
  const closed = vi.fn<(error: Error) => void>();
  client.on("error", closed);
  let sent = 0;
  const respond = async (bytes: number) => {
    server.write(Buffer.alloc(bytes, "x"));
    sent += bytes;
    await vi.waitFor(() => expect(client.bytesRead).toBe(sent), WAITS);
    // The client reads the last bytes in this turn of the event loop, before the test looks at
    // `closed`.
    await new Promise(setImmediate);
  };
  for (let response = 1; response <= 2; response++) {
    client.write("request");
    // The limit does not count the first bytes that are read after a request, so one byte is sent
    // alone.
    await respond(1);
    await respond(MAX_RESPONSE_BYTES);
    expect(closed).not.toHaveBeenCalled();
  }
  await respond(1);
  expect(closed).toHaveBeenCalledWith(new Error("the response is too large"));
});

test("a URL without a port is sent to port 80 for http and to port 443 for https", async () => {
  const ports: number[] = [];
  const watch = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    socket.on("connectionAttempt", (_address: string, port: number) => ports.push(port));
  };
  subscribe("net.client.socket", watch);
  onTestFinished(() => void unsubscribe("net.client.socket", watch));
  const policy = { allowHttp: true, allowPrivate: ["127.0.0.0/8"], trusted: false };
  const connector = createConnector(async () => [], policy);
  // No server needs to listen on these ports, because `connectionAttempt` already contains the
  // port.
  for (const protocol of ["http:", "https:"])
    await new Promise<void>((resolve) =>
      connector({ hostname: "127.0.0.1", protocol, port: "" }, (_error, socket) => {
        socket?.destroy();
        resolve();
      }),
    );
  expect(ports).toEqual([80, 443]);
});
