import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { Pipeline } from "../../../src/http/pipeline/pipeline.ts";
import { groupByPath } from "../../../src/http/pipeline/route.ts";
import { createListener } from "../../../src/http/transport/listener.ts";
import type { Router } from "../../../src/http/pipeline/router.ts";

/** Starts a server on a free port until the test ends. Returns its URL. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const handle = () => ({ status: 200, headers: [], body: null });
const ROUTE_PATHS = groupByPath([
  { method: "GET", path: "/healthz", scope: "open", handle },
  { method: "GET", path: "/v1/businesses/:slug/services", scope: "open", handle },
  { method: "GET", path: "/v1/businesses/:slug/webhooks/:id", scope: "open", handle },
  { method: "GET", path: "/b/:slug", scope: "open", handle },
  { method: "GET", path: "/b/:slug/menu", scope: "open", handle },
]);

/** Serves ROUTE_PATHS with the text of `describe`, and all other requests with "router". */
function servePaths(
  describe: (...args: Parameters<Pipeline["handle"]>) => string,
): Promise<string> {
  const pipeline: Pipeline = {
    handle: (...args) => ({ status: 200, headers: [], body: Buffer.from(describe(...args)) }),
    reject: () => ({ status: 500, headers: [], body: null }),
  };
  const router = {
    listener: (_: unknown, res: ServerResponse) => void res.end("router"),
  } as unknown as Router;
  return serve(createListener(ROUTE_PATHS, pipeline, () => Promise.resolve(router)));
}

test.each([
  ["/healthz", "/healthz"],
  ["/healthz?x=1", "/healthz"],
  ["/v1/businesses/salon/services", "/v1/businesses/:slug/services"],
  ["/b/salon", "/b/:slug"],
  ["/b/salon?x=/", "/b/:slug"],
  ["/b/salon/menu", "/b/:slug/menu"],
  ["/b/salon.md", "router"],
  ["/b/salon/", "router"],
  ["/b/", "/b/:slug"],
  ["/v1/businesses/salon//healthz", "router"],
  ["/v1/businesses/salon/webhooks/whe_1", "router"],
  ["/v1/businesses/s%61lon/services", "router"],
  ["/services", "router"],
])("a GET of %s is handled by %s", async (url, expected) => {
  const address = await servePaths(({ path }) => path);
  expect(await (await fetch(address + url)).text()).toBe(expected);
});

test("an error that the router throws becomes a problem response", async () => {
  const rejected: unknown[] = [];
  const pipeline: Pipeline = {
    handle,
    reject: (_, error) => {
      rejected.push(error);
      return { status: 500, headers: [], body: null };
    },
  };
  const thrown = new TypeError("Invalid URL");
  const router = { listener: () => Promise.reject(thrown) } as unknown as Router;
  const address = await serve(createListener(ROUTE_PATHS, pipeline, () => Promise.resolve(router)));
  expect((await fetch(`${address}/nowhere`)).status).toBe(500);
  expect(rejected).toEqual([thrown]);
});

test("a request never gets the response to the URL of the previous request", async () => {
  const address = await servePaths(
    (_, { params, path, search }) => `${params["slug"]} ${path} ${search}`,
  );
  const services = "/v1/businesses/salon/services?limit=1";
  const other = services.replace("salon", "venue").replace("limit", "&limit");
  const request = async (method: string, url: string) =>
    (await fetch(address + url, { method })).text();
  const responses = [];
  for (const method of ["GET", "GET", "POST", "GET"])
    responses.push(await request(method, services));
  responses.push(
    await request("GET", other),
    await request("GET", "/v1/businesses/venue/services?"),
  );
  const salon = "salon /v1/businesses/salon/services ?limit=1";
  const venue = "venue /v1/businesses/venue/services";
  expect(responses).toEqual([salon, salon, "router", salon, `${venue} ?&limit=1`, `${venue} `]);
});

test("a request is rejected if the router cannot be loaded, and the daemon keeps running", async () => {
  const rejected: unknown[] = [];
  const pipeline: Pipeline = {
    handle: () => ({ status: 200, headers: [], body: null }),
    reject: ({ method, path }, error) => {
      rejected.push([method, path, (error as Error).message]);
      return { status: 500, headers: ["request-id", "req_1"], body: null };
    },
  };
  const loadRouter = () => Promise.reject(new Error("Cannot find module dist/router.js"));
  const address = await serve(createListener([], pipeline, loadRouter));
  const { status, headers } = await fetch(`${address}/v1/businesses/salon/webhooks?x=1`, {
    method: "POST",
  });
  expect([status, headers.get("request-id")]).toEqual([500, "req_1"]);
  expect(rejected).toEqual([
    ["POST", "/v1/businesses/salon/webhooks", "Cannot find module dist/router.js"],
  ]);
});
