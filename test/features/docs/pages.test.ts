import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { renderMarkdown } from "../../../.config/docs-html.ts";
import { createDocs } from "../../../.config/docs.ts";
import { GUIDES } from "../../../src/platform/assets.ts";
import { ALL_EVENT_TYPES } from "../../../src/domain/events/event-types.ts";
import { describeApi } from "../../../.config/openapi/document.ts";
import { type ApiDocument, type Parameter, resolveRef } from "../../../.config/docs/reference.ts";
import { HTTP_CODES } from "../../../src/http/pipeline/problem-codes.ts";
import { isPublished, ROUTES } from "../../support/routes.ts";
import { createTestApi } from "../../http/support/api.ts";

const docs = await createDocs();
const page = docs["index.html"] ?? "";
const markdown = docs["index.md"] ?? "";
const document = describeApi({ routes: ROUTES, version: "1" }) as ApiDocument;

const get = (
  api: ReturnType<typeof createTestApi>,
  path: string,
  headers: Record<string, string> = {},
  method = "GET",
) => api.request(path, { key: null, headers, method });

/** Returns the page from a heading to the next heading of its level or above. */
function sectionOf(anchor: string): string {
  const [, level = "", rest = ""] = new RegExp(`<h(\\d) id="${anchor}">([^]*)`).exec(page) ?? [];
  return rest.split(new RegExp(`<h[1-${level}] `), 1)[0] ?? "";
}

describe("serving", () => {
  test("the page /docs needs no key, forbids inline code and is revalidated by its ETag", async () => {
    const api = createTestApi();
    const response = await get(api, "/docs");
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-language": "en",
      "content-security-policy":
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "public, max-age=0, must-revalidate",
      vary: "Accept-Encoding",
    });
    const etag = response.headers.get("etag") ?? "";
    const unchanged = await get(api, "/docs", { "if-none-match": etag });
    expect([unchanged.status, await unchanged.text()]).toEqual([304, ""]);
    expect(unchanged.headers.get("etag")).toBe(etag);
    const head = await get(api, "/docs", {}, "HEAD");
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect(head.headers.get("content-length")).toBe(response.headers.get("content-length"));
    expect((await get(api, "/docs", {}, "POST")).status).toBe(405);
  });

  test("the page /docs is less than 72 KB for clients that accept gzip", async () => {
    const api = createTestApi();
    const zipped = await get(api, "/docs", { "accept-encoding": "gzip" });
    expect(zipped.headers.get("content-encoding")).toBe("gzip");
    const bytes = Buffer.from(await zipped.arrayBuffer());
    expect(bytes.length).toBeLessThan(72 * 1024);
    expect(gunzipSync(bytes).toString()).toBe(await (await get(api, "/docs")).text());
  });

  test("the package of the client is served as the build has written it", async () => {
    const response = await get(createTestApi(), "/docs/deskbell-client.tgz");
    expect([response.status, response.headers.get("content-type")]).toEqual([
      200,
      "application/gzip",
    ]);
    const built = new URL("../../../dist/docs/deskbell-client.tgz", import.meta.url);
    expect(Buffer.from(await response.arrayBuffer()).equals(readFileSync(built))).toBe(true);
  });

  test.each([
    ["/docs.md", "text/markdown; charset=utf-8", "# deskbell API"],
    ["/docs/changelog", "text/html; charset=utf-8", "<!doctype html>"],
    ["/docs/changelog.md", "text/markdown; charset=utf-8", "# Changelog"],
    ["/llms.txt", "text/plain; charset=utf-8", "# deskbell API"],
    ["/docs/website-server.txt", "text/plain; charset=utf-8", "// An example website"],
    ["/docs/website-page.txt", "text/plain; charset=utf-8", "<!doctype html>"],
    ["/docs/listServices.md", "text/markdown; charset=utf-8", "# List services"],
    ["/docs/events/service.updated", "text/html; charset=utf-8", "<!doctype html>"],
    ["/docs/events/service.updated.md", "text/markdown; charset=utf-8", "# `service.updated`"],
    ["/docs/search.json", "application/json", "["],
    ["/docs/search.js", "text/javascript; charset=utf-8", "const "],
    ["/docs/style.css", "text/css; charset=utf-8", ":root"],
    ["/docs/script.js", "text/javascript; charset=utf-8", "//"],
  ])("the path %s is served as %s", async (path, type, start) => {
    const response = await get(createTestApi(), path);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, type]);
    expect((await response.text()).startsWith(start)).toBe(true);
  });

  test.each(["/docs.md", "/llms.txt", "/docs/listStaff.md", "/docs/events/staff.updated.md"])(
    "pages of any origin may read %s",
    async (path) => {
      const api = createTestApi();
      const response = await get(api, path, { origin: "https://partner.example" });
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
      const preflight = await get(api, path, { origin: "https://partner.example" }, "OPTIONS");
      expect(preflight.headers.get("access-control-allow-methods")).toContain("GET");
    },
  );

  test("requests for documentation pages use up the rate limit of the client's IP address", async () => {
    const api = createTestApi("salon", undefined, { trustedProxies: ["127.0.0.1"] });
    const paths = ["/docs", "/docs/style.css", "/docs/changelog", "/llms.txt"];
    const statusOf = async (path: string) =>
      (await get(api, path, { "x-forwarded-for": "203.0.113.9" })).status;
    for (let i = 0; i < 600; i++) expect(await statusOf(paths[i % paths.length] ?? "")).toBe(200);
    for (const path of paths) expect([path, await statusOf(path)]).toEqual([path, 429]);
  });

  test("the former address /docs/reference.json redirects to the OpenAPI document", async () => {
    const api = createTestApi("salon", undefined, { publicUrl: "https://partners.example/desk" });
    const response = await get(api, "/docs/reference.json");
    expect([response.status, response.headers.get("location")]).toEqual([
      308,
      "/desk/openapi.json",
    ]);
  });

  test("the root of the server redirects to the documentation", async () => {
    const api = createTestApi("salon", undefined, { publicUrl: "https://partners.example/desk" });
    for (const method of ["GET", "HEAD"]) {
      const response = await get(api, "/", {}, method);
      expect([response.status, response.headers.get("location")]).toEqual([302, "/desk/docs"]);
    }
    expect((await get(createTestApi(), "/")).headers.get("location")).toBe("/docs");
  });

  test.each([
    "/docs/nope",
    "/docs/nope.md",
    "/docs/events",
    "/docs/events/nope.md",
    "/docs/..%2f..%2fpackage.json",
    "/docs/.html",
  ])("the path %s returns 404", async (path) => {
    expect((await get(createTestApi(), path)).status).toBe(404);
  });
});

describe("addresses in examples", () => {
  const PATHS = ["/docs", "/docs.md", "/llms.txt"];
  const read = async (flags: { publicUrl?: string }, host: string) => {
    const api = createTestApi("salon", undefined, flags);
    const texts = PATHS.map(async (path) => (await get(api, path, { host })).text());
    return Promise.all(texts);
  };

  test.each(["localhost:8080", "127.0.0.1:38467", "[::1]:4100"])(
    "addresses in examples have the loopback host %s of the request",
    async (host) => {
      for (const text of await read({}, host)) expect(text).toContain(`http://${host}/`);
    },
  );

  test.each(["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.7:4100"])(
    "addresses in examples never have the untrusted host %s",
    async (host) => {
      for (const text of await read({}, host)) {
        expect(text).not.toContain(host);
        expect(text).toContain("http://127.0.0.1:4100/");
      }
    },
  );

  test("addresses in examples begin with the public URL, whatever the Host is", async () => {
    const publicUrl = "https://partners.example/desk";
    for (const text of await read({ publicUrl }, "localhost:8080")) {
      expect(text).toContain(`${publicUrl}/`);
      expect(text).not.toContain("localhost:8080");
    }
    const [html = ""] = await read({ publicUrl }, "partners.example");
    expect(html).toContain('src="/desk/docs/script.js"');
    expect(html).toContain('href="/desk/docs/changelog"');
  });

  test("examples escape a hostile public URL", async () => {
    const [html = ""] = await read({ publicUrl: 'https://x.example/"><img src=x>' }, "x.example");
    expect(html).not.toContain("<img");
  });
});

describe("the reference", () => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );

  test("each operation in the reference has an anchor, a route, a scope and a curl command", () => {
    for (const { path, method, operationId = "", summary = "", security = [] } of operations) {
      const section = sectionOf(operationId);
      expect(section).toContain(`${summary}</h3>`);
      expect(section).toContain(`<p><code>${method.toUpperCase()} ${path}</code></p>`);
      expect(section).toContain('<code class="language-sh">curl');
      for (const scope of security.flatMap((scheme) => Object.values(scheme).flat()))
        expect(section).toMatch(
          path.endsWith("/availability") ? /No key needed/ : `<code>${scope}</code>`,
        );
    }
  });

  test("the reference says that no scope is required for exactly the operations that need a key but no scope", () => {
    const needsOnlyKey = ({ security = [] }: (typeof operations)[number]) =>
      security.length > 0 &&
      security.every((scheme) => Object.keys(scheme).length > 0) &&
      security.flatMap((scheme) => Object.values(scheme).flat()).length === 0;
    const idsOf = (list: typeof operations) => list.map(({ operationId = "" }) => operationId);
    const say = operations.filter(({ operationId = "" }) =>
      sectionOf(operationId).includes("Requires no scope."),
    );
    expect(idsOf(say)).toEqual(expect.arrayContaining(["getKey", "rotateKey"]));
    expect(idsOf(say)).toEqual(idsOf(operations.filter(needsOnlyKey)));
  });

  test("the table of contents of the reference has each operation with its title, method and path", () => {
    const [contents = ""] = page.split("</nav>");
    for (const { path, method, operationId, summary } of operations) {
      const route = `${method.toUpperCase()} ${path.replace("/v1/businesses/{businessSlug}/", "…/")}`;
      expect(contents).toContain(`<a href="#${operationId}">${summary} <code>${route}</code></a>`);
    }
  });

  test("each event type and problem code has a stable anchor in HTML and Markdown", () => {
    for (const type of ALL_EVENT_TYPES.filter(isPublished)) {
      expect(sectionOf(`event-${type}`)).toContain(`href="{{path}}/docs/events/${type}"`);
      expect(docs[`events/${type}.html`]).toContain(`&quot;type&quot;: &quot;${type}&quot;`);
      expect(markdown).toContain(`### \`${type}\` {#event-${type}}`);
    }
    for (const code of HTTP_CODES) {
      expect(sectionOf(`problem-${code}`)).toContain(`<code>${code}</code></h3>`);
      expect(markdown).toContain(`### \`${code}\` {#problem-${code}}`);
    }
  });

  test("the reference links the problems of an operation to their sections", () => {
    expect(sectionOf("getAvailability")).toMatch(
      /422 .*<a href="#problem-party_too_large"><code>party_too_large<\/code><\/a>/,
    );
  });

  test("a curl command in the reference has the Idempotency-Key that its operation requires", () => {
    const needsKey = operations.filter(({ parameters = [] }) =>
      parameters.some((parameter) => {
        const { name, required } = resolveRef<Parameter>(document, parameter);
        return name === "Idempotency-Key" && required;
      }),
    );
    expect(needsKey.map(({ operationId }) => operationId).toSorted()).toEqual(
      ROUTES.filter(({ needsIdempotencyKey }) => needsIdempotencyKey)
        .map(({ operationId }) => operationId)
        .toSorted(),
    );
    for (const { operationId = "" } of needsKey)
      expect(sectionOf(operationId)).toContain("Idempotency-Key: $(openssl rand -hex 16)&quot;");
  });

  test("the curl command for availability in the reference succeeds", async () => {
    const api = createTestApi();
    const text = await (await get(api, "/docs.md", { host: "localhost" })).text();
    const [, address = ""] = /curl "http:\/\/localhost([^"]+\/availability[^"]*)"/.exec(text) ?? [];
    expect(address).toMatch(/\?serviceIds=svc_/);
    expect((await get(api, address)).status).toBe(200);
  });

  test("the reference explains the formats of times, lists and staff assignments", () => {
    expect(sectionOf("listPublicEvents")).toContain("RFC 3339 date and time; without an offset");
    expect(sectionOf("listServices")).toContain("array of string, comma-separated");
    expect(sectionOf("getAvailability")).toContain("<code>svc_…:stf_…</code>");
  });

  test.each([
    {
      object: "SecretRotationResponse",
      field: "data.oldSecretEndsAt",
      says: "events are signed with both secrets",
    },
    { object: "MenuItem", field: "sizes[].priceCents", says: "instead of the item&#39;s price" },
    {
      object: "Promotion",
      field: "benefit.maxAmountCents",
      says: "Largest discount in minor units",
    },
    { object: "Service", field: "depositCents", says: "Deposit to pay in advance" },
    { object: "Delivery", field: "status", says: "PARKED: waiting until the endpoint is enabled" },
  ])("the reference explains $field of $object", ({ object, field, says }) => {
    const [, row = ""] = sectionOf(object).split(`<code>${field}</code>`);
    expect(row.split("</tr>")[0]).toContain(says);
  });

  test("the reference shows the default of a field of a body", () => {
    expect(sectionOf("rotateEndpointSecret")).toContain(
      "<code>overlapSeconds</code> (default 86400)",
    );
  });

  test("the section and page of an event type say when the event is sent and what each of its flags means", () => {
    for (const text of [
      sectionOf("event-menu_category.updated"),
      docs["events/menu_category.updated.md"] ?? "",
    ]) {
      expect(text).toContain("A visible field of a category of the menu changed.");
      expect(text).toContain("the dishes in the category; never true in this event");
    }
    expect(sectionOf("event-booking.updated")).toContain(
      "Subscribe to it by name: <code>all</code> leaves it out.",
    );
    expect(sectionOf("event-service.deleted")).toContain("A service was deleted or hidden.");
  });

  test("the section on events begins with the common headers and envelope", () => {
    const [common = ""] = sectionOf("events").split("<h3", 1);
    for (const name of [
      "X-Service-Signature",
      "X-Service-Test",
      "webhook-id",
      "createdAt",
      "data.resource.ids",
    ])
      expect(common).toContain(`<code>${name}</code>`);
  });

  test("the reference links types to their objects, even within lists and unions", () => {
    expect(sectionOf("ServiceList")).toContain('array of <a href="#Service">Service</a>');
    expect(sectionOf("Availability")).toContain(
      '<a href="#SlotsByDay">SlotsByDay</a> or <a href="#DayCounts">DayCounts</a> or <a href="#NextSlots">NextSlots</a>',
    );
    expect(sectionOf("EventList")).toContain('array of <a href="#events">Event</a>');
  });
});

describe("links", () => {
  const pages = Object.keys(docs).filter((name) => name.endsWith(".html"));
  const idsIn = (html: string) => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id = ""]) => id);
  const addressOf = (name: string) =>
    name === "index.html" ? "/docs" : `/docs/${name.replace(".html", "")}`;
  const idsByAddress = new Map(
    pages.map((name) => [addressOf(name), new Set(idsIn(docs[name] ?? ""))]),
  );

  test.each(pages)("each anchor occurs once in %s", (name) => {
    const ids = idsIn(docs[name] ?? "");
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
  });

  test.each(pages)(
    "each internal link of %s leads to an existing page and anchor",
    async (name) => {
      const api = createTestApi();
      const links = [...(docs[name] ?? "").matchAll(/(?:href|src)="([^"]+)"/g)].flatMap(
        ([, href = ""]) => (/^(?:https?|data):/.test(href) ? [] : [href]),
      );
      expect(links.length).toBeGreaterThan(10);
      for (const href of new Set(links)) {
        const [path = "", anchor] = href.replace("{{path}}", "").split("#");
        const address = path || addressOf(name);
        if (anchor === undefined || anchor === "")
          expect([address, (await get(api, address)).status]).toEqual([address, 200]);
        else expect([href, idsByAddress.get(address)?.has(anchor)]).toEqual([href, true]);
      }
    },
  );

  const guides = Object.keys(GUIDES).map((topic) => `data/guides/${topic}.md`);
  const community = ["CONTRIBUTING", "PERFORMANCE", "SECURITY"].map((name) => `.github/${name}.md`);

  test.each(["README.md", ...community, ...guides])(
    "each link of %s to a file leads to an existing file",
    (name) => {
      const url = new URL(`../../../${name}`, import.meta.url);
      const text = readFileSync(url, "utf8").replaceAll(/^```[^]*?^```$/gm, "");
      const links = [...text.matchAll(/\]\((?!https?:|[#/])([^)#]+)/g)];
      expect(links.filter(([, link = ""]) => !existsSync(new URL(link, url)))).toEqual([]);
    },
  );

  test("llms.txt lists every page, operation and event type, and the OpenAPI document", async () => {
    const api = createTestApi();
    const text = await (await get(api, "/llms.txt", { host: "localhost" })).text();
    const links = [...text.matchAll(/\(http:\/\/localhost(\/[^)]+)\)/g)].map(([, path]) => path);
    const files = Object.keys(docs).flatMap((name) =>
      name.endsWith(".md") ? [name === "index.md" ? "/docs.md" : `/docs/${name}`] : [],
    );
    expect(links.toSorted()).toEqual([...files, "/openapi.json"].toSorted());
    expect(links[0]).toBe("/docs.md");
    for (const { operationId } of ROUTES) expect(links).toContain(`/docs/${operationId}.md`);
    for (const type of ALL_EVENT_TYPES.filter(isPublished))
      expect(links).toContain(`/docs/events/${type}.md`);
    for (const path of links) expect((await get(api, path ?? "")).status).toBe(200);
    expect(text).toContain("docs/changelog.md): Changes of the API");
  });
});

describe("rendering Markdown", () => {
  const render = (text: string) =>
    renderMarkdown(text).html.replaceAll(/>\n+/g, ">").replaceAll("\n", " ").trim();

  test.each([
    { text: "# A *b* <i>", markup: '<h1 id="a-b-i">A <em>b</em> &lt;i&gt;</h1>' },
    { text: "## List `x` {#listX}", markup: '<h2 id="listX">List <code>x</code></h2>' },
    { text: "## A\n## A", markup: '<h2 id="a">A</h2><h2 id="a-2">A</h2>' },
    { text: "one\ntwo\n\nthree", markup: "<p>one two</p><p>three</p>" },
    { text: "- a\n  b\n- `c`", markup: "<ul><li>a b</li><li><code>c</code></li></ul>" },
    {
      text: "```js\n# <b>\n```\nx",
      markup: '<pre tabindex="0"><code class="language-js"># &lt;b&gt;</code></pre><p>x</p>',
    },
    {
      text: "```json An <example>\n{}\n```",
      markup:
        '<details><summary>An &lt;example&gt;</summary><pre tabindex="0"><code class="language-json">{}</code></pre></details>',
    },
    {
      text: "[a](https://a.example/?x=1&y)",
      markup: '<p><a href="https://a.example/?x=1&amp;y">a</a></p>',
    },
    { text: "[a](/docs#b)", markup: '<p><a href="{{path}}/docs#b">a</a></p>' },
    { text: "[a](javascript:alert(1))", markup: "<p>[a](javascript:alert(1))</p>" },
    { text: "[a](//elsewhere.example)", markup: "<p>[a](//elsewhere.example)</p>" },
    { text: "![a](https://a.example/x.png)", markup: "<p>![a](https://a.example/x.png)</p>" },
    { text: "<script>\nx\n</script>", markup: "&lt;script&gt; x &lt;/script&gt;" },
    {
      text: "| a | b |\n|---|---|\n| `c` | <d> |",
      markup:
        "<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td><code>c</code></td><td>&lt;d&gt;</td></tr></tbody></table>",
    },
  ])("Markdown is rendered as HTML: $text", ({ text, markup }) => {
    expect(render(text)).toBe(markup);
  });

  test("code samples of a request in several languages form one group, of which the first sample is open", () => {
    const html = render(
      "```sh curl\na\n```\n\n```ts TypeScript\nb\n```\n\n```json Example\n{}\n```",
    );
    expect(html).toMatch(
      /^<div class="tabs"><details name="(sample-\d)" open><summary>curl.*?<details name="\1"><summary>TypeScript.*?<\/div><details><summary>Example/,
    );
  });

  test("the table of contents of a page shows the routes of operations, and folds long lists", () => {
    const routes = "## A\n### Get x {#getX}\n\n`GET /v1/businesses/{businessSlug}/x`\n";
    expect(renderMarkdown(routes).contents).toContain(
      '<li><a href="#getX">Get x <code>GET …/x</code></a></li>',
    );
    expect(renderMarkdown(`## A\n${"### b\n".repeat(21)}`).contents).toContain(
      "<details><summary>Show all 21</summary>",
    );
  });
});
