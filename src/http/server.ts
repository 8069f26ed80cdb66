import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { listen } from "listhen";
import { AppError } from "../domain/errors.ts";
import type { Runtime } from "../runtime.ts";
import { isBusy } from "../store/database.ts";
import { createApp } from "./app.ts";
import { isLoopback } from "./client-address.ts";
import { harden } from "./wire.ts";
import type { Listener } from "./listener.ts";

export type RunningServer = { url: string; port: number; close: () => Promise<void> };

export type ServerOptions = {
  host: string;
  /** 0: any free one. */
  port: number;
  /** Paths of PEM files. */
  tls?: { cert: string; key: string } | undefined;
};

const FLUSH_MS = 5000;
const DRAIN_MS = 5000;
const IDLE_CHECK_MS = 50;

/** @throws AppError state_refuses when the port cannot be had */
export async function startServer(rt: Runtime, { host, port, tls }: ServerOptions): Promise<RunningServer> {
  const app = createApp(rt);
  const server = await openServer(app.listener, { host, port, tls });
  harden(server, rt, app.listener);

  const flush = () => {
    try {
      app.flush();
    } catch (error) {
      // Somebody else is writing: the next round has it.
      if (!isBusy(error)) rt.log("error", "the use of keys could not be written", { error: String(error) });
    }
  };
  const timer = setInterval(flush, FLUSH_MS).unref();

  const bound = (server.address() as AddressInfo).port;
  return {
    url: `${tls ? "https" : "http"}://${hostInUrl(host)}:${bound}`,
    port: bound,
    async close() {
      clearInterval(timer);
      app.shutDown();
      // Idle connections go at once and those in the middle of an answer after it; whoever dawdles is hung up on.
      const idlers = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
      const dawdlers = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
      await new Promise((resolve) => server.close(resolve));
      clearInterval(idlers);
      clearTimeout(dawdlers);
      flush();
    },
  };
}

async function openServer(listener: Listener, { host, port, tls }: ServerOptions): Promise<Server> {
  try {
    const { server } = await listen(listener as Parameters<typeof listen>[0], {
      hostname: host,
      port: port === 0 ? { random: true } : port,
      // Without these listhen takes another port, exits before the drain, prints, or binds to localhost instead.
      isProd: true,
      autoClose: false,
      public: host !== "localhost" && !isLoopback(host),
      showURL: false,
      qr: false,
      clipboard: false,
      open: false,
      https: tls ?? false,
    });
    return server as Server;
  } catch (error) {
    if ((error as Error).name !== "GetPortError") throw error;
    throw new AppError("state_refuses", `Port ${port} of ${host} cannot be listened on.`, {
      fix: "see whether something listens there already, or choose another with --port and --host",
    });
  }
}

const hostInUrl = (host: string): string => {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
};
