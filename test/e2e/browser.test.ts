import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import axeCore from "axe-core";
import { expect, onTestFinished, test } from "vitest";
import { createKey, type NewKey } from "../../src/app/keys.ts";
import { applyCatalog } from "../../src/app/catalog/catalog.ts";
import { getBusiness } from "../../src/app/businesses.ts";
import { businessId } from "../../src/domain/catalog/object-id.ts";
import { createTestApp } from "../support/app.ts";
import type { Envelope } from "../../src/domain/events/envelope.ts";
import { type Page, useBrowser } from "../support/browser.ts";
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

type KeyFields = Pick<NewKey, "kind" | "scopes" | "limitMinute" | "limitHour">;

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
  const createSecret = (fields: KeyFields): string =>
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
      addons: [{ addon: wash, max: 2 }, { addon: oil }],
      variants: [{ key: short, name: Short, durationMin: 30, price: 30.00 },
        { key: long, name: "Long <b>hair</b>", durationMin: 60, price: 50.00 }] }
staff: [{ key: bea, name: Bea, public: true }]
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

test("a page of another origin can read and revalidate availability, and sees rate limit headers and the status 429", async (context) => {
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
  checked: boolean;
  scrollWidth: number;
  click: () => void;
  elements: Record<string, Element | Iterable<Element>>;
};
declare const document: {
  body: Element;
  activeElement: Element;
  documentElement: Element & { outerHTML: string };
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
 * returns what the page shows, and where the focus is.
 * @param name null waits for the responses without pressing a button
 * @param fields the fields of the guest to fill in before
 */
async function press(name: string | null, fields: Record<string, string> = {}) {
  // The page disables all buttons until the server has responded.
  const settled = async () => {
    while ([...document.querySelectorAll("button:disabled")].length > 0)
      await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const isVisible = ({ offsetParent }: Element) => offsetParent !== null;
  await settled();
  for (const [field, value] of Object.entries(fields)) {
    const found = [...document.querySelectorAll(`[name="${field}"]`)].filter(isVisible);
    const choice = found.find((one) => one.value === value);
    if (choice) choice.checked = true;
    else for (const one of found) one.value = value;
  }
  const isNamed = ({ ariaLabel, innerText }: Element) => (ariaLabel ?? innerText).includes(name!);
  const buttons = [...document.querySelectorAll("button")].filter(isVisible);
  if (name !== null) buttons.find(isNamed)!.click();
  await settled();
  return { shown: document.body.innerText, focus: document.activeElement.innerText };
}

/** Starts the example website with a new API key. */
async function startWebsite(createSecret: (fields: KeyFields) => string, url: string) {
  // The guide tells owners to set these limits.
  const limits = { limitMinute: 600, limitHour: 20_000 };
  const scopes: NewKey["scopes"] = ["services.read", "bookings.write"];
  const KEY = createSecret({ kind: "RESTRICTED", scopes, ...limits });
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

test("the example website without scripts shows the services and how to reach the business", async (context) => {
  const { rt, createSecret, url } = await serveShop();
  applyCatalog(rt, [{ name: "reachable.yaml", text: REACHABLE }], { confirmed: true });
  const { site } = await startWebsite(createSecret, url);
  const page = await openPage(context, `${site}/`, { scripts: false });
  const { text, links } = await page.run(async () => ({
    text: document.body.innerText,
    links: [...document.querySelectorAll("noscript a")].map((link) => String(link)),
  }));
  expect(text).toContain("Book a visit at Shop <b>& $& more");
  expect(text).toContain("Cut, 60 min, €40.00\nColor, 120 min, €90.00\nYoga, 60 min, €12.00");
  expect(text).toContain(
    "This page needs JavaScript to show free times. To book without it, contact Shop <b>& $& more, +351 21 123 45 67, ana@example.com.",
  );
  expect(links).toEqual(["tel:+351211234567", "mailto:ana@example.com"]);
});

test("the example website shows its first page while deskbell does not run", async (context) => {
  const { createSecret } = await serveShop();
  const { site } = await startWebsite(createSecret, "http://127.0.0.1:9/v1/businesses/shop");
  const page = await openPage(context, `${site}/`);
  expect((await page.run(press, null)).shown).toContain("Something went wrong");
});

test("the example website books, reschedules and cancels, and each booking, move and cancellation sends a webhook", async (context) => {
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
  const booking = () => rt.store.bookings.list({ businessId: businessId(SHOP_SLUG) }, 1)[0]!;
  const { site, KEY } = await startWebsite(createSecret, url);

  const page = await openPage(context, `${site}/`);
  await page.run(recordResponses);
  const listed = (await page.run(press, null)).shown;
  expect(listed).toContain("Book a visit at The Shop");
  expect(listed).toContain("<img src=x onerror=alert(1)>, 30 min, from €30.00");
  expect(listed).not.toContain("By phone");

  const options = await page.run(press, "<img");
  expect(options.focus).toBe("<img src=x onerror=alert(1)>");
  expect(options.shown).toContain("Long <b>hair</b>, 60 min, €50.00");
  expect(options.shown).toContain("Wash, €5.00 each, up to 2");
  const chosen = {
    variant: shopId("svv", "cut", "long"),
    staff: shopId("stf", "bea"),
    [shopId("adn", "oil")]: "1",
  };
  const days = await page.run(press, "Show free days", chosen);
  expect(days.focus).toBe("Choose a day");
  expect(days.shown).toContain("5 free days in November 2026");
  expect((await page.run(press, "Later")).shown).toContain("December 2026");
  expect((await page.run(press, "Earlier")).shown).toContain("5 free days in November 2026");
  const times = await page.run(press, "Monday, November 23, 2026, 9 free times");
  expect(times.focus).toBe("Monday, November 23, 2026");
  expect(times.shown).toContain("9 free times");

  // Another client holds both staff members at a time that the page still shows.
  const other = createSecret({ kind: "SECRET", scopes: [] });
  for (const id of ["1", "2"])
    expect(await hold(`${url}/holds`, other, id, "2026-11-23T09:00:00Z")).toBe(201);
  const taken = await page.run(press, "23, 2026 at 9:00 AM");
  expect(taken.shown).toContain("has just been taken");
  expect(taken.focus).toBe("Free times nearby");
  const held = await page.run(press, "23, 2026 at 10:00 AM");
  expect(held.shown).toContain("10:00 AM, €57.00. We keep this time");
  expect(held.focus).toBe("Your details");
  const openHolds = () => rt.store.holds.getState(businessId(SHOP_SLUG), rt.now()).split(" ")[0];
  expect(openHolds()).toBe("3");
  expect((await page.run(press, "Choose another time")).shown).not.toContain("We keep this time");
  expect(openHolds()).toBe("2");

  await page.run(press, "23, 2026 at 10:00 AM");
  const guest = { name: "Ana <b>Silva</b>", email: "ana@example.com" };
  const booked = await page.run(press, "Book", guest);
  expect(booked.shown).toContain("Your visit is booked: <img src=x onerror=alert(1)>, Monday");
  expect(booked.focus).toBe("Your visit");
  expect(await received()).toBe("booking.created 2026-11-23T10:00 CONFIRMED");
  const [segment] = booking().segments;
  expect(segment).toMatchObject({ staffId: chosen.staff, variantId: chosen.variant });
  expect(segment?.addons).toMatchObject([{ addonId: shopId("adn", "oil"), quantity: 1 }]);

  expect((await page.run(press, "Choose another time")).focus).toBe("Choose a day");
  await page.run(press, "Wednesday, November 25");
  const moved = await page.run(press, "25, 2026 at 11:00 AM");
  expect(moved.shown).toContain("Wednesday, November 25");
  expect(await received()).toBe("booking.updated 2026-11-25T11:00 CONFIRMED");
  const asked = await page.run(press, "Cancel the visit");
  expect(asked.focus).toBe("Do you want to cancel your visit?");
  expect((await page.run(press, "No, keep it")).shown).toContain("Your visit is booked");
  expect(booking().status).toBe("CONFIRMED");
  await page.run(press, "Cancel the visit");
  const cancelled = await page.run(press, "Yes, cancel it");
  expect(cancelled.shown).toContain("Your visit is cancelled");
  expect(cancelled.shown).not.toContain("Cancel the visit");
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

declare const axe: {
  run: (options: object) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
};

/** Returns the accessibility rules that a page violates, and whether it scrolls sideways. */
async function examine(page: Page, width: number) {
  await page.load(axeCore.source);
  return page.run(async (width) => {
    const { violations } = await axe.run({ resultTypes: ["violations"] });
    const found = violations.map(({ id, nodes: [first] }) => `${id}: ${first?.html}`);
    return document.documentElement.scrollWidth > width ? [...found, "scrolls sideways"] : found;
  }, width);
}

test.for([false, true])(
  "each step of the example website is accessible on a phone (dark: %s)",
  { timeout: 60_000 },
  async (dark, context) => {
    const { rt, createSecret, url } = await serveShop();
    applyCatalog(rt, [{ name: "hostile.yaml", text: HOSTILE_NAME }]);
    const { site } = await startWebsite(createSecret, url);
    const page = await openPage(context, `${site}/`, { width: 320, dark });
    const guest = { name: "Ana", email: "ana@example.com" };
    const steps: [name: string | null, fields?: Record<string, string>][] = [
      [null],
      ["<img"],
      ["Show free days"],
      ["Monday, November 23"],
      ["23, 2026 at 10:00 AM"],
      ["Book", guest],
      ["Cancel the visit"],
      ["Yes, cancel it"],
    ];
    for (const [name, fields] of steps) {
      const { shown } = await page.run(press, name, fields ?? {});
      expect([shown, await examine(page, 320)]).toEqual([shown, []]);
    }
    expect(page.errors).toEqual([]);
  },
);
