import { type AddressInfo, createServer, type Socket } from "node:net";
import { type Fault, FAULTS } from "./faults.ts";

// Starts one server per fault, in a separate process so that it does not affect measurements of the
// receiving process. Sends the ports to its parent, in the order of the faults.

process.on("disconnect", () => process.exit());
process.send?.(await Promise.all(FAULTS.map(listen)));

function listen({ greet, answer }: Fault): Promise<number> {
  const server = createServer((socket: Socket) => {
    socket.on("error", () => {});
    // Each request starts a new chunk with its method, also on a reused connection.
    if (answer)
      socket.on("data", (chunk) => chunk.toString("latin1", 0, 5) === "POST " && answer(socket));
    else if (!greet) socket.resume();
    greet?.(socket);
  });
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
  );
}
