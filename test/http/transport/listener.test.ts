import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { Pipeline } from "../../../src/http/pipeline/pipeline.ts";
import { groupByPath } from "../../../src/http/pipeline/route-path.ts";
import { createListener } from "../../../src/http/transport/listener.ts";
import type { Router } from "../../../src/http/pipeline/router.ts";

/** A server on a free port, to the end of the test. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const handle = () => ({ status: 200, headers: [], body: null });
const PLACES = groupByPath([
  { method: "GET", path: "/healthz", scope: "open", handle },
  { method: "GET", path: "/v1/businesses/:slug/services", scope: "open", handle },
  { method: "GET", path: "/v1/businesses/:slug/webhooks/:id", scope: "open", handle },
]);

/** Serves these places, each answering with what `tell` has to say, beside a router that says its name. */
function servePlaces(tell: (...asked: Parameters<Pipeline["handle"]>) => string): Promise<string> {
  const answering: Pipeline = {
    handle: (place, asked) => ({ status: 200, headers: [], body: Buffer.from(tell(place, asked)) }),
    reject: () => ({ status: 500, headers: [], body: null }),
  };
  const router = {
    listener: (_: unknown, res: ServerResponse) => void res.end("router"),
  } as unknown as Router;
  return serve(createListener(PLACES, answering, () => Promise.resolve(router)));
}

test.each([
  ["/healthz", "/healthz"],
  ["/healthz?x=1", "/healthz"],
  ["/v1/businesses/salon/services", "/v1/businesses/:slug/services"],
  ["/v1/businesses/salon//healthz", "router"],
  ["/v1/businesses/salon/webhooks/whe_1", "router"],
  ["/v1/businesses/s%61lon/services", "router"],
  ["/services", "router"],
])("%s is answered by %s", async (url, expected) => {
  const address = await servePlaces(({ path }) => path);
  expect(await (await fetch(address + url)).text()).toBe(expected);
});

test("what was asked just before is not taken for what is asked now", async () => {
  const address = await servePlaces(
    (_, { params, path, search }) => `${params["slug"]} ${path} ${search}`,
  );
  const services = "/v1/businesses/salon/services?limit=1";
  const other = services.replace("salon", "venue").replace("limit", "&limit");
  const ask = async (method: string, url: string) =>
    (await fetch(address + url, { method })).text();
  const answers = [];
  for (const asked of ["GET", "GET", "POST", "GET"]) answers.push(await ask(asked, services));
  answers.push(await ask("GET", other), await ask("GET", "/v1/businesses/venue/services?"));
  const salon = "salon /v1/businesses/salon/services ?limit=1";
  const venue = "venue /v1/businesses/venue/services";
  expect(answers).toEqual([salon, salon, "router", salon, `${venue} ?&limit=1`, `${venue} `]);
});

test("what is left to a router that cannot be loaded is refused, and the daemon lives", async () => {
  const refused: unknown[] = [];
  const answering: Pipeline = {
    handle: () => ({ status: 200, headers: [], body: null }),
    reject: ({ method, path }, error) => {
      refused.push([method, path, (error as Error).message]);
      return { status: 500, headers: ["request-id", "req_1"], body: null };
    },
  };
  const gone = () => Promise.reject(new Error("Cannot find module dist/router.js"));
  const address = await serve(createListener([], answering, gone));
  const { status, headers } = await fetch(`${address}/v1/businesses/salon/webhooks?x=1`, {
    method: "POST",
  });
  expect([status, headers.get("request-id")]).toEqual([500, "req_1"]);
  expect(refused).toEqual([
    ["POST", "/v1/businesses/salon/webhooks", "Cannot find module dist/router.js"],
  ]);
});
