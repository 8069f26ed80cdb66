import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

// Starts one receiver per port (100 ports, or the first argument). Endpoints that hang share no
// connection with the others, because a whole port hangs. Connections stay open for 60 s, or for
// the milliseconds in the second argument. A control server answers GET /ports, GET /hang/30 (from
// then on, the first 30 of every 100 ports hang), GET /delay/200 (the others respond after 200 ms)
// and GET /times: the arrivals of all first attempts as [event ID, nanoseconds], on a clock that
// all processes share.

const [groups = 100, keepAliveMs = 60_000] = process.argv.slice(2).map(Number);
let hanging = 0;
let delayMs = 0;
const times: [string, string][] = [];

const receive =
  (group: number): RequestListener =>
  (req, res) => {
    if (req.headers["x-service-attempt"] === "1")
      times.push([String(req.headers["webhook-id"]), String(process.hrtime.bigint())]);
    if (group % 100 < hanging) return;
    req.resume();
    const respond = () => res.writeHead(204).end();
    req.on("end", () => (delayMs === 0 ? respond() : setTimeout(respond, delayMs)));
  };

async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  server.keepAliveTimeout = keepAliveMs;
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}

const ports = await Promise.all(
  Array.from({ length: groups }, (_, group) => listen(receive(group))),
);
const controlPort = await listen((req, res) => {
  const [, command = "", argument] = (req.url ?? "").split("/");
  if (command === "hang") hanging = Number(argument);
  if (command === "delay") delayMs = Number(argument);
  res.end(JSON.stringify(command === "ports" ? ports : times));
});
console.log(`http://127.0.0.1:${controlPort}/`);
