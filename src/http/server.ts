import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Server as TlsServer } from "node:tls";
import { listen } from "listhen";
import { AppError } from "../domain/errors.ts";
import type { SendOnce } from "../app/webhooks/test-endpoint.ts";
import type { Runtime } from "../app/runtime.ts";
import { isBusy } from "../store/database.ts";
import { createApp } from "./app.ts";
import { isLoopback } from "./auth/client-address.ts";
import { hardenServer } from "./transport/hardening.ts";
import type { Listener } from "./transport/listener.ts";
import {
  type Certificate,
  limitHandshakes,
  logCertificateExpiry,
  readCertificate,
  type TlsFiles,
} from "./transport/tls.ts";

export type RunningServer = {
  url: string;
  port: number;
  /** Reads the files of the certificate again; connections that are open keep theirs. */
  reloadCertificate: () => void;
  close: () => Promise<void>;
};

export type ServerOptions = {
  host: string;
  /** 0: any free one. */
  port: number;
  tls?: TlsFiles | undefined;
  /** How a test event goes out. */
  sendOnce?: SendOnce | undefined;
};

const FLUSH_MS = 5000;
const DRAIN_MS = 5000;
const IDLE_CHECK_MS = 50;
const DAY_MS = 86_400_000;

/** @throws AppError state_refuses when the port cannot be had */
export async function startServer(
  rt: Runtime,
  { host, port, tls, sendOnce }: ServerOptions,
): Promise<RunningServer> {
  const app = createApp(rt, sendOnce);
  const certificate = tls && readCertificate(tls);
  const server = await openServer(app.listener, { host, port, certificate });
  hardenServer(server, rt, app.listener);
  const encryption =
    tls && certificate && encrypt(server as unknown as TlsServer, rt, tls, certificate);

  const flush = () => {
    try {
      app.flush();
    } catch (error) {
      // Somebody else is writing: the next round has it.
      if (!isBusy(error))
        rt.log("error", "the use of keys could not be written", { error: String(error) });
    }
  };
  const timer = setInterval(flush, FLUSH_MS).unref();

  const bound = (server.address() as AddressInfo).port;
  return {
    url: `${tls ? "https" : "http"}://${hostInUrl(host)}:${bound}`,
    port: bound,
    reloadCertificate: () => encryption?.renew(),
    async close() {
      clearInterval(timer);
      encryption?.end();
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

/** Says once a day how long the certificate is good for, and takes another one while the server runs. */
function encrypt(server: TlsServer, rt: Runtime, files: TlsFiles, certificate: Certificate) {
  let current = certificate;
  const note = () => logCertificateExpiry(rt.log, current, rt.now());
  const timer = setInterval(note, DAY_MS).unref();
  limitHandshakes(server);
  note();
  return {
    renew(): void {
      try {
        current = readCertificate(files);
        server.setSecureContext(current);
        note();
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        rt.log("error", "the new certificate is not taken, the old one stays", {
          reason: error.message,
          fix: `${error.fix}; then send SIGHUP again`,
        });
      }
    },
    end: () => clearInterval(timer),
  };
}

type Opening = { host: string; port: number; certificate: Certificate | undefined };

async function openServer(
  listener: Listener,
  { host, port, certificate }: Opening,
): Promise<Server> {
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
      // It takes the text of PEM in place of a path.
      https: certificate ?? false,
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
