import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** One answer of the script. The last one is given to all further requests. */
export type ScriptedResponse = {
  status?: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Answers with the headers that it was sent. */
  echo?: boolean;
  /** Cuts the connection without an answer. */
  hangUp?: boolean;
  /** Answers only when `release` is called, or never. */
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
  /** Resolves when `count` requests have come in. */
  waitForRequests: (count: number) => Promise<void>;
  /** Answers those that are held. */
  release: () => void;
  close: () => Promise<void>;
};

/** A real HTTP server on 127.0.0.1 that answers as told and records what it gets. Closed when the test ends. */
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
      const answer = script[Math.min(requests.length, script.length - 1)] ?? {};
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
          .writeHead(answer.status ?? 200, answer.headers)
          .end(answer.echo ? JSON.stringify(headers) : answer.body);
      if (answer.hangUp === true) request.socket.destroy();
      else if (answer.hold === true) held.push(reply);
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
