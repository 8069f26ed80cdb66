import { connect as connectTcp, isIP, type Socket } from "node:net";
import { buildConnector } from "undici";
import type { Resolve } from "../app/webhooks/resolver.ts";
import { type UrlPolicy, unsafeAddressError } from "../domain/webhooks/safe-url.ts";
import type { Outcome } from "../domain/webhooks/outcome.ts";

/** Why no connection came about. Carries no `code`: after some of them undici would try again by itself. */
export class ConnectError extends Error {
  readonly kind: Exclude<Outcome["kind"], "responded">;

  constructor(kind: ConnectError["kind"], message: string) {
    super(message);
    this.kind = kind;
  }
}

const CONNECT_TIMEOUT_MS = 5000;
/** How long one address of several may take before the next is tried. */
const ADDRESS_TIMEOUT_MS = 1000;

/** Far more than the headers and what is read of a body can take, however they are cut up. */
const MOST_BYTES_OF_ANSWER = 256 * 1024;

export type OnConnected = (address: string) => void;

/** Opens connections to vetted addresses only, for a pool whose requests all have the same allowances. */
export function createConnector(
  resolve: Resolve,
  allowances: UrlPolicy,
  onConnected: OnConnected = () => {},
): buildConnector.connector {
  const upgrade = buildConnector({ allowH2: false, timeout: 0 });

  async function open(options: buildConnector.Options, signal: AbortSignal): Promise<Socket> {
    const { hostname, protocol } = options;
    const addresses = isIP(hostname) === 0 ? await resolve(hostname, allowances) : [hostname];
    if (addresses.length === 0)
      throw new ConnectError("unresolvable", `no address for ${hostname}`);
    refuseUnsafe(hostname, addresses, allowances);

    const port = Number(options.port) || (protocol === "https:" ? 443 : 80);
    const socket = await dial(hostname, port, addresses, signal);
    // Before a byte is written: what counts is who is at the other end, whatever a lookup said.
    try {
      refuseUnsafe(hostname, [socket.remoteAddress ?? "nobody"], allowances);
    } catch (error) {
      socket.destroy();
      throw error;
    }
    onConnected(socket.remoteAddress ?? "");
    return limitAnswers(protocol === "https:" ? await startTls(options, socket) : socket);
  }

  const startTls = (options: buildConnector.Options, socket: Socket): Promise<Socket> =>
    new Promise((resolve, reject) => {
      socket.once("close", () =>
        reject(new ConnectError("tls_failed", "the connection was closed")),
      );
      upgrade({ ...options, httpSocket: socket }, (error, secure) =>
        error === null ? resolve(secure) : reject(new ConnectError("tls_failed", reasonOf(error))),
      );
    });

  async function openInTime(
    options: buildConnector.Options,
    callback: buildConnector.Callback,
  ): Promise<void> {
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), CONNECT_TIMEOUT_MS);
    try {
      callback(null, await open(options, abort.signal));
    } catch (error) {
      const timedOut = new ConnectError(
        "timed_out",
        `no connection within ${CONNECT_TIMEOUT_MS / 1000} s`,
      );
      callback(abort.signal.aborted ? timedOut : (error as Error), null);
    } finally {
      clearTimeout(timer);
    }
  }

  return (options, callback) => void openInTime(options, callback);
}

function refuseUnsafe(hostname: string, addresses: string[], allowances: UrlPolicy): void {
  const refusal = unsafeAddressError(hostname, addresses, allowances);
  if (refusal !== undefined) throw new ConnectError("blocked", refusal.refused);
}

/** Tries each address in turn: a box without IPv6 must still reach a name that has both. */
const dial = (
  hostname: string,
  port: number,
  addresses: string[],
  signal: AbortSignal,
): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connectTcp({
      host: hostname,
      port,
      signal,
      noDelay: true,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
      lookup: (_hostname, _options, callback) =>
        callback(
          null,
          addresses.map((address) => ({ address, family: isIP(address) })),
        ),
    });
    socket.once("connect", () => resolve(socket));
    socket.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        new ConnectError(error.code === "ETIMEDOUT" ? "timed_out" : "refused", reasonOf(error)),
      ),
    );
  });

/**
 * Ends a connection on which an answer has no end where nobody counts: in its status line, between 102s, in a chunk's extension.
 * Reading those until the deadline would take all of the thread's time.
 */
function limitAnswers(socket: Socket): Socket {
  let requests = 0;
  let before = 0;
  return socket.on("readable", () => {
    const { bytesRead, bytesWritten } = socket;
    // Something was asked since: another answer begins.
    if (bytesWritten > requests) [requests, before] = [bytesWritten, bytesRead];
    else if (bytesRead - before > MOST_BYTES_OF_ANSWER)
      socket.destroy(new Error("the answer has no end"));
  });
}

const reasonOf = (error: NodeJS.ErrnoException): string => error.code ?? error.message;
