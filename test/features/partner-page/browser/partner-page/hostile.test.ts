import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { applyCatalog } from "../../../../../src/app/catalog/catalog.ts";
import { useBrowser } from "../../../../support/browser.ts";
import { createTestWorker } from "../../../../support/delivery.ts";
import { HTML_TEXTS } from "../../../../support/hostile/html-texts.ts";
import { drive } from "../../../../support/page-driver.ts";
import { SALON } from "../../../../http/support/api.ts";
import { servePartnerPage } from "../../serve-page.ts";

const openPage = useBrowser();

/** The part of the DOM that the functions below use in the browser. */
type Element = { innerText: string; textContent: string; open: boolean; click: () => void };
declare const document: { querySelectorAll: (selector: string) => ArrayLike<Element> };

const openAll = async () => {
  for (const button of Array.from(document.querySelectorAll(".delivery[aria-expanded=false]")))
    button.click();
  for (const details of Array.from(document.querySelectorAll("details"))) details.open = true;
};
const readShown = async () =>
  Array.from(document.querySelectorAll("main"), ({ textContent }) => textContent).join("");
const countForeign = async () =>
  document.querySelectorAll(
    "main :is(script, img, svg, iframe, video, math, object, meta, base, link, style, template, xmp, noscript)",
  ).length;
const wasRun = async () => "pwned" in globalThis;

/** Starts a receiver that responds with one text after the other. */
async function createHostileReceiver(): Promise<string> {
  let requests = 0;
  const server = createServer((request, response) => {
    request.resume();
    const text = HTML_TEXTS[requests++ % HTML_TEXTS.length] ?? "";
    response.writeHead(200, { "content-type": "text/html" }).end(`\u202e\u0007${text}`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test("60 hostile texts of catalogs and receivers are shown as they are, and none runs as a script", async (test) => {
  const { rt, url, createSecret, addEndpoint } = await servePartnerPage();
  const [first = ""] = HTML_TEXTS;
  const { key, secret } = createSecret({ name: first });
  await addEndpoint(key.id, await createHostileReceiver(), first);
  const services = HTML_TEXTS.map(
    (text, i) => `  - {key: s${i}, name: ${JSON.stringify(text)}, durationMin: 30, price: 1.00}\n`,
  );
  const business = `{slug: ${SALON}, name: ${JSON.stringify(first)}, timezone: America/New_York, currency: USD}`;
  const text = `catalog: 1\nbusiness: ${business}\nservices:\n${services.join("")}`;
  applyCatalog(rt, [{ name: "hostile.yaml", text }]);
  const worker = createTestWorker(rt);
  for (let attempts = 0; worker.attempts.length < HTML_TEXTS.length && attempts < 200; attempts++) {
    worker.wake();
    await worker.whenIdle();
    rt.advance(60_000);
    worker.sweep();
  }
  expect(worker.attempts.length).toBeGreaterThanOrEqual(HTML_TEXTS.length);

  const page = await openPage(test, url, { width: 360 });
  const reader = drive(page);
  await reader.fill("API key", secret);
  await reader.click("Open");
  await reader.waitForText(first);
  const expectHarmless = async (texts: readonly string[]) => {
    const shown = await page.run(readShown);
    expect(texts.filter((each) => !shown.includes(each))).toEqual([]);
    expect(await page.run(countForeign)).toBe(0);
    expect(await page.run(wasRun)).toBe(false);
    expect(await reader.measureOverflow()).toBe(0);
  };
  await reader.click("Feed");
  await reader.fill("Created", "168");
  await reader.waitForText("catalog.changed");
  await page.run(openAll);
  await expectHarmless(HTML_TEXTS.map((each) => JSON.stringify(each).slice(1, -1)));
  await reader.click("Deliveries");
  await reader.fill("Event", "service.created");
  await reader.waitForText("50 or more deliveries");
  await reader.click("Older deliveries");
  await expect.poll(() => reader.readText()).toMatch(/\b(?:6\d|[7-9]\d) deliveries/);
  await page.run(openAll);
  await expect
    .poll(async () => (await page.run(readShown)).split("X-Service-Delivery").length, {
      timeout: 60_000,
    })
    .toBeGreaterThan(60);
  await expectHarmless(HTML_TEXTS.map((each) => JSON.stringify(each).slice(1, -1)));
  await reader.click("Endpoints");
  await reader.waitForText("Send a test event");
  await expectHarmless([first]);
  expect(page.errors).toEqual([]);
}, 180_000);
