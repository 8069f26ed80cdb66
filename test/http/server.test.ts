import { once } from "node:events";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { type RunningServer, startServer } from "../../src/http/server.ts";
import { type TestApi, createTestApi, SALON } from "./support/api.ts";

const SERVICES = `/v1/businesses/${SALON}/services`;
const WEBHOOKS = `/v1/businesses/${SALON}/webhooks`;

async function serve(): Promise<{ api: TestApi; server: RunningServer }> {
  const api = createTestApi();
  const server = await startServer(api, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => server.close());
  return { api, server };
}

/** Sends raw bytes and returns everything received until the server closes the connection. */
async function sendRaw(server: RunningServer, ...parts: string[]): Promise<string> {
  const socket = connect(server.port, "127.0.0.1");
  socket.setEncoding("utf8");
  let text = "";
  socket.on("data", (chunk) => (text += chunk));
  socket.on("error", () => {});
  for (const part of parts) socket.write(part);
  await once(socket, "close");
  return text;
}

test("the server listens on the port that it reports", async () => {
  const { api, server } = await serve();
  expect(server.url).toBe(`http://127.0.0.1:${server.port}`);
  const response = await fetch(server.url + SERVICES, {
    headers: { authorization: `Bearer ${api.key}` },
  });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-encoding")).toBe("gzip");
  expect(((await response.json()) as { data: unknown[] }).data.length).toBeGreaterThan(10);
});

// The router handles URLs with percent-encoding, the listener all others.
test.each([
  { path: "services" },
  { path: "services?includeVariants=true&limit=2" },
  { path: "services?" },
  { path: "services?nope=1" },
  { path: "events/catalog", headers: { "accept-encoding": "gzip" } },
  { path: "menu", headers: { "if-none-match": "*" } },
  { path: "staff", headers: { authorization: "Bearer nonsense" } },
  { path: "staff/" },
  { path: "nowhere" },
  { path: "changes?limit=3" },
  { path: "availability?nope=1" },
])(
  "a GET of /$path with $headers gets the same response from the listener and the router",
  async ({ path, headers }) => {
    const { api, server } = await serve();
    const request = async (slug: string) => {
      const response = await fetch(`${server.url}/v1/businesses/${slug}/${path}`, {
        headers: { authorization: `Bearer ${api.key}`, ...headers },
      });
      const changing = /^(date|request-id|ratelimit|content-length)$/;
      return {
        status: response.status,
        headers: [...response.headers].filter(([name]) => !changing.test(name)),
        body: (await response.text()).replaceAll(/req_\w+/g, ""),
      };
    };
    expect(await request(SALON)).toEqual(await request(`%73${SALON.slice(1)}`));
  },
);

test("HEAD and 304 responses have no body and no wrong Content-Length", async () => {
  const { api, server } = await serve();
  const request = (method: string, more = "") =>
    sendRaw(
      server,
      `${method} ${SERVICES} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\nConnection: close\r\n${more}\r\n`,
    );
  const head = await request("HEAD");
  expect(head).toMatch(/^HTTP\/1.1 200 /);
  expect(head).toMatch(/\r\ncontent-length: \d{4,}\r\n/);
  expect(head.endsWith("\r\n\r\n")).toBe(true);
  const etag = /etag: (.*)\r\n/.exec(head)?.[1];
  const notModified = await request("GET", `If-None-Match: ${etag}\r\n`);
  expect(notModified).toMatch(/^HTTP\/1.1 304 /);
  expect(notModified).not.toMatch(/content-length/i);
  expect(notModified.endsWith("\r\n\r\n")).toBe(true);
});

test("starting on a port that is in use fails with a fix", async () => {
  const { api, server } = await serve();
  await expect(startServer(api, { host: "127.0.0.1", port: server.port })).rejects.toMatchObject({
    code: "state_refuses",
    message: `Cannot listen on port ${server.port} of 127.0.0.1.`,
    fix: expect.stringContaining("--port"),
  });
});

test("a chunked body over 64 KiB is rejected, and the connection stays usable", async () => {
  const { api, server } = await serve();
  const chunk = `${(16_384).toString(16)}\r\n${"x".repeat(16_384)}\r\n`;
  const responses = await sendRaw(
    server,
    `POST ${WEBHOOKS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
    ...Array.from({ length: 20 }, () => chunk),
    `0\r\n\r\nGET ${SERVICES}?limit=1 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\nConnection: close\r\n\r\n`,
  );
  expect(responses).toMatch(/^HTTP\/1.1 413 /);
  expect(responses).toContain('"code":"body_too_large"');
  expect(responses).toMatch(/HTTP\/1.1 200 /);
});

test("a request with a Content-Length over the limit is rejected before its body arrives", async () => {
  const { api, server } = await serve();
  const socket = connect(server.port, "127.0.0.1");
  socket.write(
    `POST ${WEBHOOKS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\nContent-Type: application/json\r\nContent-Length: 400000000\r\n\r\n{`,
  );
  const [first] = (await once(socket, "data")) as [Buffer];
  expect(first.toString()).toMatch(/^HTTP\/1.1 413 /);
  socket.destroy();
});

test.each([
  {
    what: "a URL of 15,000 characters",
    request: `GET /v1/${"x".repeat(15_000)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    status: 414,
    code: "uri_too_long",
    title: "URI too long",
  },
  {
    what: "20,000 bytes of headers",
    request: `GET /v1/x HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(20_000)}\r\n\r\n`,
    status: 431,
    code: "headers_too_large",
  },
  {
    what: "a request that is not HTTP",
    request: "hello\r\n\r\n",
    status: 400,
    code: "malformed_request",
  },
  {
    what: "invalid percent-encoding",
    request: "GET /v1/businesses/%E0%A4%A/menu HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    status: 404,
    code: "route_not_found",
  },
  {
    what: "an unknown path",
    request: "GET /nowhere HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
    status: 404,
    code: "route_not_found",
  },
])(
  "a request with $what gets $status, with a problem that does not repeat the request",
  async ({ request, status, code }) => {
    const { server } = await serve();
    const response = await sendRaw(server, request);
    expect(response).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(response).toMatch(/content-type: application\/problem\+json\r\n/i);
    expect(response).toMatch(/request-id: req_/i);
    expect(JSON.parse(response.slice(response.indexOf("\r\n\r\n")))).toMatchObject({
      status,
      code,
    });
    expect(response).not.toMatch(/evil|xxxx/);
  },
);

test("a closing server finishes started requests, closes idle connections and accepts no more", async () => {
  const { api, server } = await serve();
  const idle = connect(server.port, "127.0.0.1");
  await once(idle, "connect");
  const started = connect(server.port, "127.0.0.1");
  const body = JSON.stringify({ name: "x", url: "https://8.8.8.8/x", events: ["catalog.changed"] });
  started.write(
    `POST ${WEBHOOKS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  expect(String(await once(started, "data"))).toMatch(/^HTTP\/1.1 100 /);
  const closing = server.close();
  await once(idle, "close");
  started.write(body);
  const [response] = (await once(started, "data")) as [Buffer];
  expect(response.toString()).toMatch(/^HTTP\/1.1 201 /);
  await closing;
  await expect(fetch(server.url)).rejects.toThrow();
});

test("a client that disconnects in the middle of its body causes no error log", async () => {
  const { api, server } = await serve();
  const socket = connect(server.port, "127.0.0.1");
  socket.write(
    `POST ${WEBHOOKS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\nContent-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n`,
  );
  await once(socket, "data");
  socket.destroy();
  await server.close();
  expect(api.logged).toEqual([]);
});
