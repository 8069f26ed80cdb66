/** @jsxImportSource preact */
import { hash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import { expect, test, vi } from "vitest";
import { loadMonitoring } from "../../../src/app/operations/monitoring.ts";
import type { ConfigFlags } from "../../../src/config.ts";
import { AppError } from "../../../src/domain/errors.ts";
import { createApp } from "../../../src/http/app.ts";
import type { HandlePage } from "../../../src/http/pages/page-request.ts";
import { definePages } from "../../../src/http/pages/pages.ts";
import { type Page, respondWithPage } from "../../../src/http/pages/render-page.tsx";
import { ROUTES } from "../../support/routes.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

// The pages of these tests belong to no feature, so the build has no script and style for them.
vi.mock(import("../../../src/platform/assets.ts"), async (load) => ({
  ...(await load()),
  readPageFile: (name: string) => Buffer.from(`/* ${name} */`.repeat(200)),
}));

const FEATURE = "some-pages";
const HOSTILE = `"><script>alert(1)</script>&'`;

const monitoring = await loadMonitoring();

const shown =
  (page: Partial<Page> = {}): HandlePage =>
  (request) =>
    respondWithPage(request, {
      language: "de",
      title: HOSTILE,
      isPrivate: true,
      content: <p>{HOSTILE}</p>,
      ...page,
    });

const failing =
  (error: unknown): HandlePage =>
  () => {
    throw error;
  };

/** Serves a page by GET and POST, and tells how often its code was loaded. */
function servePage(handle: HandlePage, flags: ConfigFlags = {}) {
  const rt = createTestRuntime(flags);
  let loads = 0;
  const load = async () => {
    loads += 1;
    return handle;
  };
  const pages = definePages(FEATURE, [
    { path: "test", load },
    { method: "POST", path: "test", load },
  ]);
  const app = createApp(rt, { routes: ROUTES, pages: [pages], monitoring });
  const get = (headers: Record<string, string> = {}, path = "/b/my-shop/test") =>
    app.request(path, { headers: { host: "desk.example", ...headers } });
  const post = (headers: Record<string, string>, path = "/b/my-shop/test") =>
    app.request(path, {
      method: "POST",
      headers: { host: "desk.example", ...headers },
    });
  return { get, post, loads: () => loads };
}

test("a private page is kept by no cache and no search engine, and runs no inline code", async () => {
  const { get, loads } = servePage(shown());
  expect(loads()).toBe(0);
  const response = await get();
  expect([response.status, loads()]).toEqual([200, 1]);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "content-language": "de",
    "cache-control": "no-store",
    "x-robots-tag": "noindex, nofollow",
    "referrer-policy": "strict-origin",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "content-security-policy":
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  });
});

test("a page's address with a slash at its end leads to the page, also below a path of a proxy", async () => {
  const { get, post, loads } = servePage(shown());
  const response = await get({}, "/b/my-shop/test/?lang=de");
  const location = response.headers.get("location") ?? "";
  expect([response.status, location]).toEqual([308, "../test?lang=de"]);
  expect(new URL(location, "https://x.example/base/b/my-shop/test/").pathname).toBe(
    "/base/b/my-shop/test",
  );
  expect([response.headers.get("cache-control"), loads()]).toEqual(["no-store", 0]);
  const sameOrigin = { origin: "https://desk.example" };
  expect((await post(sameOrigin, "/b/my-shop/test/")).status).toBe(405);
  const statuses = await Promise.all(
    ["/b/my-shop/test//", "/b/my-shop//test/", "/b/my-shop/none/"].map(
      async (path) => (await get({}, path)).status,
    ),
  );
  expect(statuses).toEqual([404, 404, 404]);
});

test("a page with forms may send them to its own server only", async () => {
  const policy = (await servePage(shown({ hasForms: true })).get()).headers.get(
    "content-security-policy",
  );
  expect(policy).toContain("form-action 'self'");
  expect(policy).not.toContain("unsafe");
});

test("a public page can be found by search engines, and caches revalidate it", async () => {
  const { headers } = await servePage(shown({ isPrivate: false })).get();
  expect([headers.get("cache-control"), headers.get("x-robots-tag")]).toEqual([
    "public, no-cache",
    null,
  ]);
});

test("a page names the origins of its images and of the websites that may frame it", async () => {
  const page = {
    imageUrls: [
      "https://images.example/a.jpg?x",
      "https://images.example/b.jpg",
      "http://[::1]:3000/c",
      "https://evil.example;script-src/d.jpg",
      "not a url",
    ],
    embedOrigins: ["https://salon.example"],
  };
  const { headers } = await servePage(shown(page)).get();
  const policy = headers.get("content-security-policy");
  expect(policy).toContain(
    "img-src 'self' data: https://images.example http://[::1]:3000; base-uri",
  );
  expect(policy).toContain("frame-ancestors https://salon.example;");
  expect(policy).not.toContain("evil");
});

test("the style of a page's colours is allowed by its hash", async () => {
  const response = await servePage(shown({ accent: "#aa3366" })).get();
  const [, style = ""] = /<style>([^<]+)<\/style>/.exec(await response.text()) ?? [];
  expect(style).toContain("--accent:#aa3366");
  expect(response.headers.get("content-security-policy")).toContain(
    `style-src 'self' 'sha256-${hash("sha256", style, "base64")}';`,
  );
});

test("structured data in a page cannot end its script element, and is the same after parsing", async () => {
  const data = { name: `</script><script>alert(1)</script><!--\u2028&quot;` };
  const html = await (await servePage(shown({ structuredData: data })).get()).text();
  const [, json = ""] = /<script type="application\/ld\+json">([^]*?)<\/script>/.exec(html) ?? [];
  expect(JSON.parse(json)).toEqual(data);
  expect(html.match(/<script/g)).toHaveLength(1);
});

test("text in content, title and props is escaped", async () => {
  const html = await (await servePage(shown({ props: { name: HOSTILE } })).get()).text();
  expect(html).not.toContain("<script>");
  expect(html).toMatch(/^<!doctype html><html lang="de">/);
  expect(html.match(/&lt;script>/g)).toHaveLength(3);
});

test("the URLs of a page's script and style contain their hashes, and caches keep the files for good", async () => {
  const { get } = servePage(shown({ props: {} }));
  const html = await (await get()).text();
  const paths = [...html.matchAll(/(?:src|href)="(\/b\/[^"]+)"/g)].map(([, path = ""]) => path);
  expect(paths).toEqual([
    expect.stringMatching(/^\/b\/my-shop\/assets\/some-pages\/[0-9a-f]{16}\.css$/),
    expect.stringMatching(/^\/b\/my-shop\/assets\/some-pages\/[0-9a-f]{16}\.js$/),
  ]);
  for (const path of paths) {
    const file = await get({ "accept-encoding": "gzip" }, path);
    expect([path, file.status, file.headers.get("cache-control")]).toEqual([
      path,
      200,
      "public, max-age=31536000, immutable",
    ]);
    expect(file.headers.get("content-type")).toMatch(/^text\/(?:css|javascript); charset=utf-8$/);
    expect(gunzipSync(Buffer.from(await file.arrayBuffer())).length).toBeGreaterThan(1000);
  }
  const [style = ""] = paths;
  for (const other of [style.replace(/.{5}\.css$/, "00000.css"), "/b/my-shop/assets/some-pages/x"])
    expect([other, (await get({}, other)).status]).toEqual([other, 404]);
});

test("a page without props has no script", async () => {
  expect(await (await servePage(shown()).get()).text()).not.toContain("<script");
});

test("links and files begin with the path of the public URL", async () => {
  const { get } = servePage(shown(), { publicUrl: "https://desk.example/api/" });
  expect(await (await get()).text()).toContain('href="/api/b/my-shop/assets/some-pages/');
});

test("a page larger than 1 KB is compressed", async () => {
  const { get } = servePage(shown({ content: <p>{"word ".repeat(1000)}</p> }));
  const response = await get({ "accept-encoding": "gzip" });
  expect(response.headers.get("content-encoding")).toBe("gzip");
  const html = gunzipSync(Buffer.from(await response.arrayBuffer())).toString();
  expect(html).toContain("word word");
});

test("an error of a handler is a page for readers and a problem for scripts", async () => {
  const error = new AppError("resource_not_found", `There is no ${HOSTILE}.`, {
    fix: "open the newest link",
  });
  const { get } = servePage(failing(error));
  const page = await get({ accept: "text/html" });
  expect([page.status, page.headers.get("cache-control")]).toEqual([404, "no-store"]);
  const html = await page.text();
  expect(html).toContain("<p>Open the newest link.</p>");
  expect(html).not.toContain("<script>");
  const problem = await get({ accept: "application/json" });
  expect([problem.status, await problem.json()]).toEqual([
    404,
    expect.objectContaining({ code: "resource_not_found", fix: "open the newest link" }),
  ]);
});

test("an error page names no command of the operator, and the response to a bug has no details", async () => {
  const forOperator = new AppError("conflict", "It is closed.", { fix: "deskbell desk create" });
  expect(await (await servePage(failing(forOperator)).get()).text()).not.toContain("desk create");
  const bug = await servePage(failing(new TypeError("secret detail"))).get();
  expect([bug.status, bug.headers.get("content-type")]).toEqual([500, "text/html; charset=utf-8"]);
  expect(await bug.text()).not.toContain("secret detail");
});

test("an error that only the operator can mend is a page in the reader's language, without its message", async () => {
  const full = new AppError("storage_full", "The disk that holds /secret/folder is full.");
  const { get } = servePage(failing(full));
  const page = await get({ accept: "text/html", "accept-language": "de-CH" });
  const headers = ["content-language", "cache-control", "retry-after"];
  expect([page.status, ...headers.map((name) => page.headers.get(name))]).toEqual([
    503,
    "de",
    "no-store",
    "60",
  ]);
  const html = await page.text();
  expect(html).toContain("<h1>Das geht gerade nicht</h1>");
  expect(html).not.toMatch(/secret|disk|storage/);
  const inSpanish = await get({ "accept-language": "de" }, "/b/my-shop/test?lang=es");
  expect(inSpanish.headers.get("content-language")).toBe("es");
  const problem = await get({ accept: "application/json" });
  expect([problem.status, await problem.json()]).toEqual([
    503,
    expect.objectContaining({ code: "storage_full" }),
  ]);
});

test.each<[what: string, headers: Record<string, string>, status: number]>([
  ["this page", { "sec-fetch-site": "same-origin", origin: "https://desk.example" }, 200],
  ["this page, behind a proxy that changes Host", { "sec-fetch-site": "same-origin" }, 200],
  ["an older browser", { origin: "https://desk.example" }, 200],
  ["another website", { "sec-fetch-site": "cross-site", origin: "https://evil.example" }, 403],
  ["another subdomain", { "sec-fetch-site": "same-site", origin: "https://x.desk.example" }, 403],
  ["a typed address", { "sec-fetch-site": "none" }, 403],
  ["another website in an older browser", { origin: "https://evil.example" }, 403],
  ["a sandboxed frame", { origin: "null" }, 403],
  ["a program", {}, 403],
])(
  "a POST by %s is accepted only if a page of this server sent it",
  async (_what, headers, status) => {
    const { post, loads } = servePage(shown());
    expect([(await post(headers)).status, loads()]).toEqual([status, status === 200 ? 1 : 0]);
  },
);

test("a POST to a server with a public URL is refused unless its Origin is that of the public URL", async () => {
  const { post } = servePage(shown(), { publicUrl: "https://public.example" });
  expect((await post({ origin: "https://public.example" })).status).toBe(200);
  expect((await post({ origin: "https://desk.example" })).status).toBe(403);
});
