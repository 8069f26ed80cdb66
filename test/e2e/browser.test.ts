import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createKey } from "../../src/app/keys.ts";
import { businessId } from "../../src/domain/catalog/object-id.ts";
import { createApp } from "../../src/http/app.ts";
import { openPage } from "../support/browser.ts";
import { shopId, seedShop, SHOP_SLUG } from "../support/shop.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Starts the API, which records its status codes, and a web page of another origin. */
async function setUp() {
  const rt = createTestRuntime();
  seedShop(rt);
  const app = createApp(rt);
  const statuses: number[] = [];
  const api = await listen((request, response) => {
    response.on("finish", () => statuses.push(response.statusCode));
    app.listener(request, response);
  });
  const site = await listen((_, response) => {
    response
      .setHeader("content-type", "text/html")
      .end("<!doctype html><link rel=icon href=data:,>");
  });
  const { secret } = createKey(rt, {
    businessId: businessId(SHOP_SLUG),
    name: "page",
    kind: "SECRET",
    scopes: [],
  });
  return {
    statuses,
    site,
    secret,
    url: (path: string) => `${api}v1/businesses/${SHOP_SLUG}/${path}`,
  };
}

/** Runs in the page: returns what its scripts can see of a response. */
async function fetchFromPage(url: string) {
  const response = await fetch(url);
  const names = ["etag", "ratelimit", "ratelimit-policy", "retry-after", "request-id"];
  return {
    status: response.status,
    headers: Object.fromEntries(names.map((name) => [name, response.headers.get(name)])),
    body: (await response.json()) as { data?: object; code?: string },
  };
}

const query = `availability?serviceId=${shopId("svc", "cut")}&date=2026-11-23`;

test("a page of another origin can read and revalidate availability, with rate limit headers and the 429", async (context) => {
  const { site, url, statuses } = await setUp();
  const page = await openPage(context, site);
  const first = await page.run(fetchFromPage, url(query));
  expect(first).toMatchObject({
    status: 200,
    headers: {
      etag: expect.stringMatching(/^W\/"/),
      ratelimit: '"per-minute";r=59;t=60, "per-hour";r=999;t=3600',
      "ratelimit-policy": '"per-minute";q=60;w=60, "per-hour";q=1000;w=3600',
      "request-id": expect.stringMatching(/^req_/),
    },
    body: { data: { days: [{ state: "OPEN" }] } },
  });
  // The browser revalidates its cached response by itself.
  expect(await page.run(fetchFromPage, url(query))).toMatchObject({
    status: 200,
    body: first.body,
  });
  expect(statuses).toEqual([200, 304]);

  expect(await page.run(fetchFromPage, url("availability?nope=1"))).toMatchObject({
    status: 400,
    body: { code: "invalid_parameter" },
  });
  for (let asked = 3; asked < 60; asked++) await page.run(fetchFromPage, url("availability"));
  expect(await page.run(fetchFromPage, url(query))).toMatchObject({
    status: 429,
    headers: { "retry-after": "60", ratelimit: '"per-minute";r=0;t=60, "per-hour";r=940;t=3600' },
    body: { code: "rate_limited" },
  });
}, 60_000);

test("a page of another origin cannot use routes that need a key", async (context) => {
  const { site, url, secret, statuses } = await setUp();
  const page = await openPage(context, site);
  const tryFetch = (address: string, key: string | null) =>
    fetch(address, key === null ? {} : { headers: { authorization: `Bearer ${key}` } }).then(
      ({ status }) => `read ${status}`,
      (error: Error) => error.name,
    );
  expect(await page.run(tryFetch, url("services"), null)).toBe("TypeError");
  expect(await page.run(tryFetch, url("services"), secret)).toBe("TypeError");
  expect(await page.run(tryFetch, url(`${query}&explain=true`), secret)).toBe("TypeError");
  // The requests with a key were blocked at their preflights, which got the two 204s.
  expect(statuses).toEqual([401, 204, 204]);
}, 60_000);
