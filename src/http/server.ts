import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { STATUS_CODES } from "node:http";
import { toNodeHandler } from "h3/node";
import { listen } from "listhen";
import { createKeyUse } from "../app/keys.ts";
import { AppError } from "../domain/errors.ts";
import type { Runtime } from "../runtime.ts";
import { isBusy } from "../store/database.ts";
import { createApp } from "./app.ts";
import { problemBody } from "./problems.ts";

export type RunningServer = { url: string; port: number; close: () => Promise<void> };

export type ServerOptions = {
  host: string;
  /** 0: any free one. */
  port: number;
  /** Paths of PEM files. */
  tls?: { cert: string; key: string } | undefined;
};

const HEADERS_TIMEOUT_MS = 5000;
const REQUEST_TIMEOUT_MS = 10_000;
const TIMEOUT_CHECK_MS = 1000;
const KEY_USE_FLUSH_MS = 5000;
const DRAIN_MS = 5000;

/** @throws AppError state_refuses when the port is taken */
export async function startServer(rt: Runtime, { host, port, tls }: ServerOptions): Promise<RunningServer> {
  const keyUse = createKeyUse(rt);
  const app = createApp(rt, keyUse);
  const listener = await openListener(toNodeHandler(app), { host, port, tls });
  hardenServer(listener.server as Server, rt);

  const flushKeyUse = () => {
    try {
      keyUse.flush();
    } catch (error) {
      // Somebody else is writing: the next round has it.
      if (!isBusy(error)) rt.log("error", "the use of keys could not be written", { error: String(error) });
    }
  };
  const timer = setInterval(flushKeyUse, KEY_USE_FLUSH_MS).unref();

  const bound = (listener.server.address() as AddressInfo).port;
  return {
    url: `${tls ? "https" : "http"}://${hostInUrl(host)}:${bound}`,
    port: bound,
    async close() {
      clearInterval(timer);
      // Idle connections go at once and those in the middle of an answer after it; whoever dawdles is hung up on.
      const dawdlers = setTimeout(() => (listener.server as Server).closeAllConnections(), DRAIN_MS);
      await listener.close();
      clearTimeout(dawdlers);
      flushKeyUse();
    },
  };
}

type NodeHandler = (req: IncomingMessage, res: ServerResponse) => unknown;

async function openListener(handler: NodeHandler, { host, port, tls }: ServerOptions) {
  try {
    return await listen(handler as Parameters<typeof listen>[0], {
      hostname: host,
      port: port === 0 ? { random: true } : port,
      // Without these listhen takes another port, exits before the drain, prints, or binds to localhost instead.
      isProd: true,
      autoClose: false,
      public: !isLoopback(host),
      showURL: false,
      qr: false,
      clipboard: false,
      open: false,
      https: tls ?? false,
    });
  } catch (error) {
    if ((error as Error).name !== "GetPortError") throw error;
    throw new AppError("state_refuses", `Port ${port} is in use.`, {
      fix: "stop what listens there, or choose another with --port",
    });
  }
}

/** Whoever sends slowly is cut off, and what is no HTTP at all gets a problem like any other mistake. */
function hardenServer(server: Server, rt: Runtime): void {
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  // Node reads this when it begins to listen, and listhen leaves no moment before: begin once more.
  Object.assign(server, { connectionsCheckingInterval: TIMEOUT_CHECK_MS });
  server.emit("listening");
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
    socket.end(refuseOnTheWire(error.code ?? "", rt.newId("req")));
  });
}

function refuseOnTheWire(errorCode: string, requestId: string): string {
  const [status, code, detail] = explainWireError(errorCode);
  const body = problemBody({ status, code, detail, items: [], headers: [] }, requestId);
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: application/problem+json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Request-Id: ${requestId}`,
    "Connection: close",
    "",
    body,
  ].join("\r\n");
}

function explainWireError(code: string): [number, string, string] {
  if (code === "HPE_HEADER_OVERFLOW") return [431, "headers_too_large", "Address and headers may have 16 KiB at most."];
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return [408, "request_timeout", "The request took too long to arrive."];
  return [400, "malformed_request", "This is not HTTP as RFC 9112 has it."];
}

const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || host.startsWith("127.");

const hostInUrl = (host: string): string => {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
};
