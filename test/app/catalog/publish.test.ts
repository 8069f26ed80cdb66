import { describe, expect, test } from "vitest";
import { applyCatalog } from "../../../src/app/catalog/catalog.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { setSoldOut } from "../../../src/app/catalog/sold-out.ts";
import { loadCatalog, publishClockChanges } from "../../../src/app/catalog/publish.ts";
import type { Envelope } from "../../../src/domain/envelope.ts";
import { toPublicCatalog } from "../../../src/domain/public/public-catalog.ts";
import { CATALOG_HEADER } from "../../support/catalog-file.ts";
import { type TestRuntime, createTestRuntime } from "../../support/test-runtime.ts";

// The world's clock begins at 2026-11-20T07:00 in the business's zone.
const HOUR = 3_600_000;

const apply = (rt: TestRuntime, body: string) =>
  applyCatalog(rt, [{ name: "catalog.yaml", text: CATALOG_HEADER + body }]);
const business = (rt: TestRuntime) => getBusiness(rt, "salon-aurora");
const shown = (rt: TestRuntime) => toPublicCatalog(loadCatalog(rt, business(rt)), rt.now());

/** `type flag,flag` of each event that `work` causes. */
function told(rt: TestRuntime, work: () => void): string[] {
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

describe("what the clock changes", () => {
  test("a promotion that starts and one that ends are told once each", () => {
    const rt = createTestRuntime();
    apply(rt, PROMOTION);
    const tick = () => told(rt, () => publishClockChanges(rt));
    expect(tick()).toEqual([]);
    rt.advance(HOUR);
    expect(tick()).toEqual(["promotion.updated status", "catalog.changed promotions"]);
    expect(shown(rt).promotions).toMatchObject([{ active: true, version: 2 }]);
    expect(tick()).toEqual([]);
    rt.advance(2 * HOUR);
    expect(tick()).toEqual(["promotion.updated status", "catalog.changed promotions"]);
    expect(shown(rt).promotions).toMatchObject([{ active: false, version: 3 }]);
    expect(tick()).toEqual([]);
  });

  test("instants that passed while nobody was running are told one by one", () => {
    const rt = createTestRuntime();
    apply(rt, PROMOTION);
    rt.advance(24 * HOUR);
    const once = ["promotion.updated status", "catalog.changed promotions"];
    expect(told(rt, () => publishClockChanges(rt))).toEqual([...once, ...once]);
  });

  test("ticket sales that open and a public event that ends", () => {
    const rt = createTestRuntime();
    apply(rt, EVENT);
    rt.advance(2 * HOUR);
    expect(told(rt, () => publishClockChanges(rt))).toEqual([
      "event.updated availability",
      "catalog.changed events",
    ]);
    rt.advance(24 * HOUR);
    expect(told(rt, () => publishClockChanges(rt))).toEqual([
      "event.updated status,availability",
      "catalog.changed events",
    ]);
  });

  test("what the clock did is told before an author's change, and not as a part of it", () => {
    const rt = createTestRuntime();
    apply(rt, PROMOTION);
    rt.advance(HOUR);
    expect(told(rt, () => apply(rt, PROMOTION.replace("name: Deal", "name: Better deal")))).toEqual(
      [
        "promotion.updated status",
        "catalog.changed promotions",
        "promotion.updated details",
        "catalog.changed promotions",
      ],
    );
  });
});

describe("a dish that is out", () => {
  test("is told, and told again when its time has come", () => {
    const rt = createTestRuntime();
    apply(rt, MENU);
    const until = rt.now() + HOUR;
    expect(told(rt, () => setSoldOut(rt, business(rt), "soup", until))).toEqual([
      "menu_item.updated availability",
      "catalog.changed menu",
    ]);
    expect(shown(rt).menuItems).toMatchObject([{ soldOut: true }]);
    rt.advance(HOUR);
    expect(told(rt, () => publishClockChanges(rt))).toEqual([
      "menu_item.updated availability",
      "catalog.changed menu",
    ]);
    expect(shown(rt).menuItems).toMatchObject([{ soldOut: false }]);
  });

  test("stays out over a file, and tells nobody when it was out already", () => {
    const rt = createTestRuntime();
    apply(rt, MENU);
    setSoldOut(rt, business(rt), "soup", null);
    expect(told(rt, () => setSoldOut(rt, business(rt), "soup", null))).toEqual([]);
    apply(rt, MENU.replace("9.00", "9.50"));
    expect(shown(rt).menuItems).toMatchObject([{ soldOut: true, priceCents: 950 }]);
    expect(told(rt, () => setSoldOut(rt, business(rt), "soup", "back"))).toEqual([
      "menu_item.updated availability",
      "catalog.changed menu",
    ]);
  });

  test("an option of a modifier group is told by the dishes that offer it", () => {
    const rt = createTestRuntime();
    apply(rt, MENU);
    expect(told(rt, () => setSoldOut(rt, business(rt), "milk/oat", null))).toEqual([
      "menu_item.updated modifiers",
      "catalog.changed menu",
    ]);
    expect(shown(rt).modifierGroups[0]?.options.map(({ soldOut }) => soldOut)).toEqual([
      true,
      false,
    ]);
  });

  test("that nobody knows is refused with the nearest key, and so is a time that has passed", () => {
    const rt = createTestRuntime();
    apply(rt, MENU);
    expect(() => setSoldOut(rt, business(rt), "soap", null)).toThrow("Did you mean 'soup'?");
    expect(() => setSoldOut(rt, business(rt), "soup", rt.now())).toThrow("has passed");
  });
});
