import { expect, test } from "vitest";
import { unpublishPage } from "../../../src/features/public-pages/publish.ts";
import { applyPreset, createTestApi } from "../../http/support/api.ts";
import { publishPage } from "../../../src/features/public-pages/publish.ts";
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
