import { describe, expect, test } from "vitest";
import { applyCatalog } from "../../../src/app/catalog/catalog.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { setSoldOut } from "../../../src/app/catalog/sold-out.ts";
import { loadCatalog } from "../../../src/app/catalog/load-catalog.ts";
import { publishClockChanges } from "../../../src/app/catalog/publish.ts";
import type { Envelope } from "../../../src/domain/events/envelope.ts";
import { toPublicCatalog } from "../../../src/domain/public/public-catalog.ts";
import { CATALOG_HEADER } from "../../support/catalog-file.ts";
import { type TestRuntime, createTestRuntime } from "../../support/test-runtime.ts";

// The test clock starts at 2026-11-20T07:00 in the business's time zone.
const HOUR = 3_600_000;

const apply = (rt: TestRuntime, body: string) =>
  applyCatalog(rt, [{ name: "catalog.yaml", text: CATALOG_HEADER + body }]);
const business = (rt: TestRuntime) => getBusiness(rt, "salon-aurora");
const publicCatalog = (rt: TestRuntime) => toPublicCatalog(loadCatalog(rt, business(rt)), rt.now());

/** Returns `type flag,flag` of each event that `work` causes. */
function publishedEvents(rt: TestRuntime, work: () => void): string[] {
  const from = business(rt).lastSequence;
  work();
  return rt.store.events.listAfter(business(rt).id, from, 100).map(({ body }) => {
    const { type, data } = JSON.parse(body.toString()) as Envelope;
    const flags = Object.keys(data.changed).filter((flag) => data.changed[flag]);
    return [type, ...(flags.length > 0 ? [flags.join(",")] : [])].join(" ");
  });
}

const PROMOTION = `
promotions:
  - {key: deal, name: Deal, benefit: {type: PERCENT_OFF, percent: 10},
     schedule: {startsAt: 2026-11-20T08:00, endsAt: 2026-11-20T10:00}}
`;
const EVENT = `
events:
  - {key: jazz, name: Jazz, startsAt: 2026-11-20T20:00, durationMin: 120,
     ticketTypes: [{key: adult, name: Adult, price: 20.00, salesStart: 2026-11-20T09:00}]}
`;
const MENU = `
menu:
  categories: [{key: soups, name: Soups}]
  items: [{key: soup, name: Soup, price: 9.00, categories: [soups], modifierGroups: [milk]}]
  modifierGroups: [{key: milk, name: Milk, options: [{key: oat, name: Oat}, {key: cow, name: Cow}]}]
`;

describe("changes caused by time alone", () => {
  test("the start and the end of a promotion are published once each", () => {
    const rt = createTestRuntime();
    apply(rt, PROMOTION);
    const tick = () => publishedEvents(rt, () => publishClockChanges(rt));
    expect(tick()).toEqual([]);
    rt.advance(HOUR);
    expect(tick()).toEqual(["promotion.updated status", "catalog.changed promotions"]);
    expect(publicCatalog(rt).promotions).toMatchObject([{ active: true, version: 2 }]);
    expect(tick()).toEqual([]);
    rt.advance(2 * HOUR);
    expect(tick()).toEqual(["promotion.updated status", "catalog.changed promotions"]);
    expect(publicCatalog(rt).promotions).toMatchObject([{ active: false, version: 3 }]);
    expect(tick()).toEqual([]);
  });

  test("the start and the end of a promotion that passed while no daemon was running are published one by one", () => {
    const rt = createTestRuntime();
    apply(rt, PROMOTION);
    rt.advance(24 * HOUR);
    const once = ["promotion.updated status", "catalog.changed promotions"];
    expect(publishedEvents(rt, () => publishClockChanges(rt))).toEqual([...once, ...once]);
  });

  test("the start of ticket sales and the end of a public event are published", () => {
    const rt = createTestRuntime();
    apply(rt, EVENT);
    rt.advance(2 * HOUR);
    expect(publishedEvents(rt, () => publishClockChanges(rt))).toEqual([
      "event.updated availability",
      "catalog.changed events",
    ]);
    rt.advance(24 * HOUR);
    expect(publishedEvents(rt, () => publishClockChanges(rt))).toEqual([
      "event.updated status,availability",
      "catalog.changed events",
    ]);
  });

  test.each(["CANCELLED", "POSTPONED"])(
    "partners are told to read the events again when a %s public event ends",
    (status) => {
      const rt = createTestRuntime();
      apply(rt, EVENT.replace("key: jazz,", `key: jazz, status: ${status},`));
      rt.advance(24 * HOUR);
      expect(publishedEvents(rt, () => publishClockChanges(rt))).toEqual([
        "catalog.changed",
        "catalog.changed events",
      ]);
      const [last] = rt.store.events.list({ type: "catalog.changed" }, 1);
      const { body } = rt.store.events.findById(last?.id as string)!;
      const [event] = publicCatalog(rt).events;
      expect((JSON.parse(body.toString()) as Envelope).data.object).toMatchObject({
        routes: ["events/catalog"],
        refetch: [{ route: "events/catalog", ids: [event?.id], idsComplete: true }],
      });
      expect(event?.version).toBe(1);
    },
  );

  test("a scheduled change that is due is published before the changes of a file, with a catalog version of its own", () => {
    const rt = createTestRuntime();
    apply(rt, PROMOTION);
    rt.advance(HOUR);
    expect(
      publishedEvents(rt, () => apply(rt, PROMOTION.replace("name: Deal", "name: Better deal"))),
    ).toEqual([
      "promotion.updated status",
      "catalog.changed promotions",
      "promotion.updated details",
      "catalog.changed promotions",
    ]);
  });
});

describe("a sold-out dish", () => {
  test("a dish is published when it is marked as sold out, and again when it becomes available", () => {
    const rt = createTestRuntime();
    apply(rt, MENU);
    const until = rt.now() + HOUR;
    expect(publishedEvents(rt, () => setSoldOut(rt, business(rt), "soup", until))).toEqual([
      "menu_item.updated availability",
      "catalog.changed menu",
    ]);
    expect(publicCatalog(rt).menuItems).toMatchObject([{ soldOut: true }]);
    rt.advance(HOUR);
    expect(publishedEvents(rt, () => publishClockChanges(rt))).toEqual([
      "menu_item.updated availability",
      "catalog.changed menu",
    ]);
    expect(publicCatalog(rt).menuItems).toMatchObject([{ soldOut: false }]);
  });

  test("a sold-out dish stays sold out when a file is applied, and is not published twice", () => {
    const rt = createTestRuntime();
    apply(rt, MENU);
    setSoldOut(rt, business(rt), "soup", null);
    expect(publishedEvents(rt, () => setSoldOut(rt, business(rt), "soup", null))).toEqual([]);
    apply(rt, MENU.replace("9.00", "9.50"));
    expect(publicCatalog(rt).menuItems).toMatchObject([{ soldOut: true, priceCents: 950 }]);
    expect(publishedEvents(rt, () => setSoldOut(rt, business(rt), "soup", "back"))).toEqual([
      "menu_item.updated availability",
      "catalog.changed menu",
    ]);
  });

  test("a sold-out modifier option is published with the dishes that offer it", () => {
    const rt = createTestRuntime();
    apply(rt, MENU);
    expect(publishedEvents(rt, () => setSoldOut(rt, business(rt), "milk/oat", null))).toEqual([
      "menu_item.updated modifiers",
      "catalog.changed menu",
    ]);
    expect(publicCatalog(rt).modifierGroups[0]?.options.map(({ soldOut }) => soldOut)).toEqual([
      true,
      false,
    ]);
  });

  test("a sold-out mark until a time in the past is rejected, and an unknown dish suggests the nearest key", () => {
    const rt = createTestRuntime();
    apply(rt, MENU);
    expect(() => setSoldOut(rt, business(rt), "soap", null)).toThrow("Did you mean 'soup'?");
    expect(() => setSoldOut(rt, business(rt), "soup", rt.now())).toThrow("in the past");
  });
});
