import { readOpenFileLimit } from "../../app/operations/open-file-limit.ts";
import type { Config } from "../../config.ts";
import {
  type OnAttempt,
  type RunningDeliveryWorker,
  startDeliveryWorker,
} from "../../delivery/start.ts";
import { startServer } from "../../http/server.ts";
import { retryWhileBusy } from "../../http/pipeline/write-retry.ts";
import type { Log } from "../../log.ts";
import { openRuntime, type Runtime } from "../../app/runtime.ts";
import { acquireDaemonLock } from "../../store/database.ts";
import { assertAddressRanges } from "../../domain/address-range.ts";
import { assertPortAvailable } from "./port.ts";
import { lazySendOnce } from "./send-once.ts";

export type DaemonOptions = {
  host: string;
  /** 0: any free one. */
  port: number;
  /** Serves https with the certificate and key in these PEM files. */
  tls?: { cert: string; key: string } | undefined;
  onAttempt?: OnAttempt;
};

export type Daemon = {
  url: string;
  log: Log;
  /** Settles when the courier ends by itself, which it never should. */
  workerDied: Promise<"courier died">;
  /** Reads the files of the certificate again. */
  renewCertificate: () => void;
  /** Accepts nothing more, lets the courier finish what is on the wire, lets go of the data. */
  stop: () => Promise<void>;
};

/** The HTTP thread never waits for another writer: it answers 503 and goes on. */
const HTTP_BUSY_TIMEOUT_MS = 0;

/**
 * Starts the API and the courier on a data directory. What was started is stopped again when a later part fails.
 * @throws AppError usage for a setting that cannot be; state_refuses when another daemon has the data, or somebody else the port
 */
export async function startDaemon(
  config: Config,
  { host, port, tls, onAttempt }: DaemonOptions,
): Promise<Daemon> {
  assertAddressRanges("--trusted-proxy", config.http.trustedProxies);
  assertAddressRanges("--allow-private", config.urlAllowances.allowPrivate);
  const parts = new AsyncDisposableStack();
  try {
    await assertPortAvailable(host, port);
    const rt = openRuntime(config, HTTP_BUSY_TIMEOUT_MS);
    parts.defer(rt.close);
    rt.store.file.disableCheckpoints();
    const lock = acquireDaemonLock(config.databasePath);
    parts.defer(lock.release);
    // The API first: beside it the thread would take the processor from what is to answer. It is stopped in the same order.
    let courier: RunningDeliveryWorker | undefined;
    parts.defer(async () => courier?.stop());
    const server = await startServer(rt, { host, port, tls, sendOnce: lazySendOnce(rt) });
    parts.defer(server.close);
    courier = await startDeliveryWorker(config, { onAttempt });
    await noteAddress(rt, server.url);
    return {
      url: server.url,
      log: rt.log,
      renewCertificate: server.reloadCertificate,
      workerDied: courier.exited.then(() => "courier died"),
      stop: () => parts.disposeAsync(),
    };
  } catch (error) {
    await parts.disposeAsync();
    throw error;
  }
}

/** For those who look on from beside. A daemon that cannot write it serves all the same. */
async function noteAddress(rt: Runtime, url: string): Promise<void> {
  const row = {
    url,
    startedAt: rt.now(),
    hasAlertUrl: rt.config.alertUrl !== null,
    openFiles: readOpenFileLimit(),
  };
  const note = () => rt.tx(() => rt.store.live.saveDaemon(row));
  await retryWhileBusy(rt, note).catch((error: Error) =>
    rt.log("warn", "address not noted", { reason: error.message }),
  );
}
