import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

// Many receivers in 100 groups with a port each, so that hanging ones share no connection with the
// others. A control server answers GET /ports, GET /hang/30 (from then on the first 30 groups hang)
// and GET /times: the arrival times of all first attempts as [event ID, nanoseconds], on a clock
// that all processes share.

const GROUPS = 100;
let hanging = 0;
const times: [string, string][] = [];

const receive =
  (group: number): RequestListener =>
  (req, res) => {
    if (req.headers["x-service-attempt"] === "1")
      times.push([String(req.headers["webhook-id"]), String(process.hrtime.bigint())]);
    if (group < hanging) return;
    req.resume();
    req.on("end", () => res.writeHead(204).end());
  };

async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  server.keepAliveTimeout = 60_000;
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}

const ports = await Promise.all(
  Array.from({ length: GROUPS }, (_, group) => listen(receive(group))),
);
const controlPort = await listen((req, res) => {
  const [, command = "", argument] = (req.url ?? "").split("/");
  if (command === "hang") hanging = Number(argument);
  res.end(JSON.stringify(command === "ports" ? ports : times));
});
console.log(`http://127.0.0.1:${controlPort}/`);
