import type { Config } from "../config.ts";
import type { Log } from "../log.ts";
import type { OnAttempt } from "../courier/start.ts";
import type { Runtime } from "../runtime.ts";
import { requirePort } from "./port.ts";

export type DaemonOptions = {
  host: string;
  /** 0: any free one. */
  port: number;
  onAttempt?: OnAttempt;
};

export type Daemon = {
  url: string;
  log: Log;
  /** Settles when the courier ends by itself, which it never should. */
  courierDied: Promise<"courier died">;
  /** Accepts nothing more, lets the courier finish what is on the wire, lets go of the data. */
  stop: () => Promise<void>;
};

/** The HTTP thread never waits for another writer: it answers 503 and goes on. */
const HTTP_BUSY_TIMEOUT_MS = 0;

/**
 * Starts the API and the courier on a data directory. What was started is stopped again when a later part fails.
 * @throws AppError state_refuses when another daemon has the data, or somebody else the port
 */
export async function startDaemon(config: Config, { host, port, onAttempt }: DaemonOptions): Promise<Daemon> {
  const [{ openRuntime }, { acquireDaemonLock }, { startServer }, { startCourier }] = await Promise.all([
    import("../runtime.ts"),
    import("../store/database.ts"),
    import("../http/server.ts"),
    import("../courier/start.ts"),
  ]);
  const parts = new AsyncDisposableStack();
  try {
    await requirePort(host, port);
    const rt = openRuntime(config, HTTP_BUSY_TIMEOUT_MS);
    parts.defer(rt.close);
    rt.store.file.leaveCheckpoints();
    const lock = acquireDaemonLock(config.databasePath);
    parts.defer(lock.release);
    const courier = await startCourier(config, { onAttempt });
    parts.defer(courier.stop);
    const server = await startServer(rt, { host, port });
    parts.defer(server.close);
    await noteAddress(rt, server.url);
    return {
      url: server.url,
      log: rt.log,
      courierDied: courier.exited.then(() => "courier died"),
      stop: () => parts.disposeAsync(),
    };
  } catch (error) {
    await parts.disposeAsync();
    throw error;
  }
}

/** For those who look on from beside. A daemon that cannot write it serves all the same. */
async function noteAddress(rt: Runtime, url: string): Promise<void> {
  const { writeWhenFree } = await import("../http/writes.ts");
  const note = () => rt.tx(() => rt.store.live.saveDaemon({ url, startedAt: rt.now() }));
  await writeWhenFree(rt, note).catch((error: Error) => rt.log("warn", "address not noted", { reason: error.message }));
}
