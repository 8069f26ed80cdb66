import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createKey, type NewKey } from "../../src/app/keys.ts";
import { applyCatalog } from "../../src/app/catalog/catalog.ts";
import { getBusiness } from "../../src/app/businesses.ts";
import { businessId } from "../../src/domain/catalog/object-id.ts";
import { createTestApp } from "../support/app.ts";
import type { Envelope } from "../../src/domain/envelope.ts";
import { useBrowser } from "../support/browser.ts";
import { startProgram } from "../support/cli.ts";
import { createTestWorker, subscribe } from "../support/delivery.ts";
import { createReceiver } from "../support/receiver.ts";
import { shopId, seedShop, SHOP_SLUG } from "../support/shop.ts";
import { createTestRuntime } from "../support/test-runtime.ts";
import { installWebsite } from "../support/website.ts";

const openPage = useBrowser();

async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Starts the API and records the status codes of its responses. */
async function serveShop() {
  const rt = createTestRuntime();
  seedShop(rt);
  const app = createTestApp(rt);
  const statuses: number[] = [];
  const api = await listen((request, response) => {
    response.on("finish", () => statuses.push(response.statusCode));
    app.listener(request, response);
  });
  const createSecret = (fields: Pick<NewKey, "kind" | "scopes">): string =>
    createKey(rt, { businessId: businessId(SHOP_SLUG), name: "page", ...fields }).secret;
  return { rt, statuses, createSecret, url: `${api}v1/businesses/${SHOP_SLUG}` };
}

/** Starts the API and a web page of another origin. */
async function setUp() {
  const { statuses, createSecret, url } = await serveShop();
  const site = await listen((_, response) => {
    response
      .setHeader("content-type", "text/html")
      .end("<!doctype html><link rel=icon href=data:,>");
  });
  const secret = createSecret({ kind: "SECRET", scopes: [] });
  return { statuses, site, secret, url: (path: string) => `${url}/${path}` };
}

const HOSTILE_NAME = `
catalog: 1
business: { slug: shop, name: The Shop, timezone: Europe/Lisbon, currency: EUR }
services:
  - { key: cut, name: "<img src=x onerror=alert(1)>", durationMin: 60, price: 40.00, staff: [ann, bea],
      addons: [{ addon: wash, max: 2 }, { addon: oil }] }
`;

/** Fetches a URL in the page and returns what its scripts can see of the response. */
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

test("a page of another origin can read and revalidate availability, and sees rate limit headers and the 429", async (context) => {
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
  // The browser revalidates its cached response on its own.
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
  // The preflights of the two requests with a key got 204, but did not allow these requests.
  expect(statuses).toEqual([401, 204, 204]);
}, 60_000);

/** The part of the DOM that the functions below use in the browser. */
type Element = {
  ariaLabel: string | null;
  innerText: string;
  /** A hidden element has null. */
  offsetParent: Element | null;
  value: string;
  click: () => void;
  elements: Record<string, Element>;
};
declare const document: {
  body: Element;
  documentElement: { outerHTML: string };
  getElementById: (id: string) => Element;
  querySelectorAll: (selector: string) => Iterable<Element>;
};
declare const location: { hash: string };

/** Makes the page record its first content and the responses to its later requests. */
async function recordResponses() {
  const send = globalThis.fetch;
  const seen: string[] = [document.documentElement.outerHTML];
  globalThis.fetch = async (...request) => {
    const response = await send(...request);
    seen.push(await response.clone().text());
    return response;
  };
  Object.assign(globalThis, { seen });
}

const readRecord = async () => ({
  seen: (globalThis as unknown as { seen: string[] }).seen,
  reference: location.hash.slice(1),
});

/** Holds a time with another key and returns the status of the response. */
async function hold(url: string, secret: string, id: string, startsAt: string): Promise<number> {
  const { status } = await fetch(url, {
    method: "POST",
    headers: {
      authorization: `Bearer ${secret}`,
      "content-type": "application/json",
      "idempotency-key": id,
    },
    body: JSON.stringify({ startsAt, segments: [{ serviceId: shopId("svc", "cut") }] }),
  });
  return status;
}

/**
 * Presses the visible button whose name contains `name`, waits until the server has responded, and
 * returns what the page shows.
 * @param name null waits for the responses without pressing a button
 */
async function press(name: string | null, guest: Record<string, string> = {}) {
  // The page disables all buttons until the server has responded.
  const settled = async () => {
    while ([...document.querySelectorAll("button:disabled")].length > 0)
      await new Promise((resolve) => setTimeout(resolve, 20));
  };
  await settled();
  for (const [field, value] of Object.entries(guest))
    document.getElementById("guest").elements[field]!.value = value;
  const isNamed = ({ ariaLabel, innerText, offsetParent }: Element) =>
    offsetParent !== null && (ariaLabel ?? innerText).includes(name ?? "");
  if (name !== null) [...document.querySelectorAll("button")].find(isNamed)!.click();
  await settled();
  return document.body.innerText;
}

/** Starts the example website with a new API key. */
async function startWebsite(
  createSecret: (fields: Pick<NewKey, "kind" | "scopes">) => string,
  url: string,
) {
  const KEY = createSecret({ kind: "RESTRICTED", scopes: ["services.read", "bookings.write"] });
  const website = startProgram([], {
    program: installWebsite(),
    env: { API: url, KEY, PORT: "0", LINK_SECRET: "x".repeat(32) },
  });
  const [site] = await website.waitForOutput(/http:\/\/127\.0\.0\.1:\d+/);
  return { site, KEY };
}

const REACHABLE = `
catalog: 1
business: { slug: shop, name: "Shop <b>& $& more", timezone: Europe/Lisbon, currency: EUR, phone: "+351 21 123 45 67", email: ana@example.com }
`;

test("the example website without scripts says how to reach the business", async (context) => {
  const { rt, createSecret, url } = await serveShop();
  applyCatalog(rt, [{ name: "reachable.yaml", text: REACHABLE }], { confirmed: true });
  const { site } = await startWebsite(createSecret, url);
  const page = await openPage(context, `${site}/`, { scripts: false });
  const { text, links } = await page.run(async () => ({
    text: document.body.innerText,
    links: [...document.querySelectorAll("noscript a")].map((link) => String(link)),
  }));
  expect(text).toContain(
    "This page needs JavaScript to show free times. To book without it, contact Shop <b>& $& more, +351 21 123 45 67, ana@example.com.",
  );
  expect(links).toEqual(["tel:+351211234567", "mailto:ana@example.com"]);
});

test("the example website lists, holds, books, reschedules and cancels, and the last three send webhooks", async (context) => {
  const { rt, createSecret, url } = await serveShop();
  applyCatalog(rt, [{ name: "hostile.yaml", text: HOSTILE_NAME }]);
  const partner = await createReceiver();
  const types = ["booking.created", "booking.updated", "booking.cancelled"];
  await subscribe(rt, getBusiness(rt, SHOP_SLUG), partner.url, types);
  const worker = createTestWorker(rt);
  const received = async () => {
    worker.wake();
    await worker.whenIdle();
    const { type, data } = JSON.parse(String(partner.requests.at(-1)?.body)) as Envelope;
    const { startsAt, status } = data.object as { startsAt: string; status: string };
    return `${type} ${startsAt.slice(0, 16)} ${status}`;
  };
  const { site, KEY } = await startWebsite(createSecret, url);

  const page = await openPage(context, `${site}/`);
  await page.run(recordResponses);
  const listed = await page.run(press, null);
  expect(listed).toContain("Book a visit at The Shop");
  expect(listed).toContain("<img src=x onerror=alert(1)>, €40.00");
  expect(listed).toMatch(/Monday, November 23, 2026\s+9:00 AM/);

  // Another client holds both staff members at a time that the page still shows.
  const other = createSecret({ kind: "SECRET", scopes: [] });
  for (const id of ["1", "2"])
    expect(await hold(`${url}/holds`, other, id, "2026-11-23T09:00:00Z")).toBe(201);
  expect(await page.run(press, "23, 2026 at 9:00 AM")).toContain("has just been taken");
  expect(await page.run(press, "23, 2026 at 10:00 AM")).toContain("We keep this time");
  const openHolds = () => rt.store.holds.getState(businessId(SHOP_SLUG), rt.now()).split(" ")[0];
  expect(openHolds()).toBe("3");
  expect(await page.run(press, "Choose another time")).not.toContain("We keep this time");
  expect(openHolds()).toBe("2");

  await page.run(press, "23, 2026 at 10:00 AM");
  const guest = { name: "Ana <b>Silva</b>", email: "ana@example.com" };
  const booked = await page.run(press, "Book", guest);
  expect(booked).toContain("Your visit is booked: <img src=x onerror=alert(1)>, Monday");
  expect(await received()).toBe("booking.created 2026-11-23T10:00 CONFIRMED");
  await page.run(press, "Choose another time");
  expect(await page.run(press, "25, 2026 at 11:00 AM")).toContain("Wednesday, November 25");
  expect(await received()).toBe("booking.updated 2026-11-25T11:00 CONFIRMED");
  expect(await page.run(press, "Cancel the visit")).toContain("Your visit is cancelled");
  expect(await received()).toBe("booking.cancelled 2026-11-25T11:00 CANCELLED");

  const { seen, reference } = await page.run(readRecord);
  expect(seen.length).toBeGreaterThan(8);
  expect(seen.filter((text) => text.includes(KEY) || text.includes("deskbell_"))).toEqual([]);
  expect(page.requests.filter((url) => !url.startsWith("data:") && !url.startsWith(site))).toEqual(
    [],
  );
  // The browser logs the 409 for the time that was taken.
  expect(page.errors.filter((error) => !error.includes("409"))).toEqual([]);

  const post = async (path: string, body: string, type = "application/json") =>
    (await fetch(site + path, { method: "POST", body, headers: { "content-type": type } })).status;
  const genuine = JSON.stringify({ reference });
  expect(await post("/cancel", genuine)).toBe(200);
  expect(await post("/cancel", genuine, "text/plain")).toBe(400);
  expect(await post("/cancel", genuine.replace(".", ".x"))).toBe(404);
  expect(await post("/cancel", "null")).toBe(404);
  expect(await post("/cancel", "{")).toBe(400);
  expect(await post("/hold", JSON.stringify({ service: "../keys", startsAt: "x" }))).toBe(404);
  expect(await post("/constructor", "{}")).toBe(404);
}, 60_000);
