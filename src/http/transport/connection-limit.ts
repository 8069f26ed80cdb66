import type { Server, Socket } from "node:net";
import { isWithin } from "../../domain/address-range.ts";
import { addressGroup, isLoopback } from "../auth/client-address.ts";

const LIMIT = 256;
/** For this machine and for proxies, which bring the connections of many. */
const HIGH_LIMIT = 4096;

/** Somebody who opens connections and never speaks takes none from others. */
export function limitConnections(
  server: Server,
  proxies: readonly string[],
  limitOf = (address: string): number =>
    isLoopback(address) || isWithin(address, proxies) ? HIGH_LIMIT : LIMIT,
): void {
  const open = new Map<string, number>();
  server.on("connection", (socket: Socket) => {
    const address = socket.remoteAddress ?? "";
    const client = addressGroup(address);
    const count = (open.get(client) ?? 0) + 1;
    if (count > limitOf(address)) return void socket.destroy();
    open.set(client, count);
    socket.once("close", () => {
      const left = (open.get(client) ?? 1) - 1;
      if (left === 0) open.delete(client);
      else open.set(client, left);
    });
  });
}
