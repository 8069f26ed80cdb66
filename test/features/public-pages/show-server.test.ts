import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { unpublishPage } from "../../../src/features/public-pages/publish.ts";
import { publishPage } from "../../../src/features/public-pages/publish.ts";
import { applyPreset, createTestApi } from "../../http/support/api.ts";
import { plansOf } from "../../support/query-plans.ts";
import { publishSample } from "../../support/published-pages.ts";

test("the address of the server leads to the documentation, the only published page, or a list of pages", async () => {
  const api = createTestApi();
  const open = () => api.request("/", { key: null });
  expect((await open()).headers.get("location")).toBe("/docs");
  publishPage(api, "salon-aurora");
  expect((await open()).headers.get("location")).toBe("/b/salon-aurora");
  applyPreset(api, "restaurant");
  publishPage(api, "cafe-lumen");
  const list = await open();
  expect(list.status).toBe(200);
  const html = await list.text();
  expect([...html.matchAll(/href="(\/b\/[\w-]+)"/g)].map(([, path]) => path)).toEqual([
    "/b/cafe-lumen",
    "/b/salon-aurora",
  ]);
  unpublishPage(api, "cafe-lumen");
  expect((await open()).headers.get("location")).toBe("/b/salon-aurora");
});

test("robots.txt and sitemap.xml name the published pages, and exist only if a page is published", async () => {
  const { api, slug } = publishSample("venue", { publicUrl: "https://shop.example/x" });
  const read = (path: string) => api.request(path, { key: null });
  expect(await (await read("/robots.txt")).text()).toBe(
    "User-agent: *\nDisallow: /x/v1/\nAllow: /\n\nSitemap: https://shop.example/x/sitemap.xml\n",
  );
  const sitemap = await read("/sitemap.xml");
  expect(sitemap.headers.get("content-type")).toBe("application/xml; charset=utf-8");
  expect([...(await sitemap.text()).matchAll(/<loc>([^<]+)</g)].map(([, url]) => url)).toEqual([
    "https://shop.example/x/b/kita-live",
    "https://shop.example/x/b/kita-live/services",
    "https://shop.example/x/b/kita-live/events",
  ]);
  unpublishPage(api, slug);
  for (const path of ["/robots.txt", "/sitemap.xml"]) expect((await read(path)).status).toBe(404);
});

/** Serves a published business and copies of it, which have no objects. */
function publishMany(copies: number) {
  const { api, slug } = publishSample("venue", { publicUrl: "https://shop.example/x" });
  const db = new Database(api.config.databasePath);
  db.prepare(`
    WITH RECURSIVE copy (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM copy WHERE i < :copies)
    INSERT INTO business (id, slug, doc, schedule, catalog_version, last_sequence, created_at,
      updated_at, told_until)
    SELECT id || i, format('m-%05d', i), doc, schedule, catalog_version, last_sequence, created_at,
      updated_at, told_until
    FROM business, copy`).run({ copies });
  db.close();
  const read = async (path: string) => {
    const response = await api.request(path, { key: null });
    return { status: response.status, text: await response.text() };
  };
  return { api, slug, read };
}

const listSlugs = (html: string) =>
  [...html.matchAll(/href="\/x\/b\/([\w-]+)"/g)].map(([, slug]) => slug);
const listLocations = (xml: string) => [...xml.matchAll(/<loc>([^<]+)</g)].map(([, url]) => url);

test("a list of more than 100 published businesses is divided into pages", async () => {
  const { api, slug, read } = publishMany(150);
  const first = (await read("/")).text;
  expect(listSlugs(first)).toHaveLength(100);
  expect(first).toContain('rel="next" href="/x/?page=2"');
  const second = (await read("/?page=2")).text;
  expect(second).toContain('rel="prev" href="/x/"');
  expect([...listSlugs(first), ...listSlugs(second)]).toEqual(
    api.store.businesses.listSlugs().toSorted(),
  );
  expect((await read("/?page=3")).status).toBe(404);
  unpublishPage(api, slug);
  expect(listSlugs((await read("/")).text)).not.toContain(slug);
});

test("the sitemap of more than 250 published businesses is an index of sitemaps", async () => {
  const { api, slug, read } = publishMany(300);
  const index = (await read("/sitemap.xml")).text;
  expect(index).toContain("<sitemapindex ");
  const origin = "https://shop.example/x";
  expect(listLocations(index)).toEqual([
    `${origin}/sitemap.xml?page=1`,
    `${origin}/sitemap.xml?page=2`,
  ]);
  const listAll = async () => {
    const pages = [await read("/sitemap.xml?page=1"), await read("/sitemap.xml?page=2")];
    return pages.flatMap(({ text }) => listLocations(text));
  };
  const pages = [
    `${origin}/b/${slug}`,
    `${origin}/b/${slug}/services`,
    `${origin}/b/${slug}/events`,
  ];
  const copies = Array.from(
    { length: 300 },
    (_, i) => `${origin}/b/m-${String(i + 1).padStart(5, "0")}`,
  );
  expect(await listAll()).toEqual([...pages, ...copies]);
  expect((await read("/sitemap.xml?page=3")).status).toBe(404);
  unpublishPage(api, slug);
  expect(await listAll()).toEqual(copies);
});

test("the pages of the server read published businesses only", async () => {
  const { api, slug, read } = publishMany(1);
  const readAll = async () => {
    for (const path of ["/", "/robots.txt", "/sitemap.xml"]) await read(path);
  };
  const findPlans = async () => [...(await plansOf(api, readAll, ["business"])).values()];
  const plans = await findPlans();
  expect(plans).not.toEqual([]);
  for (const [step] of plans) expect(step).toMatch(/^SCAN business USING .*business_published$/);
  unpublishPage(api, slug);
  expect(await findPlans()).toEqual(plans);
});
