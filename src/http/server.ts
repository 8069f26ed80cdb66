import type { RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Server as TlsServer } from "node:tls";
import { listen } from "listhen";
import { AppError } from "../domain/errors.ts";
import { readOpenFileLimit } from "../platform/open-file-limit.ts";
import type { SendOnce } from "../app/webhooks/test-endpoint.ts";
import type { Runtime } from "../app/runtime.ts";
import { isStorageUnavailable } from "../store/database/storage-error.ts";
import { isBusy } from "../store/database/write-lock.ts";
import { loadOtherVisits } from "../app/bookings/other-visits.ts";
import { loadMonitoring } from "../app/operations/monitoring.ts";
import { createApp } from "./app.ts";
import { loadRoutes } from "./routes.ts";
import { loadFromFeatures } from "../features/index.ts";
import { isLoopbackHost } from "../domain/addresses.ts";
import { createLastingState } from "./lasting-state.ts";
import {
  isExemptFromLimits,
  limitConnections,
  connectionLimits,
} from "./transport/connection-limits.ts";
import { hardenServer } from "./transport/hardening.ts";
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
  /** Loads the certificate again. Open connections keep the old one. */
  reloadCertificate: () => void;
  /** Returns when the certificate expires (epoch ms); null without HTTPS. */
  certificateExpiresAt: () => number | null;
  /** Saves what is counted in memory, such as requests and the use of keys. */
  flush: () => void;
  close: () => Promise<void>;
};

export type ServerOptions = {
  host: string;
  port: number;
  tls?: TlsFiles | undefined;
  sendOnce?: SendOnce | undefined;
};

const FLUSH_MS = 5000;
const DRAIN_MS = 5000;
const IDLE_CHECK_MS = 50;
const DAY_MS = 86_400_000;
/** How long `status` and `doctor` report refused connections after the last one. */
const FULL_LASTS_MS = 10 * 60_000;

/**
 * Starts the HTTP server, and resolves when it listens.
 * @throws AppError state_refuses if the port is not available
 */
export async function startServer(
  rt: Runtime,
  { host, port, tls, sendOnce }: ServerOptions,
): Promise<RunningServer> {
  const [routes, pages, monitoring] = await Promise.all([
    loadRoutes(),
    loadFromFeatures("pages"),
    loadMonitoring(),
    loadOtherVisits(),
  ]);
  const app = createApp(rt, { routes, pages, monitoring, sendOnce });
  const certificate = tls && readCertificate(tls);
  const server = await openServer(app.listener, host, port, certificate);
  hardenServer(server, rt, app.listener);
  const connectionsFull = createLastingState(
    rt,
    FULL_LASTS_MS,
    rt.store.daemon.saveConnectionsFull,
  );
  limitConnections(
    server,
    connectionLimits(readOpenFileLimit()),
    isExemptFromLimits(rt.config.http.trustedProxies),
    // The condition names the network with most connections; "" is this machine or a trusted proxy.
    (largestNetwork) => connectionsFull.record(largestNetwork ?? ""),
  );
  const reloader =
    tls && certificate && manageCertificate(server as unknown as TlsServer, rt, tls, certificate);

  const flush = () => {
    if (!mayWrite(rt)) return;
    try {
      app.flush();
      connectionsFull.flush();
    } catch (error) {
      // While another writer holds the lock, or the storage cannot be used, the counts wait for the
      // next flush.
      if (!isBusy(error) && !isStorageUnavailable(error))
        rt.log("error", "could not save request counts and key usage", { error: String(error) });
    }
  };
  const timer = setInterval(flush, FLUSH_MS).unref();

  const actualPort = (server.address() as AddressInfo).port;
  return {
    url: `${tls ? "https" : "http"}://${hostInUrl(host)}:${actualPort}`,
    port: actualPort,
    reloadCertificate: () => reloader?.reload(),
    certificateExpiresAt: () => reloader?.expiresAt() ?? null,
    flush,
    async close() {
      clearInterval(timer);
      reloader?.stop();
      app.shutDown();
      // Idle connections are closed now, busy ones after their response, and all after DRAIN_MS.
      const idleTimer = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
      const drainTimer = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
      await new Promise((resolve) => server.close(resolve));
      clearInterval(idleTimer);
      clearTimeout(drainTimer);
      flush();
    },
  };
}

/** Returns whether counts may be saved: requests are still counted while every write is refused. */
function mayWrite(rt: Runtime): boolean {
  try {
    rt.assertMayWrite();
    return true;
  } catch {
    return false;
  }
}

/** Logs a certificate's expiry once a day, and replaces the certificate on request. */
function manageCertificate(
  server: TlsServer,
  rt: Runtime,
  files: TlsFiles,
  certificate: Certificate,
) {
  let current = certificate;
  const logExpiry = () => logCertificateExpiry(rt.log, current, rt.now());
  const timer = setInterval(logExpiry, DAY_MS).unref();
  limitHandshakes(server);
  logExpiry();
  return {
    reload(): void {
      try {
        current = readCertificate(files);
        server.setSecureContext(current);
        logExpiry();
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        rt.log("error", "could not load the new certificate; the old one stays in use", {
          reason: error.message,
          fix: `${error.fix}; then send SIGHUP again`,
        });
      }
    },
    expiresAt: () => current.expiresAt,
    stop: () => clearInterval(timer),
  };
}

async function openServer(
  listener: RequestListener,
  host: string,
  port: number,
  certificate: Certificate | undefined,
): Promise<Server> {
  try {
    const { server } = await listen(listener as Parameters<typeof listen>[0], {
      hostname: host,
      port: port === 0 ? { random: true } : port,
      // The defaults of listhen do not fit a server: it would take another port if this one is in
      // use, exit before the drain, print texts or bind to localhost.
      isProd: true,
      autoClose: false,
      public: !isLoopbackHost(host),
      showURL: false,
      qr: false,
      clipboard: false,
      open: false,
      // `https` takes PEM text or paths; the certificate is PEM text.
      https: certificate ?? false,
    });
    return server as Server;
  } catch (error) {
    if ((error as Error).name !== "GetPortError") throw error;
    throw new AppError("state_refuses", `Cannot listen on port ${port} of ${host}.`, {
      fix: "check whether another program uses the port, or choose another with --port and --host",
    });
  }
}

const hostInUrl = (host: string): string => {
  if (host === "0.0.0.0" || host === "::") return "localhost";
  return host.includes(":") ? `[${host}]` : host;
};
