import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { startServer } from "../../../src/http/server.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

// Sends raw requests and checks the responses against RFC 9110 and RFC 9112.

/**
 * The request that is sent last on each connection. Its response is the only one with the status
 * 204, and closes a connection that is still open.
 */
const LAST = "OPTIONS /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

/** Sends bytes to a new server. `text` returns what the server has sent so far. */
async function open(bytes: string) {
  const server = await startServer(createTestRuntime(), { host: "127.0.0.1", port: 0 });
  onTestFinished(() => server.close());
  const socket = connect(server.port, "127.0.0.1");
  onTestFinished(() => void socket.destroy());
  let text = "";
  socket.setEncoding("latin1");
  socket.on("data", (chunk) => (text += chunk));
  socket.on("error", () => {});
  socket.write(bytes, "latin1");
  return { socket, text: () => text };
}

const statusesIn = (text: string): number[] =>
  [...text.matchAll(/(?:^|[\n}])HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

/** Returns the status of each response, and whether the server then closed the connection. */
async function send(bytes: string): Promise<{ statuses: number[]; closed: boolean; text: string }> {
  const { socket, text } = await open(bytes + LAST);
  await once(socket, "close");
  const statuses = statusesIn(text());
  const closed = statuses.at(-1) !== 204;
  return { statuses: closed ? statuses : statuses.slice(0, -1), closed, text: text() };
}

const get = (...lines: string[]) => ["GET /healthz HTTP/1.1", ...lines, "", ""].join("\r\n");
const post = (headers: string[], body = "") =>
  ["POST /healthz HTTP/1.1", "Host: x", ...headers, "", body].join("\r\n");
const NEXT = get("Host: x");

describe("accepted requests", () => {
  test.each([
    { what: "the plain form", bytes: get("Host: x") },
    { what: "a host with a port", bytes: get("Host: api.example.com:8080") },
    { what: "an IPv4 host", bytes: get("Host: 127.0.0.1") },
    { what: "an IPv6 host", bytes: get("Host: [::1]:4100") },
    { what: "an empty host", bytes: get("Host:") },
    { what: "a percent-encoded host", bytes: get("Host: a%20b") },
    { what: "a host with an underscore", bytes: get("Host: my_host") },
    { what: "the absolute form", bytes: "GET http://x/healthz HTTP/1.1\r\nHost: x\r\n\r\n" },
    {
      what: "the absolute form with another host",
      bytes: "GET http://y/healthz HTTP/1.1\r\nHost: x\r\n\r\n",
    },
    { what: "names in any case", bytes: get("hOsT: x") },
    { what: "no space after the colon", bytes: get("Host:x") },
    { what: "space around a value", bytes: get("Host: \t x \t ") },
    { what: "an empty line first", bytes: `\r\n${get("Host: x")}` },
    { what: "an unknown header", bytes: get("Host: x", "X-Anything: 1") },
    { what: "bytes above ASCII in a value", bytes: get("Host: x", "X-Anything: caf\xe9") },
    { what: "an unknown Expect", bytes: get("Host: x", "Expect: a-miracle") },
    { what: "a query", bytes: "GET /healthz?_=1 HTTP/1.1\r\nHost: x\r\n\r\n" },
    {
      what: "a body on GET",
      bytes: `GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc`,
    },
    {
      what: "a chunked body on GET",
      bytes: `GET /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
    },
    {
      what: "chunk extensions and trailers",
      bytes: `GET /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\nX: y\r\n\r\n`,
    },
    { what: "a HEAD", bytes: "HEAD /healthz HTTP/1.1\r\nHost: x\r\n\r\n" },
  ])("a request with $what is accepted", async ({ bytes }) => {
    const { statuses, closed } = await send(bytes + NEXT);
    expect(statuses).toEqual([200, 200]);
    expect(closed).toBe(false);
  });

  test("pipelined requests get their responses in order", async () => {
    const { statuses } = await send(
      `${get("Host: x")}GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n${NEXT}`,
    );
    expect(statuses).toEqual([200, 404, 200]);
  });

  test.each(["127.0R0.1", "a.1", "a%20b", "1.2.3.256", "[::ffff]:99999", ""])(
    "a Host that no URL can have does not stop the server: '%s'",
    async (host) => {
      const targets = ['/nowhere"', '/nowhere?"', '/v1/businesses/x"y/menu'];
      const requests = targets.map((target) => `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      expect((await send(requests.join("") + NEXT)).statuses).toEqual([404, 404, 401, 200]);
    },
  );

  test.each([
    { bytes: "GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n", line: "HTTP/1.1 404 Not Found" },
    { bytes: post(["Content-Length: 0"]), line: "HTTP/1.1 405 Method Not Allowed" },
  ])("responses of the router have a reason phrase: $line", async ({ bytes, line }) => {
    expect((await send(bytes)).text).toMatch(new RegExp(`^${line}\r\n`));
  });

  test.each([
    { what: "Connection: close", bytes: get("Host: x", "Connection: close") },
    { what: "HTTP/1.0, even without a host", bytes: "GET /healthz HTTP/1.0\r\n\r\n" },
  ])("$what ends the connection", async ({ bytes }) => {
    const { statuses, closed } = await send(bytes + NEXT);
    expect(statuses).toEqual([200]);
    expect(closed).toBe(true);
  });

  test("HTTP/1.0 supports Connection: keep-alive", async () => {
    expect(await send("GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")).toMatchObject({
      statuses: [200],
      closed: false,
    });
  });

  test("an Upgrade to an unsupported protocol is ignored", async () => {
    const { socket, text } = await open(get("Host: x", "Connection: upgrade", "Upgrade: h2c"));
    await once(socket, "data");
    // Node does not read bytes that arrive together with an Upgrade as another request, so `LAST`
    // is sent after the response.
    socket.write(LAST);
    await once(socket, "close");
    expect(statusesIn(text())).toEqual([200, 204]);
  });

  test("a request with Expect: 100-continue gets a 100 response before its body", async () => {
    const { statuses } = await send(post(["Content-Length: 3", "Expect: 100-continue"], "abc"));
    expect(statuses).toEqual([100, 405]);
  });

  test("a request with a Content-Length over the limit gets no 100 response", async () => {
    const { statuses } = await send(post(["Content-Length: 400000000", "Expect: 100-continue"]));
    expect(statuses).toEqual([405]);
  });
});

test.each(
  String.raw`
    /metrics/ //metrics /./metrics /metrics/. /x/../metrics /x/..\metrics /docs/%2e%2e/metrics
    /docs/.%2E/metrics /%6detrics /metrics%2f /metrics\ /metrics#x http://x/docs/../metrics /docs/
    /docs/.. /healthz/ /%2e/readyz /v1/businesses/../menu /v1/businesses/./menu
    /v1/businesses/x/menu/ /v1/businesses/x/%6denu /v1/businesses/x\y/menu
    /v1/businesses/x/y/../menu`
    .trim()
    .split(/\s+/),
)("the path %s, which a proxy may read as another one, is 404", async (target) => {
  const { text } = await send(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
  expect(text).toMatch(/^HTTP\/1.1 404 Not Found\r\n[^]*"code":"route_not_found"/);
});

/** After a rejected request, no bytes on the connection may be read as a request. */
describe("rejected requests end the connection", () => {
  test.each([
    { what: "no Host", bytes: get() },
    { what: "two Hosts", bytes: get("Host: x", "Host: y") },
    { what: "the same Host twice", bytes: get("Host: x", "host: x") },
    { what: "a Host with a path", bytes: get("Host: x/y") },
    { what: "a Host with a user", bytes: get("Host: user@x") },
    { what: "a Host with a space", bytes: get("Host: a b") },
    { what: "two hosts in one header", bytes: get("Host: x, y/z") },
    { what: "a Host with invalid percent-encoding", bytes: get("Host: a%zz") },
    { what: "a Host with an invalid port", bytes: get("Host: x:http") },
    { what: "a broken IPv6 Host", bytes: get("Host: [::1") },
    { what: "a Host with characters outside ASCII", bytes: get("Host: b\xfccher") },
    {
      what: "two keys",
      bytes: get("Host: x", "Authorization: Bearer a", "Authorization: Bearer b"),
    },
    { what: "a space before the colon", bytes: get("Host: x", "X-A : 1") },
    { what: "a name with a space", bytes: get("Host: x", "X A: 1") },
    { what: "an empty name", bytes: get("Host: x", ": 1") },
    { what: "a line without a colon", bytes: get("Host: x", "nonsense") },
    { what: "a folded line", bytes: get("Host: x", "X-A: 1", " 2") },
    { what: "a folded first line", bytes: get(" Host: x") },
    { what: "a NUL in a value", bytes: get("Host: x", "X-A: a\0b") },
    { what: "a bare CR in a value", bytes: get("Host: x", "X-A: a\rb") },
    { what: "a bare LF after a header", bytes: "GET /healthz HTTP/1.1\r\nHost: x\nX-A: 1\r\n\r\n" },
    { what: "a bare LF after the request line", bytes: "GET /healthz HTTP/1.1\nHost: x\r\n\r\n" },
    {
      what: "a control character in the target",
      bytes: "GET /heal\x01thz HTTP/1.1\r\nHost: x\r\n\r\n",
    },
    { what: "a target with a space", bytes: "GET /health z HTTP/1.1\r\nHost: x\r\n\r\n" },
    { what: "no target", bytes: "GET HTTP/1.1\r\nHost: x\r\n\r\n" },
    { what: "HTTP/0.9", bytes: "GET /healthz\r\n" },
    { what: "no version", bytes: "GET /healthz \r\nHost: x\r\n\r\n" },
    { what: "a lowercase version", bytes: "GET /healthz http/1.1\r\nHost: x\r\n\r\n" },
    { what: "a TLS hello", bytes: "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" },
    {
      what: "Content-Length and Transfer-Encoding",
      bytes: post(["Content-Length: 3", "Transfer-Encoding: chunked"], "0\r\n\r\n"),
    },
    {
      what: "Transfer-Encoding and Content-Length",
      bytes: post(["Transfer-Encoding: chunked", "Content-Length: 3"], "0\r\n\r\n"),
    },
    { what: "two lengths", bytes: post(["Content-Length: 3", "Content-Length: 4"], "abcd") },
    {
      what: "two lengths that agree",
      bytes: post(["Content-Length: 3", "Content-Length: 3"], "abc"),
    },
    { what: "a list of lengths", bytes: post(["Content-Length: 3, 3"], "abc") },
    { what: "a negative length", bytes: post(["Content-Length: -1"]) },
    { what: "a length with a sign", bytes: post(["Content-Length: +3"], "abc") },
    { what: "a length in hex", bytes: post(["Content-Length: 0x3"], "abc") },
    {
      what: "a length that overflows",
      bytes: post(["Content-Length: 18446744073709551619"], "abc"),
    },
    { what: "a length of words", bytes: post(["Content-Length: three"], "abc") },
    {
      what: "Transfer-Encoding on 1.0",
      bytes: "POST /healthz HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    },
    {
      what: "chunked that is not last",
      bytes: post(["Transfer-Encoding: chunked, gzip"], "0\r\n\r\n"),
    },
    { what: "chunked twice", bytes: post(["Transfer-Encoding: chunked, chunked"], "0\r\n\r\n") },
    {
      what: "chunked in two lines",
      bytes: post(["Transfer-Encoding: chunked", "Transfer-Encoding: identity"], "0\r\n\r\n"),
    },
    {
      what: "chunked with a tab before it",
      bytes: post(["Transfer-Encoding: \x0bchunked"], "0\r\n\r\n"),
    },
    {
      what: "a chunk size that is not a number",
      bytes: post(["Transfer-Encoding: chunked"], "x\r\nabc\r\n0\r\n\r\n"),
    },
    {
      what: "a chunk size with a sign",
      bytes: post(["Transfer-Encoding: chunked"], "+3\r\nabc\r\n0\r\n\r\n"),
    },
    {
      what: "a chunk size in 0x",
      bytes: post(["Transfer-Encoding: chunked"], "0x3\r\nabc\r\n0\r\n\r\n"),
    },
    {
      what: "a chunk that is longer than its size",
      bytes: post(["Transfer-Encoding: chunked"], "1\r\nabc\r\n0\r\n\r\n"),
    },
    {
      what: "a chunk that ends with a bare LF",
      bytes: post(["Transfer-Encoding: chunked"], "3\nabc\r\n0\r\n\r\n"),
    },
    {
      what: "a chunk size that overflows",
      bytes: post(["Transfer-Encoding: chunked"], "ffffffffffffffff1\r\nabc\r\n0\r\n\r\n"),
    },
  ])("a request with $what gets 400 and ends the connection", async ({ bytes }) => {
    const { statuses, closed, text } = await send(bytes + NEXT);
    expect(statuses.at(-1)).toBe(400);
    // The server can respond before it finds the invalid body, but never reads it as a request.
    expect(statuses.filter((status) => status === 200)).toEqual([]);
    expect(closed).toBe(true);
    expect(text).toMatch(/content-type: application\/problem\+json\r\n/i);
    expect(text).toMatch(/"code":"malformed_request"/);
  });

  test.each([
    {
      what: "an unknown method",
      bytes: "BREW /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
      status: 501,
    },
    {
      what: "an unknown transfer coding",
      bytes: post(["Transfer-Encoding: gzip, chunked"], "0\r\n\r\n"),
      status: 501,
    },
    { what: "CONNECT", bytes: "CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n", status: 501 },
    { what: "HTTP/2.0", bytes: "GET /healthz HTTP/2.0\r\nHost: x\r\n\r\n", status: 505 },
    { what: "HTTP/1.2", bytes: "GET /healthz HTTP/1.2\r\nHost: x\r\n\r\n", status: 505 },
    { what: "the preface of HTTP/2", bytes: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", status: 505 },
    {
      what: "a header of 20,000 bytes",
      bytes: get("Host: x", `X-A: ${"x".repeat(20_000)}`),
      status: 431,
    },
    {
      what: "a thousand headers",
      bytes: get("Host: x", ...Array.from({ length: 2000 }, (_, i) => `X-${i}: 12345`)),
      status: 431,
    },
  ])(
    "a request with $what is rejected and ends the connection: $status",
    async ({ bytes, status }) => {
      const { statuses, closed } = await send(bytes + NEXT);
      expect(statuses).toEqual([status]);
      expect(closed).toBe(true);
    },
  );
});
