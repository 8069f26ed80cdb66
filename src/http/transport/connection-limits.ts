import type { Server, Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { isWithin } from "../../domain/address-range.ts";
import { addressGroup, isLoopback } from "../auth/client-address.ts";

const LIMIT = 256;
/** For this machine and for trusted proxies, which forward connections of many clients. */
const HIGH_LIMIT = 4096;
const CHECK_MS = 1000;
/** A socket may have unread data at this many checks, */
const BASE_CHECKS = 6;
/** and at one more for each of these bytes. Any usable connection reads more per second. */
const BYTES_PER_CHECK = 100_000;

/** Keeps one client from using up all connections. */
export function limitConnections(
  server: Server,
  trustedProxies: readonly string[],
  limitOf = (address: string): number =>
    isLoopback(address) || isWithin(address, trustedProxies) ? HIGH_LIMIT : LIMIT,
): void {
  const open = new Map<string, number>();
  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? "";
    const client = addressGroup(address);
    const count = (open.get(client) ?? 0) + 1;
    if (count > limitOf(address)) return void socket.destroy();
    open.set(client, count);
    socket.once("close", () => {
      const remaining = (open.get(client) ?? 1) - 1;
      if (remaining === 0) open.delete(client);
      else open.set(client, remaining);
    });
  });
}

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
