import { gunzipSync } from "node:zlib";
import { describe, expect, test, vi } from "vitest";
import { createTestApp } from "../../../support/app.ts";
import { applyCatalog } from "../../../../src/app/catalog/catalog.ts";
import { editObject } from "../../../../src/app/catalog/changes/edit-object.ts";
import { deleteBusiness } from "../../../../src/app/delete-business.ts";
import { openRuntime } from "../../../../src/app/runtime.ts";
import { publishClockChanges } from "../../../../src/app/catalog/publish.ts";
import { getBusiness } from "../../../../src/app/businesses.ts";
import { setSoldOut } from "../../../../src/app/catalog/sold-out.ts";
import { createTicketOrder } from "../../../../src/features/tickets/orders/orders.ts";
import { createBooking } from "../../../../src/app/bookings/bookings.ts";
import { businessId } from "../../../../src/domain/catalog/object-id.ts";
import { asOperator } from "../../../support/operator.ts";
import { createTestApi, SALON, applyPreset, type TestApi } from "../../support/api.ts";

const at = (path: string) => `/v1/businesses/${SALON}/${path}`;
const SEQUENCE = "x-service-sequence";
const BUSINESS = businessId(SALON);
const LISTS = ["menu", "services", "service-categories", "staff", "promotions", "events/catalog"];

describe("ETags", () => {
  test.each(LISTS)("ETags of %s are weak, contain the version and lead to a 304", async (path) => {
    const api = createTestApi();
    const first = await api.request(at(path));
    const etag = first.headers.get("etag") as string;
    expect(etag).toMatch(/^W\/"c1-[\w-]+"$/);
    const second = await api.request(at(path), { headers: { "if-none-match": etag } });
    expect(second.status).toBe(304);
    expect(await second.text()).toBe("");
    for (const name of ["etag", "cache-control", "catalog-version", "vary", SEQUENCE])
      expect(second.headers.get(name), name).toBe(first.headers.get(name));
    expect(second.headers.get("content-length")).toBeNull();
    expect(second.headers.get("ratelimit")).not.toBeNull();
  });

  test("ETags differ between lists and parameters", async () => {
    const api = createTestApi();
    const paths = [
      ...LISTS,
      "services?includeVariants=1",
      "services?limit=1",
      "services?locale=es",
      "staff?locale=es",
    ];
    const etags = await Promise.all(
      paths.map(async (path) => (await api.request(at(path))).headers.get("etag")),
    );
    expect(new Set(etags).size).toBe(paths.length);
  });

  test("ETags change with every catalog change, also by another process", async () => {
    const api = createTestApi();
    const stale = (await api.request(at("services"))).headers.get("etag") as string;
    editObject(api, SALON, "service", "cut", (service) => ({ ...service, name: "Cut" }));
    const fresh = await api.request(at("services"), { headers: { "if-none-match": stale } });
    expect(fresh.status).toBe(200);
    expect(fresh.headers.get("catalog-version")).toBe("2");
    expect(await fresh.text()).toContain('"name":"Cut"');

    const other = openRuntime(api.config, 1000);
    editObject(other, SALON, "service", "cut", (service) => ({ ...service, name: "Elsewhere" }));
    other.close();
    const next = await api.request(at("services"));
    expect(next.headers.get("catalog-version")).toBe("3");
    expect(await next.text()).toContain('"name":"Elsewhere"');
  });

  test("ETags stay as they are after a restart", async () => {
    const api = createTestApi();
    const headers = { authorization: `Bearer ${api.key}` };
    const restarted = await createTestApp(api).request(at("services"), { headers });
    expect(restarted.headers.get("etag")).toBe(
      (await api.request(at("services"))).headers.get("etag"),
    );
  });

  test.each([
    { given: "*", status: 304 },
    { given: '"other", ETAG', status: 304 },
    { given: "STRONG", status: 304 },
    { given: '"other"', status: 200 },
    { given: "c1", status: 200 },
    { given: "", status: 200 },
  ])("a request with If-None-Match: $given gets $status", async ({ given, status }) => {
    const api = createTestApi();
    const etag = (await api.request(at("staff"))).headers.get("etag") as string;
    const ifNoneMatch = given.replace("ETAG", etag).replace("STRONG", etag.slice(2));
    expect(
      (await api.request(at("staff"), { headers: { "if-none-match": ifNoneMatch } })).status,
    ).toBe(status);
  });
});

describe("X-Service-Sequence", () => {
  const sequenceOf = (response: Response) => Number(response.headers.get(SEQUENCE));
  const lastSequence = (api: TestApi) => api.store.feed.getLastSequence(BUSINESS);

  test.each([...LISTS.map(at), `/v1/businesses/${SALON}`])(
    "X-Service-Sequence of %s is the number of the last event, even in a 304 response",
    async (path) => {
      const api = createTestApi();
      const first = await api.request(path);
      expect(sequenceOf(first)).toBe(lastSequence(api));
      expect(sequenceOf(first)).toBeGreaterThan(1);
      createBooking(api, SALON, { service: "cut", start: "2026-12-02T10:00" });
      const etag = first.headers.get("etag") as string;
      const second = await api.request(path, { headers: { "if-none-match": etag } });
      expect([second.status, sequenceOf(second)]).toEqual([304, sequenceOf(first) + 1]);
    },
  );

  test("X-Service-Sequence includes the events that another process commits while the list is read", async () => {
    const api = createTestApi();
    const before = lastSequence(api);
    const other = openRuntime(api.config, 1000);
    const rename = (name: string) =>
      editObject(other, SALON, "service", "cut", (service) => ({ ...service, name }));
    // The first rename happens between reading the key and the business, the second before the
    // objects are read.
    const { findById } = api.store.businesses;
    vi.spyOn(api.store.businesses, "findById").mockImplementationOnce((id) => {
      rename("First");
      return findById(id);
    });
    const { list } = api.store.catalogLists;
    vi.spyOn(api.store.catalogLists, "list").mockImplementationOnce((...args) => {
      rename("Second");
      return list(...args);
    });
    const response = await api.request(at("services"));
    other.close();
    expect(await response.text()).toContain('"name":"Second"');
    expect(sequenceOf(response)).toBe(before + 4);
    expect(lastSequence(api)).toBe(before + 4);
  });

  test("X-Service-Sequence counts the scheduled start or end of a promotion as soon as the list reflects it", async () => {
    const api = createTestApi();
    const namesNow = async () => {
      const response = await api.request(at("promotions"));
      const { data, meta } = (await response.json()) as {
        data: { name: string }[];
        meta: { validUntil: string };
      };
      return { names: data.map(({ name }) => name), meta, sequence: sequenceOf(response) };
    };
    const before = await namesNow();
    // The clock of another process is slightly ahead.
    const then = Date.parse(before.meta.validUntil);
    const other = openRuntime(api.config, 1000, { now: () => then });
    publishClockChanges(other);
    other.close();
    const after = await namesNow();
    expect(after.sequence).toBe(lastSequence(api));
    expect(after.sequence).toBeGreaterThan(before.sequence);
    expect(after.names).not.toEqual(before.names);
  });
});

test("a re-created business serves its new catalog", async () => {
  const api = createTestApi();
  const names = async (key: string) => {
    const { data } = (await (await api.request(at("services"), { key })).json()) as {
      data: { name: string }[];
    };
    return data.map(({ name }) => name);
  };
  expect((await names(api.key)).length).toBeGreaterThan(1);
  deleteBusiness(api, api.store.businesses.findBySlug(SALON)!);
  api.advance(60_000);
  const text = `catalog: 1
business: {slug: ${SALON}, name: Another, timezone: Europe/Madrid, currency: EUR, locale: en}
services: [{key: shave, name: Shave, durationMin: 30, price: 20}]
`;
  applyCatalog(api, [{ name: "another.yaml", text }], { seedingAt: api.now() });
  expect(await names(api.createKey().secret)).toEqual(["Shave"]);
});

test("a re-created business never reuses an ETag", async () => {
  const api = createTestApi();
  const request = async (key: string, etag = "") => {
    const { status, headers } = await api.request(at("services"), {
      key,
      headers: { "if-none-match": etag },
    });
    return { status, etag: headers.get("etag") ?? "" };
  };
  const seen = [(await request(api.key)).etag];
  for (const laterMs of [0, 60_000]) {
    deleteBusiness(api, api.store.businesses.findBySlug(SALON)!);
    api.advance(laterMs);
    applyPreset(api, "salon");
    const { secret } = api.createKey();
    expect(await request(secret, seen.join(", "))).toMatchObject({ status: 200 });
    seen.push((await request(secret)).etag);
  }
  expect(seen.map((etag) => etag.slice(0, 6))).toEqual(['W/"c1-', 'W/"c2-', 'W/"c3-']);
});

test.each(LISTS)(
  "ignored parameters and other spellings of parameters get the cached response of %s",
  async (path) => {
    const api = createTestApi();
    const loadCatalog = vi.spyOn(api.store.businesses, "findById");
    const request = async (query: string) => {
      const response = await api.request(at(`${path}?${query}`));
      return [response.status, response.headers.get("etag"), response.headers.get("link")];
    };
    const first = await request("limit=1&includeTranslations=1&utm_source=a");
    expect(String(first)).not.toContain("utm_source");
    const reads = loadCatalog.mock.calls.length;
    for (const query of [
      "limit=1&includeTranslations=1",
      "includeTranslations=true&limit=01&_=1",
      "utm_campaign=x&gclid=1&limit=1&fbclid=2&includeTranslations=true",
    ])
      expect(await request(query)).toEqual(first);
    expect(loadCatalog.mock.calls.length).toBe(reads);
    expect(await request("limit=1&locale=es")).not.toEqual(first);
  },
);

test("responses to requests with a key may only be cached privately", async () => {
  const { headers } = await createTestApi().request(at("services"));
  expect(headers.get("cache-control")).toBe("private, no-cache");
  expect(headers.get("vary")).toBe("Accept-Encoding");
  expect(headers.get("api-version")).toBe("1.0");
  expect(headers.get("catalog-version")).toBe("1");
  expect(headers.get("content-type")).toBe("application/json");
});

test.each([
  { accept: "gzip", zipped: true },
  { accept: "br, GZIP;q=0.5", zipped: true },
  { accept: "*", zipped: true },
  { accept: "gzip;q=0", zipped: false },
  { accept: "gzip;q=0.0, *", zipped: false },
  { accept: "br", zipped: false },
  { accept: "*;q=0", zipped: false },
])(
  "a response to Accept-Encoding: $accept is compressed with gzip: $zipped",
  async ({ accept, zipped }) => {
    const api = createTestApi();
    const plain = Buffer.from(await (await api.request(at("services"))).arrayBuffer());
    const response = await api.request(at("services"), { headers: { "accept-encoding": accept } });
    const body = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get("content-encoding")).toBe(zipped ? "gzip" : null);
    expect(response.headers.get("content-length")).toBe(String(body.length));
    expect((zipped ? gunzipSync(body) : body).equals(plain)).toBe(true);
  },
);

test("a small response of the catalog is not compressed", async () => {
  const response = await createTestApi().request(at("events/catalog"), {
    headers: { "accept-encoding": "gzip" },
  });
  expect(response.headers.get("content-encoding")).toBeNull();
});

test("HEAD of a catalog list has the headers of GET and no body", async () => {
  const api = createTestApi();
  const get = await api.request(at("services"));
  const head = await api.request(at("services"), { method: "HEAD" });
  expect(head.status).toBe(200);
  expect(await head.text()).toBe("");
  for (const name of ["etag", "content-length", "content-type", "catalog-version"])
    expect(head.headers.get(name), name).toBe(get.headers.get(name));
  const rejected = await api.request(at("services?nope=1"), { method: "HEAD" });
  expect([rejected.status, await rejected.text()]).toEqual([400, ""]);
});

test("OPTIONS needs no key, and does not allow CORS for routes that need a key", async () => {
  const response = await createTestApi().request(at("services"), { method: "OPTIONS", key: null });
  expect(response.status).toBe(204);
  expect(response.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
  expect(response.headers.get("access-control-allow-origin")).toBeNull();
});

test.for([at("availability"), "/openapi.json"])(
  "%s allows conditional requests of pages from any origin, without a key",
  async (path) => {
    const api = createTestApi();
    const response = await api.request(path, {
      method: "OPTIONS",
      key: null,
      headers: {
        origin: "https://shop.example",
        "access-control-request-method": "GET",
        "access-control-request-headers": "accept-language,authorization,if-none-match",
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-allow-methods")).toBe("GET, HEAD, OPTIONS");
    expect(response.headers.get("access-control-allow-headers")).toBe(
      "If-None-Match, Accept-Language",
    );
    const { headers } = await api.request(path, { key: null });
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-expose-headers")).toContain("ETag, Catalog-Version");
  },
);

describe("the response cache", () => {
  const paths = LISTS.flatMap((list) => [1, 2, 3].map((limit) => `${list}?limit=${limit}`));
  const readAll = async (api: TestApi, headers: Record<string, string> = {}) => {
    for (const path of paths) await (await api.request(at(path), { headers })).text();
  };
  const readMetrics = async (api: TestApi) => {
    const text = await (await api.request("/metrics", asOperator(api))).text();
    const read = (labels: string) =>
      Number(
        text
          .split("\n")
          .find((line) => line.includes(labels))
          ?.split(" ")
          .at(-1),
      );
    return {
      hits: read('{result="hit"}'),
      misses: read('{result="miss"}'),
      used: read('{kind="used"}'),
    };
  };

  test("the response cache serves lists that are read in turn if it has room for all of them", async () => {
    const roomy = createTestApi();
    await readAll(roomy);
    const { used, hits } = await readMetrics(roomy);
    expect(hits).toBe(0);
    for (const [cacheBytes, expected] of [
      [used, paths.length],
      [used - 1, 0],
    ] as const) {
      const api = createTestApi("salon", undefined, { cacheBytes });
      await readAll(api);
      await readAll(api);
      expect(await readMetrics(api)).toMatchObject({ hits: expected });
    }
  });

  test("the response cache counts compressed bodies, too", async () => {
    const api = createTestApi();
    await readAll(api);
    const { used } = await readMetrics(api);
    await readAll(api, { "accept-encoding": "gzip" });
    const after = await readMetrics(api);
    expect(after).toMatchObject({ hits: paths.length, misses: paths.length });
    expect(after.used).toBeGreaterThan(used);
    expect(after.used).toBeLessThan(2 * used);
  });

  test("a size of 0 turns the response cache off", async () => {
    const api = createTestApi("salon", undefined, { cacheBytes: 0 });
    await readAll(api);
    await readAll(api);
    expect(await readMetrics(api)).toEqual({ hits: 0, misses: 2 * paths.length, used: 0 });
  });

  test("a ticket sale changes the ETag of only the list that shows the tickets left", async () => {
    const api = createTestApi("venue");
    const etagsOf = async () => {
      const etags: (string | null)[] = [];
      for (const list of LISTS) {
        const response = await api.request(`/v1/businesses/kita-live/${list}`);
        etags.push(response.headers.get("etag"));
      }
      return etags;
    };
    const before = await etagsOf();
    createTicketOrder(api, "kita-live", { event: "blue-hour-quartet", items: ["seated*1"] });
    const after = await etagsOf();
    expect(LISTS.filter((_, i) => before[i] !== after[i])).toEqual(["events/catalog"]);
    // Two lists depend on stock and are built again: `events/catalog` and the menu, which shows
    // sold-out marks.
    expect(await readMetrics(api)).toMatchObject({
      hits: LISTS.length - 2,
      misses: LISTS.length + 2,
    });
  });

  test("a sold-out mark changes the menu", async () => {
    const api = createTestApi("restaurant");
    const [{ slug, id } = { slug: "", id: "" }] = api.store.businesses.list();
    const readItem = async () => {
      const response = await api.request(`/v1/businesses/${slug}/menu`);
      const { data } = (await response.json()) as { data: { items: { soldOut: boolean }[] } };
      return data.items.filter(({ soldOut }) => soldOut).length;
    };
    const [dish = ""] = api.store.catalog.listKeys(id, "menu_item");
    expect(await readItem()).toBe(0);
    setSoldOut(api, getBusiness(api, slug), dish, null);
    expect(await readItem()).toBe(1);
    setSoldOut(api, getBusiness(api, slug), dish, "back");
    expect(await readItem()).toBe(0);
  });
});
