import { type AddressInfo, createServer, type Socket } from "node:net";
import { type Fault, FAULTS } from "./faults.ts";

// A process of its own, so that what it pours out is not on the account of whoever takes it: a server for each fault. Sends its
// parent their ports, in the order of the faults.

process.on("disconnect", () => process.exit());
process.send?.(await Promise.all(FAULTS.map(listen)));

function listen({ greet, answer }: Fault): Promise<number> {
  const server = createServer((socket: Socket) => {
    socket.on("error", () => {});
    // Requests begin so, and each is sent as one piece: a kept connection is answered anew.
    if (answer)
      socket.on("data", (chunk) => chunk.toString("latin1", 0, 5) === "POST " && answer(socket));
    else if (!greet) socket.resume();
    greet?.(socket);
  });
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)),
  );
}
