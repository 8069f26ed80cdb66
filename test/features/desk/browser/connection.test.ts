import { expect, test, type TestContext } from "vitest";
import type { Runtime } from "../../../../src/app/runtime.ts";
import { type Page, type PageOptions, useBrowser } from "../../../support/browser.ts";
import { type Fate, startLossyProxy } from "../lossy-proxy.ts";
import { revokeDesk } from "../../../../src/features/desk/desks.ts";
import { businessOf } from "../open-desk.ts";
import { openAll, openDeskPage } from "../open-page.ts";

const openPage = useBrowser();

const HOUR_MS = 3_600_000;

/** Opens the desk through a network that loses or delays the exchanges that the test chooses. */
async function openThroughProxy(
  test: TestContext,
  options: PageOptions & { delayMs?: number } = {},
) {
  let decide: (method: string) => Fate = () => "passes";
  let proxy!: Awaited<ReturnType<typeof startLossyProxy>>;
  const opened = await openDeskPage(test, openPage, {
    ...options,
    async connect(url) {
      proxy = await startLossyProxy(url, (method) => decide(method), options.delayMs);
      return proxy.url;
    },
  });
  return { ...opened, proxy, let: (next: typeof decide) => void (decide = next) };
}

type Buttons = { length: number };
declare const document: {
  querySelector: (selector: string) => { value: string };
  querySelectorAll: (selector: string) => Buttons;
  dispatchEvent: (event: Event) => void;
};

const countEnabled = (page: Page): Promise<number> =>
  page.run(
    async () => document.querySelectorAll("form:has([name=action]) button:not([disabled])").length,
  );

/** Makes the phone believe that it has slept for some time, and wakes it. */
const sleepFor = (page: Page, ms: number): Promise<void> =>
  page.run(async (slept) => {
    const now = Date.now;
    Date.now = () => now() + slept;
    document.dispatchEvent(new Event("visibilitychange"));
  }, ms);

const readName = async () => document.querySelector("#walk-in [name=name]").value;

const countWalkIns = (rt: Runtime): number => {
  const { id } = businessOf(rt);
  const filter = { businessId: id, from: 0, to: rt.now() + 1 };
  return rt.store.bookings.listPage(filter, 100).length;
};

test("the page without a network shows how old its state is, and changes nothing", async (test) => {
  const { page, reader, statusOf } = await openDeskPage(test, openPage);
  expect(await countEnabled(page)).toBeGreaterThan(3);
  await page.setOffline(true);
  await reader.waitForText("Not connected.");
  expect(await reader.readText()).toMatch(/As of \d\d:\d\d, (?:\d+ seconds? ago|now)/);
  expect(await countEnabled(page)).toBe(0);
  expect(await reader.findViolations()).toEqual([]);
  await page.setOffline(false);
  await expect.poll(() => countEnabled(page)).toBeGreaterThan(3);
  expect(await reader.readText()).not.toContain("Not connected.");
  expect(statusOf()).toBe("PENDING");
}, 60_000);

test("the page sends an action again if the response is lost, and the server does it once", async (test) => {
  const { rt, reader, page, proxy, ...network } = await openThroughProxy(test);
  await page.run(openAll);
  const before = rt.revision();
  let posts = 0;
  network.let((method) => {
    if (method !== "POST") return "passes";
    posts += 1;
    return posts === 1 ? "response lost" : posts === 2 ? "request lost" : "passes";
  });
  await reader.fill("Name", "Bo");
  await reader.click("Enter");
  await expect.poll(reader.readText).toContain("Entered.");
  expect(proxy.counts).toMatchObject({ "response lost": 1, "request lost": 1 });
  expect(rt.revision()).toBe(before + 1);
  expect(await reader.readText()).not.toContain("Not confirmed yet");
}, 60_000);

test("an action whose response is lost is not called undone if the server refuses the next attempt", async (test) => {
  const { reader, statusOf, ...network } = await openThroughProxy(test);
  const letPosts = (fate: Fate) => network.let((method) => (method === "POST" ? fate : "passes"));
  letPosts("response lost");
  await reader.click("Accept");
  await reader.waitForText("Not confirmed yet.");
  letPosts("refused");
  await reader.waitForText("It is not known whether this was saved.");
  expect(statusOf()).toBe("CONFIRMED");
  expect(await reader.readText()).not.toContain("Not done");
  await expect.poll(reader.readText).not.toContain("Not connected.");
  letPosts("passes");
  await reader.click("Send again");
  await reader.waitForText("Accepted.");
}, 60_000);

test("an action that the server refuses at its first attempt is not done", async (test) => {
  const { reader, statusOf, ...network } = await openThroughProxy(test);
  network.let((method) => (method === "POST" ? "refused" : "passes"));
  await reader.click("Accept");
  await reader.waitForText("Not done: Too many requests.");
  expect(statusOf()).toBe("PENDING");
}, 60_000);

test("the page refuses a tap while another action is being saved, and says afterwards that the tap was not taken", async (test) => {
  const { rt, reader, page, proxy, statusOf, ...network } = await openThroughProxy(test);
  await page.run(openAll);
  network.let((method) => (method === "POST" ? "held" : "passes"));
  await reader.click("Accept");
  await expect.poll(proxy.heldCount).toBe(1);
  await reader.fill("Name", "Bo");
  await reader.click("Enter");
  await reader.waitForText("Wait: the last entry is still being saved.");
  network.let(() => "passes");
  proxy.release();
  await reader.waitForText("Accepted. Not taken, please enter it again: Enter");
  expect([statusOf(), countWalkIns(rt)]).toEqual(["CONFIRMED", 0]);
  await reader.click("Enter");
  await reader.waitForText("Entered.");
  expect(await reader.readText()).not.toContain("Not taken");
  expect(countWalkIns(rt)).toBe(1);
}, 60_000);

test.for([
  ["is empty if another button was tapped meanwhile", ""],
  ["keeps the name that was written meanwhile", "Cy"],
] as const)(
  "the form of a walk-in that is saved late %s",
  { timeout: 60_000 },
  async ([, next], test) => {
    const { reader, page, proxy, ...network } = await openThroughProxy(test);
    await page.run(openAll);
    network.let((method) => (method === "POST" ? "held" : "passes"));
    await reader.fill("Name", "Bo");
    await reader.click("Enter");
    await expect.poll(proxy.heldCount).toBe(1);
    if (next !== "") await reader.fill("Name", next);
    else await reader.click("Accept");
    network.let(() => "passes");
    proxy.release();
    await reader.waitForText("Entered.");
    expect(await page.run(readName)).toBe(next);
  },
);

test("ten walk-ins on a slow network that loses every third exchange are entered once each", async (test) => {
  const { rt, reader, page, proxy, ...network } = await openThroughProxy(test, { delayMs: 400 });
  await page.run(openAll);
  let posts = 0;
  const fates: Fate[] = ["passes", "response lost", "passes", "passes", "request lost", "passes"];
  network.let((method) => (method === "POST" ? fates[posts++ % fates.length]! : "passes"));
  const names = Array.from({ length: 10 }, (_, i) => `Guest${i}`);
  for (const name of names) {
    await reader.fill("Name", name);
    await reader.click("Enter");
    await expect.poll(reader.readText).toContain(name);
    await reader.waitForText("Entered.");
  }
  expect(proxy.counts["response lost"]).toBeGreaterThan(1);
  expect(proxy.counts["request lost"]).toBeGreaterThan(1);
  expect(countWalkIns(rt)).toBe(10);
}, 120_000);

test("a phone that wakes after an hour shows the age of its old state until it has read the new state", async (test) => {
  const { reader, page, proxy, statusOf, ...network } = await openThroughProxy(test);
  network.let(() => "request lost");
  await sleepFor(page, HOUR_MS);
  await reader.waitForText("1 hour ago");
  expect(await countEnabled(page)).toBe(0);
  await reader.waitForText("Not connected.");
  network.let(() => "passes");
  await expect.poll(() => countEnabled(page)).toBeGreaterThan(3);
  expect(await reader.readText()).not.toContain("ago");
  expect(statusOf()).toBe("PENDING");
}, 60_000);

test("a response that arrives after an hour of sleep is shown with its age", async (test) => {
  const { reader, page, proxy, ...network } = await openThroughProxy(test);
  let gets = 0;
  network.let(() => (gets++ === 0 ? "held" : "request lost"));
  await expect.poll(proxy.heldCount).toBe(1);
  await page.run(async () => {
    const now = Date.now;
    Date.now = () => now() + 3_600_000;
  });
  proxy.release();
  await reader.waitForText("1 hour ago");
  expect(await countEnabled(page)).toBe(0);
}, 60_000);

test.for([
  ["Send again", "CONFIRMED"],
  ["Drop it", "PENDING"],
] as const)(
  "after an hour of sleep, an action without a response waits until somebody taps '%s'",
  { timeout: 60_000 },
  async ([button, status], test) => {
    const { reader, page, statusOf, ...network } = await openThroughProxy(test);
    network.let(() => "request lost");
    await reader.click("Accept");
    await reader.waitForText(
      "Not confirmed yet. The page sends this action again, and the server does it once: Accept Ana Silva",
    );
    await sleepFor(page, HOUR_MS);
    network.let(() => "passes");
    await reader.waitForText("It is not known whether this was saved.");
    await expect.poll(reader.readText).not.toContain("ago");
    expect(statusOf()).toBe("PENDING");
    expect(await countEnabled(page)).toBe(0);
    expect(await reader.findViolations()).toEqual([]);
    await reader.click(button);
    await expect.poll(() => countEnabled(page)).toBeGreaterThan(3);
    expect(statusOf()).toBe(status);
  },
);

test("the open page of a revoked device loses its data at the next tap", async (test) => {
  const { rt, reader, statusOf } = await openDeskPage(test, openPage);
  expect(await reader.readText()).toContain("Ana Silva");
  revokeDesk(rt, businessOf(rt).id, "Front desk");
  await reader.click("Accept");
  // The page with the data says that the action was refused, and is then replaced.
  await expect
    .poll(reader.readText)
    .toMatch(/^(?![^]*Ana Silva)[^]*This device is not paired with the desk\./);
  expect(statusOf()).toBe("PENDING");
}, 60_000);
