import { expect, test } from "vitest";
import { editCatalog } from "../../../src/app/catalog/changes/edit-catalog.ts";
import { businessOf, findAll, openPage } from "./open-page.ts";

const WEBSITE = "https://www.salon.example";

function openEmbedded() {
  const opened = openPage("restaurant");
  editCatalog(opened.api, businessOf(opened.api).slug, (catalog) => {
    const { business } = catalog;
    const publicPage = { ...business.publicPage, embedOrigins: [WEBSITE] };
    return {
      catalog: { ...catalog, business: { ...business, publicPage } },
      target: { section: "publicPage" },
    };
  });
  return opened;
}

const ancestorsOf = (response: Response): string | undefined =>
  /frame-ancestors ([^;]+)/.exec(response.headers.get("content-security-policy") ?? "")?.[1];

test("every website can load the booking script, and browsers keep it for an hour", async () => {
  const { visitor } = openEmbedded();
  const response = await visitor.send("/embed.js");
  expect(response.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
  expect(response.headers.get("cache-control")).toBe("public, max-age=3600");
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  expect(response.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
  const etag = response.headers.get("etag") ?? "";
  const again = await visitor.send("/embed.js", { headers: { "if-none-match": etag } });
  expect(again.status).toBe(304);
});

test("a website that the business names can show the booking page and the visit, without a cookie", async () => {
  const { api, base, visitor } = openEmbedded();
  const start = await visitor.send(`${base}?embed=first`);
  expect(ancestorsOf(start)).toBe(WEBSITE);
  expect(await start.text()).toContain(`name="embed" value="1"`);
  const { action, times } = await visitor.openTimes(`${base}?party=2&embed=1`);
  const held = await visitor.post(action, { at: times[0]! });
  expect(held.headers.get("set-cookie")).toBeNull();
  const booked = await visitor.book(held.headers.get("location") ?? "");
  expect(booked.headers.get("set-cookie")).toBeNull();
  const url = booked.headers.get("location") ?? "";
  expect(url).toMatch(/\?embed=1&booked=1$/);
  expect(ancestorsOf(await visitor.send(url))).toBe(WEBSITE);
  // A link that has ended says so in the frame, too.
  expect(ancestorsOf(await visitor.send(`${base.replace(/book$/, "v/none")}?embed=1`))).toBe(
    WEBSITE,
  );
  // The other pages of the business must not be shown in a frame.
  expect(ancestorsOf(await api.request(base.replace(/\/book$/, ""), { key: null }))).toBe("'none'");
});

test("the booking page outside of a frame has the header of the site and sets a cookie", async () => {
  const { base, visitor } = openEmbedded();
  const [whole, embedded] = await Promise.all([visitor.get(base), visitor.get(`${base}?embed=1`)]);
  expect(whole).toContain('<header class="site">');
  expect(embedded).not.toContain('<header class="site">');
  const { action, times } = await visitor.openTimes(`${base}?party=2`);
  const held = await visitor.post(action, { at: times[0]! });
  expect(held.headers.get("set-cookie")).toContain("deskbell_hold=hld_");
});

test("the link that keeps a visit's old time stays in the embedded frame and in the chosen language", async () => {
  const { base, visitor } = openEmbedded();
  const { action, times } = await visitor.openTimes(`${base}?party=2`);
  const booked = await visitor.book(await visitor.hold(action, times.at(-1)!));
  const link = (booked.headers.get("location") ?? "").split("?")[0]!;
  const page = await visitor.get(`${link}?move=1&lang=de&embed=1`);
  const [kept = ""] = findAll(page, /href="([^"]*)">Zeit behalten/g);
  expect(kept).toBe(`${link}?lang=de&embed=1`);
});
