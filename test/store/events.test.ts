import { expect, test } from "vitest";
import { addBusiness, emitEvents } from "../support/delivery.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

test("the feed of a business has its own events after the given number, in order, and no others", () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt, "first");
  const other = addBusiness(rt, "second");
  emitEvents(rt, business, "service.created", "service.updated", "service.deleted");
  emitEvents(rt, other, "menu_item.created", "menu_item.updated");
  const feedOf = (id: string, after: number) => [...rt.store.feed.iterateAfter(id, after)];
  expect(feedOf(business.id, 1)).toEqual([
    { sequence: 2, type: "service.updated" },
    { sequence: 3, type: "service.deleted" },
  ]);
  expect(feedOf(other.id, 0)).toEqual([
    { sequence: 1, type: "menu_item.created" },
    { sequence: 2, type: "menu_item.updated" },
  ]);
  expect(feedOf(other.id, 2)).toEqual([]);
  expect(rt.store.feed.getPrunedSequence("biz_of_nobody")).toBe(0);
});

test("the events of a type are listed newest first, of all businesses or of one", () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt, "first");
  const other = addBusiness(rt, "second");
  emitEvents(rt, business, "service.created", "service.updated");
  rt.advance(1000);
  emitEvents(rt, other, "service.updated", "service.deleted");
  rt.advance(1000);
  emitEvents(rt, business, "service.updated");
  const type = "service.updated";
  const list = (filter: { businessId?: string }) => rt.store.events.list({ type, ...filter }, 2);
  const placesOf = (events: ReturnType<typeof list>) =>
    events.map(({ businessId, sequence }) => [businessId, sequence]);
  expect(placesOf(list({}))).toEqual([
    [business.id, 3],
    [other.id, 1],
  ]);
  expect(placesOf(list({ businessId: business.id }))).toEqual([
    [business.id, 3],
    [business.id, 2],
  ]);
});
