import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

// A receiver that responds with 204 and counts requests. GET /count returns the count, GET /reset
// returns and resets it.

let count = 0;
const server = createServer((req, res) => {
  if (req.method === "GET") {
    res.end(String(count));
    if (req.url === "/reset") count = 0;
    return;
  }
  req.resume();
  req.on("end", () => {
    count += 1;
    res.writeHead(204);
    res.end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () =>
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
);
