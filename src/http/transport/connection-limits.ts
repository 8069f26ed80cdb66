import type { Server, Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { isWithin } from "../../domain/addresses.ts";
import { isLoopback, unmapIpv4 } from "../auth/client-address.ts";
import { type ConnectionLimits, createConnectionTable } from "./connection-table.ts";
import { peerOf, type RespondingSocket } from "./sockets.ts";

const CHECK_MS = 1000;
/** A socket may have unread data at this many checks, */
const BASE_CHECKS = 6;
/** and at one more for each of these bytes. Any usable connection reads more per second. */
const BYTES_PER_CHECK = 100_000;

/** Who had most connections when there were too many; null: this machine and trusted proxies. */
export type OnFull = (largestClient: string | null) => void;

/**
 * Keeps a few clients from using up all connections. This machine and trusted proxies, which
 * forward connections of many clients, are exempt.
 */
export function limitConnections(
  server: Server,
  limits: ConnectionLimits,
  isExempt: (address: string) => boolean,
  onFull: OnFull = () => {},
): void {
  const table = createConnectionTable<Socket>(limits, watchUse(server));
  server.on("connection", (socket: Socket) => {
    const address = unmapIpv4(socket.remoteAddress ?? "");
    const isSpared = isExempt(address);
    const { refused, isFull } = isSpared ? table.addExempt() : table.add(socket, address);
    if (isFull) onFull(table.largestClient());
    if (refused !== socket)
      socket.once("close", () => (isSpared ? table.removeExempt() : table.remove(socket, address)));
    refused?.resetAndDestroy();
  });
}

/** Returns whether a request of a connection is in progress. */
function watchUse(server: Server): (connection: Socket) => boolean {
  /** HTTP uses the TLS socket, and the limits know the one below it. */
  const secured = new Map<string, RespondingSocket>();
  server.on("secureConnection", (socket: RespondingSocket) => {
    const peer = peerOf(socket);
    secured.set(peer, socket);
    socket.once("close", () => secured.delete(peer));
  });
  return (connection) => {
    const socket: RespondingSocket = secured.get(peerOf(connection)) ?? connection;
    return Boolean(socket["_httpMessage"]);
  };
}

export const isExemptFromLimits =
  (trustedProxies: readonly string[]) =>
  (address: string): boolean =>
    isLoopback(address) || isWithin(address, trustedProxies);

/** Unread data stays in memory. */
export function disconnectSlowReaders(server: Server): void {
  const open = new Set<Socket>();
  const checksLeft = new WeakMap<Socket, number>();
  server.on("setSecureContext" in server ? "secureConnection" : "connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });

  const check = (socket: Socket): void => {
    const unread = socket.writableLength;
    if (unread === 0) return void checksLeft.delete(socket);
    const left = (checksLeft.get(socket) ?? BASE_CHECKS + unread / BYTES_PER_CHECK) - 1;
    if (left < 0) disconnect(socket);
    else checksLeft.set(socket, left);
  };
  const timer = setInterval(() => open.forEach(check), CHECK_MS).unref();
  server.once("close", () => clearInterval(timer));
}

/** After a normal close the kernel would keep the unread data. */
const disconnect = (socket: Socket): unknown =>
  socket instanceof TLSSocket ? socket.destroy() : socket.resetAndDestroy();

/** Long enough to read the last response. */
const LINGER_MS = 1000;

/** Sends the last bytes of a connection, and closes it although the client may never do so. */
export function endConnection(socket: Socket, text: string): void {
  socket.end(text);
  const timer = setTimeout(() => disconnect(socket), LINGER_MS);
  socket.once("close", () => clearTimeout(timer));
}
