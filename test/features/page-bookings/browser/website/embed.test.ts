import { createServer } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test, type TestContext } from "vitest";
import { startServer } from "../../../../../src/http/server.ts";
import { editCatalog } from "../../../../../src/app/catalog/changes/edit-catalog.ts";
import { findPageKey } from "../../../../../src/features/page-bookings/access.ts";
import { readPageFile } from "../../../../../src/platform/assets.ts";
import { applyPreset } from "../../../../http/support/api.ts";
import { useBrowser } from "../../../../support/browser.ts";
import { drive } from "../../../../support/page-driver.ts";
import { createTestRuntime } from "../../../../support/test-runtime.ts";
import { businessOf, listMade, publish } from "../../open-page.ts";

// The browser keeps no cookies of other sites, as most do by now.
const openBrowser = useBrowser(["--test-third-party-cookie-phaseout"]);
const FLOW_MS = 120_000;

/**
 * Opens a website that shows the booking page of the business. The website and the server are
 * different sites for the browser.
 */
async function openWebsite(t: TestContext, isAllowed: boolean) {
  const rt = createTestRuntime({}, Date.now());
  applyPreset(rt, "restaurant");
  publish(rt);
  const { slug } = businessOf(rt);
  const server = await startServer(rt, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => server.close());
  const website = createServer((_request, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(`<!doctype html><html lang="en"><title>Our restaurant</title>
      <meta name="viewport" content="width=device-width">
      <script>
        booked = [];
        addEventListener("deskbell:booked", ({ detail }) => booked.push(JSON.stringify(detail)));
      </script>
      <h1>Our restaurant</h1>
      <script src="${server.url}/embed.js"></script>
      <deskbell-book business="${slug}"><a href="${server.url}/b/${slug}/book">Book here</a></deskbell-book>`);
  });
  await once(website.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void website.close());
  const origin = `http://localhost:${(website.address() as AddressInfo).port}`;
  editCatalog(rt, slug, (catalog) => {
    const { business } = catalog;
    const embedOrigins = isAllowed ? [origin] : ["https://other.example"];
    const publicPage = { ...business.publicPage, embedOrigins };
    return {
      catalog: { ...catalog, business: { ...business, publicPage } },
      target: { section: "publicPage" },
    };
  });
  const page = await openBrowser(t, `${origin}/`, { width: 360, height: 700 });
  return { rt, slug, page, ...drive(page) };
}

// The functions below run in the browser.

type Element = { click: () => void; getBoundingClientRect: () => { height: number } };
declare const document: {
  querySelector: (
    selector: string,
  ) => (Element & { shadowRoot: typeof document; assignedSlot: unknown }) | null;
  querySelectorAll: (selector: string) => Iterable<Element>;
  documentElement: Element;
  hasFocus: () => boolean;
  cookie: string;
};
declare const window: { innerHeight: number; innerWidth: number };
declare const location: { reload: () => void };
declare const booked: string[];
declare function postMessage(message: unknown, origin: string): void;

const readBooked = async (): Promise<string[]> => booked;
const readFrameHeight = async (): Promise<number> =>
  document
    .querySelector("deskbell-book")
    ?.shadowRoot.querySelector("iframe")
    ?.getBoundingClientRect().height ?? -1;
const isFallbackShown = async (): Promise<boolean> =>
  document.querySelector("deskbell-book a")?.assignedSlot !== null;
/**
 * Returns the difference between the height of the page in the frame and the height of the frame.
 */
const measureHidden = async (): Promise<number> =>
  Math.abs(Math.ceil(document.documentElement.getBoundingClientRect().height) - window.innerHeight);
const hasFocus = async (): Promise<boolean> => document.hasFocus();
const pressLastTime = async (): Promise<boolean> => {
  const last = [...document.querySelectorAll(".slots button")].at(-1);
  last?.click();
  return last !== undefined;
};
const reload = async (): Promise<void> => location.reload();
const readCookies = async (): Promise<string> => document.cookie;
const pretendBooking = async (): Promise<void> =>
  postMessage({ type: "deskbell:booked", booked: {} }, "*");

test("guests book on a website that the business names", { timeout: FLOW_MS }, async (t) => {
  const { rt, slug, page, measureOverflow } = await openWebsite(t, true);
  const frame = await page.findFrame();
  const { click, fill, waitForText, findViolations, measureOverflow: measureFrame } = drive(frame);
  const arrive = async (text: string): Promise<void> => {
    await waitForText(text);
    // The frame is as high as its page, so it does not scroll. Neither the frame nor the website
    // scrolls sideways.
    await expect.poll(() => frame.run(measureHidden), { message: text }).toBe(0);
    expect(await measureFrame()).toBe(0);
    expect(await measureOverflow()).toBe(0);
    expect(await findViolations()).toEqual([]);
  };
  await arrive("How many people?");
  expect(await frame.run(hasFocus)).toBe(false);
  expect(await page.run(isFallbackShown)).toBe(false);
  await fill("How many people?", "2");
  await click("Show free times");
  await arrive("Free times on");
  await expect.poll(() => frame.run(pressLastTime)).toBe(true);
  await arrive("We keep this time for you");
  // The held time can be chosen again, although the browser keeps no cookie of the frame.
  await click("Choose another time");
  await arrive("Free times on");
  await expect.poll(() => frame.run(pressLastTime)).toBe(true);
  await arrive("We keep this time for you");
  expect(
    rt.store.holds.listOpenOfKey(
      businessOf(rt).id,
      findPageKey(rt, businessOf(rt)) as string,
      rt.now(),
    ),
  ).toHaveLength(1);
  await fill("Name", "Ana García");
  await fill("Email", "ana@example.com");
  await page.run(pretendBooking);
  await click("Book now");
  await arrive("You are booked");
  const detail = JSON.stringify({ business: slug, type: "reservation", status: "CONFIRMED" });
  await expect.poll(() => page.run(readBooked)).toEqual([detail]);
  await frame.run(reload);
  await arrive("Open this page in a window of its own");
  expect(await page.run(readBooked)).toEqual([detail]);
  expect(await frame.run(readCookies)).toBe("");
  expect(listMade(rt)).toMatchObject([{ status: "CONFIRMED", partySize: 2 }]);
  expect(page.errors).toEqual([]);
});

test("a website that the business does not name shows only the link", async (t) => {
  const { page, waitForText } = await openWebsite(t, false);
  await expect.poll(() => page.errors.join()).toContain("frame-ancestors");
  await waitForText("Book here");
  expect(await page.run(readFrameHeight)).toBe(0);
  expect(await page.run(isFallbackShown)).toBe(true);
});

test("the script that websites load has at most 4 KB", () => {
  const script = readPageFile("embed.js");
  expect(script.length).toBeLessThanOrEqual(4096);
  expect(gzipSync(script).length).toBeLessThanOrEqual(1024);
});
