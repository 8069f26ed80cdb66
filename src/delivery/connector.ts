import { type Socket, connect as connectTcp, isIP } from "node:net";
import { buildConnector } from "undici";
import type { Resolve } from "../app/webhooks/host-limits.ts";
import { type UrlPolicy, unsafeAddressError } from "../domain/webhooks/safe-url.ts";
import type { Outcome } from "../domain/webhooks/settle.ts";

const STATUS_LINE = /^HTTP\/1\.[01] (\d)\d\d$/;
const STATUS_LENGTH = "HTTP/1.1 100".length;
const LF = 10;
const CR = 13;

/**
 * Makes undici ignore an unrequested 100 (Continue), as RFC 9110, 15.2 requires. undici treats a
 * 100 as an error but ignores other interim responses, so each 100 is changed to 102 as it is read.
 */
function ignoreContinue(socket: Socket): Socket {
  const read = socket.read.bind(socket);
  let requestBytes = 0;
  /** The part of the status line that has been read. */
  let status = "";
  let isInHeaders = false;
  let lineFeeds = 0;
  /** Whether the status line of the final response has been read; true until the first request. */
  let isFinal = true;

  /** Changes the status 100 of each interim response in a chunk to 102. */
  function renumber(chunk: Buffer): void {
    for (let i = 0; i < chunk.length && !isFinal; i++) {
      const byte = chunk[i] ?? 0;
      if (isInHeaders) {
        if (byte !== CR) lineFeeds = byte === LF ? lineFeeds + 1 : 0;
        // An empty line ends the interim response; another response follows.
        isInHeaders = lineFeeds < 2;
        continue;
      }
      status += String.fromCharCode(byte);
      if (status.length < STATUS_LENGTH) continue;
      isFinal = STATUS_LINE.exec(status)?.[1] !== "1";
      if (status.endsWith(" 100")) chunk[i] = "2".charCodeAt(0);
      [status, isInHeaders, lineFeeds] = ["", true, 0];
    }
  }

  socket.read = (size?: number): unknown => {
    const chunk: unknown = read(size);
    if (!Buffer.isBuffer(chunk)) return chunk;
    // A new request has been written, so a new response begins.
    if (socket.bytesWritten > requestBytes) {
      requestBytes = socket.bytesWritten;
      [status, isInHeaders, isFinal] = ["", false, false];
    }
    renumber(chunk);
    return chunk;
  };
  return socket;
}

/** Why a connection failed. The error has no `code`: undici retries some codes on its own. */
export class ConnectError extends Error {
  readonly kind: Exclude<Outcome["kind"], "responded">;

  constructor(kind: ConnectError["kind"], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** Time for the lookup of the host, the TCP connection and the TLS handshake together. */
const CONNECT_TIMEOUT_MS = 5000;
/** Time for one address of a host until the next is tried. */
const ADDRESS_TIMEOUT_MS = 1000;

/** Longest response. The limit far exceeds the headers and the part of the body that is read. */
const MAX_RESPONSE_BYTES = 256 * 1024;

export type OnConnected = (address: string) => void;

/** Returns a connector for one pool. It connects only to addresses that the URL policy allows. */
export function createConnector(
  resolveHost: Resolve,
  urlPolicy: UrlPolicy,
  onConnected: OnConnected = () => {},
): buildConnector.connector {
  const connectTls = buildConnector({ allowH2: false, timeout: 0 });

  async function open(options: buildConnector.Options, signal: AbortSignal): Promise<Socket> {
    const { hostname, protocol } = options;
    const addresses = isIP(hostname) === 0 ? await resolveHost(hostname, urlPolicy) : [hostname];
    if (addresses.length === 0)
      throw new ConnectError("unresolvable", `no address for ${hostname}`);
    assertSafe(hostname, addresses, urlPolicy);

    const port = Number(options.port) || (protocol === "https:" ? 443 : 80);
    const socket = await dial(hostname, port, addresses, signal);
    // The check is repeated for the address actually connected to, before a byte is written.
    try {
      assertSafe(hostname, [socket.remoteAddress ?? "unknown"], urlPolicy);
    } catch (error) {
      socket.destroy();
      throw error;
    }
    onConnected(socket.remoteAddress ?? "");
    const secured = protocol === "https:" ? await startTls(options, socket) : socket;
    return ignoreContinue(limitResponses(secured));
  }

  const startTls = (options: buildConnector.Options, socket: Socket): Promise<Socket> =>
    new Promise((resolve, reject) => {
      socket.once("close", () =>
        reject(new ConnectError("tls_failed", "the connection was closed")),
      );
      connectTls({ ...options, httpSocket: socket }, (error, secure) =>
        error === null ? resolve(secure) : reject(new ConnectError("tls_failed", reasonOf(error))),
      );
    });

  async function openWithTimeout(
    options: buildConnector.Options,
    callback: buildConnector.Callback,
  ): Promise<void> {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), CONNECT_TIMEOUT_MS);
    try {
      callback(null, await open(options, controller.signal));
    } catch (error) {
      const timedOut = new ConnectError(
        "timed_out",
        `no connection within ${CONNECT_TIMEOUT_MS / 1000} s`,
      );
      callback(controller.signal.aborted ? timedOut : (error as Error), null);
    } finally {
      clearTimeout(timer);
    }
  }

  return (options, callback) => void openWithTimeout(options, callback);
}

function assertSafe(hostname: string, addresses: string[], urlPolicy: UrlPolicy): void {
  const error = unsafeAddressError(hostname, addresses, urlPolicy);
  if (error !== undefined) throw new ConnectError("blocked", error.reason);
}

/**
 * Returns a connection to the first address that answers. All addresses are tried, so that a server
 * without IPv6 reaches a host that has addresses of both kinds.
 */
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
 * Closes the connection if a response exceeds the limit. undici does not limit the status line,
 * repeated 102 responses or chunk extensions; reading these until the timeout would block the
 * thread.
 */
function limitResponses(socket: Socket): Socket {
  let requestBytes = 0;
  let bytesBefore = 0;
  return socket.on("readable", () => {
    const { bytesRead, bytesWritten } = socket;
    // A new request has been written, so a new response begins.
    if (bytesWritten > requestBytes) [requestBytes, bytesBefore] = [bytesWritten, bytesRead];
    else if (bytesRead - bytesBefore > MAX_RESPONSE_BYTES)
      socket.destroy(new Error("the response is too large"));
  });
}

const reasonOf = (error: NodeJS.ErrnoException): string => error.code ?? error.message;
