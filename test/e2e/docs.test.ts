import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import axeCore from "axe-core";
import { expect, onTestFinished, test } from "vitest";
import { createKey } from "../../src/app/keys.ts";
import { businessId } from "../../src/domain/catalog/object-id.ts";
import { ALL_EVENT_TYPES } from "../../src/domain/events/event-types.ts";
import { createTestApp } from "../support/app.ts";
import { templatePathOf } from "../../.config/openapi/operation.ts";
import { ROUTES } from "../support/routes.ts";
import { type Page, useBrowser } from "../support/browser.ts";
import { chooseScale } from "../support/scale.ts";
import { applyPreset } from "../http/support/api.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

/** The part of the DOM that the functions below use in the browser. */
type Element = {
  innerText: string;
  textContent: string;
  value: string;
  open: boolean;
  tagName: string;
  className: string;
  parentElement: Element | null;
  nextElementSibling: Element;
  requestSubmit: () => void;
  click: () => void;
  dispatchEvent: (event: unknown) => void;
  removeAttribute: (name: string) => void;
  checkVisibility: () => boolean;
  getAttribute: (name: string) => string;
  getAttributeNames: () => string[];
  matches: (selector: string) => boolean;
  remove: () => void;
  clientWidth: number;
  style: object;
  getBoundingClientRect: () => { top: number; height: number; width: number };
  querySelector: (selector: string) => Element;
  querySelectorAll: (selector: string) => Iterable<Element>;
};
declare const document: Element & {
  body: Element;
  documentElement: {
    scrollWidth: number;
    style: { setProperty: (name: string, value: string) => void };
  };
  getElementById: (id: string) => Element;
};
declare const indexedDB: { databases: () => Promise<unknown[]> };
declare const innerWidth: number;
declare const getComputedStyle: (element: Element) => Record<string, string>;
declare const InputEvent: new (type: string) => unknown;
declare const location: { hash: string };
declare const axe: {
  run: (options: {
    resultTypes: string[];
    rules: Record<string, { enabled: boolean }>;
  }) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
};

const openPage = useBrowser();

const IS_FULL = chooseScale(false, true);
const BUSINESS = "cafe-lumen";
const GUIDE = ["First call", "Verifying signatures", "Staying in sync", "Retries", "Errors"];

/** Serves the API of the sample restaurant and creates a key that may read the catalog. */
async function serveDocs() {
  const rt = createTestRuntime();
  applyPreset(rt, "restaurant");
  const server = createServer(createTestApp(rt).listener).listen(0, "127.0.0.1");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, "listening");
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { secret } = createKey(rt, {
    businessId: businessId(BUSINESS),
    name: "docs",
    kind: "RESTRICTED",
    scopes: ["services.read"],
  });
  return { rt, origin, secret };
}

/** Opens every part of the page that is closed, then returns its text and width. */
async function readAll() {
  for (const details of document.querySelectorAll("details")) {
    // The browser closes the other parts with the same name when one is opened, so the name is
    // removed.
    details.removeAttribute("name");
    details.open = true;
  }
  return { text: document.body.innerText, width: document.documentElement.scrollWidth };
}

/** Returns the accessibility rules that the page violates, each with the first element. */
async function findViolations(page: Page, { contrast = true } = {}): Promise<string[]> {
  await page.load(axeCore.source);
  return page.run(async (enabled) => {
    const { violations } = await axe.run({
      // Describing each of the thousands of elements that pass would take most of the time.
      resultTypes: ["violations"],
      rules: { "color-contrast": { enabled } },
    });
    return violations.map(({ id, nodes: [first] }) => `${id}: ${first?.html}`);
  }, contrast);
}

/**
 * Removes each part of the page whose elements all look like earlier ones: an element looks like
 * another if the style sheet cannot tell them apart by their tags, attributes and ancestors.
 */
async function keepOneOfEachKind() {
  const kindOf = (element: Element): string =>
    [
      element.parentElement === null ? "" : kindOf(element.parentElement),
      element.tagName,
      element.className,
      ...element.getAttributeNames(),
      element.matches(":target"),
    ].join(" ");
  const seen = new Set<string>();
  for (const part of document.querySelectorAll("nav li, main > :not(table), main > table tr")) {
    const kinds = [part, ...part.querySelectorAll("*")].map(kindOf);
    if (kinds.every((kind) => seen.has(kind))) part.remove();
    for (const kind of kinds) seen.add(kind);
  }
}

/**
 * Checks the accessibility of the page. The contrast of all texts takes many seconds to check, so
 * the test suite checks one text of each kind.
 */
async function expectAccessible(page: Page, { scripts }: { scripts: boolean }) {
  if (IS_FULL) return expect(await findViolations(page)).toEqual([]);
  // A page without scripts has no element that the page with scripts lacks, so it needs no check of
  // its own.
  if (!scripts) return;
  expect(await findViolations(page, { contrast: false })).toEqual([]);
  await page.run(keepOneOfEachKind);
  expect(await findViolations(page)).toEqual([]);
  await page.run(async () => document.documentElement.style.setProperty("--faint", "#777"));
  expect((await findViolations(page)).join()).toMatch(/^color-contrast: [^,]*$/);
}

test.for([
  { width: 1440, dark: false, scripts: true },
  { width: 390, dark: true, scripts: true },
  { width: 1440, dark: true, scripts: false },
  { width: 390, dark: false, scripts: false },
])(
  "/docs shows everything, opens at an operation, fits the screen and is accessible (width $width, dark $dark, scripts $scripts)",
  { timeout: 120_000 },
  async (options, context) => {
    const { origin } = await serveDocs();
    const page = await openPage(context, `${origin}/docs#listServices`, options);
    const top = await page.run(
      async () => document.getElementById("listServices").getBoundingClientRect().top,
    );
    expect(top).toBeGreaterThanOrEqual(0);
    expect(top).toBeLessThan(100);

    const { text, width } = await page.run(readAll);
    expect(width).toBeLessThanOrEqual(options.width);
    expect(GUIDE.filter((title) => !text.includes(title))).toEqual([]);
    const operations = ROUTES.map((route) => `${route.method} ${templatePathOf(route)}`);
    expect(operations.filter((route) => !text.includes(route))).toEqual([]);
    expect(ALL_EVENT_TYPES.filter((type) => !text.includes(`Payload of ${type}`))).toEqual([]);
    await expectAccessible(page, options);

    const files = ["/docs", "/docs/style.css", "/docs/script.js"];
    expect(page.requests.filter((url) => !url.startsWith("data:"))).toEqual(
      files.slice(0, options.scripts ? 3 : 2).map((path) => origin + path),
    );
    expect(page.errors).toEqual([]);
  },
);

const WIDTHS = [320, 390, 768, 1000, 1280];

/** Returns the width of the page, and that of its narrowest table column in characters. */
async function measure() {
  // A page without tables has no narrow column.
  let narrowest = 1000;
  for (const cell of document.querySelectorAll("main td, main th")) {
    const { display, paddingLeft, paddingRight, fontSize } = getComputedStyle(cell);
    // On a phone, the cells of a row are lines of text and not columns.
    if (display !== "table-cell" || !cell.checkVisibility()) continue;
    const padding = Number.parseFloat(paddingLeft!) + Number.parseFloat(paddingRight!);
    // A digit of the fonts of the page is at least half as wide as the font is high.
    const characters = (cell.clientWidth - padding) / (Number.parseFloat(fontSize!) * 0.5);
    narrowest = Math.min(narrowest, characters);
  }
  return { width: document.documentElement.scrollWidth, narrowest };
}

test(
  "no page of /docs scrolls sideways or has a table column of less than 6 characters",
  { timeout: 240_000 },
  async (context) => {
    const { origin } = await serveDocs();
    const page = await openPage(context, `${origin}/docs`);
    const links = async (selector: string) =>
      page.run(
        async (selector) =>
          [...document.querySelectorAll(selector)].map((link) => link.getAttribute("href")),
        selector,
      );
    const guides = await links("nav .pages a");
    expect(guides).toContain("/docs/mirror");
    const events = await links("main a[href^='/docs/events/']");
    expect(events).toContain("/docs/events/service.updated");
    for (const path of [...guides, ...(IS_FULL ? events : events.slice(0, 2))]) {
      await page.open(origin + path);
      await page.run(readAll);
      for (const width of WIDTHS) {
        await page.resize(width);
        const measured = await page.run(measure);
        expect(measured.width, `${path} at ${width} px`).toBeLessThanOrEqual(width);
        expect(measured.narrowest, `${path} at ${width} px`).toBeGreaterThanOrEqual(6);
      }
    }
    // The measurement finds a table that is too narrow.
    await page.open(`${origin}/docs`);
    await page.run(async () => {
      const [table] = [...document.querySelectorAll("main table")];
      Object.assign(table!.style, { tableLayout: "fixed", width: "4rem" });
      for (const cell of table!.querySelectorAll("td, th"))
        Object.assign(cell.style, { minWidth: "0" });
    });
    expect((await page.run(measure)).narrowest).toBeLessThan(6);
  },
);

test.for([{ scripts: true }, { scripts: false }])(
  "the table of contents is closed on a phone and visible on a wide screen (scripts $scripts)",
  { timeout: 60_000 },
  async (options, context) => {
    const { origin } = await serveDocs();
    const page = await openPage(context, `${origin}/docs`, { width: 390, height: 844, ...options });
    const look = async () => {
      const link = document.querySelector("nav a[href='#listServices']");
      return {
        isVisible: link.checkVisibility() && link.getBoundingClientRect().height > 0,
        navHeight: document.querySelector("nav").getBoundingClientRect().height,
      };
    };
    const closed = await page.run(look);
    expect(closed.isVisible).toBe(false);
    expect(closed.navHeight).toBeLessThan(300);
    await page.run(async () => {
      for (const details of document.querySelectorAll("nav details")) details.open = true;
    });
    expect((await page.run(look)).isVisible).toBe(true);

    await page.open(`${origin}/docs/mirror`);
    await page.resize(1280);
    const isShown = async () =>
      document.querySelector("nav a[href='#the-simple-mirror']").checkVisibility();
    expect(await page.run(isShown)).toBe(true);
  },
);

test(
  "the script of /docs searches, copies an example, and shows all examples in the language chosen for one",
  { timeout: 60_000 },
  async (context) => {
    const { origin } = await serveDocs();
    const page = await openPage(context, `${origin}/docs`, { width: 390 });
    const result = await page.run(async () => {
      const until = async <T>(find: () => T | undefined | false): Promise<T> => {
        for (let tries = 0; tries < 500; tries++) {
          const found = find();
          if (found) return found;
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
        throw new Error(`Timed out: ${find.toString()}`);
      };
      const search = document.querySelector("[role='search']");
      const input = search.querySelector("input");
      input.value = "concerts";
      input.dispatchEvent(new InputEvent("input"));
      const found = await until(() => {
        const links = [...search.querySelectorAll("a")];
        return links.length > 0 && links.map((link) => link.getAttribute("href"));
      });

      let copied = "";
      Object.assign(
        (globalThis as unknown as { navigator: { clipboard: object } }).navigator.clipboard,
        {
          writeText: async (text: string) => void (copied = text),
        },
      );
      const sample = document.querySelector("#getMenu ~ .tabs");
      const button = sample.querySelector("button");
      button.click();
      await until(() => button.textContent === "Copied");

      const isOpen = (operation: string) =>
        [...document.querySelectorAll(`#${operation} + p ~ .tabs`)][0]?.querySelector(
          "details[open] > summary",
        ).textContent;
      const before = isOpen("listStaff");
      const [, typescript] = [...sample.querySelectorAll("summary")];
      typescript!.click();
      await until(() => isOpen("listStaff") === "TypeScript");
      return { found, copied, before };
    });
    expect(result.found).toContain("/docs#listPublicEvents");
    expect(result.copied).toMatch(/^curl [^]*\/menu"$/);
    expect(result.before).toBe("curl");
    expect(page.errors).toEqual([]);
    expect(page.requests.filter((url) => !url.startsWith("data:")).toSorted()).toEqual(
      ["/docs", "/docs/script.js", "/docs/search.js", "/docs/search.json", "/docs/style.css"].map(
        (path) => origin + path,
      ),
    );
  },
);

/** Pastes a key, sends the example request of an operation, and returns what the page shows. */
async function useKey(key: string, operation: string) {
  const until = async <T>(find: () => T | undefined | false | ""): Promise<T> => {
    for (let tries = 0; tries < 500; tries++) {
      const found = find();
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`Timed out: ${find.toString()}`);
  };
  const submit = async (form: Element) => {
    form.requestSubmit();
    return until(() => form.querySelector("output").textContent);
  };
  const keyForm = document.querySelector("main form");
  keyForm.querySelector("input").value = key;
  const note = await submit(keyForm);
  const samples = document.querySelector(`#${operation} ~ .tabs`);
  const example = samples.querySelector("pre");
  const details = samples.nextElementSibling;
  details.open = true;
  const form = await until(() => details.querySelector("form"));
  const stored = [localStorage, sessionStorage, await indexedDB.databases()];
  return {
    note,
    example: example.textContent,
    response: await submit(form),
    fits: document.documentElement.scrollWidth <= innerWidth,
    stored: JSON.stringify(stored),
  };
}

test(
  "a key pasted into /docs fills the examples for its business, and is sent to the API only",
  { timeout: 60_000 },
  async (context) => {
    const { rt, origin, secret } = await serveDocs();
    const page = await openPage(context, `${origin}/docs`, { width: 390 });
    const shown = await page.run(useKey, secret, "getMenu");
    const url = `${origin}/v1/businesses/${BUSINESS}/menu`;
    expect(shown).toEqual({
      note: `The examples use the business ${BUSINESS}.`,
      example: `curl -H "Authorization: Bearer ${secret}" \\\n  "${url}"`,
      response: expect.stringMatching(/^200 OK\n\n\{[^]*"priceCents": \d+/),
      fits: true,
      stored: "[{},{},[]]",
    });
    expect(page.requests.at(-1)).toBe(url);
    expect(page.requests.filter((url) => url.includes(secret))).toEqual([]);
    expect(
      page.requests.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith("data:")),
    ).toEqual([]);
    expect(rt.logged).toEqual([]);
  },
);

test(
  "the changelog is accessible, old anchors of /docs work, and the CSP of /docs blocks requests to other origins",
  { timeout: 60_000 },
  async (context) => {
    const { origin } = await serveDocs();
    const guide = await openPage(context, `${origin}/docs/changelog`);
    expect(await findViolations(guide)).toEqual([]);
    expect(guide.errors).toEqual([]);

    const page = await openPage(context, `${origin}/docs`);
    const follow = async (hash: string) => {
      location.hash = hash;
      for (let tries = 0; tries < 500 && location.hash === hash; tries++)
        await new Promise((resolve) => setTimeout(resolve, 20));
      return location.hash;
    };
    const route = "GET/v1/businesses/{businessSlug}/services";
    expect(await page.run(follow, `#api/tag/catalog/${route}`)).toBe("#listServices");
    expect(await page.run(follow, "#api/description/first-call")).toBe("#first-call");
    expect(page.errors).toEqual([]);
    await page.run(async () => void (await fetch("https://elsewhere.example/").catch(() => null)));
    expect(page.errors.join()).toContain("Content Security Policy");
  },
);
