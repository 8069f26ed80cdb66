import { expect, onTestFinished, test, type TestContext } from "vitest";
import { createBooking } from "../../../../src/app/bookings/bookings.ts";
import { applyCatalog } from "../../../../src/app/catalog/catalog.ts";
import { startServer } from "../../../../src/http/server.ts";
import { type PageOptions, useBrowser } from "../../../support/browser.ts";
import { drive } from "../../../support/page-driver.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";
import { businessOf, createLink } from "../open-desk.ts";

const openPage = useBrowser();

const SLUG = "salon";
// The salon is always open, because the browser has the real time.
const CATALOG = `
catalog: 1
business: { slug: ${SLUG}, name: Salon Aurora, timezone: Etc/UTC, currency: EUR }
hours: [{ days: [mon-sun], start: "00:00", end: "24:00" }]
services:
  - { key: cut, name: Cut, durationMin: 30, price: 40.00, staff: [mia, leo] }
staff: [{ key: mia, name: Mia }, { key: leo, name: Leo }]
tables: [{ key: t1, minSeats: 1, maxSeats: 4 }]
menu:
  items: [{ key: soup, name: Soup of the day, price: 8.00 }]
`;

/** Serves the desk at the real time, and pairs a browser with it. */
async function openDesk(test: TestContext, options: PageOptions = {}) {
  const rt = createTestRuntime({}, Date.now());
  applyCatalog(rt, [{ name: "salon.yaml", text: CATALOG }]);
  const server = await startServer(rt, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => server.close());
  const start = new Date(rt.now() + 2 * 3_600_000).toISOString();
  const pending = createBooking(
    rt,
    SLUG,
    {
      service: "cut",
      staff: "mia",
      start: `${start.slice(0, 16)}:00Z`,
      customer: { name: "Ana Silva", phone: "+351 910 000 000", notes: "window seat" },
    },
    { ignoresNotice: true },
  );
  const booking = rt.store.bookings.findById(businessOf(rt).id, pending.id)!;
  rt.tx(() =>
    rt.store.bookings.update({ ...booking, status: "PENDING", decideBy: booking.startsAt }),
  );
  const url = `${server.url}/b/${SLUG}/desk`;
  const page = await openPage(test, `${url}/pair/${createLink(rt)}`, { width: 360, ...options });
  const reader = drive(page);
  await reader.click("Pair this device");
  await reader.waitForText("To decide");
  const statusOf = () => rt.store.bookings.findById(businessOf(rt).id, pending.id)?.status;
  return { rt, server, url, page, reader, pending, statusOf };
}

/** Opens every part of the page that a reader can open. */
async function openAll(): Promise<void> {
  const { document } = globalThis as unknown as {
    document: { querySelectorAll: (selector: string) => Iterable<{ open: boolean }> };
  };
  for (const details of document.querySelectorAll("details")) details.open = true;
}

test.for([true, false])(
  "a phone accepts a visit, enters a walk-in and sells out a dish (scripts: %s)",
  { timeout: 120_000 },
  async (scripts, test) => {
    const { rt, page, reader, statusOf } = await openDesk(test, { scripts });
    await page.run(openAll);
    await reader.click("Accept");
    await reader.waitForText("Accepted.");
    expect(statusOf()).toBe("CONFIRMED");
    await page.run(openAll);
    await reader.fill("Name", "Bo");
    await reader.click("Enter");
    await reader.waitForText("Entered.");
    expect(await reader.readText()).toContain("Bo");
    await page.run(openAll);
    await reader.click("Mark as sold out");
    await reader.waitForText("Marked as sold out.");
    expect(rt.store.soldOut.list(businessOf(rt).id).size).toBe(1);
    expect(page.errors).toEqual([]);
  },
);

test("the link leaves the address bar, and no page has it in its title", async (test) => {
  const { page, url } = await openDesk(test);
  const address = async () => {
    const { location, document } = globalThis as unknown as {
      location: { href: string };
      document: { title: string };
    };
    return [location.href, document.title];
  };
  expect(await page.run(address)).toEqual([url, "Front desk · Salon Aurora"]);
}, 60_000);

test.for<[string, PageOptions]>([
  ["a phone", { width: 360, height: 740 }],
  ["a small phone in dark colours", { width: 320, height: 600, dark: true }],
  ["a desktop", { width: 1280, height: 800 }],
])(
  "on %s, the open page passes axe and fits the screen",
  { timeout: 120_000 },
  async ([, options], test) => {
    const { page, reader } = await openDesk(test, options);
    await page.run(openAll);
    expect(await reader.findViolations()).toEqual([]);
    expect(await reader.measureOverflow()).toBeLessThanOrEqual(0);
    expect(page.errors).toEqual([]);
  },
);

test("a change by somebody else appears without a reload", async (test) => {
  const { rt, reader } = await openDesk(test);
  const start = new Date(rt.now() + 4 * 3_600_000).toISOString().slice(0, 16);
  createBooking(
    rt,
    SLUG,
    { service: "cut", start: `${start}:00Z`, customer: { name: "Zoe Appears" } },
    { ignoresNotice: true },
  );
  await expect.poll(reader.readText, { timeout: 30_000 }).toContain("Zoe Appears");
}, 60_000);

test("the page says that it has no connection, and disables its buttons", async (test) => {
  const { server, reader, page, statusOf } = await openDesk(test);
  await page.run(openAll);
  await server.close();
  await reader.click("Accept");
  await reader.waitForText("Not connected.");
  expect(await reader.readText()).toContain("This was not saved");
  const enabled = async () => {
    const { document } = globalThis as unknown as {
      document: { querySelectorAll: (selector: string) => { length: number } };
    };
    return document.querySelectorAll("form:has([name=action]) button:not([disabled])").length;
  };
  expect(await page.run(enabled)).toBe(0);
  expect(statusOf()).toBe("PENDING");
}, 60_000);
