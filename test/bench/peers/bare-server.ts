import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

// The upper bound of Node: a server that sends a prebuilt response. Arguments: the size of the body
// in bytes, and the headers of a 200 and of a 304 as JSON.

const [, , size, ok = "[]", notModified = "[]"] = process.argv;
const body = Buffer.alloc(Number(size), "x");
const okHeaders = JSON.parse(ok) as string[];
const notModifiedHeaders = JSON.parse(notModified) as string[];

const server = createServer((req, res) => {
  if (req.headers["if-none-match"] === undefined) {
    res.writeHead(200, okHeaders);
    res.end(body);
    return;
  }
  res.writeHead(304, notModifiedHeaders);
  res.end();
});
server.listen(0, "127.0.0.1", () =>
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
);
