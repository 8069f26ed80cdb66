import type { Server, Socket } from "node:net";
import { isWithin } from "../../domain/address-range.ts";
import { addressGroup, isLoopback } from "../auth/client-address.ts";

const LIMIT = 256;
/** For this machine and for trusted proxies, which forward connections of many clients. */
const HIGH_LIMIT = 4096;

/** Limits the open connections per client address, so that one client cannot use up all of them. */
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
