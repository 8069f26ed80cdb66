import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { addBusiness, emitEvents, subscribe } from "../support/delivery.ts";
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

test("events with a pending or parked delivery are undelivered until the delivery ends", async () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  await subscribe(rt, business, "http://127.0.0.1:9/");
  emitEvents(rt, business, "service.created", "service.updated", "service.deleted");
  const db = new Database(rt.config.databasePath);
  const update = db.prepare(
    "UPDATE delivery SET status = :status, next_attempt_at = NULL WHERE sequence = :sequence",
  );
  update.run({ sequence: 2, status: "PARKED" });
  update.run({ sequence: 3, status: "CANCELLED" });
  db.close();
  const sequences = [...rt.store.events.iterateUndelivered()].map(({ sequence }) => sequence);
  expect(sequences.sort()).toEqual([1, 2]);
});

test("getPrunedSequence returns the number of a business's own last deleted event, and 0 if no event was deleted", () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt, "first");
  const other = addBusiness(rt, "second");
  emitEvents(rt, business, "service.created", "service.updated");
  emitEvents(rt, other, "service.created", "service.updated", "service.deleted");
  const db = new Database(rt.config.databasePath);
  db.prepare("DELETE FROM event WHERE business_id = ? AND sequence <= 2").run(other.id);
  db.close();
  expect(rt.store.feed.getPrunedSequence(business.id)).toBe(0);
  expect(rt.store.feed.getPrunedSequence(other.id)).toBe(2);
});
