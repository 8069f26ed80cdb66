import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

// A crowd of receivers, each of a hundred kinds on a port of its own: those that hang share no connection with the others. A
// desk answers GET /ports, GET /hang/30 (from then on the first 30 kinds hang) and GET /times: when the first bytes of each
// first attempt came, by a clock that all processes share, as [event, nanoseconds].

const KINDS = 100;
let hanging = 0;
const times: [string, string][] = [];

const receive =
  (kind: number): RequestListener =>
  (req, res) => {
    if (req.headers["x-service-attempt"] === "1")
      times.push([String(req.headers["webhook-id"]), String(process.hrtime.bigint())]);
    if (kind < hanging) return;
    req.resume();
    req.on("end", () => res.writeHead(204).end());
  };

async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  server.keepAliveTimeout = 60_000;
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}

const ports = await Promise.all(Array.from({ length: KINDS }, (_, kind) => listen(receive(kind))));
const desk = await listen((req, res) => {
  const [, word = "", share] = (req.url ?? "").split("/");
  if (word === "hang") hanging = Number(share);
  res.end(JSON.stringify(word === "ports" ? ports : times));
});
console.log(`http://127.0.0.1:${desk}/`);
