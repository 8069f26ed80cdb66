import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createKey } from "../../src/app/keys.ts";
import { businessId } from "../../src/domain/catalog/object-id.ts";
import { EVENT_TYPES } from "../../src/domain/event-types.ts";
import { createApp } from "../../src/http/app.ts";
import type { ApiDocument } from "../../src/http/docs/reference.ts";
import { openPage } from "../support/browser.ts";
import { applyPreset, SALON } from "../http/support/api.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

/** The part of the DOM that the functions below need; they run in the browser. */
type Element = {
  innerText: string;
  value: string;
  open: boolean;
  click: () => void;
  blur: () => void;
  dispatchEvent: (event: Event) => boolean;
  querySelector: (selector: string) => Element | null;
  querySelectorAll: (selector: string) => Iterable<Element>;
};
declare const document: Element & { body: Element; documentElement: { scrollWidth: number } };
declare const indexedDB: { databases: () => Promise<unknown[]> };

/** Serves the salon's API and creates a key that may read the catalog. */
async function serveDocs() {
  const rt = createTestRuntime();
  applyPreset(rt, "salon");
  const app = createApp(rt);
  const server = createServer(app.listener).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { secret } = createKey(rt, {
    businessId: businessId(SALON),
    name: "docs",
    kind: "RESTRICTED",
    scopes: ["services.read"],
  });
  const document = (await (await fetch(`${origin}/docs/reference.json`)).json()) as ApiDocument;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary = "" }]) => ({ path, method, summary })),
  );
  return { rt, origin, secret, operations };
}

/** Waits until the page shows `wanted`, then returns its text and width. */
async function readWhen(wanted: string) {
  for (let tries = 0; tries < 100; tries++) {
    if (document.body.innerText.includes(wanted)) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return { text: document.body.innerText, width: document.documentElement.scrollWidth };
}

/** On a phone, the navigation is hidden behind a button. */
async function openMenu() {
  [...document.querySelectorAll("button")]
    .find(({ innerText }) => innerText.includes("Open Menu"))
    ?.click();
}

/** Pastes a key into Scalar, sends a request to a route and returns the text of the dialog. */
async function sendRequest(key: string, path: string, wanted: string) {
  const until = async <T>(find: () => T | null | undefined | false): Promise<T> => {
    for (let tries = 0; tries < 100; tries++) {
      const found = find();
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`Timed out: ${find.toString()}`);
  };
  const button = (text: string, inside: Element) =>
    [...inside.querySelectorAll("button")].find(({ innerText }) =>
      innerText.replace(/\s+/g, " ").startsWith(text),
    );
  const token = await until(() => document.querySelector("input[placeholder=Token]"));
  token.value = key;
  token.dispatchEvent(new Event("input", { bubbles: true }));
  token.dispatchEvent(new Event("change", { bubbles: true }));
  token.blur();
  (await until(() => button(`Test Request (get ${path})`, document))).click();
  const dialog = await until(() => document.querySelector("[role=dialog]"));
  (await until(() => button("Send", dialog))).click();
  await until(() => dialog.innerText.includes(wanted));
  const stored = [
    JSON.stringify(localStorage),
    JSON.stringify(sessionStorage),
    (await indexedDB.databases()).length,
  ];
  return { text: dialog.innerText, stored };
}

test.for([
  { what: "on a wide screen", width: 1440, height: 900 },
  { what: "on a phone", width: 390, height: 844 },
])(
  "the interactive reference shows the guide, every route and event, and loads nothing from other origins: $what",
  { timeout: 60_000 },
  async (screen, context) => {
    const { origin, operations } = await serveDocs();
    const page = await openPage(context, `${origin}/docs`, screen);
    const shown = await page.run(readWhen, "deskbell");
    expect(shown.width).toBeLessThanOrEqual(screen.width);
    if (screen.width < 1000) await page.run(openMenu);
    const { text } = await page.run(readWhen, "reservation.created");
    for (const title of [
      "First call",
      "Verifying signatures",
      "Staying in sync",
      "Retries",
      "Limits",
      "Errors",
    ])
      expect(text).toContain(title);
    expect(operations.filter(({ summary }) => !text.includes(summary))).toEqual([]);
    expect(EVENT_TYPES.filter((type) => !text.replaceAll(/\s/g, "").includes(type))).toEqual([]);
    expect(
      page.requests.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith("data:")),
    ).toEqual([]);
    expect(page.errors).toEqual([]);
  },
);

test(
  "the page sends a request, shows the response and does not store the key",
  { timeout: 60_000 },
  async (context) => {
    const { rt, origin, secret } = await serveDocs();
    const path = "/v1/businesses/{businessSlug}/services";
    const page = await openPage(context, `${origin}/docs#api/tag/catalog/GET${path}`);
    const { text, stored } = await page.run(sendRequest, secret, path, "Signature cut");
    expect(text).toMatch(/200\s*OK/);
    expect(stored).toEqual(["{}", "{}", 0]);
    expect(page.requests).toContain(`${origin}/v1/businesses/${SALON}/services`);
    expect(
      page.requests.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith("data:")),
    ).toEqual([]);
    expect(page.errors).toEqual([]);
    expect(rt.logged).toEqual([]);
  },
);

test("the CSP blocks requests to other origins", { timeout: 60_000 }, async (context) => {
  const { origin } = await serveDocs();
  const page = await openPage(context, `${origin}/docs`);
  await page.run(async () => void (await fetch("https://elsewhere.example/").catch(() => null)));
  expect(page.errors.join()).toContain("Content Security Policy");
});

test.for([{ width: 1440 }, { width: 390 }])(
  "without scripts, the page shows everything and does not scroll sideways at $width px",
  { timeout: 60_000 },
  async ({ width }, context) => {
    const { origin, operations } = await serveDocs();
    const page = await openPage(context, `${origin}/docs`, { width, scripts: false });
    await page.run(async () => {
      for (const details of document.querySelectorAll("details")) details.open = true;
    });
    const shown = await page.run(readWhen, "deskbell API");
    expect(shown.width).toBeLessThanOrEqual(width);
    for (const title of [
      "First call",
      "Verifying signatures",
      "Staying in sync",
      "Retries",
      "Limits",
      "Errors",
    ])
      expect(shown.text).toContain(title);
    expect(
      operations.filter(
        ({ method, path }) => !shown.text.includes(`${method.toUpperCase()} ${path}`),
      ),
    ).toEqual([]);
    expect(EVENT_TYPES.filter((type) => !shown.text.includes(`"type": "${type}"`))).toEqual([]);
    expect(page.requests).toEqual([`${origin}/docs`]);
    expect(page.errors).toEqual([]);
  },
);
