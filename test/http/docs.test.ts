import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { EVENT_TYPES } from "../../src/domain/event-types.ts";
import type { ApiDocument } from "../../src/http/docs/reference.ts";
import { renderGuide } from "../../.config/guide.ts";
import { EMPTY, html } from "../../src/http/docs/html.ts";
import { renderPage } from "../../src/http/docs/page.ts";
import { HTTP_CODES } from "../../src/http/pipeline/problem-codes.ts";
import { createTestApi } from "./support/api.ts";

const SCRIPT = /src="(\/docs\/scalar-[0-9a-f]{16}\.js)"/;
const scripted = { scriptUrl: "/docs/scalar-0.js", configuration: {} };

const get = (
  api: ReturnType<typeof createTestApi>,
  path: string,
  headers: Record<string, string> = {},
  method = "GET",
) => api.request(path, { key: null, headers, method });
const bytes = async (response: Response) => Buffer.from(await response.arrayBuffer());

/** The reference as /docs shows it. */
async function readDocs() {
  const api = createTestApi();
  const page = await (await get(api, "/docs")).text();
  const document = (await (await get(api, "/docs/reference.json")).json()) as ApiDocument;
  return { page, document };
}

describe("serving", () => {
  test("the page needs no key, has a CSP and is revalidated by its ETag", async () => {
    const api = createTestApi();
    const response = await get(api, "/docs");
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy":
        "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
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

  test.each(["/docs", "/docs/reference.json"])(
    "%s is compressed for clients that accept gzip",
    async (path) => {
      const api = createTestApi();
      const zipped = await get(api, path, { "accept-encoding": "gzip" });
      expect(zipped.headers.get("content-encoding")).toBe("gzip");
      expect(gunzipSync(await bytes(zipped))).toEqual(await bytes(await get(api, path)));
    },
  );

  test("the script has the same bytes in every encoding and is immutable under its hashed name", async () => {
    const api = createTestApi();
    const [, path = ""] = SCRIPT.exec(await (await get(api, "/docs")).text()) ?? [];
    const br = await get(api, path, { "accept-encoding": "gzip, br" });
    expect(br.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(br.headers.get("content-encoding")).toBe("br");
    const script = brotliDecompressSync(await bytes(br));
    expect(script.subarray(0, 100).toString()).toMatch(
      /^\/\*! @scalar\/api-reference [\d.]+, MIT, /,
    );
    const gzip = await get(api, path, { "accept-encoding": "gzip, br;q=0" });
    expect(gzip.headers.get("content-encoding")).toBe("gzip");
    expect(gunzipSync(await bytes(gzip)).equals(script)).toBe(true);
    const etag = gzip.headers.get("etag") ?? "";
    expect((await get(api, path, { "if-none-match": etag })).status).toBe(304);
  });

  test.each(["", "identity", "gzip;q=0"])(
    "the script is compressed even for a client with Accept-Encoding '%s'",
    async (acceptEncoding) => {
      const api = createTestApi();
      const [, path = ""] = SCRIPT.exec(await (await get(api, "/docs")).text()) ?? [];
      const response = await get(api, path, { "accept-encoding": acceptEncoding });
      expect(response.headers.get("content-encoding")).toBe("gzip");
      expect(Number(response.headers.get("content-length"))).toBeLessThan(2_000_000);
    },
  );

  test.each([
    "/docs/scalar-0000000000000000.js",
    "/docs/..%2f..%2fpackage.json",
    "/docs/scalar.js.br",
  ])("%s returns 404", async (path) => {
    expect((await get(createTestApi(), path)).status).toBe(404);
  });

  test("behind a proxy, files load below the public URL and requests go to the page's origin", async () => {
    const api = createTestApi("salon", undefined, {
      publicUrl: "https://partners.example/deskbell/",
    });
    const page = await (await get(api, "/docs")).text();
    expect(page).toMatch(/src="\/deskbell\/docs\/scalar-/);
    expect(page).toContain("&quot;url&quot;:&quot;/deskbell/docs/reference.json&quot;");
    expect(page).toContain("BASE=https://partners.example/deskbell ");
    expect(await (await get(api, "/docs/reference.json")).json()).toMatchObject({
      servers: [{ url: "/deskbell" }],
    });
  });
});

describe("the page without scripts", () => {
  const articleOf = (page: string, id: string): string =>
    page.slice(page.indexOf(`<article id="${id}">`)).split("</article>", 1)[0] ?? "";

  test("lists every route with its scope and a curl command, every event, object and problem code", async () => {
    const { page, document } = await readDocs();
    for (const [path, methods] of Object.entries(document.paths))
      for (const [method, { operationId = "", security = [] }] of Object.entries(methods)) {
        const article = articleOf(page, operationId);
        expect(article).toContain(`${method.toUpperCase()}</span> <code>${path}</code>`);
        expect(article).toContain('<code class="language-sh">curl ');
        for (const scope of security.flatMap((scheme) => Object.values(scheme).flat()))
          expect(article).toMatch(
            path.endsWith("/availability") ? /No key needed/ : new RegExp(`scope ${scope}`),
          );
      }
    for (const type of EVENT_TYPES) {
      expect(articleOf(page, type)).toContain(`&quot;type&quot;: &quot;${type}&quot;`);
    }
    for (const name of ["Service", "PublicEvent", "Problem"])
      expect(page).toContain(`<article id="${name}">`);
    for (const code of HTTP_CODES) expect(page).toContain(`<li><code>${code}</code>: `);
  });

  test("the curl command for availability succeeds", async () => {
    const api = createTestApi();
    const article = articleOf(await (await get(api, "/docs")).text(), "getAvailability");
    const [, address = ""] = /curl &quot;\$BASE([^&]+)&quot;/.exec(article) ?? [];
    expect(address).toMatch(/\?serviceIds=svc_/);
    expect((await get(api, address)).status).toBe(200);
  });

  test("parameters explain the format of times, lists and staff assignments", async () => {
    const { page } = await readDocs();
    expect(articleOf(page, "listPublicEvents")).toContain(
      "RFC 3339 date and time; without an offset",
    );
    expect(articleOf(page, "listServices")).toContain("array of string, comma-separated");
    expect(articleOf(page, "getAvailability")).toContain("<code>svc_…:stf_…</code>");
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
    { object: "Delivery", field: "status", says: "PARKED: held while the endpoint is disabled" },
  ])("$field of $object is explained", async ({ object, field, says }) => {
    const { page } = await readDocs();
    const [, row = ""] = articleOf(page, object).split(`<code>${field}</code>`);
    expect(row.split("</tr>")[0]).toContain(says);
  });

  test("a field of a body shows its default", async () => {
    const { page } = await readDocs();
    expect(articleOf(page, "rotateEndpointSecret")).toContain(
      "<code>overlapSeconds</code> (default 86400)",
    );
  });

  test("the events start with the headers and the envelope that they share", async () => {
    const { page } = await readDocs();
    const [, events = ""] = page.split('<h2 id="events">');
    const [common = ""] = events.split("<article", 1);
    for (const name of [
      "X-Service-Signature",
      "X-Service-Test",
      "webhook-id",
      "createdAt",
      "data.resource.ids",
    ])
      expect(common).toContain(`<code>${name}</code>`);
  });

  test("types link to the objects that they name, also in lists and unions", async () => {
    const { page } = await readDocs();
    expect(articleOf(page, "ServiceList")).toContain('array of <a href="#Service">Service</a>');
    expect(articleOf(page, "Availability")).toContain(
      '<a href="#SlotsByDay">SlotsByDay</a> or <a href="#DayCounts">DayCounts</a> or <a href="#NextSlots">NextSlots</a>',
    );
    expect(articleOf(page, "EventList")).toContain('array of <a href="#events">Event</a>');
  });

  test("every link within the page has a target", async () => {
    const { page } = await readDocs();
    const targets = [...page.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target);
    expect(targets.length).toBeGreaterThan(20);
    expect(targets.filter((target) => !page.includes(`id="${target}"`))).toEqual([]);
  });
});

describe("the document for Scalar", () => {
  test("its introduction contains the guide, and the events have their own group under their names", async () => {
    const { document } = await readDocs();
    expect(document.info.description).toMatch(/^# Overview\n[^]*\n# First call\n[^]*\n# Errors\n/);
    expect(document.servers).toEqual([{ url: "/" }]);
    expect(
      Object.entries(document.webhooks ?? {}).map(([name, { post }]) => [
        name,
        post?.summary,
        post?.tags,
      ]),
    ).toEqual(EVENT_TYPES.map((type) => [type, type, ["Events"]]));
  });
});

const HOSTILE = `</script></style></pre>--><img src=x onerror="alert(1)">' javascript:alert(1)`;

/** The document with a hostile string appended to every text. */
const poison = (node: unknown): unknown => {
  if (typeof node === "string") return node + HOSTILE;
  if (Array.isArray(node)) return node.map(poison);
  if (typeof node !== "object" || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).map(([name, value]) => [name, name === "$ref" ? value : poison(value)]),
  );
};

describe("hostile texts", () => {
  test("every text of the document is escaped", async () => {
    const { document } = await readDocs();
    const page = renderPage(poison({ ...document, tags: [] }) as ApiDocument, EMPTY, {
      scriptUrl: HOSTILE,
      configuration: { HOSTILE },
    });
    expect(page).toContain("&lt;img src=x onerror=");
    expect(page).not.toMatch(/<img|onerror="|href="(?!#|data:|\/|https?:)/);
    expect(page.match(/<script|<\/script>|<style|<\/style>/g)).toEqual([
      "<style",
      "</style>",
      "<script",
      "</script>",
    ]);
  });

  test("names of paths, events and objects are escaped", () => {
    const operation = {
      tags: ["T"],
      parameters: [{ name: HOSTILE, in: HOSTILE, schema: { type: HOSTILE } }],
    };
    const page = renderPage(
      {
        info: { title: HOSTILE, version: "1" },
        tags: [{ name: "T" }],
        paths: { [HOSTILE]: { [HOSTILE]: operation } },
        webhooks: { [HOSTILE]: { post: {} } },
        components: { schemas: { [HOSTILE]: { properties: { [HOSTILE]: { $ref: HOSTILE } } } } },
      },
      EMPTY,
      scripted,
    );
    expect(page).not.toMatch(/<img|onerror="/);
  });

  test("an object parsed from JSON cannot imitate markup", () => {
    const forged = JSON.parse('{"markup":"<img>"}') as string;
    expect(html`<p>${forged}</p>`.markup).toBe("<p>[object Object]</p>");
  });
});

describe("the partner guide", () => {
  const render = (markdown: string) =>
    renderGuide(markdown).replaceAll(/>\n+/g, ">").replaceAll("\n", " ").trim();

  test.each([
    {
      text: "# A *b* <i>",
      markup: '<h2 id="api/description/a-b-i-">A <em>b</em> &lt;i&gt;</h2>',
    },
    { text: "one\ntwo\n\nthree", markup: "<p>one two</p><p>three</p>" },
    { text: "- a\n  b\n- `c`", markup: "<ul><li>a b</li><li><code>c</code></li></ul>" },
    { text: "1. a\n2. b", markup: "<ol><li>a</li><li>b</li></ol>" },
    { text: "text\n- a", markup: "<p>text</p><ul><li>a</li></ul>" },
    {
      text: "```js\n# <b>\n```\nx",
      markup: '<pre><code class="language-js"># &lt;b&gt;</code></pre><p>x</p>',
    },
    { text: "```\nnever closed", markup: '<pre><code class="language-">never closed</code></pre>' },
    {
      text: "**a `b`** `**c**`",
      markup: "<p><strong>a <code>b</code></strong> <code>**c**</code></p>",
    },
    {
      text: "[a](https://a.example/?x=1&y)",
      markup: '<p><a href="https://a.example/?x=1&amp;y">a</a></p>',
    },
    { text: "[a](javascript:alert(1))", markup: "<p>[a](javascript:alert(1))</p>" },
    { text: "[a](//elsewhere.example)", markup: "<p>[a](//elsewhere.example)</p>" },
    { text: "![a](https://a.example/x.png)", markup: "<p>![a](https://a.example/x.png)</p>" },
    { text: "<script>\nx\n</script>", markup: "&lt;script&gt; x &lt;/script&gt;" },
    {
      text: "| a | b |\n|---|---|\n| `c` | <d> |",
      markup:
        '<div class="table"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td><code>c</code></td><td>&lt;d&gt;</td></tr></tbody></table></div>',
    },
  ])("renders $text", ({ text, markup }) => {
    expect(render(text)).toBe(markup);
  });
});
