import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

// A crowd of receivers behind one port, /0 to as many as there are. GET /hang/30 makes 30 of each 100 hang from then on. It notes
// when the first bytes of each first attempt came, by a clock that all processes share: GET /times gives [event, nanoseconds].

let hanging = 0;
const times: [string, string][] = [];
const server = createServer((req, res) => {
  const [, word = "", share] = (req.url ?? "").split("/");
  if (req.method === "GET") {
    if (word === "hang") hanging = Number(share);
    return void res.end(JSON.stringify(times));
  }
  if (req.headers["x-service-attempt"] === "1")
    times.push([String(req.headers["webhook-id"]), String(process.hrtime.bigint())]);
  if (Number(word) % 100 < hanging) return;
  req.resume();
  req.on("end", () => res.writeHead(204).end());
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
