import { expect, test } from "vitest";
import { edit } from "../../support/edit-database.ts";
import { addBusiness, emitEvents, subscribe } from "../../support/delivery.ts";
import { plansOf } from "../../support/query-plans.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

test("shiftDueTimes moves due times after `after` and up to `until`, of deliveries with numbers up to `upTo`", async () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const { endpoint } = await subscribe(rt, business, "http://127.0.0.1:9/");
  for (let step = 0; step < 5; step++) {
    emitEvents(rt, business, "service.updated");
    rt.advance(1000);
  }
  const dueTimes = () =>
    rt.store.deliveries
      .list({ endpointId: endpoint.id }, 10)
      .map(({ nextAttemptAt }) => nextAttemptAt)
      .toReversed();
  const before = dueTimes() as number[];
  const [first, , , fourth] = before as [number, number, number, number];
  rt.store.due.shiftDueTimes({ after: first, until: fourth, upTo: 4, byMs: 500 });
  expect(dueTimes()).toEqual(before.map((at, n) => (n >= 1 && n <= 3 ? at + 500 : at)));
  rt.store.due.shiftDueTimes({ after: 0, until: Infinity, upTo: 2, byMs: 1 });
  expect(dueTimes().map((at, n) => at! - before[n]!)).toEqual([1, 501, 500, 500, 0]);
});

test("getUntriedDueAfter returns a due time only if the newest delivery was created after the given time", async () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const { endpoint } = await subscribe(rt, business, "http://127.0.0.1:9/");
  const { due } = rt.store;
  const start = rt.now();
  expect(due.getUntriedDueAfter(start)).toBeNull();
  emitEvents(rt, business, "service.updated");
  rt.advance(10_000);
  emitEvents(rt, business, "service.updated");
  const created = rt.now();
  expect(due.getUntriedDueAfter(start + 5000)).toBe(created);
  // This machine could not open a connection, so the attempt is made a second later.
  const postponed = { status: "PENDING", nextAttemptAt: created + 1000 } as const;
  const [, newest] = due.listForEndpoint(endpoint.id, created, 10);
  rt.tx(() => due.settle(newest!, { ...postponed, deliveredAt: null, error: "why" }, null));
  expect(due.getUntriedDueAfter(created - 1)).toBe(created + 1000);
  expect(due.getUntriedDueAfter(created)).toBeNull();
});

test("the due deliveries of all but the given businesses are read in order from an index, without a sort", async () => {
  const rt = createTestRuntime();
  const [one, two] = [addBusiness(rt, "one"), addBusiness(rt, "two")];
  const { endpoint } = await subscribe(rt, one, "http://127.0.0.1:9/");
  const { endpoint: other } = await subscribe(rt, two, "http://127.0.0.1:9/");
  for (const business of [one, two, one, two]) emitEvents(rt, business, "service.updated");
  // The endpoint of a partner has deliveries of several businesses.
  edit(rt, `UPDATE delivery SET endpoint_id = '${endpoint.id}' WHERE endpoint_id = '${other.id}'`);
  const list = (except: string[], limit = 10) =>
    rt.store.due.listForEndpointExcept(endpoint.id, rt.now(), except, limit);
  expect(list([]).map(({ number }) => number)).toEqual([1, 2, 3, 4]);
  expect(list([one.id]).map(({ number }) => number)).toEqual([2, 4]);
  expect(list([one.id], 1).map(({ number }) => number)).toEqual([2]);
  expect(list([one.id, two.id])).toEqual([]);
  const plans = [...(await plansOf(rt, () => list([one.id]))).values()];
  expect(plans).toHaveLength(1);
  const steps = plans.flat().join("\n");
  expect(steps).toContain("SEARCH delivery USING INDEX delivery_due");
  expect(steps).not.toContain("USE TEMP B-TREE");
});

test("a list of due deliveries by number leaves out deliveries that are not due, and those of other endpoints", async () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const { endpoint } = await subscribe(rt, business, "http://127.0.0.1:9/");
  await subscribe(rt, business, "http://127.0.0.1:8/");
  for (let i = 0; i < 4; i++) emitEvents(rt, business, "service.updated");
  const numbers = rt.store.due.listForEndpoint(endpoint.id, rt.now(), 10).map((row) => row.number);
  const [first, second, third, fourth] = numbers;
  edit(
    rt,
    `UPDATE delivery SET status = 'PARKED', next_attempt_at = NULL WHERE number = ${second}`,
  );
  edit(rt, `UPDATE delivery SET next_attempt_at = ${rt.now() + 1} WHERE number = ${third}`);
  const all = Array.from({ length: 8 }, (_, i) => i + 1);
  const list = (wanted: number[]) =>
    rt.store.due.listForEndpointAmong(endpoint.id, rt.now(), wanted).map(({ number }) => number);
  expect(list(all)).toEqual([first, fourth]);
  expect(list([fourth!])).toEqual([fourth]);
  const steps = [...(await plansOf(rt, () => list(all))).values()].flat().join("\n");
  expect(steps).toContain("SEARCH delivery USING INTEGER PRIMARY KEY");
});
