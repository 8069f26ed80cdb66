import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

// A receiver that records when each delivery arrives, on a clock that all processes share. GET
// /times returns [sequence, nanoseconds] of all deliveries so far.

const times: [number, string][] = [];
const server = createServer((req, res) => {
  if (req.method === "GET") return void res.end(JSON.stringify(times));
  times.push([Number(req.headers["x-service-sequence"]), String(process.hrtime.bigint())]);
  req.resume();
  req.on("end", () => res.writeHead(204).end());
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () =>
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
);
