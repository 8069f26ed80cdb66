import { expect, test } from "vitest";
import { createClosure } from "../../../src/app/catalog/schedule.ts";
import { applyCatalog } from "../../../src/app/catalog/catalog.ts";
import { setSoldOut } from "../../../src/app/catalog/sold-out.ts";
import { objectId } from "../../../src/domain/catalog/object-id.ts";
import { unpublishPage } from "../../../src/features/public-pages/publish.ts";
import { createTestApi, SALON } from "../../http/support/api.ts";
import { publishSample, servePublished } from "../../support/published-pages.ts";

const MAX_HTML_BYTES = 150 * 1024;
const MAX_COMPRESSED_BYTES = 60 * 1024;

const BUSINESS = { slug: "shop", name: "Shop", timezone: "Europe/Zurich", currency: "CHF" };

test("the page of an unpublished business is the same as that of an unknown business", async () => {
  const api = createTestApi();
  const read = async (slug: string, path = "") => {
    const response = await api.request(`/b/${slug}${path}`, { key: null });
    const html = (await response.text()).replaceAll(slug, "SLUG");
    return { status: response.status, html, cache: response.headers.get("cache-control") };
  };
  const unpublished = await read(SALON);
  expect(unpublished).toMatchObject({ status: 404, cache: "no-store" });
  expect(unpublished.html).not.toContain("Aurora");
  expect(await read("no-such-shop")).toEqual(unpublished);
  for (const path of ["/menu", "/services", "/events", "/events/x", "/events.ics"])
    expect(await read(SALON, path)).toEqual(await read("no-such-shop", path));
  for (const path of [".md", ".jsonld", ".txt", ".md.md"])
    expect((await read(SALON, path)).status).toBe(404);
});

test("a page that is unpublished is gone at the next request, even for a client that has a copy", async () => {
  const { api, slug, get } = publishSample("salon");
  const page = await get("");
  expect(page.status).toBe(200);
  unpublishPage(api, slug);
  expect((await get("", { "if-none-match": page.headers.get("etag") ?? "" })).status).toBe(404);
});

test("a page is kept by caches, which ask each time whether it has changed", async () => {
  const { get } = publishSample("salon");
  const page = await get("");
  const etag = page.headers.get("etag") ?? "";
  expect(page.headers.get("cache-control")).toBe("public, no-cache");
  expect(page.headers.get("vary")).toContain("Accept-Language");
  const again = await get("", { "if-none-match": etag });
  expect([again.status, await again.text()]).toEqual([304, ""]);
});

test("caches keep a page for each Accept-Language unless ?lang= names a language that pages have", async () => {
  const { get } = publishSample("salon");
  const varyOf = async (query: string) => (await get(query)).headers.get("vary");
  expect(await varyOf("?lang=de")).not.toContain("Accept-Language");
  expect(await varyOf("?lang=xx")).toContain("Accept-Language");
});

test("the next request shows that a dish is sold out, and later that it is available again", async () => {
  const { api, slug, get } = publishSample("restaurant");
  const business = api.store.businesses.findBySlug(slug)!;
  const read = async () => {
    const response = await get("/menu");
    const html = await response.text();
    const [, item = ""] =
      /<li id="\w+" class="([^"]*)">(?:(?!<li id).)*?<bdi>Eggs Benedict/s.exec(html) ?? [];
    return { item, etag: response.headers.get("etag") ?? "" };
  };
  const before = await read();
  expect(before.item).toBe("item");
  setSoldOut(api, business, "eggs-benedict", api.now() + 3_600_000);
  const marked = await read();
  expect(marked.item).toBe("item gone");
  expect(marked.etag).not.toBe(before.etag);
  api.advance(3_600_000);
  expect((await read()).item).toBe("item");
});

test("a page changes by the clock when the business opens or closes, and at midnight", async () => {
  const { api, get } = publishSample("salon");
  const stateOf = async () => {
    const response = await get("", { "accept-language": "en" });
    const [, state = ""] = /class="state[^"]*">([^<]*)</.exec(await response.text()) ?? [];
    return { state, etag: response.headers.get("etag") };
  };
  const at = (time: string) => api.advance(Date.parse(time) - api.now());
  at("2026-11-20T09:59:00-05:00");
  const closed = await stateOf();
  expect(closed.state).toBe("Closed · opens at 10:00 AM");
  at("2026-11-20T10:00:00-05:00");
  const open = await stateOf();
  expect(open.state).toBe("Open until 9:00 PM");
  expect(open.etag).not.toBe(closed.etag);
  at("2026-11-20T20:59:59-05:00");
  expect(await stateOf()).toEqual(open);
  at("2026-11-20T21:00:00-05:00");
  expect((await stateOf()).state).toBe("Closed · opens Sat, Nov 21, 9:00 AM");
  at("2026-11-21T00:00:00-05:00");
  expect((await stateOf()).state).toBe("Closed · opens at 9:00 AM");
});

test("a closure is shown at the next request", async () => {
  const { api, slug, get } = publishSample("salon");
  expect(await (await get("")).text()).not.toContain("Staff outing");
  createClosure(api, slug, { date: "2026-11-20", name: "Staff outing" });
  const html = await (await get("")).text();
  expect(html).toContain("Staff outing");
  expect(html).toContain("Closed · opens");
});

test("fixed texts are in the reader's language, and texts of the catalog in the nearest language of the catalog", async () => {
  const { get } = publishSample("restaurant");
  const read = async (language: string, path = "/menu") => {
    const response = await get(path, { "accept-language": language });
    return { html: await response.text(), language: response.headers.get("content-language") };
  };
  const german = await read("de-CH,fr;q=0.5");
  expect(german.language).toBe("de");
  expect(german.html).toContain("<h1>Speisekarte</h1>");
  expect(german.html).toContain("Rührei");
  const italian = await read("it, fr;q=0.9");
  expect(italian.language).toBe("it");
  expect(italian.html).toContain('<span lang="fr"><bdi>Petit-déjeuner</bdi></span>');
  expect((await read("ja")).language).toBe("en");
  expect((await read("de", "/menu?lang=fr")).html).toContain("<h1>Carte</h1>");
});

test("a reader whose language the catalog lacks finds the way back to it from a language of the catalog", async () => {
  const { get } = publishSample("salon", { publicUrl: "https://shop.example" });
  const read = async (path: string) => (await get(path, { "accept-language": "de" })).text();
  const linked = (html: string) =>
    [...html.matchAll(/<a href="[^"]*lang=(\w+)" hreflang/g)].map(([, language]) => language);
  expect(linked(await read(""))).toEqual(["en", "de", "fr", "es", "it"]);
  expect(linked(await read("?lang=es"))).toContain("de");
  expect(linked(await read("/book?lang=es"))).toContain("de");
  // Search engines are told only of the languages in which the catalog has texts.
  const alternates = [...(await read("")).matchAll(/rel="alternate" hreflang="(\w+)"/gi)];
  expect(alternates.map(([, language]) => language)).toEqual(["en", "es"]);
});

test("a page with its language in the URL is the same for every reader", async () => {
  const { get } = publishSample("restaurant");
  const response = await get("?lang=fr", { "accept-language": "de" });
  expect(response.headers.get("vary")).toBe("Accept-Encoding");
  expect(response.headers.get("content-language")).toBe("fr");
});

test.each(["restaurant", "venue"] as const)(
  "every page that is linked from a page of the %s in a chosen language is in this language, too",
  async (preset) => {
    const { slug, get } = publishSample(preset);
    const paths = new Set(["?lang=fr"]);
    for (const path of paths) {
      const response = await get(path, { "accept-language": "de" });
      if (!response.headers.get("content-type")?.startsWith("text/html")) continue;
      const language = response.headers.get("content-language");
      expect({ path, language }).toEqual({ path, language: "fr" });
      const [, body = ""] = (await response.text()).split("<body");
      for (const [link, href = ""] of body.matchAll(/<a [^>]*?href="(\/b\/[^"#]*)[^>]*>/g))
        if (!link.includes("hreflang"))
          paths.add(href.slice(`/b/${slug}`.length).replaceAll("&amp;", "&"));
    }
    expect([...paths].filter((path) => !path.includes("lang=fr"))).toEqual([]);
    expect(paths.size).toBeGreaterThan(2);
  },
);

test("the language of a page does not depend on what others have requested", async () => {
  const { get } = publishSample("restaurant");
  const read = async (query: string, accept: string) =>
    (await get(query, { "accept-language": accept })).headers.get("content-language");
  // The query and the header of both requests contain the same text, divided at different places. A
  // cache key that only joins the two would be equal.
  expect(await read("?lang=fr%20de,", "en;q=0.5")).toBe("en");
  expect(await read("?lang=fr", "de, en;q=0.5")).toBe("fr");
});

test("the navigation names the lists that the business has, and the pages of other lists are not found", async () => {
  const { get } = publishSample("restaurant");
  const html = await (await get("")).text();
  expect(html).toContain('href="/b/cafe-lumen/menu"');
  expect(html).not.toContain('href="/b/cafe-lumen/events"');
  expect((await get("/events")).status).toBe(404);
  expect((await get("/menu?page=2")).status).toBe(404);
});

test("100 dishes take at most 60 KB compressed", async () => {
  const items = Array.from({ length: 100 }, (_, i) => ({
    key: `dish-${i}`,
    name: `Dish ${i} of the house`,
    price: `${10 + (i % 30)}.50`,
    description: `With vegetables of the season, number ${i * 7919}, and a sauce of the day.`,
    allergens: ["milk", "nuts"] as ("milk" | "nuts")[],
  }));
  const { get } = servePublished({ catalog: 1, business: BUSINESS, menu: { items } });
  const response = await get("/menu", { "accept-encoding": "gzip" });
  const bytes = (await response.arrayBuffer()).byteLength;
  expect(bytes).toBeGreaterThan(2000);
  expect(bytes).toBeLessThan(MAX_COMPRESSED_BYTES);
});

const longText = (i: number) => `${"Ein sehr langer Satz & mehr. ".repeat(30)}${i}`;

test("500 dishes and 300 events are divided into pages of at most 150 KB, each object on one page", async () => {
  const items = Array.from({ length: 500 }, (_, i) => ({
    key: `dish-${i}`,
    name: `Dish ${i}.`,
    price: "12.50",
    description: longText(i),
  }));
  const events = Array.from({ length: 300 }, (_, i) => ({
    key: `event-${i}`,
    name: `Event ${i}.`,
    startsAt: `2027-0${1 + (i % 9)}-1${i % 10}T20:00`,
    durationMin: 120,
    description: longText(i),
  }));
  const { get } = servePublished({ catalog: 1, business: BUSINESS, menu: { items }, events });
  const readAll = async (path: string, noun: string) => {
    const names: string[] = [];
    for (let next: string | undefined = path; next !== undefined;) {
      const html: string = await (await get(next)).text();
      expect(Buffer.byteLength(html)).toBeLessThan(MAX_HTML_BYTES);
      names.push(
        ...[...html.matchAll(new RegExp(`<bdi>(${noun} \\d+\\.)</bdi>`, "g"))].map(
          ([, name = ""]) => name,
        ),
      );
      [, next] = /rel="next" href="\/b\/shop([^"]+)"/.exec(html) ?? [];
    }
    return names;
  };
  const dishes = await readAll("/menu", "Dish");
  expect(dishes).toEqual(items.map(({ name }) => name));
  const shown = await readAll("/events", "Event");
  expect(new Set(shown).size).toBe(300);
  expect(shown).toHaveLength(300);
  expect(Buffer.byteLength(await (await get("")).text())).toBeLessThan(MAX_HTML_BYTES);
});

test("the page of an event shows the date of its end if it lasts a day or longer", async () => {
  const startsAt = "2027-03-12T18:00";
  const events = [
    { key: "night", name: "Night", startsAt, durationMin: 8 * 60 },
    { key: "festival", name: "Festival", startsAt, durationMin: 28 * 60 },
  ];
  const { get } = servePublished({ catalog: 1, business: BUSINESS, events });
  const readEnd = async (key: string) =>
    / – <time[^>]*>([^<]+)</.exec(await (await get(`/events/${key}?lang=de`)).text())?.[1];
  expect(await readEnd("night")).toBe("02:00");
  expect(await readEnd("festival")).toBe("Samstag, 13. März 2027, 22:00");
});

test("the list of events shows the year of an event that is far away", async () => {
  const events = ["2026-12-05T20:00", "2027-12-04T20:00"].map((startsAt, i) => ({
    key: `event-${i}`,
    name: `Event ${i}`,
    startsAt,
    durationMin: 60,
  }));
  const { get } = servePublished({ catalog: 1, business: BUSINESS, events });
  const html = await (await get("/events?lang=de")).text();
  const shown = [...html.matchAll(/<time[^>]*>([^<]+)</g)].map(([, text]) => text);
  expect(shown).toEqual(["Sa., 5. Dez., 20:00", "Samstag, 4. Dezember 2027, 20:00"]);
});

test("each page of a long list of services links to the categories on its other pages", async () => {
  const categories = Array.from({ length: 8 }, (_, i) => ({ key: `c${i}`, name: `Part ${i}.` }));
  const services = Array.from({ length: 400 }, (_, i) => ({
    key: `s${i}`,
    name: `Service ${i}.`,
    durationMin: 30,
    price: "10.00",
    category: `c${Math.floor(i / 50)}`,
    staff: ["ann"],
  }));
  const { get } = servePublished({
    catalog: 1,
    business: { ...BUSINESS, publicPage: { enabled: true, booking: "confirm" } },
    hours: [{ start: "09:00", end: "17:00" }],
    serviceCategories: categories,
    services,
    staff: [{ key: "ann", name: "Ann" }],
  });
  for (const path of ["/services", "/book"]) {
    const first = await (await get(path)).text();
    const [nav = ""] = /<nav class="jump".*?<\/nav>/.exec(first) ?? [];
    const links = [...nav.matchAll(/href="(?:\/b\/shop([^"#]+))?#(\w+)"/g)];
    expect(links).toHaveLength(categories.length);
    const pages = new Set<string>();
    for (const [, page = path, id = ""] of links) {
      pages.add(page);
      expect(await (await get(page)).text()).toContain(` id="${id}"`);
    }
    expect(pages.size).toBeGreaterThan(1);
    const names: string[] = [];
    for (const page of pages)
      names.push(...((await (await get(page)).text()).match(/Service \d+\./g) ?? []));
    expect(new Set(names).size).toBe(services.length);
  }
});

test("a page of the longest texts that a catalog can have is at most 150 KB", async () => {
  const text = `${"&".repeat(9_990)}`;
  const items = Array.from({ length: 12 }, (_, i) => ({
    key: `dish-${i}`,
    name: `${i} ${'"'.repeat(190)}`,
    price: "1.00",
    description: text,
  }));
  const { get } = servePublished({
    catalog: 1,
    business: { ...BUSINESS, description: text },
    menu: { items },
    staff: [
      { key: "a", name: "A", bio: text },
      { key: "b", name: "B", bio: text },
    ],
  });
  for (const path of ["", "/menu", "/menu?page=2"]) {
    const html = await (await get(path)).text();
    expect([path, Buffer.byteLength(html) < MAX_HTML_BYTES]).toEqual([path, true]);
  }
});

test("no page, document or feed shows a guest, a hidden object or the code of a promotion", async () => {
  const { api, slug, get } = publishSample("salon");
  const service = objectId("service", slug, { key: "beard-trim", previousKeys: [] });
  const body = {
    segments: [{ serviceId: service }],
    startsAt: "2026-11-24T12:00:00-05:00",
    customer: {
      name: "CANARY-NAME",
      phone: "+1 555 0100",
      email: "canary@guest.example",
      notes: "CANARY-NOTE",
    },
    customerRef: "CANARY-REF",
  };
  const booked = await api.request(`/v1/businesses/${slug}/bookings`, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": "canary-booking" },
    body: JSON.stringify(body),
  });
  expect([booked.status, await booked.text()]).toEqual([
    201,
    expect.stringContaining("CANARY-REF"),
  ]);
  const text = `catalog: 1
business: {slug: ${slug}, name: Salon Aurora, timezone: America/New_York, currency: USD, legal: {privacyUrl: "https://a.example", imprint: A}, publicPage: {enabled: true}}
promotions: [{key: secret, name: Promo, code: CANARY-CODE, benefit: {type: percent_off, percent: 5}}]
services: [{key: hidden, name: CANARY-HIDDEN, status: inactive, durationMin: 30, price: 1.00}]
staff: [{key: ghost, name: CANARY-GHOST, public: false}]
`;
  applyCatalog(api, [{ name: "hidden.yaml", text }], { confirmed: true });
  for (const path of ["", "/services", ".md", ".jsonld", "/events.ics"]) {
    const response = await get(path);
    const found = /canary|555 0100/i.exec(await response.text());
    expect([path, response.status, found]).toEqual([path, 200, null]);
  }
});
