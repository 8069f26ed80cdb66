import type { Server, Socket } from "node:net";
import { TLSSocket } from "node:tls";

const CHECK_MS = 1000;
/** So many checks may find an answer that is not taken yet, */
const PATIENCE = 6;
/** and one more for each of these. Anybody's line takes as much in a second. */
const BYTES = 100_000;

/** Hangs up on whoever asks for much and takes it drop by drop: until they have it, it is kept for them. */
export function disconnectSlowReaders(server: Server): void {
  const open = new Set<Socket>();
  const patience = new WeakMap<Socket, number>();
  server.on("setSecureContext" in server ? "secureConnection" : "connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });

  const check = (socket: Socket): void => {
    const waiting = socket.writableLength;
    if (waiting === 0) return void patience.delete(socket);
    const left = (patience.get(socket) ?? PATIENCE + waiting / BYTES) - 1;
    if (left < 0) hangUp(socket);
    else patience.set(socket, left);
  };
  const timer = setInterval(() => open.forEach(check), CHECK_MS).unref();
  server.once("close", () => clearInterval(timer));
}

/** Closed in good order, the kernel would keep what is not taken for as long as it is not. */
const hangUp = (socket: Socket): unknown =>
  socket instanceof TLSSocket ? socket.destroy() : socket.resetAndDestroy();
