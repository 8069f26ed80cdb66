import { setImmediate as nextTurn } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { describe, expect, test, vi } from "vitest";
import { createBooking, createReservation } from "../../../../src/app/bookings/bookings.ts";
import { cancelBooking, cancelReservation } from "../../../../src/app/bookings/operator-changes.ts";
import { businessId } from "../../../../src/domain/catalog/object-id.ts";
import { createLargeSalon } from "../../../support/large-salon.ts";
import { shopId, seedShop, SHOP_SLUG } from "../../../support/shop.ts";
import { createTestApi, type TestApi, type Problem, SALON } from "../../support/api.ts";

// The clock shows noon on Friday 2026-11-20 in Lisbon. The shop is open from 9:00 to 12:00.
const MONDAY = "2026-11-23";
const [CUT, COLOR, YOGA] = [shopId("svc", "cut"), shopId("svc", "color"), shopId("svc", "yoga")];
const [ANN, BEA] = [shopId("stf", "ann"), shopId("stf", "bea")];
const [WASH, OIL, LONG] = [
  shopId("adn", "wash"),
  shopId("adn", "oil"),
  shopId("svv", "color", "long"),
];

function createShop() {
  const api = createTestApi();
  seedShop(api);
  return api;
}

/** ID of a service of another business. */
const FOREIGN_SERVICE = "svc_sjjcgkddr4k16dc09tbc";

const path = (query: string, slug = SHOP_SLUG) => `/v1/businesses/${slug}/availability?${query}`;

type Body = {
  data: {
    days: {
      date: string;
      state: string;
      slots: { startsAt: string; segments: object[] }[];
      slotCount?: number;
    }[];
    slots: { startsAt: string }[];
    nextAvailable: string | null;
  };
  meta: object;
};

const request = async (api: TestApi, query: string): Promise<Body> => {
  const response = await api.request(path(query), { key: null });
  expect(response.status).toBe(200);
  return (await response.json()) as Body;
};

/** Returns a line for each day, such as `2026-11-23 OPEN 09:00 10:00`. */
const days = async (api: TestApi, query: string): Promise<string[]> =>
  (await request(api, query)).data.days.map(({ date, state, slots }) =>
    [date, state, ...slots.map(({ startsAt }) => startsAt.slice(11, 16))].join(" "),
  );

const requestError = async (
  api: TestApi,
  query: string,
  init?: Parameters<TestApi["request"]>[1],
): Promise<Problem> => api.requestProblem(path(query), { key: null, ...init });

describe("the response", () => {
  test("the response of availability has exactly the documented fields", async () => {
    const { data, meta } = await request(
      createShop(),
      `serviceIds=${CUT},${COLOR}&addonIds=${WASH}*2&staffIds=${CUT}:any&date=${MONDAY}`,
    );
    expect(data).toEqual({
      timezone: "Europe/Lisbon",
      from: MONDAY,
      to: MONDAY,
      durationMin: 180,
      priceCents: 11_000,
      currency: "EUR",
      days: [
        {
          date: MONDAY,
          state: "OPEN",
          slots: [
            {
              startsAt: "2026-11-23T09:00:00+00:00",
              endsAt: "2026-11-23T12:00:00+00:00",
              spotsLeft: 1,
              spotsTotal: 1,
              segments: [
                {
                  serviceId: CUT,
                  variantId: null,
                  addons: [{ addonId: WASH, quantity: 2 }],
                  staffId: ANN,
                  staffIds: [ANN],
                  startsAt: "2026-11-23T09:00:00+00:00",
                  endsAt: "2026-11-23T11:00:00+00:00",
                  priceCents: 5000,
                },
                {
                  serviceId: COLOR,
                  variantId: null,
                  addons: [],
                  staffId: ANN,
                  staffIds: [ANN],
                  startsAt: "2026-11-23T11:00:00+00:00",
                  endsAt: "2026-11-23T12:00:00+00:00",
                  priceCents: 6000,
                },
              ],
            },
          ],
        },
      ],
      nextAvailable: "2026-11-23T09:00:00+00:00",
    });
    expect(meta).toEqual({
      business: {
        id: businessId(SHOP_SLUG),
        slug: SHOP_SLUG,
        name: "The Shop",
        timezone: "Europe/Lisbon",
      },
      currency: "EUR",
      locale: "en",
      catalogVersion: 1,
    });
  });

  test("the response of availability has every requested day with its state", async () => {
    const api = createShop();
    for (const hour of ["09", "10", "11"])
      createBooking(api, SHOP_SLUG, { service: "color", start: `2026-11-23T${hour}:00` });
    expect(await days(api, `serviceId=${COLOR}`)).toEqual([
      "2026-11-20 TOO_SOON",
      "2026-11-21 CLOSED",
      "2026-11-22 CLOSED",
      "2026-11-23 FULL",
      "2026-11-24 CLOSED",
      "2026-11-25 OPEN 09:00 10:00 11:00",
      "2026-11-26 CLOSED",
    ]);
    expect(await days(api, `serviceId=${COLOR}&from=2026-11-18&to=2026-11-19`)).toEqual([
      "2026-11-18 TOO_SOON",
      "2026-11-19 TOO_SOON",
    ]);
    expect(await days(api, `serviceId=${COLOR}&from=2026-12-20&to=2026-12-22`)).toEqual([
      "2026-12-20 CLOSED",
      "2026-12-21 TOO_FAR",
      "2026-12-22 TOO_FAR",
    ]);
  });

  test("nextAvailable is the next free start, even after the requested days, or null", async () => {
    const api = createShop();
    const next = async (query: string) =>
      (await request(api, `serviceId=${CUT}&${query}`)).data.nextAvailable;
    expect(await next("date=2026-11-21")).toBe("2026-11-23T09:00:00+00:00");
    expect(await next("date=2026-12-19")).toBeNull();
    expect(await next("date=2026-12-22")).toBeNull();
  });

  test("availability includes slots of staff without a public profile, but not their IDs", async () => {
    const { data } = await request(createShop(), `serviceId=${CUT}&date=2026-11-24`);
    expect(data.days[0]?.slots).toHaveLength(3);
    expect(data.days[0]?.slots[0]?.segments).toMatchObject([
      { serviceId: CUT, staffId: null, staffIds: [] },
    ]);
    const both = await request(createShop(), `serviceId=${CUT}&date=${MONDAY}`);
    expect(both.data.days[0]?.slots[0]?.segments).toMatchObject([
      { staffId: ANN, staffIds: [ANN] },
    ]);
    expect(JSON.stringify([data, both])).not.toContain(BEA);
  });

  test("slots count the free seats of a class and the free tables for a party", async () => {
    const api = createShop();
    createBooking(api, SHOP_SLUG, { service: "yoga", start: `${MONDAY}T09:00`, guests: 3 });
    createReservation(api, SHOP_SLUG, { party: 2, start: `${MONDAY}T10:00` });
    const yoga = await request(api, `serviceId=${YOGA}&guests=2&date=${MONDAY}`);
    expect(yoga.data.days[0]?.slots[0]).toMatchObject({ spotsLeft: 2, spotsTotal: 5 });
    expect(await days(api, `serviceId=${YOGA}&guests=3&date=${MONDAY}`)).toEqual([
      `${MONDAY} OPEN 10:00 11:00`,
    ]);
    const tables = await request(api, `partySize=2&date=${MONDAY}`);
    expect(tables.data.days[0]?.slots).toMatchObject([
      {
        spotsLeft: 2,
        segments: [{ tableId: shopId("tbl", "t2"), areaId: shopId("are", "terrace") }],
      },
      { spotsLeft: 1, segments: [{ tableId: shopId("tbl", "t4"), areaId: null }] },
      { spotsLeft: 2 },
    ]);
    expect(
      await days(api, `partySize=2&areaId=${shopId("are", "terrace")}&date=${MONDAY}`),
    ).toEqual([`${MONDAY} OPEN 09:00 11:00`]);
  });

  test("granularity=days has counts, and granularity=next has the next slots without days", async () => {
    const api = createShop();
    const { data } = await request(
      api,
      `serviceId=${CUT}&from=2026-11-22&to=${MONDAY}&granularity=days`,
    );
    expect(data.days).toEqual([
      { date: "2026-11-22", state: "CLOSED", slotCount: 0 },
      { date: MONDAY, state: "OPEN", slotCount: 3 },
    ]);
    expect(data.nextAvailable).toBe("2026-11-23T09:00:00+00:00");
    const next = await request(api, `serviceId=${CUT}&granularity=next&limit=4`);
    expect(next.data.slots.map(({ startsAt }) => startsAt.slice(0, 16))).toEqual([
      "2026-11-23T09:00",
      "2026-11-23T10:00",
      "2026-11-23T11:00",
      "2026-11-24T09:00",
    ]);
    expect(Object.keys(next.data)).toEqual([
      "timezone",
      "from",
      "durationMin",
      "priceCents",
      "currency",
      "slots",
      "nextAvailable",
    ]);
  });

  test("a variant implies its service, and `timezone` changes only how times are written", async () => {
    const { data } = await request(
      createShop(),
      `variantIds=${LONG}&date=${MONDAY}&timezone=asia/TOKYO`,
    );
    expect(data).toMatchObject({
      timezone: "Asia/Tokyo",
      durationMin: 120,
      priceCents: 9000,
      days: [
        {
          date: MONDAY,
          slots: [
            { startsAt: "2026-11-23T18:00:00+09:00" },
            { startsAt: "2026-11-23T19:00:00+09:00" },
          ],
        },
      ],
    });
  });

  test.each(["Asia/Kolkata", "Asia/Calcutta", "Europe/Kyiv"])(
    "the time zone %s is returned under the name that was requested",
    async (zone) => {
      const { data } = await request(
        createShop(),
        `variantIds=${LONG}&date=${MONDAY}&timezone=${zone.toLowerCase()}`,
      );
      expect(data).toMatchObject({ timezone: zone });
    },
  );
});

describe("issues of an availability request", () => {
  const service = `serviceId=${CUT}`;
  test.each([
    ["", 400, "missing_parameter", ["serviceIds missing_parameter"]],
    [`${service}&date=2027-02-29`, 400, "invalid_date", ["date invalid_date"]],
    [`${service}&from=2026-12-02&to=2026-12-01`, 400, "invalid_parameter", ["to before_from"]],
    [`${service}&to=2026-11-19`, 400, "invalid_parameter", ["to before_from"]],
    [`${service}&from=2026-12-01&to=2027-02-01`, 400, "range_too_large", ["to range_too_large"]],
    [`${service}&date=${MONDAY}&from=${MONDAY}`, 400, "invalid_parameter", ["date invalid_value"]],
    [
      `serviceid=${CUT}`,
      400,
      "invalid_parameter",
      ["serviceid unknown_parameter", "serviceIds missing_parameter"],
    ],
    [
      `serviceIds=${Array(9).fill(CUT).join(",")}`,
      400,
      "invalid_parameter",
      ["serviceIds invalid_value"],
    ],
    [`serviceIds=`, 400, "invalid_parameter", ["serviceIds invalid_value"]],
    [
      `${service}&partySize=2&guests=1`,
      400,
      "invalid_parameter",
      ["serviceId invalid_value", "guests invalid_value"],
    ],
    [
      `${service}&areaId=x&limit=3&timezone=Mars/Base`,
      400,
      "invalid_parameter",
      ["timezone invalid_value", "areaId invalid_value", "limit invalid_value"],
    ],
    [`${service}&granularity=next&to=${MONDAY}`, 400, "invalid_parameter", ["to invalid_value"]],
    [`${service}&granularity=hours`, 400, "invalid_parameter", ["granularity invalid_value"]],
    [`${service}&serviceIds=${CUT}`, 400, "invalid_parameter", ["serviceId invalid_value"]],
    [
      "serviceIds=svc_none&staffId=stf_none&addonIds=adn_none",
      404,
      "resource_not_found",
      [
        "serviceIds resource_not_found",
        "addonIds resource_not_found",
        "staffIds resource_not_found",
      ],
    ],
    [
      `serviceId=${shopId("svc", "old")}`,
      404,
      "resource_not_found",
      ["serviceIds resource_not_found"],
    ],
    ["serviceId=cut", 404, "resource_not_found", ["serviceIds resource_not_found"]],
    [`serviceId=${FOREIGN_SERVICE}`, 404, "resource_not_found", ["serviceIds resource_not_found"]],
    [`${service}&staffId=${BEA}`, 404, "resource_not_found", ["staffIds resource_not_found"]],
    ["variantIds=svv_none", 404, "resource_not_found", ["variantIds resource_not_found"]],
    ["partySize=2&areaId=are_none", 404, "resource_not_found", ["areaId resource_not_found"]],
    [
      `serviceIds=${shopId("svc", "phone")},svc_none`,
      404,
      "resource_not_found",
      ["serviceIds resource_not_found", "serviceIds service_not_bookable"],
    ],
    [
      `serviceId=${shopId("svc", "phone")}`,
      422,
      "service_not_bookable",
      ["serviceIds service_not_bookable"],
    ],
    [
      `${service}&variantIds=${LONG}`,
      422,
      "variant_service_mismatch",
      ["variantIds variant_service_mismatch"],
    ],
    [`serviceId=${COLOR}&addonIds=${WASH}`, 422, "addon_not_linked", ["addonIds addon_not_linked"]],
    [
      `serviceIds=${CUT},${COLOR}&addonIds=${OIL}`,
      422,
      "validation_failed",
      ["addonIds validation_failed"],
    ],
    [`${service}&addonIds=${WASH}*3`, 422, "validation_failed", ["addonIds validation_failed"]],
    [
      `serviceIds=${CUT},${YOGA}&staffIds=${YOGA}:${ANN}`,
      422,
      "staff_cannot_perform",
      ["staffIds staff_cannot_perform"],
    ],
    [
      `${service}&staffIds=${COLOR}:${ANN}`,
      422,
      "staff_cannot_perform",
      ["staffIds staff_cannot_perform"],
    ],
    [`serviceId=${YOGA}&guests=6`, 422, "party_too_large", ["guests party_too_large"]],
    ["partySize=5", 422, "party_too_large", ["partySize party_too_large"]],
  ])(
    "all issues of the availability query '%s' are reported together",
    async (query, status, code, items) => {
      const problem = await requestError(createShop(), query);
      expect(problem).toMatchObject({ status, code });
      expect(problem.errors?.map((item) => `${item.parameter} ${item.code}`)).toEqual(items);
    },
  );

  test("availability of an unknown business is a 404, unless a parameter is invalid", async () => {
    const api = createShop();
    const codeOf = async (query: string) =>
      (await api.requestProblem(path(query, "unknown"), { key: null })).code;
    expect(await codeOf(`serviceId=${CUT}`)).toBe("business_not_found");
    expect(await codeOf("serviceId=x&date=2027-02-29")).toBe("invalid_date");
  });

  test("the error about an unknown parameter of availability suggests the nearest one", async () => {
    const { detail } = await requestError(createShop(), `serviceId=${CUT}&granularty=days`);
    expect(detail).toBe("Unknown parameter 'granularty'. Did you mean 'granularity'?");
  });

  test("no error about availability has the name of a hidden staff member, or the key of an object in the catalog file", async () => {
    const problem = await requestError(
      createShop(),
      `serviceIds=${YOGA},${shopId("svc", "phone")}&staffId=${ANN}&addonIds=${WASH}`,
    );
    expect(problem.errors).toHaveLength(3);
    expect(JSON.stringify(problem)).not.toMatch(/Bea|'ann'|'wash'|'yoga'/);
  });
});

test("add-ons and staff can be requested for one of several services", async () => {
  const api = createShop();
  const query = `serviceIds=${CUT},${COLOR}&addonIds=${COLOR}:${OIL}&staffIds=${COLOR}:${ANN}&date=${MONDAY}`;
  const { data } = await request(api, query);
  expect(data).toMatchObject({ durationMin: 120, priceCents: 10_700 });
  expect(data.days[0]?.slots[0]?.segments).toMatchObject([
    { serviceId: CUT, priceCents: 4000 },
    { serviceId: COLOR, priceCents: 6700 },
  ]);
});

describe("explain", () => {
  const query = `serviceId=${COLOR}&date=${MONDAY}&explain=true`;
  const setUpExplain = async () => {
    const api = createShop();
    createBooking(api, SHOP_SLUG, { service: "color", start: `${MONDAY}T10:00` });
    return { api, key: api.createKey({ businessId: businessId(SHOP_SLUG) }).secret };
  };

  test("availability with explain and a key of the business lists why each other start is not available", async () => {
    const { api, key } = await setUpExplain();
    const response = await api.request(path(query), { key });
    expect(response.headers.get("cache-control")).toBe("private, no-cache");
    const { data } = (await response.json()) as {
      data: {
        days: {
          refused: { startsAt: string; reason: string; detail: string; segment: number }[];
        }[];
      };
    };
    const rejected = data.days[0]?.refused ?? [];
    expect(rejected.slice(8, 11)).toEqual([
      {
        startsAt: "2026-11-23T08:00:00+00:00",
        reason: "OUTSIDE_HOURS",
        detail: "it is outside working hours",
        segment: 0,
      },
      {
        startsAt: "2026-11-23T10:00:00+00:00",
        reason: "TAKEN",
        detail: "it is already booked",
        segment: 0,
      },
      {
        startsAt: "2026-11-23T12:00:00+00:00",
        reason: "OUTSIDE_HOURS",
        detail: "it is outside working hours",
        segment: 0,
      },
    ]);
    expect(rejected).toHaveLength(22);
  });

  test.each([
    ["no key", () => null, 401],
    ["an invalid key", () => "guess", 401],
    ["a key of another business", (api: TestApi) => api.key, 403],
    [
      "a key without the scope",
      (api: TestApi) =>
        api.createKey({
          businessId: businessId(SHOP_SLUG),
          kind: "RESTRICTED",
          scopes: ["webhooks.write"],
        }).secret,
      403,
    ],
  ] as const)(
    "explain is rejected with %s, even if the response is cached",
    async (_, keyOf, status) => {
      const { api, key } = await setUpExplain();
      expect((await api.request(path(query), { key })).status).toBe(200);
      const rejected = await api.request(path(query), { key: keyOf(api) });
      expect(rejected.status).toBe(status);
      expect(await rejected.text()).not.toContain("TAKEN");
    },
  );

  test("explain gets the same response for another business whether or not that business exists", async () => {
    const api = createShop();
    const codes = [SHOP_SLUG, "unknown"].map(
      async (slug) => (await api.requestProblem(path("explain=1", slug))).code,
    );
    expect(await Promise.all(codes)).toEqual(["business_mismatch", "business_mismatch"]);
  });

  test("explain requires granularity=slots", async () => {
    const { api, key } = await setUpExplain();
    expect((await api.request(path(`${query}&granularity=days`), { key })).status).toBe(400);
  });
});

describe("caching", () => {
  const query = `serviceId=${CUT}&date=${MONDAY}`;
  test("the ETag of availability stays the same over time and changes with a booking", async () => {
    const api = createShop();
    const first = await api.request(path(query), { key: null });
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toMatch(/^W\/"[\w-]{22}"$/);
    expect(first.headers.get("cache-control")).toBe("public, max-age=0, must-revalidate");
    api.advance(61_000);
    const again = () => api.request(path(query), { key: null, headers: { "if-none-match": etag } });
    const same = await again();
    expect([same.status, await same.text()]).toEqual([304, ""]);
    expect(same.headers.get("cache-control")).toBe("public, max-age=0, must-revalidate");
    createBooking(api, SHOP_SLUG, { service: "cut", start: `${MONDAY}T09:00`, staff: "ann" });
    expect((await again()).status).toBe(200);
  });

  test("a response of availability is cached until its business changes, whatever else is written", async () => {
    const api = createShop();
    const color = `serviceId=${COLOR}&date=${MONDAY}`;
    const { id } = createBooking(api, SHOP_SLUG, { service: "color", start: `${MONDAY}T10:00` });
    const reads = vi.spyOn(api.store.bookings, "listBusySegments");
    expect(await days(api, color)).toEqual([`${MONDAY} OPEN 09:00 11:00`]);
    const once = reads.mock.calls.length;
    api.createKey();
    expect(await days(api, color)).toEqual([`${MONDAY} OPEN 09:00 11:00`]);
    expect(reads).toHaveBeenCalledTimes(once);
    cancelBooking(api, SHOP_SLUG, id);
    expect(await days(api, color)).toEqual([`${MONDAY} OPEN 09:00 10:00 11:00`]);
  });

  test("the table of a cancelled reservation is free immediately", async () => {
    const api = createShop();
    const table = `partySize=4&date=${MONDAY}`;
    const before = await days(api, table);
    const { id } = createReservation(api, SHOP_SLUG, { party: 4, start: `${MONDAY}T09:00` });
    expect(await days(api, table)).not.toEqual(before);
    cancelReservation(api, SHOP_SLUG, id);
    expect(await days(api, table)).toEqual(before);
  });

  describe("a client that disconnects", () => {
    const wide = path(`serviceId=${CUT}&from=${MONDAY}&to=2026-12-18`);
    /** Sends a request and `others` equal ones, and disconnects the first during the scan. */
    async function disconnect(others: number): Promise<{ reads: number; statuses: number[] }> {
      const api = createShop();
      const reads = vi.spyOn(api.store.bookings, "listBusySegments");
      const client = new AbortController();
      const first = api.request(wide, { key: null, signal: client.signal });
      const waiting = Array.from({ length: others }, () => api.request(wide, { key: null }));
      while (reads.mock.calls.length === 0) await nextTurn();
      client.abort();
      await first.catch(() => undefined);
      const statuses = (await Promise.all(waiting)).map(({ status }) => status);
      for (let turn = 0; turn < 20; turn++) await nextTurn();
      return { reads: reads.mock.calls.length, statuses };
    }

    test("a client that disconnects ends its availability scan", async () => {
      expect((await disconnect(0)).reads).toBeLessThan(4);
    });

    test("a client that disconnects does not end the availability scan of equal requests", async () => {
      const { reads, statuses } = await disconnect(2);
      expect(statuses).toEqual([200, 200]);
      expect(reads).toBeGreaterThan(5);
    });
  });

  test("a slot disappears when its minimum notice starts", async () => {
    const api = createShop();
    const monday = `serviceId=${CUT}&date=${MONDAY}`;
    api.advance(Date.parse("2026-11-23T08:00:00Z") - api.now());
    expect(await days(api, monday)).toEqual([`${MONDAY} OPEN 09:00 10:00 11:00`]);
    api.advance(1);
    expect(await days(api, monday)).toEqual([`${MONDAY} OPEN 10:00 11:00`]);
  });

  test("thirty equal requests for availability at the same time all succeed", async () => {
    const api = createShop();
    const responses = await Promise.all(
      Array.from({ length: 30 }, () => api.request(path(query), { key: null })),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test("a request for availability in another spelling or with ignored parameters gets the cached response", async () => {
    const api = createShop();
    const reads = vi.spyOn(api.store.bookings, "listBusySegments");
    await request(api, `serviceIds=${CUT}&from=${MONDAY}&to=${MONDAY}&granularity=slots`);
    const once = reads.mock.calls.length;
    for (const other of [`_=1&${query}`, `${query}&utm_x=2`, `date=${MONDAY}&serviceIds=${CUT}`])
      await request(api, other);
    expect(reads).toHaveBeenCalledTimes(once);
  });

  test("fifty different requests for availability at the same time all succeed", async () => {
    const api = createShop();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        api.request(path(`serviceId=${CUT}&granularity=next&limit=${i + 1}`), { key: null }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test("a large response of availability is compressed, and HEAD has the same headers", async () => {
    const api = createShop();
    const headers = { "accept-encoding": "gzip" };
    const wide = path(`serviceId=${CUT}&from=${MONDAY}&to=2026-12-18`);
    const zipped = await api.request(wide, { key: null, headers });
    expect(zipped.headers.get("content-encoding")).toBe("gzip");
    const plain = await (await api.request(wide, { key: null })).text();
    expect(gunzipSync(Buffer.from(await zipped.arrayBuffer())).toString()).toBe(plain);
    const head = await api.request(wide, { key: null, headers, method: "HEAD" });
    expect(await head.text()).toBe("");
    for (const name of ["etag", "content-length", "content-encoding", "vary"])
      expect(head.headers.get(name), name).toBe(zipped.headers.get(name));
  });
});

test("every response of availability allows any origin, including errors and 429", async () => {
  const api = createShop();
  const request = (query: string, init?: RequestInit) =>
    api.request(path(query), { key: null, ...init });
  const responses = [
    await request(`serviceId=${CUT}`),
    await request("nope=1"),
    await request("serviceId=svc_none"),
  ];
  for (let i = 0; i < 57; i++) await request("");
  responses.push(await request(`serviceId=${CUT}`));
  expect(responses.map(({ status }) => status)).toEqual([200, 400, 404, 429]);
  for (const { headers } of responses) {
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-expose-headers")).toBe(
      "ETag, Catalog-Version, X-Service-Sequence, Link, Retry-After, RateLimit, RateLimit-Policy, Request-Id",
    );
    expect(headers.get("ratelimit-policy")).toBe(
      '"per-minute";q=60;w=60, "per-hour";q=1000;w=3600',
    );
  }
});

describe("60 requests per minute and address", () => {
  const query = path(`serviceId=${CUT}&date=${MONDAY}`);
  const asking = (trustedProxies: string[]) => {
    const api = createTestApi("salon", undefined, { trustedProxies });
    seedShop(api);
    return async (address: string) =>
      (await api.request(query, { key: null, headers: { "x-forwarded-for": address } })).status;
  };

  test("the limit of 60 requests per minute is for each client behind a trusted proxy, and for each IPv6 /64", async () => {
    const request = asking(["127.0.0.1"]);
    for (let i = 0; i < 60; i++) expect(await request(`2001:db8:1:2::${i}`)).toBe(200);
    expect(await request("2001:db8:1:2:ffff::1")).toBe(429);
    expect(await request("2001:db8:1:3::1")).toBe(200);
    expect(await request("203.0.113.9")).toBe(200);
  });

  test("the limit of 60 requests per minute cannot be exceeded with an invented X-Forwarded-For", async () => {
    const request = asking([]);
    for (let i = 0; i < 60; i++) expect(await request(`203.0.113.${i}`)).toBe(200);
    expect(await request("198.51.100.1")).toBe(429);
  });
});

describe("a query that takes too much work", () => {
  const TOMORROW = "2026-11-21";
  const salon = (people: number, slotIntervalMin: number) => {
    const api = createTestApi();
    const size = { people, services: 8, firstDay: MONDAY, days: 1, bookings: 0 };
    const { slug, services } = createLargeSalon(api, size, { slotIntervalMin });
    const { secret: key } = api.createKey({ businessId: businessId(slug) });
    return (count: number, query: string) =>
      api.request(path(`serviceIds=${services.slice(0, count).join(",")}&${query}`, slug), {
        key: query.includes("explain") ? key : null,
      });
  };

  test.each([
    [50, 5, 4, `from=${TOMORROW}&to=2027-01-21&granularity=days`, "to"],
    [50, 5, 8, `date=${TOMORROW}`, "serviceIds"],
    [60, 5, 8, "granularity=next", "serviceIds"],
    [50, 15, 8, `from=${TOMORROW}&to=2027-01-21&explain=true`, "explain"],
    [300, 5, 1, "granularity=next", "staffIds"],
  ])(
    "with %i staff, a start every %i minutes and %i services, the query '%s' is too much work: narrow %s",
    async (people, interval, services, query, parameter) => {
      const response = await salon(people, interval)(services, query);
      const problem = (await response.json()) as Problem;
      expect(problem).toMatchObject({ status: 422, code: "query_too_large" });
      expect(problem.errors).toMatchObject([{ parameter, code: "query_too_large" }]);
    },
  );

  test.each([
    [10, 5, 8, `from=${TOMORROW}&to=2026-12-21&granularity=days`],
    [10, 15, 8, `from=${TOMORROW}&to=2026-12-21`],
    [10, 15, 8, `from=${TOMORROW}&to=2026-12-21&explain=true`],
    [10, 5, 8, "granularity=next"],
    [50, 15, 8, `from=${TOMORROW}&to=2027-01-21&granularity=days`],
  ])(
    "with %i staff, a start every %i minutes and %i services, the query '%s' is allowed",
    async (people, interval, services, query) => {
      const { status } = await salon(people, interval)(services, query);
      expect(status).toBe(200);
    },
  );
});

test("a request whose response would be too large is rejected with a fix", async () => {
  const api = createTestApi();
  const people = Array.from({ length: 50 }, (_, i) => `p${i}`);
  const services = Array.from(
    { length: 8 },
    (_, i) => `{key: s${i}, name: S, durationMin: 15, price: 1.00, staff: [${people.join(", ")}]}`,
  );
  const { applyCatalog } = await import("../../../../src/app/catalog/catalog.ts");
  const text = `catalog: 1
business: {slug: ${SHOP_SLUG}, name: Big, timezone: UTC, currency: EUR, bookingPolicy: {slotIntervalMin: 15, maxAdvanceDays: 90}}
hours: [{days: [mon-sun], start: "00:00", end: "24:00"}]
services: [${services.join(", ")}]
staff: [${people.map((key) => `{key: ${key}, name: P}`).join(", ")}]`;
  applyCatalog(api, [{ name: "big.yaml", text }]);
  const chain = `serviceIds=${services.map((_, i) => shopId("svc", `s${i}`)).join(",")}&from=${MONDAY}`;
  expect(await requestError(api, `${chain}&to=2027-01-20`)).toMatchObject({
    status: 400,
    code: "range_too_large",
  });
  expect(
    (await api.request(path(`${chain}&to=2026-11-24&granularity=days`), { key: null })).status,
  ).toBe(200);
});

test("the availability of the demo salon can be read without a key", async () => {
  const response = await createTestApi().request(path(`serviceId=${FOREIGN_SERVICE}`, SALON), {
    key: null,
  });
  expect(response.status).toBe(200);
});
