import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, type TestContext } from "vitest";
import { editObject } from "../../../../../src/app/catalog/changes/edit-object.ts";
import { useBrowser, type PageOptions } from "../../../../support/browser.ts";
import { createClient } from "../../../../../src/client/client.ts";
import { businessId, objectId } from "../../../../../src/domain/catalog/object-id.ts";
import { isoCurrency } from "../../../../../src/domain/money.ts";
import { createTestWorker } from "../../../../support/delivery.ts";
import { drive } from "../../../../support/page-driver.ts";
import { createReceiver } from "../../../../support/receiver.ts";
import type { TestRuntime } from "../../../../support/test-runtime.ts";
import { confirmedVisit, NO_NAMES } from "../../../../support/visit-rows.ts";
import { SALON } from "../../../../http/support/api.ts";
import { servePartnerPage } from "../../serve-page.ts";

const openPage = useBrowser();

/** A phone and a desktop, one of them in dark colours. */
const SCREENS: [name: string, options: PageOptions][] = [
  ["a phone", { width: 360, height: 740 }],
  ["a desktop", { width: 1280, height: 800, dark: true }],
];
const SECTIONS = ["Key", "Endpoints", "Deliveries", "Feed", "Signature check", "Visits"];

/** Opens the page with a key that has an endpoint and deliveries, and enters the key. */
async function enter(test: TestContext, options: PageOptions = {}, respond = { status: 200 }) {
  const served = await servePartnerPage();
  const { rt, url, createSecret, addEndpoint } = served;
  const { key, secret } = createSecret();
  const receiver = await createReceiver([respond]);
  const { endpoint } = await addEndpoint(key.id, receiver.url);
  const worker = createTestWorker(rt);
  const changePrice = async (priceCents: number) => {
    await editObject(rt, SALON, "service", "cut", (service) => ({ ...service, priceCents }));
    worker.wake();
    await worker.whenIdle();
  };
  await changePrice(7100);
  const page = await openPage(test, url, options);
  const reader = drive(page);
  await reader.fill("API key", secret);
  await reader.click("Open");
  await reader.waitForText("Salon Aurora");
  return { ...served, page, reader, receiver, key, secret, endpoint, changePrice };
}

test.for(SCREENS)(
  "on %s, every section passes axe and fits the screen",
  { timeout: 120_000 },
  async ([, options], test) => {
    const { page, reader } = await enter(test, options);
    for (const section of SECTIONS) {
      await reader.click(section);
      await expect.poll(() => reader.readFocus()).toBe(`H2 ${section}`);
      if (section === "Deliveries") {
        await reader.click("Delivered");
        await reader.waitForText("Attempts");
      }
      expect([section, await reader.findViolations()]).toEqual([section, []]);
      expect([section, await reader.measureOverflow()]).toEqual([section, 0]);
    }
    expect(page.errors).toEqual([]);
  },
);

test.for(SCREENS)(
  "on %s, the form for the key passes axe",
  { timeout: 120_000 },
  async ([, options], test) => {
    const { url } = await servePartnerPage();
    const page = await openPage(test, url, options);
    const reader = drive(page);
    await reader.waitForText("API key");
    expect(await reader.findViolations()).toEqual([]);
    expect(await reader.measureOverflow()).toBe(0);
    expect(page.errors).toEqual([]);
  },
);

test("a secret key is refused before anything is sent, and causes no health condition", async (test) => {
  const { rt, url, createSecret } = await servePartnerPage();
  const { secret } = createSecret({ kind: "SECRET", scopes: [] });
  const page = await openPage(test, url);
  const reader = drive(page);
  await reader.fill("API key", secret);
  const before = page.requests.length;
  await reader.click("Open");
  await reader.waitForText("This is a secret key. It was not sent.");
  expect(page.requests.length).toBe(before);
  expect(await reader.readText()).not.toContain(secret);
  expect(rt.store.keys.listSeenInBrowser(rt.now())).toEqual([]);
}, 60_000);

/** Returns everything that a page's origin has stored, as text. */
async function readStorage(): Promise<string> {
  const stores = globalThis as unknown as Record<"localStorage" | "sessionStorage", object>;
  const web = globalThis as unknown as {
    caches: { keys: () => Promise<string[]> };
    indexedDB: { databases: () => Promise<object[]> };
    document: { cookie: string };
    history: { state: unknown };
    location: { href: string };
    name: string;
  };
  return JSON.stringify([
    { ...stores.localStorage },
    { ...stores.sessionStorage },
    await web.caches.keys(),
    await web.indexedDB.databases(),
    web.document.cookie,
    web.history.state,
    web.location.href,
    web.name,
  ]);
}

const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** Reads a file of the running browser; empty if the browser has removed it since it was listed. */
const readIfThere = (path: string): Buffer => {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return Buffer.alloc(0);
    throw error;
  }
};

/** Returns the files that contain a text, in UTF-8 or UTF-16. */
const filesWith = (folder: string, text: string): string[] =>
  listFiles(folder).filter((path) => {
    const bytes = readIfThere(path);
    return bytes.includes(text) || bytes.includes(Buffer.from(text, "utf16le"));
  });

test("the partner page keeps a key in memory only, and a reload removes it", async (test) => {
  const { page, reader, secret, url } = await enter(test, { keepsData: true });
  await reader.click("Signature check");
  await reader.fill("Signing secret", `whsec_${"B".repeat(48)}`);
  for (const section of SECTIONS) await reader.click(section);
  const stored = await page.run(readStorage);
  for (const kept of [stored, ...page.requests, ...(await page.readHistory())]) {
    expect(kept).not.toContain(secret);
    expect(kept).not.toContain("whsec_");
  }
  await page.open(url);
  await reader.waitForText("API key");
  expect(await reader.readText()).not.toContain("Salon Aurora");
  expect(listFiles(page.profile).length).toBeGreaterThan(10);
  expect(filesWith(page.profile, secret)).toEqual([]);
  expect(filesWith(page.profile, "BBBBBBBBBBBBBBBB")).toEqual([]);
}, 60_000);

test("the whole partner page can be used with the keyboard", async (test) => {
  const { url, createSecret } = await servePartnerPage();
  const page = await openPage(test, url);
  const reader = drive(page);
  await reader.waitForText("API key");
  await page.press("Tab", "Tab");
  expect(await reader.readFocus()).toBe("INPUT");
  await page.write(createSecret().secret);
  await page.press("Enter");
  await reader.waitForText("Salon Aurora");
  await expect.poll(() => reader.readFocus()).toBe("H2 Key");
  await page.press("Shift+Tab", "Shift+Tab");
  expect(await reader.readFocus()).toBe("A Signature check");
  await page.press("Shift+Tab", "Shift+Tab", "Shift+Tab", "Enter");
  await expect.poll(() => reader.readFocus()).toBe("H2 Endpoints");
  // The first button is disabled until the endpoints are loaded.
  await reader.waitForText("This key has no endpoints.");
  await page.press("Tab", "Tab", "Enter");
  await reader.waitForText("New endpoint");
  await page.press("Tab");
  expect(await reader.readFocus()).toBe("INPUT");
}, 60_000);

test("the partner page says in words why an endpoint gets nothing, and can test, pause, resume and delete it", async (test) => {
  const { reader, rt, receiver } = await enter(test, {}, { status: 401 });
  await reader.click("Endpoints");
  await reader.waitForText("the receiver refuses the signature with HTTP 401 since");
  await reader.click("Send a test event");
  await reader.waitForText("Not accepted: HTTP 401");
  await reader.click("Pause");
  await reader.waitForText("Paused since");
  await reader.click("Resume");
  await reader.click("Delete");
  await reader.waitForText("Its waiting deliveries are cancelled.");
  await reader.click("Delete the endpoint");
  await reader.waitForText("This key has no endpoints.");
  expect(rt.store.endpoints.list()).toEqual([]);
  expect(receiver.requests.length).toBeGreaterThan(1);
}, 60_000);

test("deliveries are filtered, shown, and sent again, one alone or all of them", async (test) => {
  const { reader, rt, receiver } = await enter(test);
  const sent = receiver.requests.length;
  expect(sent).toBeGreaterThan(2);
  await reader.click("Deliveries");
  await reader.waitForText(`${sent} deliveries`);
  await reader.fill("Event", "service.updated");
  await reader.waitForText("1 delivery");
  await reader.click("Delivered");
  await reader.waitForText('"type":"service.updated"');
  await reader.waitForText("X-Service-Signature: t=");
  await reader.click("Send again");
  await reader.waitForText("About to be sent");
  await reader.fill("Event", "");
  await reader.fill("Created", "24");
  await reader.click("Send all of these again");
  await expect.poll(() => reader.readFocus()).toBe("BUTTON Cancel");
  await reader.click(`Send ${sent - 1} again`);
  await reader.waitForText("are being sent again.");
  expect(rt.store.deliveries.list({ status: "PENDING" }, 100)).toHaveLength(sent);
}, 60_000);

test("an empty list of deliveries says whether no delivery matches the filter or nothing was sent yet", async (test) => {
  const { url, createSecret } = await servePartnerPage();
  const page = await openPage(test, url);
  const reader = drive(page);
  await reader.fill("API key", createSecret().secret);
  await reader.click("Open");
  await reader.waitForText("Salon Aurora");
  await reader.click("Deliveries");
  await reader.waitForText("Nothing has been sent for this key yet.");
  await reader.fill("Created", "24");
  await reader.waitForText("No delivery is like that.");
  await reader.fill("Created", "");
  await reader.waitForText("Nothing has been sent for this key yet.");
  expect(page.errors).toEqual([]);
}, 60_000);

test("the feed shows events, and how far a cursor is behind", async (test) => {
  const { reader, rt, changePrice, secret, url } = await enter(test);
  const api = url.replace(/\/b\/.*/, `/v1/businesses/${SALON}/changes?after=latest`);
  const response = await fetch(api, { headers: { authorization: `Bearer ${secret}` } });
  const { page } = (await response.json()) as { page: { nextCursor: string } };
  await reader.click("Feed");
  await reader.waitForText("catalog.changed");
  await reader.fill("Cursor", page.nextCursor);
  await reader.click("Count");
  await reader.waitForText("Up to date");
  rt.advance(600_000);
  await changePrice(7300);
  await reader.click("Count");
  await reader.waitForText("events behind");
  expect(await reader.readText()).toContain("3 events behind, by ");
}, 60_000);

/**
 * Lets the page lose its next `count` responses from paths that end with `ending`. The server has
 * already done what was asked.
 */
async function loseResponses(ending: string, count: number): Promise<void> {
  const send = globalThis.fetch;
  let lost = 0;
  globalThis.fetch = async (...request) => {
    const response = await send(...request);
    if (lost === count || !String(request[0]).endsWith(ending)) return response;
    lost += 1;
    throw new TypeError("The connection was lost.");
  };
}

/** How often the page sends a request whose responses are lost: once, and then once more. */
const SENT = 2;

test("a new key or signing secret whose response was lost is shown when it is asked for again", async (test) => {
  const { rt, url, createSecret } = await servePartnerPage();
  const receiver = await createReceiver([{ status: 200 }]);
  const { secret } = createSecret({ selfRotation: true });
  const page = await openPage(test, url);
  const reader = drive(page);
  await reader.fill("API key", secret);
  await reader.click("Open");
  await reader.fill("Where is your receiver?", receiver.url);

  await page.run(loseResponses, "/webhooks", SENT);
  await reader.click("Create the endpoint");
  await reader.waitForText("Code connection_failed");
  await reader.click("Create the endpoint");
  await reader.waitForText("The signing secret. Store it now");
  expect(rt.store.endpoints.list()).toHaveLength(1);

  await reader.click("Endpoints");
  await page.run(loseResponses, "/rotate-secret", SENT);
  await reader.click("Signing secret");
  await reader.click("Rotate the secret");
  await reader.waitForText("Code connection_failed");
  await reader.click("Rotate the secret");
  await reader.waitForText("A rotation is in progress");

  await reader.click("Key");
  await page.run(loseResponses, "/key/rotate", SENT);
  const rotate = async () => {
    await reader.click("Rotate the key");
    await reader.click("Rotate");
  };
  await rotate();
  await reader.waitForText("Code connection_failed");
  // The page keeps the request while the reader looks at other sections.
  await reader.click("Visits");
  await reader.click("Key");
  await rotate();
  await reader.waitForText("The new API key. Store it now");
  expect(await reader.readText()).not.toContain("This is the old secret");
}, 60_000);

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Inserts a booking of a key without checks, and returns its ID. */
function insertBooking(rt: TestRuntime, keyId: string, customerRef: string, startsAt: number) {
  const id = rt.newId("bkg");
  const span = { startsAt, endsAt: startsAt + HOUR_MS };
  const segment = {
    ...NO_NAMES,
    ...span,
    serviceId: objectId("service", SALON, { key: "cut", previousKeys: [] }),
    variantId: null,
    addons: [],
    staffId: null,
    resources: [],
    seats: 1,
    bufferBeforeMin: 0,
    bufferAfterMin: 0,
    priceCents: 3000,
  };
  rt.store.bookings.insert(businessId(SALON), {
    ...confirmedVisit(startsAt, rt.now()),
    ...span,
    ...isoCurrency("EUR"),
    id,
    createdByKey: keyId,
    customerRef,
    guests: 1,
    totalCents: 3000,
    segments: [segment],
  });
  return id;
}

test("a key with many visits sees the next visits first, and more of a long list on demand", async (test) => {
  const { rt, url, createSecret } = await servePartnerPage();
  const { key, secret } = createSecret({ scopes: ["bookings.write"] });
  rt.tx(() => {
    for (let i = 1; i <= 120; i++)
      insertBooking(rt, key.id, `guest ${i}.`, rt.now() + (i - 119) * DAY_MS);
  });
  const page = await openPage(test, url);
  const reader = drive(page);
  await reader.fill("API key", secret);
  await reader.click("Open");
  await reader.waitForText("Salon Aurora");
  await reader.click("Visits");
  await reader.waitForText("guest 120.");
  expect(await reader.readText()).not.toContain("guest 1.");
  await reader.fill("Start", "");
  await reader.waitForText("100 or more visits");
  expect(await reader.readText()).not.toContain("guest 120.");
  await reader.click("Later visits");
  await reader.waitForText("120 visits");
  expect(await reader.readText()).toMatch(/guest 1\.[^]*guest 120\./);
  expect(page.errors).toEqual([]);
}, 60_000);

/**
 * Delays the replies to requests whose URL contains a text by a second, and counts them. Runs in
 * the browser.
 */
async function delayReplies(text: string): Promise<void> {
  const { fetch } = globalThis;
  const page = globalThis as typeof globalThis & { lateReplies?: number };
  page.lateReplies = 0;
  page.fetch = async (url, options) => {
    const response = await fetch(url, options);
    if (!String(url).includes(text)) return response;
    await new Promise((resolve) => setTimeout(resolve, 1000));
    // The count rises 100 ms later, because the page handles the reply in later turns of the event
    // loop.
    setTimeout(() => (page.lateReplies = (page.lateReplies ?? 0) + 1), 100);
    return response;
  };
}
const countLateReplies = async () => (globalThis as { lateReplies?: number }).lateReplies;

test("a late response does not replace the visits that the reader has chosen meanwhile", async (test) => {
  const { rt, url, createSecret } = await servePartnerPage();
  const { key, secret } = createSecret({ scopes: ["bookings.write"] });
  rt.tx(() => {
    for (let i = 1; i <= 120; i++)
      insertBooking(rt, key.id, `guest ${i}.`, rt.now() + (i - 119) * DAY_MS);
  });
  const page = await openPage(test, url);
  const reader = drive(page);
  await reader.fill("API key", secret);
  await reader.click("Open");
  await reader.waitForText("Salon Aurora");
  await reader.click("Visits");
  await reader.fill("Start", "");
  await reader.waitForText("100 or more visits");
  await page.run(delayReplies, "cursor=");
  await reader.click("Later visits");
  await reader.fill("Start", "0");
  await reader.waitForText("guest 120.");
  const shown = await reader.readText();
  expect(await page.run(countLateReplies)).toBe(0);
  await expect.poll(() => page.run(countLateReplies), { timeout: 10_000 }).toBe(1);
  expect(await reader.readText()).toBe(shown);
  expect(page.errors).toEqual([]);
}, 60_000);

test("deliveries that are sent again while the reader chooses others do not replace the list of the choice", async (test) => {
  const { reader, page, receiver } = await enter(test);
  const sent = receiver.requests.length;
  await reader.click("Deliveries");
  await reader.fill("Created", "24");
  await reader.waitForText(`${sent} deliveries`);
  await reader.click("Send all of these again");
  await reader.waitForText(`Send ${sent} again`);
  await page.run(delayReplies, "/redeliver");
  await reader.click(`Send ${sent} again`);
  await reader.fill("Event", "service.updated");
  await reader.waitForText("1 delivery");
  expect(await page.run(countLateReplies)).toBe(0);
  await expect.poll(() => page.run(countLateReplies), { timeout: 10_000 }).toBe(1);
  await reader.waitForText("About to be sent");
  expect(await reader.readText()).toContain("1 delivery\n");
  expect(page.errors).toEqual([]);
}, 60_000);

test("the feed counts waiting events even if their type is one that API clients must ask for by name", async (test) => {
  const { rt, url, createSecret } = await servePartnerPage();
  const { key, secret } = createSecret({ scopes: ["webhooks.read", "bookings.write"] });
  const client = createClient({ baseUrl: new URL(url).origin, business: SALON, key: secret });
  const { page: start } = await client.listChanges({ after: "latest" });
  const id = insertBooking(rt, key.id, "guest", rt.now() + DAY_MS);
  await client.cancelBooking({ id, body: {} });
  const page = await openPage(test, url);
  const reader = drive(page);
  await reader.fill("API key", secret);
  await reader.click("Open");
  await reader.waitForText("Salon Aurora");
  await reader.click("Feed");
  await reader.fill("Cursor", start.nextCursor ?? "");
  await reader.click("Count");
  await reader.waitForText("1 event behind, by ");
  expect(await reader.readText()).toMatch(/The next is booking\.cancelled/);
}, 60_000);
