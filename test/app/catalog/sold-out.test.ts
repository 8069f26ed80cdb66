import { expect, test, vi } from "vitest";
import { audit, auditTime } from "../../../src/app/audit.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { editObject } from "../../../src/app/catalog/changes/edit-object.ts";
import { loadCatalog } from "../../../src/app/catalog/load-catalog.ts";
import { findDish } from "../../../src/app/catalog/objects.ts";
import { publishChange, publishClockChanges } from "../../../src/app/catalog/publish.ts";
import { setSoldOut } from "../../../src/app/catalog/sold-out.ts";
import { createRandomInt } from "../../support/random-edits.ts";
import { HOUR_MS, pick } from "../../support/random-object-edit.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";
import { applyCatalogBody, recordEvents } from "../../support/use-case.ts";
import { createCountingRuntime, createRowReader, SLUG } from "../../support/twin-runtimes.ts";

const SALON = "salon-aurora";
const MENU = `
menu:
  categories: [{ key: food, name: Food }]
  items: [{ key: soup, name: Soup, categories: [food], price: 5.00 }, { key: tart, name: Tart, categories: [food], price: 6.00 }]
`;

type Until = number | null | "back";

/** Marks a dish without shortcuts: compares the whole menu before the mark with that after it. */
function markInWholeCatalog(rt: TestRuntime, key: string, until: Until) {
  return rt.tx(() => {
    const business = getBusiness(rt, SLUG);
    const { id, name } = findDish(rt, business, key) ?? { id: "", name: "" };
    const { soldOut } = rt.store;
    const mark = () => {
      soldOut.deleteExpired(business.id, rt.now());
      if (until === "back") soldOut.delete(business.id, id);
      else soldOut.upsert(business.id, id, until);
    };
    const result = publishChange(rt, business.id, mark, { lists: ["menuItems", "modifierGroups"] });
    audit(rt, {
      action: until === "back" ? "dish.available" : "dish.sold_out",
      subject: { id, name },
      businessId: business.id,
      details: until === "back" ? { key } : { key, until: auditTime(until) },
    });
    return { ...result, id, key, name };
  });
}

test.each([1, 2])(
  "marking a dish as sold out writes the same rows as with the whole catalog loaded (seed %i)",
  (seed) => {
    const randomInt = createRandomInt(seed);
    const [rt, reference] = [createCountingRuntime(60, seed), createCountingRuntime(60, seed)];
    const [read, readReference] = [createRowReader(rt), createRowReader(reference)];
    const { menu_item, modifier_group } = loadCatalog(rt, getBusiness(rt, SLUG)).catalog.objects;
    const options = modifier_group.flatMap((group) =>
      group.options.map(({ key }) => `${group.key}/${key}`),
    );
    expect(options.length).toBeGreaterThan(2);
    for (let round = 0; round < 60; round++) {
      const key = pick([...menu_item.slice(0, 4).map((dish) => dish.key), ...options], randomInt);
      const until = pick<Until>(
        ["back", null, rt.now() + (1 + randomInt(30)) * HOUR_MS],
        randomInt,
      );
      expect(setSoldOut(rt, getBusiness(rt, SLUG), key, until)).toEqual(
        markInWholeCatalog(reference, key, until),
      );
      const ms = randomInt(5) * HOUR_MS;
      for (const one of [rt, reference]) {
        one.advance(ms);
        publishClockChanges(one);
      }
      expect(read()).toEqual(readReference());
    }
  },
  120_000,
);

test("a sold-out mark reads only the dish and the objects to which the dish refers", () => {
  const rt = createCountingRuntime(100, 1);
  const { catalog: store, objectVersions } = rt.store;
  const [dish] = loadCatalog(rt, getBusiness(rt, SLUG)).catalog.objects.menu_item;
  const wholeReads = [
    vi.spyOn(store, "listObjects"),
    vi.spyOn(store, "listByKind"),
    vi.spyOn(store, "listSortOrders"),
    vi.spyOn(objectVersions, "list"),
  ];
  const { events } = setSoldOut(rt, getBusiness(rt, SLUG), dish?.key ?? "", null);
  expect(events).toHaveLength(2);
  for (const wholeRead of wholeReads) expect(wholeRead).not.toHaveBeenCalled();
});

test("a dish or option can be named by its ID, also if its key contains a slash", () => {
  const rt = createCountingRuntime(60, 1);
  const business = getBusiness(rt, SLUG);
  const [group] = loadCatalog(rt, business).catalog.objects.modifier_group;
  const option = `${group?.key}/${group?.options[0]?.key}`;
  const found = findDish(rt, business, option);
  expect(found?.id).toMatch(/^mop_/);
  expect(findDish(rt, business, found?.id ?? "")).toEqual(found);
  editObject(rt, SLUG, "modifier_group", group?.key ?? "", (doc) => ({
    ...doc,
    key: "a/b",
    previousKeys: [doc.key],
  }));
  const renamed = findDish(rt, business, `a/b/${group?.options[0]?.key}`);
  expect(renamed).toMatchObject({ id: found?.id, key: `a/b/${group?.options[0]?.key}` });
});

test("the end of a sold-out mark is published even if it passes while another dish is marked as sold out", () => {
  // Each round reads the clock once more before it passes the end of the mark on the soup.
  for (let readings = 0; readings < 30; readings++) {
    const rt = createTestRuntime();
    applyCatalogBody(rt, MENU);
    const end = rt.now() + HOUR_MS;
    setSoldOut(rt, getBusiness(rt, SALON), "soup", end);
    const { now } = rt;
    rt.advance(HOUR_MS - 1);
    let left = readings;
    rt.now = () => now() + Number(left-- <= 0);
    const events = recordEvents(rt, () => {
      setSoldOut(rt, getBusiness(rt, SALON), "tart", null);
      rt.now = () => end + 1;
      publishClockChanges(rt);
    });
    const names = events.flatMap(
      ({ data: { object } }) => (object as { name?: string }).name ?? [],
    );
    expect(names, `after ${readings} readings`).toContain("Soup");
  }
});
