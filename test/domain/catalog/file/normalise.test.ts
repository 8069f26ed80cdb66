import { describe, expect, it } from "vitest";
import { z } from "zod";
import { catalogFileSchema } from "../../../../src/domain/catalog/file/schema.ts";
import { readCatalogBody } from "../../../support/catalog-file.ts";

const common = { previousKeys: [], status: "ACTIVE", images: [], translations: {} };
const instant = (text: string) => Date.parse(text);

describe("an omitted field", () => {
  it("an omitted field is filled in for a service, its variants, add-ons and resources", () => {
    const catalog = readCatalogBody(`
addons: [{key: mask, name: Mask, price: 5, maxQuantity: 3}]
resources: [{key: room, name: Room}]
services:
  - key: cut
    name: Cut
    durationMin: 45
    price: 35
    addons: [mask]
    resources: [room]
    variants: [{key: long, name: Long hair, durationMin: 60}]
`);
    expect(catalog.objects.service).toEqual([
      {
        ...common,
        key: "cut",
        name: "Cut",
        description: null,
        category: null,
        durationMin: 45,
        priceCents: 3500,
        priceType: "FIXED",
        capacity: 1,
        bookable: true,
        locationType: "ON_SITE",
        bufferBeforeMin: 0,
        bufferAfterMin: 0,
        resources: [{ resource: "room", units: 1 }],
        bookingRules: {
          slotIntervalMin: null,
          minNoticeMin: null,
          maxAdvanceDays: null,
          requiresApproval: null,
          cancelUntilMin: null,
        },
        depositCents: null,
        staff: [],
        tags: [],
        variants: [
          {
            ...common,
            key: "long",
            name: "Long hair",
            description: null,
            durationMin: 60,
            priceCents: 3500,
            isDefault: false,
            staff: null,
            attributes: {},
          },
        ],
        addons: [
          {
            addon: "mask",
            required: false,
            minQuantity: 0,
            maxQuantity: 3,
            defaultQuantity: 0,
            priceCents: null,
            durationMin: null,
          },
        ],
      },
    ]);
  });

  it("a field of the business that the file omits gets its default", () => {
    expect(readCatalogBody("").business).toEqual({
      slug: "salon-aurora",
      name: "Salon Aurora",
      timezone: "America/New_York",
      currency: "USD",
      currencyDigits: 2,
      locale: "en",
      locales: ["en"],
      description: null,
      phone: null,
      email: null,
      websiteUrl: null,
      address: null,
      bookingPolicy: {
        slotIntervalMin: 15,
        minNoticeMin: 60,
        maxAdvanceDays: 90,
        bufferPolicy: "MAX",
        grid: "CLOCK",
        maxGapMin: 0,
        requiresApproval: false,
        cancelUntilMin: 0,
      },
      guestRetentionDays: 90,
      type: null,
      postalAddress: null,
      geo: null,
      images: [],
      priceRange: null,
      links: [],
      legal: { privacyUrl: null, imprintUrl: null, imprint: null },
      publicPage: {
        enabled: false,
        booking: "OFF",
        embedOrigins: [],
        orders: { payWithinHours: 48, maxQuotaPercent: 20 },
        theme: { accent: null, logo: null },
      },
    });
  });

  it("an omitted field is filled in for an event, its ticket types and quotas", () => {
    const { objects } = readCatalogBody(
      "events: [{key: Fête d'été, name: Fête, startsAt: 2026-07-01T20:00, durationMin: 90, doorsAt: '19:00', venue: Yard, ticketTypes: [{key: seat, name: Seat, price: 9}, {key: child, name: Child, kind: free}], quotas: [{key: all, size: 50}]}]\n",
    );
    const ticket = {
      ...common,
      description: null,
      salesStartAt: null,
      salesEndAt: null,
      minPerOrder: 1,
      maxPerOrder: 10,
      showRemaining: true,
    };
    expect(objects.public_event).toEqual([
      {
        ...common,
        key: "Fête d'été",
        name: "Fête",
        status: "PUBLISHED",
        slug: "fete-d-ete",
        description: null,
        startsAt: instant("2026-07-02T00:00:00Z"),
        endsAt: instant("2026-07-02T01:30:00Z"),
        doorsAt: instant("2026-07-01T23:00:00Z"),
        venue: { name: "Yard", address: null },
        attendanceMode: "IN_PERSON",
        ticketTypes: [
          { ...ticket, key: "seat", name: "Seat", kind: "PAID", priceCents: 900 },
          { ...ticket, key: "child", name: "Child", kind: "FREE", priceCents: 0 },
        ],
        quotas: [{ key: "all", size: 50, ticketTypes: ["seat", "child"] }],
      },
    ]);
  });

  it("an omitted field is filled in for a promotion, which then applies to everything at any time", () => {
    const { objects } = readCatalogBody(
      "promotions: [{key: p, name: P, benefit: {type: buy_x_get_y, buyQuantity: 2}}]\n",
    );
    expect(objects.promotion[0]).toMatchObject({
      benefit: { type: "BUY_X_GET_Y", buyQuantity: 2, getQuantity: 1, percentBps: 10_000 },
      appliesTo: { all: true, services: [] },
      conditions: { minSubtotalCents: null, firstVisitOnly: false },
      schedule: { startsAt: null, endsAt: null, weekly: [], excludeDates: [] },
      code: null,
      stackable: false,
      priority: 0,
    });
  });
});

describe("an amount of money", () => {
  it("an amount of money is read with the decimals of the currency in every field", () => {
    const { objects } = readCatalogBody(`
services: [{key: a, name: A, durationMin: 5, price: 12.50, deposit: 2.50}]
staff: [{key: x, name: X, serviceOverrides: [{service: a, price: 13.10}]}]
menu:
  modifierGroups: [{key: g, name: G, max: 1, options: [{key: o, name: O, price: 0.35}, {key: f, name: F}]}]
  items:
    - {key: soup, name: Soup, modifierGroups: [g], sizes: [{key: l, name: L, price: 9.95}, {key: s, name: S, price: 7.95}]}
    - {key: fish, name: Fish, priceType: market}
promotions:
  - {key: p, name: P, benefit: {type: percent_off, percent: 12.5, maxAmount: 20.00}, conditions: {minSubtotal: 50.05}}
  - {key: q, name: Q, benefit: {type: FIXED_PRICE, amountCents: 999}}
`);
    expect(objects.service[0]).toMatchObject({ priceCents: 1250, depositCents: 250 });
    expect(objects.staff[0]?.serviceOverrides).toEqual([
      { service: "a", durationMin: null, priceCents: 1310 },
    ]);
    expect(objects.modifier_group[0]?.options.map((option) => option.priceCents)).toEqual([35, 0]);
    expect(objects.menu_item.map((item) => item.priceCents)).toEqual([795, 0]);
    expect(objects.promotion.map((promotion) => promotion.benefit)).toEqual([
      { type: "PERCENT_OFF", percentBps: 1250, maxAmountCents: 2000 },
      { type: "FIXED_PRICE", amountCents: 999 },
    ]);
    expect(objects.promotion[0]?.conditions.minSubtotalCents).toBe(5005);
  });
});

describe("times", () => {
  it.each([
    ["mon", ["mon"]],
    ["mon-wed", ["mon", "tue", "wed"]],
    ["sat-mon", ["mon", "sat", "sun"]],
    ["[sun, tue-wed, tue]", ["tue", "wed", "sun"]],
    ["mon-sun", ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]],
  ])("hours with the days %s are on %j", (days, expected) => {
    expect(
      readCatalogBody(`hours: [{days: ${days}, start: '22:00', end: '30:00'}]\n`).schedule.hours,
    ).toEqual([{ days: expected, start: "22:00", end: "30:00", validFrom: null, validTo: null }]);
  });

  it("a break without days is on every day", () => {
    const { objects } = readCatalogBody(
      "staff: [{key: a, name: A, breaks: [{start: '12:00', end: '12:30'}]}]\n",
    );
    expect(objects.staff[0]?.breaks[0]?.days).toHaveLength(7);
  });

  it.each([
    ["2026-12-31T22:00", "2027-01-01T03:00:00Z"],
    ["2026-12-31 22:00", "2027-01-01T03:00:00Z"],
    ["2026-12-31T22:00:30+01:00", "2026-12-31T21:00:30Z"],
    ["2026-12-31T22:00Z", "2026-12-31T22:00:00Z"],
  ])(
    "the time '%s' is in the time zone of the business unless it has an offset",
    (text, expected) => {
      const { objects } = readCatalogBody(
        `events: [{key: gala, name: Gala, startsAt: '${text}', durationMin: 1}]\n`,
      );
      expect(objects.public_event[0]?.startsAt).toBe(instant(expected));
    },
  );

  it.each([
    ["12d 19:30", "2026-12-02T19:30:00-05:00"],
    ["0d 09:00", "2026-11-20T09:00:00-05:00"],
    ["-3d 09:00", "2026-11-17T09:00:00-05:00"],
    ["200d 20:00", "2027-06-08T20:00:00-04:00"],
  ])(
    "the time '%s' counts from the day of seeding in the time zone of the business",
    (startsIn, expected) => {
      // The day is already the 21st in UTC, but still the 20th in New York.
      const seedingAt = Date.parse("2026-11-21T03:00:00Z");
      const body = `events: [{key: gala, name: Gala, startsIn: ${startsIn}, durationMin: 60, ticketTypes: [{key: s, name: S, price: 1, salesStart: -5d 08:00}]}]\n`;
      const [event] = readCatalogBody(body, { seedingAt }).objects.public_event;
      expect(event?.startsAt).toBe(instant(expected));
      expect(event?.ticketTypes[0]?.salesStartAt).toBe(instant("2026-11-15T08:00:00-05:00"));
    },
  );

  it("time off with dates includes the last day", () => {
    const { objects } = readCatalogBody(
      "staff: [{key: a, name: A, timeOff: [{from: 2026-12-24, to: 2026-12-24}, {from: 2026-12-30T12:00, to: 2026-12-30T14:00}]}]\n",
    );
    expect(objects.staff[0]?.timeOff).toEqual([
      { from: instant("2026-12-24T05:00:00Z"), to: instant("2026-12-25T05:00:00Z") },
      { from: instant("2026-12-30T17:00:00Z"), to: instant("2026-12-30T19:00:00Z") },
    ]);
  });

  it("a closure is a date, a range of dates, or the same day of every year", () => {
    const { schedule } = readCatalogBody(
      "closures: [{name: Xmas, date: 2026-12-25}, {from: 2027-02-01, to: 2027-02-07}, {yearly: 02-29}]\n",
    );
    expect(schedule.closures).toEqual([
      { name: "Xmas", from: "2026-12-25", to: "2026-12-25" },
      { name: null, from: "2027-02-01", to: "2027-02-07" },
      { name: null, yearly: "02-29" },
    ]);
  });
});

describe("a file", () => {
  it("a file may have values such as a status in upper or lower case", () => {
    const { objects } = readCatalogBody(
      "areas: [{key: a, name: A, status: archived}, {key: b, name: B, status: INACTIVE}]\n",
    );
    expect(objects.area.map((area) => area.status)).toEqual(["ARCHIVED", "INACTIVE"]);
  });

  it("a file may have keys with spaces, symbols and non-ASCII letters", () => {
    const { objects } = readCatalogBody(
      "menu: {categories: [{key: '#Sunny-Side Egg on Toast', name: Egg}], items: [{key: 'ö/ü', name: O, price: 1, categories: ['#Sunny-Side Egg on Toast']}]}\n",
    );
    expect(objects.menu_item[0]?.categories).toEqual(["#Sunny-Side Egg on Toast"]);
  });

  it("a file may have images with or without sizes, texts of several lines and translations", () => {
    const [category] = readCatalogBody(`
serviceCategories:
  - key: hair
    name: Hair
    description: |
      Cut.
      Colour.
    images: ["https://a.example/1.jpg", {url: "https://a.example/2.jpg", alt: Two, width: 10}]
    translations: {de: {name: Haar}}
`).objects.service_category;
    expect(category).toMatchObject({
      description: "Cut.\nColour.",
      images: [
        { url: "https://a.example/1.jpg", alt: null, width: null, height: null },
        { url: "https://a.example/2.jpg", alt: "Two", width: 10, height: null },
      ],
      translations: { de: { name: "Haar" } },
    });
  });
});

it("the JSON Schema allows a price to be text or a number", () => {
  const schema = z.toJSONSchema(catalogFileSchema, { io: "input" });
  expect(schema).toMatchObject({
    additionalProperties: false,
    required: ["catalog"],
    properties: { addons: { items: { properties: { price: { type: ["string", "number"] } } } } },
  });
});
