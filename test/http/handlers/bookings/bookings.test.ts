import { describe, expect, test } from "vitest";
import { applyCatalog } from "../../../../src/app/catalog/catalog.ts";
import { shopId } from "../../../support/shop.ts";
import { releasedHold } from "../../../support/visit-rows.ts";
import { REFUSAL_TEXT, type Reason } from "../../../../src/domain/availability/refusal.ts";
import type { TestRuntime } from "../../../support/test-runtime.ts";
import {
  CUT,
  HEADER,
  monday,
  openBookingShop,
  problem,
  SHOP_PATH,
  visit,
} from "../../support/bookings.ts";

const MINUTE_MS = 60_000;
const ANN = { ...CUT, staffId: shopId("stf", "ann") };

test.each([
  ["slots", "/availability?date=2026-11-23&", ["holds", "bookings"]],
  ["next", "/availability?granularity=next&", ["bookings"]],
])(
  "the bookingRequest of a slot with granularity=%s can be posted unchanged",
  async (granularity, path, routes) => {
    const { site } = openBookingShop();
    const query = `${path}serviceIds=${CUT.serviceId}&addonIds=${shopId("adn", "oil")}`;
    const { body } = await site.send("GET", `${query}&includeBookingRequest=true`);
    const slots = granularity === "next" ? body.data.slots : body.data.days[0].slots;
    for (const [index, route] of routes.entries()) {
      const sent = await site.send("POST", `/${route}`, slots[index].bookingRequest);
      expect(sent).toMatchObject({
        status: 201,
        body: { data: { startsAt: slots[index].startsAt } },
      });
      expect(sent.body.data.segments).toMatchObject([
        { staffId: slots[index].segments[0].staffId, addons: slots[index].segments[0].addons },
      ]);
    }
    const plain = await site.send("GET", query);
    expect(plain.text).not.toContain("bookingRequest");
  },
);

test("the bookingRequest of a table can be posted unchanged", async () => {
  const { site } = openBookingShop();
  const { body } = await site.send(
    "GET",
    "/availability?partySize=2&granularity=next&includeBookingRequest=true",
  );
  const [slot] = body.data.slots;
  expect(await site.send("POST", "/reservations", slot.bookingRequest)).toMatchObject({
    status: 201,
    body: { data: { startsAt: slot.startsAt, partySize: 2 } },
  });
});

test("a field startsAt in a cancellation is reported as unknown", async () => {
  const { site } = openBookingShop();
  const { body } = await site.send("POST", "/bookings", visit("09:00"));
  const sent = await site.send("POST", `/bookings/${body.data.id}/cancel`, { startsAt: "now" });
  expect(sent).toMatchObject({
    status: 422,
    body: { code: "validation_failed", errors: [{ code: "unknown_field", pointer: "#/startsAt" }] },
  });
});

test("a website holds a listed slot, books it for a guest, reschedules and cancels it", async () => {
  const { site } = openBookingShop();
  const listed = await site.send(
    "GET",
    `/availability?serviceIds=${CUT.serviceId}&addonIds=${shopId("adn", "oil")}&date=2026-11-23`,
  );
  const { days } = listed.body.data as unknown as {
    days: { slots: { startsAt: string; segments: Record<string, unknown>[] }[] }[];
  };
  const [slot] = days[0]?.slots ?? [];
  const segments = slot?.segments.map(({ serviceId, variantId, addons, staffId }) => ({
    serviceId,
    variantId,
    addons,
    staffId,
  }));
  expect(segments).toEqual([
    {
      ...CUT,
      variantId: null,
      addons: [{ addonId: shopId("adn", "oil"), quantity: 1 }],
      staffId: shopId("stf", "ann"),
    },
  ]);
  const hold = await site.send("POST", "/holds", { startsAt: slot?.startsAt, segments });
  expect(hold.status).toBe(201);
  expect(hold.body.data).toMatchObject({
    status: "OPEN",
    expiresAt: "2026-11-20T12:05:00+00:00",
    startsAt: monday("09:00"),
    totalCents: 4700,
    currency: "EUR",
  });

  const customer = { name: "Ana", email: "ana@example.com", phone: null, notes: null };
  const booked = await site.send("POST", "/bookings", {
    holdId: hold.body.data.id,
    customerRef: "web-812",
    customer: { name: "Ana", email: "ana@example.com" },
  });
  expect(booked.status).toBe(201);
  const { id } = booked.body.data;
  expect(booked.headers.get("location")).toBe(`${SHOP_PATH}/bookings/${id}`);
  expect(booked.headers.get("etag")).toBe('"1"');
  expect(booked.body.data).toEqual({
    id: expect.stringMatching(/^bkg_/),
    status: "CONFIRMED",
    startsAt: monday("09:00"),
    endsAt: monday("10:00"),
    segments: [
      {
        ...segments?.[0],
        startsAt: monday("09:00"),
        endsAt: monday("10:00"),
        priceCents: 4700,
        serviceName: "Cut",
        variantName: null,
        staffName: "Ann",
      },
    ],
    guests: 1,
    totalCents: 4700,
    currency: "EUR",
    customerRef: "web-812",
    cancelUntil: monday("09:00"),
    decideBy: null,
    cancelledBy: null,
    cancelReason: null,
    version: 1,
    createdAt: "2026-11-20T12:00:00+00:00",
    updatedAt: "2026-11-20T12:00:00+00:00",
  });
  const read = await site.send("GET", `/bookings/${id}`);
  expect(read.body.data).toEqual({ ...booked.body.data, customer });
  const moved = await site.send("POST", `/bookings/${id}/reschedule`, {
    startsAt: monday("11:00"),
  });
  expect(moved.body.data).toMatchObject({
    id,
    startsAt: monday("11:00"),
    endsAt: monday("12:00"),
    totalCents: 4700,
    version: 2,
  });
  const cancelled = await site.send("POST", `/bookings/${id}/cancel`, { reason: "ill" });
  expect(cancelled.body.data).toMatchObject({
    status: "CANCELLED",
    cancelledBy: "GUEST",
    cancelReason: "ill",
    version: 3,
  });
  const again = await site.send("POST", `/bookings/${id}/cancel`, {});
  expect([again.status, again.body.data]).toEqual([200, cancelled.body.data]);
});

describe("a start that cannot be booked", () => {
  test("a start that cannot be booked is refused with the nearest free starts, and a reason without details", async () => {
    const { site, owner } = openBookingShop();
    const first = await owner.send("POST", "/bookings", {
      startsAt: monday("10:00"),
      segments: [ANN],
      customer: { name: "Secret Guest" },
    });
    expect(first.status).toBe(201);
    const taken = { startsAt: monday("10:00"), segments: [ANN] };
    for (const path of ["/bookings", "/holds"]) {
      const refused = await site.send("POST", path, taken);
      expect(problem(refused)).toBe("409 slot_taken TAKEN");
      expect(refused.body).toMatchObject({
        detail: "This start cannot be booked: it is already booked.",
        fix: "choose one of 'alternatives', or read /availability again",
      });
      const alternatives = refused.body["alternatives"] as { startsAt: string }[];
      expect(alternatives.map(({ startsAt }) => startsAt)).toEqual([
        monday("09:00"),
        monday("11:00"),
        // The next alternative is on Wednesday, because Ann has time off on Tuesday.
        "2026-11-25T09:00:00+00:00",
      ]);
      expect(refused.text).not.toContain(first.body.data.id);
      expect(alternatives[0]).toMatchObject({ segments: [{ ...ANN, addons: [] }] });
    }
  });

  test("the alternatives to a refused move include times that only the moved visit itself takes", async () => {
    const { site } = openBookingShop();
    for (const [path, wanted] of [
      ["/bookings", { segments: [ANN] }],
      // The shop has a single table for a party of this size.
      ["/reservations", { partySize: 4 }],
    ] as const) {
      const made = { startsAt: monday("10:00"), ...wanted };
      const { body } = await site.send("POST", path, made);
      const move = `${path}/${body.data.id}/reschedule`;
      const refused = await site.send("POST", move, { startsAt: monday("10:05") });
      expect(problem(refused)).toBe("409 slot_taken OFF_GRID");
      const alternatives = refused.body["alternatives"] as { startsAt: string }[];
      expect(alternatives.map(({ startsAt }) => startsAt)).toContain(monday("10:00"));
    }
  });

  /**
   * Each change with two reasons for its refusal: the one that a website sees, and the one that a
   * key sees that may read all bookings.
   */
  const REASONS: [change: object, site: Reason, owner: Reason][] = [
    [{ startsAt: "2026-11-20T09:00:00Z" }, "TOO_SOON", "TOO_SOON"],
    [{ startsAt: "2027-02-01T09:00:00Z" }, "TOO_FAR", "TOO_FAR"],
    [{ startsAt: monday("20:00") }, "OUTSIDE_HOURS", "OUTSIDE_HOURS"],
    [{ startsAt: "2026-11-26T09:00:00Z" }, "OUTSIDE_HOURS", "CLOSURE"],
    [{ startsAt: monday("09:15") }, "OFF_GRID", "OFF_GRID"],
    [{ startsAt: "2026-11-24T09:00:00Z", segments: [ANN] }, "TAKEN", "TIME_OFF"],
  ];

  test("keys without bookings.read see no details of why a start cannot be booked, even with explain", async () => {
    const shop = openBookingShop();
    const explain = `/availability?serviceId=${CUT.serviceId}&from=2026-11-20&to=2026-11-28&explain=true`;
    for (const [client, index] of [
      [shop.site, 1],
      [shop.owner, 2],
    ] as const) {
      for (const reason of REASONS) {
        const refused = await client.send("POST", "/bookings", visit("09:00", reason[0]));
        expect(problem(refused)).toBe(`409 slot_taken ${reason[index]}`);
        const text = REFUSAL_TEXT[reason[index]];
        expect(refused.body.detail).toBe(`This start cannot be booked: ${text}.`);
      }
      const { body } = await client.send("GET", `${explain}&staffId=${ANN.staffId}`);
      const days = body.data.days as { refused: { reason: string }[] }[];
      const reasons = new Set(days.flatMap(({ refused }) => refused.map(({ reason }) => reason)));
      expect([...reasons].toSorted()).toEqual(
        index === 1
          ? ["OUTSIDE_HOURS", "TAKEN", "TOO_SOON"]
          : ["CLOSURE", "OUTSIDE_HOURS", "TIME_OFF", "TOO_SOON"],
      );
    }
  });
});

test("a hold with extra fields copied from a slot is rejected, and the error names the expected fields", async () => {
  const { site } = openBookingShop();
  const { status, body } = await site.send("POST", "/holds", {
    startsAt: monday("09:00"),
    segments: [{ ...ANN, priceCents: 4200, addons: [{ addonId: "adn_x", priceCents: 500 }] }],
  });
  expect(status).toBe(422);
  expect(body["errors"]).toEqual([
    {
      code: "unknown_field",
      pointer: "#/segments/0/addons/0/priceCents",
      detail: "Unknown field 'priceCents': expected an object with addonId and quantity.",
    },
    {
      code: "unknown_field",
      pointer: "#/segments/0/priceCents",
      detail:
        "Unknown field 'priceCents': expected an object with serviceId, variantId, addons and staffId.",
    },
  ]);
});

test("an invalid booking is rejected with a pointer to the field", async () => {
  const { site } = openBookingShop();
  const yoga = { serviceId: shopId("svc", "yoga"), addons: [{ addonId: shopId("adn", "oil") }] };
  const CASES: [change: object, expected: string, ...pointers: string[]][] = [
    [{ startsAt: "2026-11-23T09:00" }, "400 invalid_date", "#/startsAt"],
    [{ startsAt: "2026-11-23T09:00:30Z" }, "400 invalid_date", "#/startsAt"],
    [{ startsAt: "tomorrow", segments: [] }, "400 invalid_date", "#/startsAt"],
    [{ startsAt: 5 }, "422 validation_failed", "#/startsAt"],
    [{ segments: [] }, "422 validation_failed", "#/segments"],
    [{ segments: undefined }, "422 validation_failed", "#/segments"],
    [{ segments: [{ serviceId: 5 }] }, "422 validation_failed", "#/segments/0/serviceId"],
    [{ segments: [{ ...CUT, staff: "x" }] }, "422 validation_failed", "#/segments/0/staff"],
    [{ customerRef: "ana@example.com" }, "422 validation_failed", "#/customerRef"],
    [{ customer: { phone: 5 } }, "422 validation_failed", "#/customer/phone"],
    [{ customer: { email: "abc" } }, "422 validation_failed", "#/customer/email"],
    [{ holdId: "hld_1" }, "422 validation_failed", "#/startsAt", "#/segments"],
    [{ guests: 2 }, "422 party_too_large", "#/guests"],
    [{ segments: [CUT, { serviceId: "cut" }] }, "404 resource_not_found", "#/segments/1/serviceId"],
    [
      { segments: [{ ...CUT, staffId: shopId("stf", "bea") }] },
      "404 resource_not_found",
      "#/segments/0/staffId",
    ],
    [
      { segments: [{ serviceId: shopId("svc", "phone") }] },
      "422 service_not_bookable",
      "#/segments/0/serviceId",
    ],
    [
      { segments: [{ ...CUT, variantId: shopId("svv", "color", "long") }] },
      "422 variant_service_mismatch",
      "#/segments/0/variantId",
    ],
    [{ segments: [CUT, yoga] }, "422 addon_not_linked", "#/segments/1/addons"],
  ];
  for (const [change, expected, ...pointers] of CASES) {
    const refused = await site.send("POST", "/bookings", visit("09:00", change));
    expect([change, problem(refused), refused.body.errors.map(({ pointer }) => pointer)]).toEqual([
      change,
      expected,
      pointers,
    ]);
  }
});

/** Applies a change to the shop's catalog file. */
const apply = (rt: TestRuntime, body: string) =>
  applyCatalog(rt, [{ name: "change.yaml", text: `${HEADER}${body}` }]);

describe("a hold", () => {
  test("an expired hold whose time was taken cannot be booked, even if the clock is set back", async () => {
    const { rt, site, owner } = openBookingShop();
    const ann = { startsAt: monday("09:00"), segments: [ANN] };
    const held = await site.send("POST", "/holds", { ...ann, ttlSeconds: 60 });
    rt.advance(MINUTE_MS);
    expect((await owner.send("POST", "/bookings", ann)).status).toBe(201);
    rt.shiftClock(-MINUTE_MS);
    const late = await site.send("POST", "/bookings", { holdId: held.body.data.id });
    expect(problem(late)).toBe("409 hold_expired");
  });

  test("a hold takes its time until it expires, is released or becomes a booking", async () => {
    const { rt, site, owner, createClient } = openBookingShop();
    const ann = { startsAt: monday("09:00"), segments: [ANN] };
    const starts = async () => {
      const { body } = await owner.send(
        "GET",
        `/availability?serviceId=${CUT.serviceId}&staffId=${ANN.staffId}&date=2026-11-23`,
      );
      const [{ slots }] = body.data.days as [{ slots: { startsAt: string }[] }];
      return slots.map(({ startsAt }) => startsAt.slice(11, 13));
    };
    const hold = async (more = {}) =>
      (await site.send("POST", "/holds", { ...ann, ...more })).body.data.id as string;
    expect(await starts()).toEqual(["09", "10", "11"]);
    const { revision } = rt.store.businesses.findBySlug("shop")!;
    const first = await hold({ ttlSeconds: 60 });
    expect(await starts()).toEqual(["10", "11"]);
    expect(problem(await owner.send("POST", "/bookings", ann))).toBe("409 slot_taken TAKEN");
    rt.advance(MINUTE_MS);
    expect(await starts()).toEqual(["09", "10", "11"]);
    const book = (holdId: string, client = site) => client.send("POST", "/bookings", { holdId });
    const expired = await book(first);
    expect([problem(expired), expired.body.detail]).toEqual([
      "409 hold_expired",
      "This hold has expired.",
    ]);

    const second = await hold();
    const other = createClient(["bookings.write"]);
    expect(problem(await book(second, other))).toBe("404 resource_not_found");
    expect(problem(await other.send("DELETE", `/holds/${second}`))).toBe("404 resource_not_found");
    expect((await site.send("DELETE", `/holds/${second}`)).status).toBe(204);
    expect((await site.send("DELETE", `/holds/${second}`)).status).toBe(204);
    expect(problem(await book(second))).toBe("409 hold_expired");
    expect(await starts()).toEqual(["09", "10", "11"]);
    expect(rt.store.businesses.findBySlug("shop")?.revision).toBe(revision);

    const third = await hold();
    const booked = await book(third);
    expect(booked.status).toBe(201);
    const again = await book(third);
    expect(problem(again)).toBe("409 hold_used");
    expect(again.body["bookingId"]).toBe(booked.body.data.id);
    expect(problem(await site.send("DELETE", `/holds/${third}`))).toBe("409 hold_used");
    expect(await starts()).toEqual(["10", "11"]);
  });

  test("a hold of another key can be read with bookings.read, and changed with bookings.manage", async () => {
    const { rt, site, createClient } = openBookingShop();
    const reader = createClient(["bookings.read", "bookings.write"]);
    const manager = createClient(["bookings.manage"]);
    const other = createClient(["bookings.write"]);
    const held = await site.send("POST", "/holds", { ...visit("09:00"), ttlSeconds: 60 });
    const path = `/holds/${held.body.data.id}`;
    expect((await site.send("GET", path)).body.data).toEqual(held.body.data);
    for (const client of [reader, manager])
      expect((await client.send("GET", path)).body.data).toMatchObject({ status: "OPEN" });
    expect(problem(await other.send("GET", path))).toBe("404 resource_not_found");
    for (const client of [reader, other])
      expect(problem(await client.send("DELETE", path))).toBe("404 resource_not_found");
    expect((await manager.send("DELETE", path)).status).toBe(204);
    expect((await site.send("GET", path)).body.data).toMatchObject({ status: "RELEASED" });

    const second = await site.send("POST", "/holds", { ...visit("10:00"), ttlSeconds: 60 });
    const holdId: string = second.body.data.id;
    expect((await manager.send("POST", "/bookings", { holdId })).status).toBe(201);
    const third = await site.send("POST", "/holds", { ...visit("11:00"), ttlSeconds: 60 });
    rt.advance(MINUTE_MS);
    const expired = await site.send("GET", `/holds/${third.body.data.id}`);
    expect(expired.body.data).toMatchObject({ status: "EXPIRED" });
  });

  test("a hold keeps its price and time, whatever changes meanwhile", async () => {
    const { rt, site } = openBookingShop();
    const soon = "2026-11-23T09:00:00Z";
    rt.advance(Date.parse(soon) - rt.now() - 61 * MINUTE_MS);
    const held = await site.send("POST", "/holds", { startsAt: soon, segments: [ANN] });
    expect(held.body.data).toMatchObject({ totalCents: 4000 });
    apply(
      rt,
      `services: [{ key: cut, name: Trim, durationMin: 30, price: 99.00, staff: [ann], addons: [{ addon: wash, max: 2 }, { addon: oil }] }]
staff: [{ key: ann, name: Anna, timeOff: [{ from: "2026-11-23T00:00", to: "2026-11-24T00:00" }] }]`,
    );
    // The time is now closer than the minimum notice.
    rt.advance(4 * MINUTE_MS);
    const booked = await site.send("POST", "/bookings", { holdId: held.body.data.id });
    expect(booked.body.data).toMatchObject({
      totalCents: 4000,
      endsAt: monday("10:00"),
      segments: [{ serviceName: "Cut", staffName: "Ann" }],
    });
  });

  test("a hold of a table becomes a reservation, not a booking", async () => {
    const { site } = openBookingShop();
    const party = { startsAt: monday("09:00"), partySize: 4 };
    const held = await site.send("POST", "/holds", party);
    expect(held.body.data).toMatchObject({
      segments: [],
      guests: 4,
      tableId: shopId("tbl", "t4"),
      totalCents: 0,
    });
    expect(problem(await site.send("POST", "/reservations", party))).toBe("409 slot_taken TAKEN");
    const { id: holdId } = held.body.data;
    expect(problem(await site.send("POST", "/bookings", { holdId }))).toBe("422 validation_failed");
    const reserved = await site.send("POST", "/reservations", { holdId, customerRef: "t-1" });
    expect(reserved.body.data).toMatchObject({
      id: expect.stringMatching(/^rsv_/),
      status: "CONFIRMED",
      partySize: 4,
      tableId: shopId("tbl", "t4"),
      customerRef: "t-1",
    });
    const { id } = reserved.body.data;
    const moved = await site.send("POST", `/reservations/${id}/reschedule`, {
      startsAt: monday("10:00"),
      partySize: 2,
    });
    expect(moved.body.data).toMatchObject({
      startsAt: monday("10:00"),
      partySize: 2,
      tableId: shopId("tbl", "t2"),
    });
  });

  test("a reservation whose area has no table for the party is refused with the advice to look in all areas", async () => {
    const { rt, site } = openBookingShop();
    const at = { startsAt: monday("09:00") };
    const reserved = await site.send("POST", "/reservations", {
      ...at,
      partySize: 2,
      areaId: shopId("are", "terrace"),
    });
    const reschedule = (change: object) =>
      site.send("POST", `/reservations/${reserved.body.data.id}/reschedule`, { ...at, ...change });
    const refused = await reschedule({ partySize: 4 });
    expect(problem(refused)).toBe("422 party_too_large");
    expect(refused.body).toMatchObject({
      detail: "No table in this area seats 4; the largest seats 2.",
      fix: "send areaId: null to look in all areas, or a smaller partySize",
      errors: [{ pointer: "#/partySize" }],
    });
    expect((await reschedule({ partySize: 4, areaId: null })).body.data).toMatchObject({
      tableId: shopId("tbl", "t4"),
    });
    // The new table is in no area, so later changes look in all areas again.
    expect((await reschedule({ partySize: 9 })).body).toMatchObject({
      detail: "No table seats 9; the largest seats 4.",
    });
    const back = await reschedule({ partySize: 2, areaId: shopId("are", "terrace") });
    expect(back.status).toBe(200);
    const tables = "tables: [{ key: t2, minSeats: 1, maxSeats: 1, area: terrace }]";
    applyCatalog(rt, [{ name: "tables.yaml", text: `${HEADER}${tables}\n` }]);
    const moved = await reschedule({ startsAt: monday("10:00") });
    expect([moved.body.detail, moved.body.fix]).toEqual([
      "No table in this area seats 2; the largest seats 1.",
      "send areaId: null to look in all areas, or a smaller partySize",
    ]);
  });

  test.each([
    [
      "'segments[0]' must be an object with serviceId, variantId, addons and staffId, not 'svc_x'.",
      { segments: ["svc_x"] },
    ],
    [
      "'segments' must be a list of 1 to 8 segments, not a list of 9 entries.",
      { segments: Array.from({ length: 9 }, () => CUT) },
    ],
    [
      "'startsAt' must be a date and time from 1900 to 2199 with an offset, such as 2026-12-01T10:00:00+01:00, not '2200-01-01T10:00:00Z'.",
      { startsAt: "2200-01-01T10:00:00Z" },
    ],
  ])("a hold is refused with the words: %s", async (detail, change) => {
    const { site } = openBookingShop();
    const { body } = await site.send("POST", "/holds", { ...visit("09:00"), ...change });
    expect([body.detail, body.errors[0]]).toEqual([detail, expect.objectContaining({ detail })]);
  });

  test("a hold counts towards the limits of its key", async () => {
    const { rt, site, createClient } = openBookingShop();
    const days = ["23", "25", "27", "30"];
    const hold = (client: typeof site, n: number, staff = ANN) =>
      client.send("POST", "/holds", {
        startsAt: `2026-11-${days[Math.floor(n / 3)]}T${["09", "10", "11"][n % 3]}:00:00Z`,
        segments: [staff],
      });
    const small = createClient(["bookings.write"], { maxHolds: 2 });
    for (const n of [0, 1]) expect((await hold(small, n)).status).toBe(201);
    const refused = await hold(small, 3);
    expect(problem(refused)).toBe("429 too_many_holds");
    expect(refused.headers.get("retry-after")).toBe("60");
    // Three holds with Ann on one day use up her limit for this day, but not that of Bea, of the
    // tables, or of other days.
    rt.advance(6 * MINUTE_MS);
    for (const n of [0, 1, 2]) expect((await hold(site, n)).status).toBe(201);
    const bea = await site.send("POST", "/holds", visit("09:00"));
    expect(bea.status).toBe(201);
    const table = (time: string) =>
      site.send("POST", "/holds", { startsAt: monday(time), partySize: 2 });
    expect((await table("09:00")).status).toBe(201);
    expect((await hold(site, 3)).status).toBe(201);
  });

  test("a hold without a person or table takes a person or table for whom the key has fewer than three open holds", async () => {
    const { rt, site } = openBookingShop();
    const text = `${HEADER}hours: [{ days: [mon-fri], start: "09:00", end: "18:00" }]\n`;
    applyCatalog(rt, [{ name: "hours.yaml", text }]);
    const hold = (hour: number, wanted: object) =>
      site.send("POST", "/holds", {
        startsAt: monday(`${String(hour).padStart(2, "0")}:00`),
        ...wanted,
      });
    const appointment = (hour: number, staff: object = CUT) => hold(hour, { segments: [staff] });
    for (const hour of [9, 10, 11]) expect((await appointment(hour, ANN)).status).toBe(201);
    expect(problem(await appointment(12, ANN))).toBe("429 too_many_holds");
    for (const hour of [12, 13, 14]) expect((await appointment(hour)).status).toBe(201);
    const refused = await appointment(15);
    expect([problem(refused), refused.body.detail]).toEqual([
      "429 too_many_holds",
      "This key already has 3 open holds on 2026-11-23 for each staff member who could take this visit.",
    ]);
    expect(problem(await appointment(9, ANN))).toBe("409 slot_taken TAKEN");
    const table = (hour: number) => hold(hour, { partySize: 2 });
    // Two tables can take a party of two, and the key may have three open holds for each.
    for (const hour of [9, 10, 11, 12, 13, 14]) expect((await table(hour)).status).toBe(201);
    const last = await table(15);
    expect([problem(last), last.body.detail]).toEqual([
      "429 too_many_holds",
      "This key already has 3 open holds on 2026-11-23 for each table that could take this visit.",
    ]);
  });

  test("a key that has left a hundred holds unused can have only three open holds", async () => {
    const { rt, site, business } = openBookingShop();
    const { id: businessId } = business();
    rt.tx(() => {
      for (let n = 0; n < 100; n++)
        rt.store.holds.insert(businessId, releasedHold(rt.newId("hld"), site.id, rt.now()));
    });
    const hold = async (time: string, day: string) =>
      problem(
        await site.send("POST", "/holds", {
          startsAt: `2026-11-${day}T${time}:00Z`,
          segments: [CUT],
        }),
      );
    for (const time of ["09:00", "10:00", "11:00"]) expect(await hold(time, "25")).toBe("201 ");
    expect(await hold("09:00", "27")).toBe("429 too_many_holds");
    expect(rt.store.holds.countSince(site.id, 0)).toEqual({ made: 103, used: 0 });
  });
});
