import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

// The least that Node can do: one prebuilt Buffer for everybody, or a bare 304. argv: size of the body in bytes.

const body = Buffer.alloc(Number(process.argv[2]), "x");
const etag = 'W/"1"';

const server = createServer((req, res) => {
  if (req.headers["if-none-match"] === etag) {
    res.writeHead(304, { etag });
    res.end();
    return;
  }
  res.writeHead(200, { "content-type": "application/json", "content-length": body.length, etag });
  res.end(body);
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
