import { expect, test } from "vitest";
import { setSoldOut } from "../../../../src/app/catalog/sold-out.ts";
import { servePublished } from "../../../support/published-pages.ts";

test("a business as Markdown has each category once, with the dishes and their allergens", async () => {
  const item = { price: "9.50", categories: ["mains"] };
  const { get } = servePublished({
    catalog: 1,
    business: { slug: "bar", name: "Bar", timezone: "Europe/Zurich", currency: "CHF" },
    menu: {
      categories: [
        { key: "mains", name: "Mains" },
        { key: "sweets", name: "Sweets" },
      ],
      items: [
        { key: "fish", name: "Fish", ...item, allergens: ["fish", "milk"] },
        { key: "rice", name: "Rice", ...item },
        { key: "cake", name: "Cake", ...item, categories: ["sweets"] },
      ],
    },
    services: [
      { key: "cut", name: "Cut", durationMin: 30, price: "40.00", category: "hair" },
      { key: "wash", name: "Wash", durationMin: 15, price: "10.00", category: "hair" },
    ],
    serviceCategories: [{ key: "hair", name: "Hair" }],
  } as never);
  const text = await (await get(".md")).text();
  const lines = text.split("\n").filter((line) => line.startsWith("###") || line.startsWith("- "));
  expect(lines.filter((line) => line.startsWith("###"))).toEqual([
    "### Mains",
    "### Sweets",
    "### Hair",
  ]);
  expect(text).toMatch(/- Fish: .*9\.50.* Contains fish and milk\./i);
  expect(text).toMatch(/- Rice: .*9\.50$/m);
});

test("a business as Markdown has the hours that apply this week, in order of time", async () => {
  const mondays = { days: ["mon"] };
  const { get } = servePublished({
    catalog: 1,
    business: { slug: "bar", name: "Bar", timezone: "Europe/Zurich", currency: "CHF" },
    hours: [
      { days: ["mon-sun"], start: "09:00", end: "17:00", validFrom: "2020-01-01" },
      { days: ["mon-sun"], start: "01:00", end: "02:00", validTo: "2020-01-01" },
      { ...mondays, start: "19:00", end: "21:00" },
      { ...mondays, start: "06:00", end: "07:00" },
    ],
  } as never);
  const text = await (await get(".md")).text();
  expect(text).toMatch(/^- Tuesday: 9:00 AM – 5:00 PM$/m);
  expect(text).toMatch(/^- Monday: 6:00 AM – 7:00 AM, 9:00 AM – 5:00 PM, 7:00 PM – 9:00 PM$/m);
});

test("a business as Markdown has headings above its only service and its only event, and no heading for an empty list", async () => {
  const { get } = servePublished({
    catalog: 1,
    business: { slug: "bar", name: "Bar", timezone: "Europe/Zurich", currency: "CHF" },
    services: [{ key: "cut", name: "Cut", durationMin: 30, price: "40.00" }],
    events: [
      {
        key: "gig",
        name: "Gig",
        status: "PUBLISHED",
        startsAt: "2026-12-01T20:00",
        endsAt: "2026-12-01T22:00",
      },
    ],
  } as never);
  const text = await (await get(".md")).text();
  expect(text).toMatch(/^## Services\n\n- Cut: /m);
  expect(text).toMatch(/^## Events\n\n- Gig: 2026-12-01T20:00/m);
  expect(text.match(/^## .*$/gm)).toEqual(["## Services", "## Events"]);
});

test("a business as Markdown has all unusual hours of a day", async () => {
  const intervals = [
    { start: "09:00", end: "12:00" },
    { start: "14:00", end: "16:00" },
  ];
  const { get } = servePublished({
    catalog: 1,
    business: { slug: "bar", name: "Bar", timezone: "Europe/Zurich", currency: "CHF" },
    hours: [{ days: ["mon-sun"], start: "09:00", end: "17:00" }],
    exceptions: [{ date: "2026-12-24", mode: "replace", intervals }],
  } as never);
  expect(await (await get(".md")).text()).toMatch(
    /^- 2026-12-24: 9:00 AM – 12:00 PM, 2:00 PM – 4:00 PM$/m,
  );
});

test.each([
  [1000, []],
  [1001, ["1000 / 1001: /b/bar/menu"]],
])(
  "a business with %i dishes as Markdown has at most 1000, and then the path of its menu",
  async (count, rest) => {
    const items = Array.from({ length: count }, (_, i) => ({
      key: `dish-${i}`,
      name: `Dish ${i}`,
      price: "9.50",
    }));
    const { get } = servePublished({
      catalog: 1,
      business: { slug: "bar", name: "Bar", timezone: "Europe/Zurich", currency: "CHF" },
      menu: { items },
    });
    const lines = (await (await get(".md")).text()).split("\n");
    expect(lines.filter((line) => line.startsWith("- Dish "))).toHaveLength(1000);
    expect(lines.filter((line) => line.includes(" / "))).toEqual(rest);
  },
);

test("a business as Markdown says which dishes are sold out, and has the prices of sizes and tickets", async () => {
  const { rt, slug, get } = servePublished({
    catalog: 1,
    business: { slug: "bar", name: "Bar", timezone: "Europe/Zurich", currency: "CHF" },
    menu: {
      items: [
        { key: "soup", name: "Soup", price: "9.50" },
        {
          key: "tea",
          name: "Tea",
          price: "4.00",
          sizes: [{ key: "pot", name: "Pot", price: "7.00" }],
        },
      ],
    },
    events: [
      {
        key: "gig",
        name: "Gig",
        status: "PUBLISHED",
        startsAt: "2026-12-01T20:00",
        endsAt: "2026-12-01T22:00",
        ticketTypes: [
          { key: "adult", name: "Adult", kind: "PAID", price: "20.00" },
          { key: "child", name: "Child", kind: "PAID", price: "10.00" },
        ],
      },
    ],
  } as never);
  setSoldOut(rt, rt.store.businesses.findBySlug(slug)!, "soup", null);
  const text = (await (await get(".md")).text()).replaceAll("\u00a0", " ");
  expect(text).toMatch(/^- Soup: CHF 9\.50 \(Sold out\)$/m);
  expect(text).toMatch(/^- Tea: Pot CHF 7\.00$/m);
  expect(text).toMatch(/^- Gig: .*, Adult CHF 20\.00, Child CHF 10\.00$/m);
});

test("a business as Markdown has the variants of a service with the service's kind of price", async () => {
  const variants = [{ key: "long", name: "Long", durationMin: 60, price: "80.00" }];
  const { get } = servePublished({
    catalog: 1,
    business: { slug: "bar", name: "Bar", timezone: "Europe/Zurich", currency: "CHF" },
    services: [
      { key: "tint", name: "Tint", durationMin: 60, priceType: "FROM", price: "80.00", variants },
      {
        key: "wed",
        name: "Wedding",
        durationMin: 60,
        priceType: "ON_REQUEST",
        variants: [{ key: "trial", name: "Trial", durationMin: 30 }],
      },
    ],
  } as never);
  const text = (await (await get(".md")).text()).replaceAll("\u00a0", " ");
  expect(text).toMatch(/^ {2}- Long: from CHF 80\.00, 1 h$/m);
  expect(text).toMatch(/^ {2}- Trial: Price on request, 30 min$/m);
});
