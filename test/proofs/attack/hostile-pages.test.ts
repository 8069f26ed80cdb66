import { expect, onTestFinished, test } from "vitest";
import type { AuthoredFile } from "../../../src/domain/catalog/file/schema.ts";
import { startServer } from "../../../src/http/server.ts";
import { useBrowser } from "../../support/browser.ts";
import { HTML_TEXTS } from "../../support/hostile/html-texts.ts";
import { recordClaim } from "../../support/claims.ts";
import { drive } from "../../support/page-driver.ts";
import { publishFile } from "../../support/published-pages.ts";
import { chooseScale } from "../../support/scale.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

const openPage = useBrowser();

/** Texts that reverse or hide the text around them, or that have no place for a line break. */
const LONG = [
  "x".repeat(150),
  "\u202e\u2066override\u202c",
  "ſ".repeat(120),
  "مرحبا بالعالم ".repeat(8),
];

/** Returns a catalog with the text in every field that a page shows. */
function writeHostile(text: string, i: number): AuthoredFile {
  const long = `${text} ${LONG[i % LONG.length]}`;
  const name = text.slice(0, 190);
  const image = `https://images.example/${encodeURIComponent(text)}.jpg`;
  const shown = { name, description: long };
  return {
    catalog: 1,
    business: {
      slug: `shop-${i}`,
      name,
      timezone: "Etc/UTC",
      currency: "CHF",
      description: long,
      address: long,
      phone: name.slice(0, 50),
      images: [{ url: image, alt: name }],
      priceRange: name.slice(0, 90),
      links: [{ url: "https://social.example/a", name: name.slice(0, 100) }],
      postalAddress: { street: name, locality: name.slice(0, 100), country: "CH" },
    },
    hours: [{ start: "00:00", end: "24:00" }],
    closures: [{ name, yearly: "12-25" }],
    serviceCategories: [{ key: "c", ...shown }],
    addons: [{ key: "a", ...shown, price: "1.00" }],
    services: [
      {
        key: "s",
        ...shown,
        durationMin: 30,
        price: "9999999.00",
        category: "c",
        addons: ["a"],
        variants: [
          { key: "v", ...shown },
          { key: "w", ...shown, price: "1.00" },
        ],
      },
    ],
    staff: [{ key: "p", name, title: name, bio: long, languages: ["de", "tlh"] }],
    menu: {
      categories: [{ key: "m", ...shown }],
      modifierGroups: [{ key: "g", name, options: [{ key: "o", name, price: "1.00" }] }],
      items: [
        {
          key: "d",
          ...shown,
          price: "9999999.00",
          categories: ["m"],
          dietary: [name.slice(0, 50)],
          modifierGroups: ["g"],
          images: [{ url: image, alt: name }],
        },
        { key: "e", ...shown, sizes: [{ key: "s", name, price: "1.00" }] },
      ],
    },
    promotions: [{ key: "f", ...shown, benefit: { type: "free_addon", addon: "a" } }],
    events: [
      {
        key: "x",
        slug: "xx",
        ...shown,
        startsIn: "3d 20:00",
        durationMin: 60,
        venue: { name, address: long },
        ticketTypes: [{ key: "t", ...shown, price: "1.00" }],
      },
    ],
  };
}

declare const document: { querySelectorAll: (selector: string) => ArrayLike<unknown> };

async function inspect() {
  const all = globalThis as { pwned?: unknown };
  return {
    pwned: all.pwned !== undefined,
    scripts: document.querySelectorAll("script:not([type='application/ld+json'])").length,
    foreign: document.querySelectorAll("iframe, object, embed, form, base, style, video").length,
  };
}

/** The objects of each list of the large catalog. */
const OBJECTS = chooseScale(200, 10_000, 1000);
const MAX_HTML_BYTES = 150 * 1024;
const LARGE_PATHS = [
  "",
  "/menu",
  "/menu?page=2",
  "/services",
  "/services?page=2",
  "/events",
  "/events?page=2",
  "/book",
  "/book?page=2",
];

/** Returns a catalog with many objects, each with hostile texts and a category of its own. */
function writeLarge(slug: string): AuthoredFile {
  const list = <Item>(write: (shown: Shown, key: string, i: number) => Item): Item[] =>
    Array.from({ length: OBJECTS }, (_, i) => {
      const text = `${i} ${HTML_TEXTS[i % HTML_TEXTS.length]}`;
      const long = `${text} ${LONG[i % LONG.length]} `;
      return write({ name: text, description: long.repeat(i % 50 === 0 ? 8 : 1) }, `k${i}`, i);
    });
  const options = Array.from({ length: 100 }, (_, i) => ({
    key: `o${i}`,
    name: `${'"&'.repeat(90)} ${i}`,
    price: "1.00",
  }));
  return {
    catalog: 1,
    business: {
      slug,
      name: "Large",
      timezone: "Etc/UTC",
      currency: "CHF",
      publicPage: { enabled: true, booking: "confirm" },
    },
    hours: [{ start: "00:00", end: "24:00" }],
    staff: [{ key: "p", name: "P" }],
    serviceCategories: list((shown, key) => ({ key, ...shown })),
    services: list((shown, key) => ({
      key,
      ...shown,
      durationMin: 30,
      price: "9999999.00",
      category: key,
      staff: ["p"],
    })),
    menu: {
      categories: list((shown, key) => ({ key, ...shown })),
      modifierGroups: [{ key: "g", name: "G", options }],
      items: list((shown, key) => ({
        key,
        ...shown,
        price: "1.00",
        categories: [key],
        modifierGroups: ["g"],
      })),
    },
    events: list((shown, key, i) => ({
      key,
      slug: `e-${i}`,
      ...shown,
      startsIn: `${1 + (i % 28)}d 20:00`,
      durationMin: 60,
      venue: { name: shown.name, address: shown.description.slice(0, 300) },
      ticketTypes: [{ key: "t", name: shown.name, price: "1.00" }],
    })),
  };
}

type Shown = { name: string; description: string };

const TEXTS = HTML_TEXTS.slice(0, chooseScale(9, 60, 20));
const PATHS = ["", "/menu", "/services", "/events/xx"];

/**
 * Inserts a text as HTML into a page without a Content Security Policy, as a careless program
 * would, and waits until its broken image has failed to load.
 */
const writeAsHtml = async (text: string) => {
  const { document: page } = globalThis as unknown as {
    document: { body: { innerHTML: string }; querySelector: (name: "img") => EventTarget };
  };
  page.body.innerHTML = text;
  const image = page.querySelector("img");
  await new Promise((resolve) => image.addEventListener("error", resolve, { once: true }));
};

test(
  "hostile catalogs run no script, add no element and need no sideways scroll at 320 px",
  { timeout: 900_000 },
  async (test) => {
    const rt = createTestRuntime({}, Date.now());
    for (const [i, text] of TEXTS.entries()) publishFile(rt, writeHostile(text, i));
    const server = await startServer(rt, { host: "127.0.0.1", port: 0 });
    onTestFinished(() => server.close());
    const page = await openPage(test, `${server.url}/b/shop-0`, { width: 320 });
    const reader = drive(page);
    for (const i of TEXTS.keys())
      for (const path of PATHS) {
        const url = `${server.url}/b/shop-${i}${path}`;
        await page.open(url);
        // A page about an event has one script, which adds the event's time in the reader's time
        // zone.
        const scripts = path === "/events/xx" ? 1 : 0;
        expect([url, await page.run(inspect), await reader.measureOverflow()]).toEqual([
          url,
          { pwned: false, scripts, foreign: 0 },
          0,
        ]);
      }
    const large = publishFile(rt, writeLarge("large"));
    const sizes: number[] = [];
    for (const path of LARGE_PATHS) {
      const url = `${server.url}/b/${large.slug}${path}`;
      const response = await fetch(url);
      sizes.push((await response.bytes()).length);
      await page.open(url);
      const { pwned, foreign } = await page.run(inspect);
      expect([url, response.status, pwned, foreign, await reader.measureOverflow()]).toEqual([
        url,
        200,
        false,
        0,
        0,
      ]);
    }
    expect(Math.max(...sizes)).toBeLessThan(MAX_HTML_BYTES);
    const strange = page.requests.filter(
      (url) => !url.startsWith(server.url) && !/^(?:https:\/\/images\.example\/|data:)/.test(url),
    );
    expect(strange).toEqual([]);
    expect(page.errors.filter((error) => !error.includes("net::ERR"))).toEqual([]);
    const careless = await openPage(test, "about:blank");
    await careless.run(writeAsHtml, "<img src=x onerror=pwned=1>");
    const { pwned } = await careless.run(inspect);
    recordClaim({
      group: "attack",
      claim: "Hostile texts of a catalog run no script on public pages",
      done: `Chromium opened ${TEXTS.length * PATHS.length} pages of ${TEXTS.length} catalogs with HTML, scripts, marks of direction and long words in every text, in a window of 320 pixels, and ${LARGE_PATHS.length} pages of a catalog with ${OBJECTS} such services, dishes and events each, in as many categories.`,
      figure: `0 scripts ran, 0 elements were added, and 0 pages were wider than the window. The largest page of the large catalog had ${Math.round(Math.max(...sizes) / 1024)} KB.`,
      control: {
        done: "One of the texts was written as HTML into a page without a policy.",
        figure: pwned ? "Its script ran." : "Its script did not run.",
        hasFailed: pwned,
      },
      seed: "none",
    });
  },
);
