import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createBooking } from "../../src/app/bookings/bookings.ts";
import { getBusiness } from "../../src/app/businesses.ts";
import { applyCatalog } from "../../src/app/catalog/catalog.ts";
import { openRuntime, type Runtime } from "../../src/app/runtime.ts";
import { readConfig } from "../../src/config.ts";
import { createDesk, createDeskLink } from "../../src/features/desk/desks.ts";
import { ROOT_ID } from "../../src/pages/root.ts";
import { CHROMIUM, launch, openPage, type Page } from "../support/chromium.ts";
import { BIN } from "../support/program.ts";
import { type Figure, median } from "./figure.ts";
import { BenchProcesses } from "./processes.ts";

const SLUG = "bench";
const VISITS = 40;
const TAPS = 11;
const SLOWER = 6;
const GOAL_MS = 200;
const WIDTH = 360;

const CATALOG = `
catalog: 1
business: { slug: ${SLUG}, name: Bench, timezone: Etc/UTC, currency: EUR, bookingPolicy: { minNoticeMin: 0 } }
hours: [{ days: [mon-sun], start: "00:00", end: "24:00" }]
services: [{ key: sauna, name: Sauna, durationMin: 60, price: 20.00, capacity: ${VISITS}, staff: [] }]
`;

/**
 * Measures two delays after a tap on "Accept": until the browser shows the next frame, and until
 * the day shows the visit as accepted. The desk has many visits, and the phone has a slow
 * processor.
 */
export async function benchDesk(): Promise<Figure[]> {
  if (!existsSync(CHROMIUM)) throw new Error(`This needs ${CHROMIUM}: apt-get install chromium`);
  await using processes = new BenchProcesses();
  await using closing = new AsyncDisposableStack();
  const dataDir = join(processes.dir, "data");
  const rt = openRuntime(readConfig({ dataDir }, {}), 5000);
  closing.defer(rt.close);
  applyCatalog(rt, [{ name: "bench.yaml", text: CATALOG }]);
  requestVisits(rt);
  const business = getBusiness(rt, SLUG);
  createDesk(rt, business, { name: "Door", staffId: null, allow: ["visits"] });
  const { token } = createDeskLink(rt, business.id, "Door");
  const url = await processes.start(
    [process.execPath, BIN, "--data-dir", dataDir, "serve", "--port", "0"],
    /(http:\/\/127\.0\.0\.1:\d+)/,
  );
  const browser = await launch([], (close) => closing.defer(close));
  const link = `${url}/b/${SLUG}/desk/pair/${token}`;
  const page = await openPage(browser, link, { width: WIDTH }, (close) => closing.defer(close));
  await page.run(pair);
  await waitForDesk(page);
  await page.run(observe);
  const measured = { 1: await tapAll(page, 1), [SLOWER]: await tapAll(page, SLOWER) };
  return Object.entries(measured).map(([rate, taps]) => ({
    id: "desk",
    description: `a tap on the desk, ${VISITS} visits, ${rate}x CPU slowdown: until the next picture; until it is accepted`,
    ours: `${Math.round(median(taps.map(({ pictureMs }) => pictureMs)))} ms (at most ${Math.round(Math.max(...taps.map(({ pictureMs }) => pictureMs)))} ms); ${Math.round(median(taps.map(({ acceptedMs }) => acceptedMs)))} ms`,
    peer: null,
    ratio: null,
    goal: `<= ${GOAL_MS} ms`,
  }));
}

/** Books visits of the next hours that wait for an answer. */
function requestVisits(rt: Runtime): void {
  const { id: businessId } = getBusiness(rt, SLUG);
  const hour = 3_600_000;
  const first = Math.ceil(rt.now() / hour) * hour;
  for (let i = 0; i < VISITS; i++) {
    const start = new Date(first + (i % 10) * hour).toISOString();
    const customer = { name: `Guest number ${i}` };
    const { id } = createBooking(rt, SLUG, { service: "sauna", start, customer });
    const booking = rt.store.bookings.findById(businessId, id);
    if (booking === undefined) throw new Error("The visit is missing.");
    rt.tx(() =>
      rt.store.bookings.update({ ...booking, status: "PENDING", decideBy: booking.startsAt }),
    );
  }
}

/** Waits until the button has led to the desk, and the desk reacts to taps. */
async function waitForDesk(page: Page): Promise<void> {
  // A call fails while the browser leaves the previous page, so a failure means that the desk is
  // not there yet.
  const isThere = () => page.run(isReady, ROOT_ID).catch(() => false);
  while (!(await isThere())) await delay(50);
}

type Tap = { pictureMs: number; acceptedMs: number };

async function tapAll(page: Page, rate: number): Promise<Tap[]> {
  await page.slowDown(rate);
  const taps: Tap[] = [];
  for (let tap = 0; tap < TAPS; tap++) {
    const [x, y] = await page.run(aim);
    const measured = page.run(measure);
    await page.tap(x, y);
    taps.push(await measured);
  }
  return taps;
}

// The functions below run in the browser.

type Box = { x: number; y: number };
type Element = {
  textContent: string;
  click: () => void;
  scrollIntoView: (to: { block: string }) => void;
  getBoundingClientRect: () => Box;
};
type Entry = { duration: number; interactionId: number };
type PerformanceObserver = { observe: (options: object) => void };
declare const document: {
  getElementById: (id: string) => (Element & Record<string, unknown>) | null;
  querySelector: (selector: string) => Element | null;
  querySelectorAll: (selector: string) => Iterable<Element> & { length: number };
};
declare const requestAnimationFrame: (work: () => void) => void;

async function pair(): Promise<void> {
  document.querySelector("form button")?.click();
}

/**
 * Returns whether the desk is there and its script has taken it over. Preact then adds the property
 * `__k` to the root.
 */
const isReady = async (root: string) =>
  document.querySelectorAll("#decide li").length > 0 &&
  "__k" in (document.getElementById(root) ?? {});

/** Records in `globalThis.taps` how long the browser took from each tap to the next frame. */
async function observe(): Promise<void> {
  const global = globalThis as unknown as {
    taps: Entry[];
    PerformanceObserver: new (
      listen: (list: { getEntries: () => Entry[] }) => void,
    ) => PerformanceObserver;
  };
  global.taps = [];
  new global.PerformanceObserver((list) => global.taps.push(...list.getEntries())).observe({
    type: "event",
    durationThreshold: 16,
  });
}

/** Returns a point on the first button that accepts a visit. */
async function aim(): Promise<[number, number]> {
  const button = [...document.querySelectorAll("#decide button:not(:disabled)")].find(
    ({ textContent }) => textContent.startsWith("Accept"),
  );
  if (button === undefined) throw new Error("There is no visit to accept.");
  button.scrollIntoView({ block: "center" });
  const { x, y } = button.getBoundingClientRect();
  return [x + 10, y + 10];
}

/**
 * Resolves when the accepted visit has left the list of visits to decide, and the button of the
 * next visit can be tapped.
 */
async function measure(): Promise<Tap> {
  const count = () => document.querySelectorAll("#decide li").length;
  const hasNext = () => document.querySelectorAll("#decide button:not(:disabled)").length > 0;
  const { taps } = globalThis as unknown as { taps: Entry[] };
  taps.length = 0;
  const before = count();
  const start = performance.now();
  const acceptedMs = await new Promise<number>((resolve) => {
    const look = () =>
      count() < before && hasNext()
        ? resolve(performance.now() - start)
        : requestAnimationFrame(look);
    look();
  });
  // The browser reports a tap only some frames later.
  await new Promise((resolve) => setTimeout(resolve, 500));
  const durations = taps
    .filter(({ interactionId }) => interactionId > 0)
    .map((one) => one.duration);
  return { pictureMs: Math.max(0, ...durations), acceptedMs };
}
