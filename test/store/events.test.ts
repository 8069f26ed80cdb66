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
