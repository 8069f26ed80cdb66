import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A response that a test prescribes. Requests after the last such response get it again. */
export type ScriptedResponse = {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Responds with the headers of the request. */
  echo?: boolean;
  /** Closes the connection without a response. */
  hangUp?: boolean;
  /** Holds the response back until `release` is called. */
  hold?: boolean;
};

export type ReceivedRequest = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  clientPort: number;
};

export type TestReceiver = {
  url: string;
  port: number;
  requests: ReceivedRequest[];
  /** Resolves when `count` requests have been received. */
  waitForRequests: (count: number) => Promise<void>;
  /** Sends the responses that are held back. */
  release: () => void;
  close: () => Promise<void>;
};

/**
 * Starts an HTTP server on 127.0.0.1 that sends scripted responses and records the requests. The
 * end of the test closes it.
 */
export async function createReceiver(
  script: ScriptedResponse[] = [{}],
  port = 0,
): Promise<TestReceiver> {
  const requests: ReceivedRequest[] = [];
  let held: (() => void)[] = [];
  let waiting: { count: number; resolve: () => void }[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const scripted = script[Math.min(requests.length, script.length - 1)] ?? {};
      const { method = "", url: path = "", headers } = request;
      requests.push({
        method,
        path,
        headers,
        body: Buffer.concat(chunks),
        clientPort: request.socket.remotePort ?? 0,
      });
      const reply = () =>
        response
          .writeHead(scripted.status ?? 200, scripted.headers)
          .end(scripted.echo ? JSON.stringify(headers) : scripted.body);
      if (scripted.hangUp === true) request.socket.destroy();
      else if (scripted.hold === true) held.push(reply);
      else reply();
      waiting = waiting.filter(({ count, resolve }) => requests.length < count || resolve());
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}/hook`,
    port: address.port,
    requests,
    waitForRequests: (count) =>
      requests.length >= count
        ? Promise.resolve()
        : new Promise((resolve) => waiting.push({ count, resolve })),
    release: () => {
      for (const reply of held) reply();
      held = [];
    },
    close,
  };
}
