import { describe, expect, test } from "vitest";
import { applyCatalog } from "../../../../src/app/catalog/catalog.ts";
import { editObject } from "../../../../src/app/catalog/changes/edit-object.ts";
import type { WeeklyWindow } from "../../../../src/domain/catalog/common.ts";
import {
  type TestApi,
  createTestApi,
  applyToSalon,
  SALON,
  applyPreset,
} from "../../support/api.ts";

type Listed = { id: string; name: string; sortOrder: number } & Record<string, unknown>;
type List = {
  data: Listed[];
  page: { hasMore: boolean; nextCursor: string | null };
  meta: {
    locale: string;
    catalogVersion: number;
    validUntil: string | null;
    currency: string;
    business: object;
  };
};
type Menu = Omit<List, "data"> & {
  data: { categories: Listed[]; items: Listed[]; modifierGroups: Listed[] };
};

const at = (path: string, slug = SALON) => `/v1/businesses/${slug}/${path}`;

async function read<T = List>(api: TestApi, path: string, slug?: string): Promise<T> {
  const response = await api.request(at(path, slug));
  const body = (await response.json()) as T;
  expect(response.status, JSON.stringify(body)).toBe(200);
  return body;
}

const names = (list: List) => list.data.map(({ name }) => name);

describe("services", () => {
  test.each([
    { query: "", variants: false, addons: false },
    { query: "?includeVariants=true", variants: true, addons: false },
    { query: "?includeAddons=1", variants: false, addons: true },
    { query: "?includeVariants=1&includeAddons=true", variants: true, addons: true },
    { query: "?includeVariants=false&includeAddons=0", variants: false, addons: false },
  ])(
    "services with the query '$query' include the requested arrays and omit others",
    async ({ query, variants, addons }) => {
      const { data } = await read(createTestApi(), `services${query}`);
      expect(data.length).toBeGreaterThan(10);
      for (const service of data) {
        expect(Array.isArray(service["variants"])).toBe(variants);
        expect("variants" in service).toBe(variants);
        expect(Array.isArray(service["addonLinks"])).toBe(addons);
        expect("addonLinks" in service).toBe(addons);
      }
      expect(data.some(({ variants: list }) => (list as unknown[] | undefined)?.length)).toBe(
        variants,
      );
      expect(data.some(({ addonLinks: list }) => (list as unknown[] | undefined)?.length)).toBe(
        addons,
      );
    },
  );

  test("a service with all optional arrays begins with its main fields, its variants and its add-on links", async () => {
    const { data } = await read(
      createTestApi(),
      "services?includeVariants=1&includeAddons=1&includeTranslations=1",
    );
    expect(Object.keys(data[0] ?? {}).slice(0, 8)).toEqual([
      "id",
      "name",
      "durationMin",
      "priceCents",
      "currency",
      "status",
      "variants",
      "addonLinks",
    ]);
    expect(data[0]).toHaveProperty("translations");
  });

  test("services are filtered by ID, category, staff member and bookability, and unknown IDs match nothing", async () => {
    const api = createTestApi();
    const all = (await read(api, "services")).data;
    const [first, second] = all as [Listed, Listed];
    const category = first["categoryId"] as string;
    const staffId = (first["staffIds"] as string[])[0] as string;
    const ids = async (query: string) =>
      (await read(api, `services?${query}`)).data.map(({ id }) => id);
    const having = (test: (service: Listed) => boolean) => all.filter(test).map(({ id }) => id);

    expect(await ids(`ids=${first.id},${second.id}`)).toEqual([first.id, second.id]);
    expect(await ids(`ids=${second.id}&ids=${first.id}`)).toEqual([first.id, second.id]);
    expect(await ids(`categoryId=${category}`)).toEqual(
      having((s) => s["categoryId"] === category),
    );
    expect(await ids(`staffId=${staffId}`)).toEqual(
      having((s) => (s["staffIds"] as string[]).includes(staffId)),
    );
    expect(await ids("bookable=false")).toEqual(having((s) => s["bookable"] === false));
    expect(await ids("ids=svc_none")).toEqual([]);
    expect(await api.requestProblem(at("services?ids="))).toMatchObject({
      status: 400,
      errors: [{ parameter: "ids" }],
    });
  });
});

describe("ids", () => {
  const LISTS = [
    ["salon", "services"],
    ["salon", "service-categories"],
    ["salon", "staff"],
    ["salon", "promotions"],
    ["venue", "events/catalog"],
  ] as const;
  const seeded = (preset: "salon" | "venue" | "restaurant") => {
    const api = createTestApi(preset);
    return { api, slug: api.store.businesses.list()[0]?.slug as string };
  };

  test.each(LISTS)(
    "ids selects objects of the %s's list %s, in the order of the list",
    async (...list) => {
      const { api, slug } = seeded(list[0]);
      const { data } = await read(api, list[1], slug);
      const [first, second] = data as [Listed, Listed];
      const found = await read(api, `${list[1]}?ids=${second.id},xyz_none,${first.id}`, slug);
      expect(found.data).toEqual([first, second]);
      const etagOf = async (ids: string) =>
        (await api.request(at(`${list[1]}?ids=${ids}`, slug))).headers.get("etag");
      expect(await etagOf(`${first.id},${second.id}`)).toBe(
        await etagOf(`${second.id},${first.id},${first.id}`),
      );
      expect(await etagOf(first.id)).not.toBe(await etagOf(second.id));
    },
  );

  test("the parameter ids of the menu selects items, categories and modifier groups", async () => {
    const { api, slug } = seeded("restaurant");
    const { data } = await read<Menu>(api, "menu", slug);
    const wanted = [data.categories[1], data.items[2], data.modifierGroups[0]] as Listed[];
    const found = await read<Menu>(api, `menu?ids=${wanted.map(({ id }) => id)}`, slug);
    expect(found.data).toEqual({
      categories: [wanted[0]],
      items: [wanted[1]],
      modifierGroups: [wanted[2]],
    });
  });

  test.each(["menu", "services", "service-categories", "staff", "promotions", "events/catalog"])(
    "the parameter ids of %s accepts 500 IDs and rejects 501",
    async (path) => {
      const api = createTestApi();
      const ids = (count: number) =>
        Array.from({ length: count }, (_, i) => `svc_${String(i).padStart(20, "0")}`).join(",");
      expect((await api.request(at(`${path}?ids=${ids(500)}`))).status).toBe(200);
      expect(await api.requestProblem(at(`${path}?ids=${ids(501)}`))).toMatchObject({
        status: 400,
        detail: "'ids' must have at most 500 IDs.",
        errors: [{ parameter: "ids" }],
      });
    },
  );
});

describe("the business", () => {
  const PATH = `/v1/businesses/${SALON}`;
  const HEADER = `catalog: 1
business:
  {slug: ${SALON}, name: Salon Aurora, timezone: America/New_York, currency: USD, locale: en,
   locales: [en, es], address: 1 Pine St, phone: +1 212 555 0100, email: hi@aurora.example,
   websiteUrl: "https://aurora.example", description: Hair., bookingPolicy: {minNoticeMin: 30},
   type: HairSalon, postalAddress: {street: 1 Pine St, locality: Albany, region: NY, country: US},
   geo: {latitude: 42.65, longitude: -73.75}, images: ["https://aurora.example/front.jpg"],
   priceRange: $$, links: ["https://social.example/aurora"],
   legal: {privacyUrl: "https://aurora.example/privacy", imprint: Aurora Inc.},
   publicPage: {enabled: true, booking: request, embedOrigins: ["https://aurora.example"],
                theme: {accent: "#aa3366"}}}
`;
  const HOURS = `hours: [{days: [mon], start: "09:00", end: "26:00", validFrom: 2026-11-30}]
closures: [{name: Christmas, yearly: "12-25"}, {from: 2027-01-01, to: 2027-01-03}]
exceptions: [{date: 2026-12-24, mode: REPLACE, intervals: [{start: "09:00", end: "12:00"}]}]
`;
  const apply = (api: TestApi, text: string) =>
    applyCatalog(api, [{ name: "business.yaml", text }], { prune: false });
  const readBusiness = async (api: TestApi) => {
    const response = await api.request(PATH);
    return {
      headers: response.headers,
      ...((await response.json()) as { data: Listed; meta: List["meta"] }),
    };
  };

  test("the response about a business has everything in its catalog file that is meant for guests", async () => {
    const api = createTestApi();
    apply(api, HEADER + HOURS);
    const { data, meta, headers } = await readBusiness(api);
    expect(data).toEqual({
      id: expect.stringMatching(/^biz_/),
      slug: SALON,
      name: "Salon Aurora",
      description: "Hair.",
      address: "1 Pine St",
      phone: "+1 212 555 0100",
      email: "hi@aurora.example",
      websiteUrl: "https://aurora.example",
      timezone: "America/New_York",
      currency: "USD",
      currencyDigits: 2,
      locale: "en",
      locales: ["en", "es"],
      openingHours: {
        regular: [
          { days: ["mon"], start: "09:00", end: "26:00", validFrom: "2026-11-30", validTo: null },
        ],
        exceptions: [
          {
            date: "2026-12-24",
            mode: "REPLACE",
            intervals: [{ start: "09:00", end: "12:00" }],
          },
        ],
        closures: [
          { name: "Christmas", from: null, to: null, yearly: "12-25" },
          { name: null, from: "2027-01-01", to: "2027-01-03", yearly: null },
        ],
      },
      bookingPolicy: {
        slotIntervalMin: 15,
        minNoticeMin: 30,
        maxAdvanceDays: 90,
        requiresApproval: false,
        cancelUntilMin: 0,
      },
      guestRetentionDays: 90,
      type: "HairSalon",
      postalAddress: {
        street: "1 Pine St",
        locality: "Albany",
        region: "NY",
        postalCode: null,
        country: "US",
      },
      geo: { latitude: 42.65, longitude: -73.75 },
      images: [
        {
          id: expect.stringMatching(/^img_/),
          url: "https://aurora.example/front.jpg",
          alt: null,
          width: null,
          height: null,
        },
      ],
      priceRange: "$$",
      links: [{ url: "https://social.example/aurora", name: null }],
      legal: {
        privacyUrl: "https://aurora.example/privacy",
        imprintUrl: null,
        imprint: "Aurora Inc.",
      },
      publicPage: { booking: "REQUEST" },
      version: 2,
      updatedAt: expect.stringMatching(/^20/),
    });
    expect(meta).toMatchObject({ locale: "en", catalogVersion: 2, validUntil: null });
    expect(headers.get("catalog-version")).toBe("2");
    const etag = headers.get("etag") as string;
    expect((await api.request(PATH, { headers: { "if-none-match": etag } })).status).toBe(304);
    expect((await readBusiness(api)).data["version"]).toBe(2);
    const spanish = (await (await api.request(`${PATH}?locale=es-MX`)).json()) as List;
    expect(spanish.meta.locale).toBe("es");
  });

  test("catalog.changed reports a change of the business itself as `profile`, which alone raises the business's version", async () => {
    const api = createTestApi();
    const lastChange = () => {
      const [event] = api.store.events.list({ type: "catalog.changed" }, 1);
      const { body } = api.store.events.findById(event?.id as string)!;
      const { data } = JSON.parse(body.toString()) as {
        data: { changed: Record<string, boolean>; object: { routes: string[]; refetch: object[] } };
      };
      return data;
    };
    apply(api, HEADER);
    expect(lastChange()).toMatchObject({
      changed: { profile: true, availability: true, services: false },
      object: {
        routes: ["profile", "availability"],
        refetch: [
          { route: "profile", ids: [], idsComplete: false },
          { route: "availability", ids: [], idsComplete: false },
        ],
      },
    });
    editObject(api, SALON, "service", "cut", (service) => ({ ...service, name: "Cut" }));
    expect(lastChange().changed["profile"]).toBe(false);
    expect((await readBusiness(api)).data["version"]).toBe(2);
    apply(api, HEADER + HOURS);
    expect(lastChange().object.routes).toEqual(["profile", "availability"]);
    expect((await readBusiness(api)).data["version"]).toBe(4);
  });

  test("reading the business needs the scope services.read", async () => {
    const api = createTestApi();
    const { secret } = api.createKey({ kind: "RESTRICTED", scopes: ["webhooks.read"] });
    expect(await api.requestProblem(PATH, { key: secret })).toMatchObject({
      status: 403,
      code: "insufficient_scope",
    });
  });
});

test("meta of a list has the business, currency, locale and catalog version", async () => {
  const { page, meta } = await read(createTestApi(), "staff");
  expect(page).toEqual({ hasMore: false, nextCursor: null });
  expect(meta).toEqual({
    business: {
      id: expect.stringMatching(/^biz_/),
      slug: SALON,
      name: "Salon Aurora",
      timezone: "America/New_York",
    },
    currency: "USD",
    locale: "en",
    catalogVersion: 1,
    validUntil: null,
  });
});

test.each(["services", "service-categories", "staff", "promotions"])(
  "the list %s is in sort order",
  async (path) => {
    const { data } = await read(createTestApi(), path);
    expect(data.length).toBeGreaterThan(1);
    expect(data.map(({ sortOrder }) => sortOrder)).toEqual(
      data.map(({ sortOrder }) => sortOrder).toSorted((a, b) => a - b),
    );
  },
);

test("hidden objects are in no catalog list", async () => {
  const api = createTestApi();
  editObject(api, SALON, "service", "cut", (service) => ({ ...service, status: "INACTIVE" }));
  editObject(api, SALON, "staff", "maya", (staff) => ({ ...staff, public: false }));
  expect(names(await read(api, "services"))).not.toContain("Signature cut");
  expect(names(await read(api, "staff"))).not.toContain("Maya Okafor");
});

describe("the menu", () => {
  const restaurant = () => {
    const api = createTestApi("restaurant");
    const [business] = api.store.businesses.list();
    return { api, slug: business?.slug as string };
  };

  test("the menu has separate lists of categories, items and modifier groups", async () => {
    const { api, slug } = restaurant();
    const { data } = await read<Menu>(api, "menu", slug);
    expect(Object.keys(data)).toEqual(["categories", "items", "modifierGroups"]);
    const categories = new Set(data.categories.map(({ id }) => id));
    expect(data.items.length).toBeGreaterThan(10);
    for (const item of data.items)
      for (const id of item["categoryIds"] as string[]) expect(categories).toContain(id);
  });

  test("the menu with `at` has the items served at that time, also after midnight", async () => {
    const { api, slug } = restaurant();
    const { items, categories } = (await read<Menu>(api, "menu", slug)).data;
    const always = new Set(
      categories.filter(({ availability }) => availability === null).map(({ id }) => id),
    );
    const dish = items.find(({ categoryIds }) =>
      (categoryIds as string[]).some((id) => always.has(id)),
    ) as Listed;
    const fridayNight: WeeklyWindow = { days: ["fri"], start: "18:00", end: "26:00" };
    editObject(api, slug, "menu_item", dish.id, (item) => ({
      ...item,
      availability: [fridayNight],
    }));
    const isServed = async (moment: string) =>
      (await read<Menu>(api, `menu?at=${moment}`, slug)).data.items.some(
        ({ id }) => id === dish.id,
      );
    expect(await isServed("2026-11-20T18:00")).toBe(true);
    expect(await isServed("2026-11-20T17:59")).toBe(false);
    expect(await isServed("2026-11-21T01:59")).toBe(true);
    expect(await isServed("2026-11-21T02:00")).toBe(false);
    expect((await read<Menu>(api, "menu", slug)).data.items).toHaveLength(items.length);
  });

  test("the menu with `at` omits the subcategories of a category that is not served, with their items", async () => {
    const { api, slug } = restaurant();
    const { categories, items } = (await read<Menu>(api, "menu", slug)).data;
    const [parent, child] = categories as [Listed, Listed];
    editObject(api, slug, "menu_category", child.id, (doc) => ({
      ...doc,
      availability: null,
      parent: api.store.catalog.findKey(parent.id) ?? null,
    }));
    const served = async () => (await read<Menu>(api, "menu?at=2026-11-20T12:00", slug)).data;
    editObject(api, slug, "menu_category", parent.id, (doc) => ({ ...doc, availability: null }));
    expect((await served()).categories.map(({ id }) => id)).toContain(child.id);
    const never: WeeklyWindow = { days: ["mon"], start: "03:00", end: "03:01" };
    editObject(api, slug, "menu_category", parent.id, (doc) => ({ ...doc, availability: [never] }));
    const closed = await served();
    const open = new Set(closed.categories.map(({ id }) => id));
    expect(open).not.toContain(child.id);
    for (const { parentId } of closed.categories)
      if (parentId !== null) expect(open).toContain(parentId);
    const inChild = items.filter(({ categoryIds }) => String(categoryIds) === child.id);
    expect(inChild.length).toBeGreaterThan(0);
    for (const { id } of inChild) expect(closed.items.map((item) => item.id)).not.toContain(id);
  });

  test("the menu with `at` omits categories that are not served, and items that are in no other category", async () => {
    const { api, slug } = restaurant();
    const before = (await read<Menu>(api, "menu", slug)).data;
    const category = before.categories[0] as Listed;
    const never: WeeklyWindow = { days: ["mon"], start: "03:00", end: "03:01" };
    editObject(api, slug, "menu_category", category.id, (doc) => ({
      ...doc,
      availability: [never],
    }));
    const { data } = await read<Menu>(api, "menu?at=2026-11-20T20:00", slug);
    expect(
      before.items.some(({ categoryIds }) => (categoryIds as string[]).join() === category.id),
    ).toBe(true);
    expect(
      data.items.some(({ categoryIds }) => (categoryIds as string[]).join() === category.id),
    ).toBe(false);
    expect(data.categories.some(({ id }) => id === category.id)).toBe(false);
  });

  test("the menu is paged by items", async () => {
    const { api, slug } = restaurant();
    const whole = await read<Menu>(api, "menu", slug);
    const page = await read<Menu>(api, "menu?limit=3", slug);
    expect(page.data.items).toEqual(whole.data.items.slice(0, 3));
    expect(page.data.categories).toEqual(whole.data.categories);
    expect(page.page.hasMore).toBe(true);
  });
});

describe("promotions", () => {
  const TIMED = `promotions:
  - {key: soon, name: Soon, benefit: {type: PERCENT_OFF, percent: 10}, appliesTo: {all: true}, schedule: {startsAt: 2026-11-20T08:00, endsAt: 2026-11-20T09:00}}
  - {key: over, name: Over, benefit: {type: PERCENT_OFF, percent: 10}, appliesTo: {all: true}, schedule: {endsAt: 2026-11-20T06:00}}`;

  test("promotions change with time: at validUntil the cached response is replaced", async () => {
    const api = createTestApi();
    applyToSalon(api, TIMED);
    const before = await read(api, "promotions");
    expect(names(before)).not.toContain("Soon");
    expect(before.meta.validUntil).toBe("2026-11-20T08:00:00-05:00");
    const etag = (await api.request(at("promotions"))).headers.get("etag") as string;

    api.advance(3_600_000);
    const during = await api.request(at("promotions"), { headers: { "if-none-match": etag } });
    expect(during.status).toBe(200);
    const list = (await during.json()) as List;
    expect(names(list)).toContain("Soon");
    expect(list.meta.validUntil).toBe("2026-11-20T09:00:00-05:00");

    api.advance(3_600_000);
    expect(names(await read(api, "promotions"))).not.toContain("Soon");
  });

  test("promotions can be requested for another time, and with upcoming ones", async () => {
    const api = createTestApi();
    applyToSalon(api, TIMED);
    expect(names(await read(api, "promotions?at=2026-11-20T08:30:00-05:00"))).toContain("Soon");
    expect(names(await read(api, "promotions?at=2026-11-20T08:30:00-05:00"))).not.toContain("Over");
    expect(names(await read(api, "promotions?at=2026-11-20T05:30"))).toContain("Over");
    expect((await read(api, "promotions?at=2026-11-20T05:30")).meta.validUntil).toBeNull();
    const withUpcoming = await read(api, "promotions?includeUpcoming=1");
    expect(withUpcoming.data.find(({ name }) => name === "Soon")).toMatchObject({ active: false });
    expect(names(withUpcoming)).not.toContain("Over");
  });

  test("an unencoded plus sign in a UTC offset is accepted", async () => {
    expect(
      (await createTestApi().request(at("promotions?at=2026-11-20T08:30:00+01:00"))).status,
    ).toBe(200);
  });
});

describe("events", () => {
  const EVENTS = ["Past", "Near", "Far", "Off", "Moved"];
  const FILE = `events:
  - {key: past, name: Past, status: PUBLISHED, startsAt: 2026-11-19T20:00, endsAt: 2026-11-19T22:00}
  - {key: near, name: Near, status: PUBLISHED, startsAt: 2026-11-21T20:00, endsAt: 2026-11-21T22:00}
  - {key: far, name: Far, status: PUBLISHED, startsAt: 2026-12-21T20:00, endsAt: 2026-12-21T22:00}
  - {key: off, name: Off, status: CANCELLED, startsAt: 2026-11-22T20:00, endsAt: 2026-11-22T22:00}
  - {key: moved, name: Moved, status: POSTPONED, startsAt: 2026-11-23T20:00, endsAt: 2026-11-23T22:00}
  - {key: draft, name: Draft, status: DRAFT, startsAt: 2026-11-23T20:00, endsAt: 2026-11-23T22:00}`;

  test.each([
    { query: "", shown: ["Near", "Far"] },
    { query: "?includePast=1", shown: ["Past", "Near", "Far"] },
    { query: "?includeCancelled=1", shown: ["Near", "Far", "Off", "Moved"] },
    { query: "?includeCancelled=1&includePast=1", shown: EVENTS },
    { query: "?from=2026-12-01", shown: ["Far"] },
    { query: "?to=2026-12-01", shown: ["Near"] },
    { query: "?from=2026-11-21T22:00&to=2026-12-21T20:00", shown: [] },
    { query: "?from=2026-11-21T21:59&to=2026-12-21T20:01", shown: ["Near", "Far"] },
  ])("public events with the query '$query' are $shown", async ({ query, shown }) => {
    const api = createTestApi();
    applyToSalon(api, FILE);
    expect(names(await read(api, `events/catalog${query}`))).toEqual(shown);
  });

  test("a cancelled public event is listed until it ends", async () => {
    const api = createTestApi();
    applyToSalon(api, FILE);
    const list = async () => names(await read(api, "events/catalog?includeCancelled=1"));
    expect(await list()).toContain("Off");
    api.advance(Date.parse("2026-11-22T22:00:00-05:00") - api.now());
    expect(await list()).toEqual(["Far", "Moved"]);
  });

  test("a client that reads again at validUntil sees each public event end, also cancelled ones", async () => {
    const api = createTestApi();
    applyToSalon(api, FILE);
    const seen: string[][] = [];
    for (let until: string | null = ""; until !== null;) {
      if (until !== "") api.advance(Date.parse(until) - api.now());
      const list = await read(api, "events/catalog?includeCancelled=1");
      const shown = names(list);
      if (String(shown) !== String(seen.at(-1))) seen.push(shown);
      until = list.meta.validUntil;
    }
    expect(seen).toEqual([
      ["Near", "Far", "Off", "Moved"],
      ["Far", "Off", "Moved"],
      ["Far", "Moved"],
      ["Far"],
      [],
    ]);
  });

  test("validUntil of a list that changes within a second is the next full second", async () => {
    const api = createTestApi();
    applyToSalon(api, FILE.replace("endsAt: 2026-11-21T22:00", "endsAt: 2026-11-21T22:00:00.500"));
    const { meta } = await read(api, "events/catalog");
    expect(meta.validUntil).toBe("2026-11-21T22:00:01-05:00");
  });

  test("a postponed public event is not listed as past", async () => {
    const api = createTestApi();
    applyToSalon(api, FILE);
    api.advance(Date.parse("2026-11-23T22:00:00-05:00") - api.now());
    expect(names(await read(api, "events/catalog?includePast=1"))).toEqual(["Past", "Near", "Far"]);
  });

  test("a postponed public event is listed with no tickets for sale", async () => {
    const api = createTestApi();
    const types = "ticketTypes: [{key: seat, name: Seat, price: 10}]";
    applyToSalon(
      api,
      FILE.replace("key: moved,", `key: moved, ${types},`).replace(
        "key: near,",
        `key: near, ${types},`,
      ),
    );
    const { data } = await read(api, "events/catalog?includeCancelled=1");
    const stateOf = (wanted: string) => data.find(({ name }) => name === wanted)?.["availability"];
    expect(stateOf("Near")).toMatchObject({ state: "ON_SALE" });
    expect(stateOf("Moved")).toMatchObject({ state: "ENDED" });
  });
});

describe("pages", () => {
  test.each([1, 3, 7, 500])(
    "pages of up to %d objects contain every object once, in order",
    async (limit) => {
      const api = createTestApi();
      const { secret: key } = api.createKey({ limitMinute: 1000 });
      const all = (await read(api, "services")).data;
      const collected: Listed[] = [];
      let next: string | undefined = at(`services?limit=${limit}`);
      while (next) {
        const response: Response = await api.request(next, { key });
        const { data, page } = (await response.json()) as List;
        collected.push(...data);
        expect(data.length).toBeLessThanOrEqual(limit);
        next = /^<(.*)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1];
        expect(page.hasMore).toBe(next !== undefined);
        if (next)
          expect(new URL(next, "http://x").searchParams.get("cursor")).toBe(page.nextCursor);
      }
      expect(collected).toEqual(all);
    },
  );

  test("pages keep their filters, and continue if the last object was deleted", async () => {
    const api = createTestApi();
    const first = await api.request(at("services?bookable=true&limit=2"));
    const link = first.headers.get("link") ?? "";
    expect(link).toContain("bookable=true");
    const wanted = (await read(api, "services?bookable=true")).data
      .slice(2)
      .map(({ name }) => name);
    for (const key of ["cut", "cut-and-blow-dry"])
      editObject(api, SALON, "service", key, (service) => ({ ...service, status: "ARCHIVED" }));
    const cursor = ((await first.json()) as List).page.nextCursor;
    const rest = names(await read(api, `services?bookable=true&cursor=${cursor}`));
    expect(wanted).toEqual(expect.arrayContaining(rest));
  });

  test("a cursor of another list is rejected", async () => {
    const api = createTestApi();
    const { page } = await read(api, "services?limit=1");
    expect(await api.requestProblem(at(`staff?cursor=${page.nextCursor}`))).toMatchObject({
      status: 400,
      code: "invalid_cursor",
    });
  });
});

describe("locales", () => {
  test.each([
    { query: "", locale: "en", addon: "Toner" },
    { query: "&locale=es", locale: "es", addon: "Matizador" },
    { query: "&locale=ES-mx", locale: "es", addon: "Matizador" },
    { query: "&locale=fr", locale: "en", addon: "Toner" },
  ])(
    "a request with '$query' is answered in $locale, in nested objects as well",
    async ({ query, locale, addon }) => {
      const { data, meta } = await read(createTestApi(), `services?includeAddons=1${query}`);
      expect(meta.locale).toBe(locale);
      const addons = data.flatMap(
        (service) => service["addonLinks"] as { addon: { name: string } }[],
      );
      expect(addons.map((link) => link.addon.name)).toContain(addon);
      expect(JSON.stringify(data)).not.toContain('"translations"');
    },
  );

  test("includeTranslations adds the texts in every language", async () => {
    const { data } = await read(
      createTestApi(),
      "services?includeAddons=1&includeTranslations=true&locale=es",
    );
    const links = data.flatMap(
      (service) => service["addonLinks"] as { addon: { name: string; translations: object } }[],
    );
    expect(links.find((link) => link.addon.name === "Matizador")?.addon.translations).toEqual({
      es: { name: "Matizador" },
    });
  });
});

describe("parameters", () => {
  test("every issue of a list's query is reported with its own code", async () => {
    const problem = await createTestApi().requestProblem(
      at("services?incudeVariants=1&bookable=maybe&staffId=a&staffId=b&limit=501&locale=%3F"),
    );
    expect(problem).toMatchObject({ status: 400, code: "invalid_parameter" });
    expect(problem.errors?.map(({ parameter, code }) => `${parameter} ${code}`)).toEqual([
      "incudeVariants unknown_parameter",
      "bookable invalid_value",
      "staffId given_twice",
      "limit invalid_value",
      "locale invalid_value",
    ]);
    expect(problem.errors?.[0]?.detail).toBe(
      "Unknown parameter 'incudeVariants'. Did you mean 'includeVariants'?",
    );
  });

  test.each([
    { query: "services?nope=1", code: "unknown_parameter" },
    { query: "services?at=2026-11-20", code: "unknown_parameter" },
    { query: "services?__proto__=1", code: "unknown_parameter" },
    { query: "services?includeVariants=yes", code: "invalid_parameter" },
    { query: "services?includeVariants", code: "invalid_parameter" },
    { query: "services?limit=0", code: "invalid_parameter" },
    { query: "services?limit=-1", code: "invalid_parameter" },
    { query: "services?limit=1e2", code: "invalid_parameter" },
    { query: "services?cursor=bm9uc2Vuc2U", code: "invalid_cursor" },
    { query: "menu?at=yesterday", code: "invalid_date" },
    { query: "promotions?at=2026-02-30", code: "invalid_date" },
    { query: "promotions?at=2026-13-01T00:00:00Z", code: "invalid_date" },
    { query: "promotions?at=2026-02-30T00:00:00Z", code: "invalid_date" },
    { query: "promotions?at=2026-02-28T00:00:00%2B24:00", code: "invalid_date" },
    { query: "events/catalog?from=2026-12-02&to=2026-12-01", code: "invalid_parameter" },
  ])("a request for $query is rejected with $code", async ({ query, code }) => {
    expect(await createTestApi().requestProblem(at(query))).toMatchObject({ status: 400, code });
  });

  test("tracking parameters are ignored", async () => {
    expect(
      (await createTestApi().request(at("services?utm_source=x&gclid=1&fbclid=2&_=3&_=4"))).status,
    ).toBe(200);
  });
});

test("two businesses on one server have separate lists", async () => {
  const api = createTestApi();
  const venue = applyPreset(api, "venue");
  const { secret } = api.createKey({ businessId: venue.businessId });
  const mine = await read(api, "services");
  const theirs = (await (
    await api.request(at("services", venue.slug), { key: secret })
  ).json()) as List;
  expect(theirs.meta.business).toMatchObject({ slug: venue.slug });
  expect(theirs.data.some(({ id }) => mine.data.some((service) => service.id === id))).toBe(false);
});
