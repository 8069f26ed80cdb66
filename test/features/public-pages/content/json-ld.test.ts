import { describe, expect, test } from "vitest";
import { BUSINESS_TYPES } from "../../../../src/domain/catalog/business-types.ts";
import { readPartOfSample } from "../../../support/sample-catalog.ts";
import { findIssues } from "../../../support/schema-org.ts";
import { publishSample, servePublished } from "../../../support/published-pages.ts";

type Node = { [name: string]: unknown };

const graphIn = (html: string): Node[] => {
  const [, json = "{}"] = /<script type="application\/ld\+json">([^]*?)<\/script>/.exec(html) ?? [];
  return ((JSON.parse(json) as Node)["@graph"] ?? []) as Node[];
};

describe("the check of structured data", () => {
  test.each([
    [{ "@type": "HairSalon", name: "A", hairColour: "red" }, "hairColour"],
    [{ "@type": "Event", name: "A", startDate: "2026-12-01" }, "location"],
    [{ "@type": "HairSaloon", name: "A" }, "HairSaloon"],
  ])("the check of JSON-LD finds what is wrong with %o", async (node, name) => {
    expect((await findIssues([node])).join("\n")).toContain(name);
  });
});

test("each type that a business can have is one of schema.org", async () => {
  const business = { name: "A", address: "B", url: "https://a.example" };
  for (const type of BUSINESS_TYPES)
    expect([type, await findIssues([{ "@type": type, ...business }])]).toEqual([type, []]);
});

test.each([
  ["salon", ["", "/services"]],
  ["restaurant", ["", "/menu"]],
  ["venue", ["", "/events", "/services", "/events/blue-hour-quartet"]],
] as const)(
  "the JSON-LD of the sample %s is valid, with the fields that Google requires",
  async (preset, paths) => {
    const { get } = publishSample(preset);
    for (const path of paths) {
      const graph = graphIn(await (await get(path)).text());
      expect(graph.length).toBeGreaterThan(0);
      expect([path, await findIssues(graph)]).toEqual([path, []]);
    }
    const document = await get(".jsonld");
    expect(document.headers.get("content-type")).toBe("application/ld+json");
    expect(await findIssues(((await document.json()) as Node)["@graph"] as Node[])).toEqual([]);
  },
);

test("the JSON-LD of generated catalogs is valid", async () => {
  for (let seed = 0; seed < 20; seed++) {
    const file = readPartOfSample(10 + seed * 5, seed);
    const { get } = servePublished(file);
    const document = (await (await get(".jsonld")).json()) as Node;
    expect([seed, await findIssues(document["@graph"] as Node[])]).toEqual([seed, []]);
  }
});

test("the hours in JSON-LD include closed days, and days with unusual hours", async () => {
  const { get } = publishSample("salon");
  const [business = {}] = graphIn(await (await get("")).text());
  const hours = business["openingHoursSpecification"] as Node[];
  expect(hours).toContainEqual({
    "@type": "OpeningHoursSpecification",
    dayOfWeek: ["Thursday", "Friday"],
    opens: "10:00",
    closes: "21:00",
  });
  const on = (date: string) => hours.filter(({ validFrom }) => validFrom === date);
  const type = { "@type": "OpeningHoursSpecification" };
  expect(on("2026-11-26")).toMatchObject([{ ...type, opens: "00:00", closes: "00:00" }]);
  expect(on("2026-12-24")).toMatchObject([{ ...type, opens: "09:00", closes: "14:00" }]);
});

test("opening hours until 2:00 at night close at 02:00, not at 26:00", async () => {
  const { get } = publishSample("venue");
  const [business = {}] = graphIn(await (await get("")).text());
  expect(business["openingHoursSpecification"]).toContainEqual({
    "@type": "OpeningHoursSpecification",
    dayOfWeek: ["Friday", "Saturday"],
    opens: "11:00",
    closes: "02:00",
  });
});

test("the JSON-LD of a menu names the diets that its dishes suit", async () => {
  const { get } = publishSample("restaurant");
  const [menu = {}] = graphIn(await (await get("/menu")).text());
  expect(menu["@type"]).toBe("Menu");
  expect(JSON.stringify(menu)).toContain('"suitableForDiet":["https://schema.org/VegetarianDiet"]');
});

test("each page of a long menu has an ID of its own in JSON-LD", async () => {
  const items = Array.from({ length: 200 }, (_, i) => ({
    key: `dish-${i}`,
    name: `Dish ${i}`,
    price: "9.50",
  }));
  const { get } = servePublished({
    catalog: 1,
    business: { slug: "bar", name: "Bar", timezone: "Europe/Zurich", currency: "CHF" },
    menu: { items },
  });
  const idOf = async (path: string) => graphIn(await (await get(path)).text())[0]?.["@id"];
  expect(await idOf("/menu")).toMatch(/\/b\/bar\/menu#menu$/);
  expect(await idOf("/menu?page=2")).toMatch(/\/b\/bar\/menu\?page=2#menu$/);
});

test("the JSON-LD of an event names the business as its organizer, and a dish in one size has that size's price", async () => {
  const venue = publishSample("venue");
  const [event] = graphIn(await (await venue.get("/events/blue-hour-quartet")).text());
  expect(event).toMatchObject({
    "@type": "Event",
    organizer: {
      "@type": "Organization",
      name: venue.api.store.businesses.list()[0]!.doc.name,
      url: expect.stringContaining(`/b/${venue.slug}`),
    },
  });
  const { get } = servePublished({
    catalog: 1,
    business: { slug: "bar", name: "Bar", timezone: "Europe/Zurich", currency: "CHF" },
    menu: {
      items: [{ key: "tea", name: "Tea", sizes: [{ key: "pot", name: "Pot", price: "9.50" }] }],
    },
  } as never);
  expect(JSON.stringify(graphIn(await (await get("/menu")).text()))).toContain(
    '"offers":[{"@type":"Offer","price":"9.50","priceCurrency":"CHF","name":"Pot"}]',
  );
});

test("an event has its venue as its location in JSON-LD, its page if it is online, and both if it is mixed", async () => {
  const times = { startsAt: "2026-12-01T20:00", endsAt: "2026-12-01T22:00" };
  const { get } = servePublished({
    catalog: 1,
    business: { slug: "bar", name: "Bar", timezone: "Europe/Zurich", currency: "CHF" },
    events: ["IN_PERSON", "MIXED", "ONLINE"].map((attendanceMode) => ({
      key: attendanceMode.toLowerCase().replace("_", "-"),
      name: attendanceMode,
      status: "PUBLISHED",
      attendanceMode,
      ...times,
    })),
  } as never);
  const events = graphIn(await (await get("/events")).text());
  const typesOf = (location: unknown) => [location].flat().map((one) => (one as Node)["@type"]);
  expect(Object.fromEntries(events.map(({ name, location }) => [name, typesOf(location)]))).toEqual(
    {
      IN_PERSON: ["Place"],
      MIXED: ["Place", "VirtualLocation"],
      ONLINE: ["VirtualLocation"],
    },
  );
  expect(events.map(({ eventAttendanceMode: mode }) => mode)).toEqual([
    "https://schema.org/OfflineEventAttendanceMode",
    "https://schema.org/MixedEventAttendanceMode",
    "https://schema.org/OnlineEventAttendanceMode",
  ]);
});
