import { rmSync } from "node:fs";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { deleteDestination } from "../../../../src/features/nats/delete-destination.ts";
import { updateDestination } from "../../../../src/features/nats/destinations.ts";
import { redeliverEvents } from "../../../../src/features/nats/redeliver.ts";
import { checkDestinations } from "../../../../src/features/nats/conditions.ts";
import { countDestinations } from "../../../../src/features/nats/state.ts";
import { createPruner } from "../../../../src/app/operations/retention.ts";
import type { PublishOutcome } from "../../../../src/features/nats/publishing/broker.ts";
import type { BusinessRow } from "../../../../src/store/businesses.ts";
import { signatureError } from "../../../../src/domain/webhooks/webhook-post.ts";
import { addBusiness, emitEvents } from "../../../support/delivery.ts";
import { addDestination, createFakeStream, createTestPublishers } from "../destinations.ts";
import { createTestRuntime, type TestRuntime } from "../../../support/test-runtime.ts";
import {
  createCursorStore,
  createDestinationStore,
  type DestinationRow,
} from "../../../../src/features/nats/store.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Creates a business and a destination that is running. */
async function setUp(flags: Parameters<typeof createTestRuntime>[0] = {}) {
  const rt = createTestRuntime(flags);
  const business = addBusiness(rt);
  const { destination, secret } = addDestination(rt);
  const stream = createFakeStream();
  const publishers = createTestPublishers(rt, stream);
  await publishers.wakeAndSettle();
  const emit = (count = 1) => {
    for (let i = 0; i < count; i++) emitEvents(rt, business, "service.updated");
  };
  const stored = () =>
    rt.openStore(createDestinationStore).findById(destination.id) as DestinationRow;
  const cursor = () => rt.openStore(createCursorStore).find(destination.id, business.id);
  return { rt, business, destination, secret, stream, publishers, emit, stored, cursor };
}

const refusal = (
  reason: string,
  is: Partial<Extract<PublishOutcome, { kind: "failed" }>> = {},
): PublishOutcome => ({ kind: "failed", reason, isUnclear: false, isGeneral: true, ...is });

const conditions = (rt: TestRuntime) =>
  checkDestinations(rt).map(({ code, text }) => ({ code, text }));

test("a message of a destination has the body and headers of a webhook, and the event ID", async () => {
  const { rt, business, secret, stream, publishers } = await setUp();
  emitEvents(rt, business, "service_price.updated");
  await publishers.wakeAndSettle();
  const [event] = rt.store.events.listAfter(business.id, 0, 1);
  const [message] = stream.messages;
  expect(message).toMatchObject({
    subject: "deskbell.salon-aurora.service_price.updated",
    id: event?.id,
    headers: {
      "X-Service-Event": "service_price.updated",
      "X-Service-Sequence": "1",
      "X-Service-Delivery": event?.id,
      "webhook-id": event?.id,
    },
  });
  expect(message?.body.equals(event?.body as Buffer)).toBe(true);
  const header = message?.headers["X-Service-Signature"];
  expect(signatureError(header, message?.body as Buffer, secret, rt.now() / 1000)).toBeUndefined();
});

test("events of one business are published one at a time and in order", async () => {
  const { stream, publishers, emit } = await setUp();
  emit(20);
  await publishers.wakeAndSettle();
  expect(stream.sequences()).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
  expect(stream.maxInFlight).toBe(1);
});

test("events older than the destination are not published", async () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  emitEvents(rt, business, "service.updated");
  addDestination(rt);
  const stream = createFakeStream();
  const publishers = createTestPublishers(rt, stream);
  await publishers.wakeAndSettle();
  emitEvents(rt, business, "service.updated");
  await publishers.wakeAndSettle();
  expect(stream.sequences()).toEqual([2]);
});

test("the events of a business do not wait for other businesses, even if the stream refuses the others' events", async () => {
  const { rt, business, stream, publishers } = await setUp();
  const others = ["a", "b", "c"].map((slug) => addBusiness(rt, slug));
  stream.answer = ({ subject }) =>
    subject.includes(business.slug) ? refusal("not allowed", { isGeneral: false }) : undefined;
  for (const each of [business, ...others]) emitEvents(rt, each, "service.updated");
  await publishers.wakeAndSettle();
  expect(stream.maxInFlight).toBe(4);
  expect(stream.messages.map(({ subject }) => subject.split(".")[1]).toSorted()).toEqual([
    "a",
    "b",
    "c",
  ]);
  rt.advance(5 * MINUTE_MS);
  emitEvents(rt, others[0] as BusinessRow, "service.updated");
  await publishers.wakeAndSettle();
  await publishers.tickAndSettle();
  expect(conditions(rt)[0]?.text).toContain("since 2026-11-20T12:00:00Z: not allowed");
});

test("a destination gets only events of the types and the business that it is set up for", async () => {
  const rt = createTestRuntime();
  const [business, other] = [addBusiness(rt), addBusiness(rt, "other")];
  addDestination(rt, { events: ["catalog.changed"] }, business.id);
  const stream = createFakeStream();
  const publishers = createTestPublishers(rt, stream);
  emitEvents(rt, business, "service.updated", "catalog.changed", "service.updated");
  emitEvents(rt, other, "catalog.changed");
  await publishers.wakeAndSettle();
  expect(stream.messages.map(({ subject }) => subject)).toEqual([
    "deskbell.salon-aurora.catalog.changed",
  ]);
});

test("a refused event is retried after at most 30 s, before later events", async () => {
  const { rt, stream, publishers, emit } = await setUp();
  stream.answer = () => refusal("maximum messages exceeded");
  emit(3);
  await publishers.wakeAndSettle();
  const triedAt: number[] = [];
  for (let second = 1; second <= 120; second++) {
    rt.advance(1000);
    const before = stream.publishes;
    await publishers.tickAndSettle();
    if (stream.publishes > before) triedAt.push(second);
  }
  expect(triedAt).toEqual([1, 3, 7, 15, 31, 61, 91]);
  stream.answer = undefined;
  rt.advance(30_000);
  await publishers.tickAndSettle();
  expect(stream.sequences()).toEqual([1, 2, 3]);
});

test("an hour without the NATS server opens destination.late with the reason, and loses nothing", async () => {
  const { rt, stream, publishers, emit } = await setUp();
  stream.refusal = "connection refused";
  stream.isClosed = true;
  emit(2);
  await publishers.wakeAndSettle();
  for (let minute = 0; minute < 60; minute++) {
    rt.advance(MINUTE_MS);
    emit();
    publishers.wake();
    await publishers.tickAndSettle();
  }
  expect(conditions(rt)).toEqual([
    {
      code: "destination.late",
      text: "the destination 'bus' is missing the events since 2026-11-20T12:00:00Z: connection refused. They leave the history after 30 days, or earlier if it is full",
    },
  ]);
  stream.refusal = undefined;
  rt.advance(30_000);
  await publishers.tickAndSettle();
  await publishers.tickAndSettle();
  expect(stream.sequences()).toEqual(Array.from({ length: 62 }, (_, i) => i + 1));
  expect(conditions(rt)).toEqual([]);
});

test.each([
  ["a full stream", "the stream DESKBELL refuses: maximum bytes exceeded"],
  ["a stream of another name", "another stream has the subject deskbell.a, not the stream B"],
])("%s makes a destination late with its reason, and no event is lost", async (_, reason) => {
  const { rt, stream, publishers, emit } = await setUp();
  stream.answer = () => refusal(reason);
  emit(5);
  await publishers.wakeAndSettle();
  rt.advance(5 * MINUTE_MS);
  await publishers.tickAndSettle();
  expect(conditions(rt)).toMatchObject([
    { code: "destination.late", text: expect.stringContaining(reason) as string },
  ]);
  stream.answer = undefined;
  rt.advance(30_000);
  await publishers.tickAndSettle();
  await publishers.tickAndSettle();
  expect(stream.sequences()).toEqual([1, 2, 3, 4, 5]);
  expect(conditions(rt)).toEqual([]);
});

test("a failure is stored with the first refused event, and cleared with the first accepted one", async () => {
  const { rt, stream, publishers, emit, stored } = await setUp();
  stream.answer = () => refusal("maximum messages exceeded");
  emit();
  await publishers.wakeAndSettle();
  await publishers.tickAndSettle();
  expect(stored()).toMatchObject({ behindSince: null, lastError: "maximum messages exceeded" });
  expect(countDestinations(rt)).toMatchObject({ current: 0, failing: 1 });
  stream.answer = () => undefined;
  rt.advance(2000);
  await publishers.tickAndSettle();
  await publishers.tickAndSettle();
  expect(stored()).toMatchObject({ behindSince: null, lastError: null });
  expect(countDestinations(rt)).toMatchObject({ current: 1, failing: 0 });
});

test("a refused redelivery of old events does not make the destination late at once", async () => {
  const { rt, destination, stream, publishers, emit, stored } = await setUp();
  emit(3);
  await publishers.wakeAndSettle();
  rt.advance(DAY_MS);
  stream.answer = () => refusal("maximum messages exceeded");
  redeliverEvents(rt, destination.id, 0);
  await publishers.wakeAndSettle();
  await publishers.tickAndSettle();
  expect(stored().behindSince).toBeNull();
  expect(conditions(rt)).toEqual([]);
});

test("a destination is late after a minute if the history is nearly full", async () => {
  const { rt, stream, publishers, emit } = await setUp({ keepBytes: 1000 });
  stream.refusal = "connection refused";
  stream.isClosed = true;
  emit(5);
  await publishers.wakeAndSettle();
  rt.advance(MINUTE_MS - 1);
  await publishers.tickAndSettle();
  expect(conditions(rt)).toEqual([]);
  rt.advance(1);
  await publishers.tickAndSettle();
  expect(conditions(rt)).toMatchObject([{ code: "destination.late" }]);
});

test("one event at a time is tried while the NATS server refuses everything", async () => {
  const { rt, stream, publishers } = await setUp();
  const businesses = Array.from({ length: 20 }, (_, i) => addBusiness(rt, `b${i}`));
  stream.answer = () => refusal("maximum messages exceeded");
  for (const business of businesses) emitEvents(rt, business, "service.updated");
  await publishers.wakeAndSettle();
  const before = stream.publishes;
  for (let second = 0; second < 60; second++) {
    rt.advance(1000);
    await publishers.tickAndSettle();
  }
  expect(stream.publishes - before).toBeLessThan(10);
});

test("publishes that fail together are retried after a second, over one connection", async () => {
  const { rt, stream, publishers } = await setUp();
  const businesses = Array.from({ length: 20 }, (_, i) => addBusiness(rt, `b${i}`));
  const closed = refusal("the connection was closed", { isUnclear: true });
  stream.answer = () => {
    stream.isClosed = true;
    return closed;
  };
  for (const business of businesses) emitEvents(rt, business, "service.updated");
  await publishers.wakeAndSettle();
  expect(stream).toMatchObject({ publishes: 20, connections: 1 });
  stream.answer = undefined;
  for (const business of businesses) emitEvents(rt, business, "service.updated");
  rt.advance(1000);
  await publishers.tickAndSettle();
  expect(stream.connections).toBe(2);
  expect(stream.messages).toHaveLength(40);
});

test("an event whose acknowledgement was lost is not published again", async () => {
  const { rt, stream, publishers, emit } = await setUp();
  stream.answers.push(refusal("the server did not answer in time", { isUnclear: true }));
  emit(3);
  await publishers.wakeAndSettle();
  rt.advance(10 * MINUTE_MS);
  await publishers.tickAndSettle();
  expect(stream.sequences()).toEqual([1, 2, 3]);
});

test("publishing continues after the newest message of the stream if a crash has lost the cursor", async () => {
  const { rt, stream, publishers, emit, cursor } = await setUp();
  emit(5);
  await publishers.wakeAndSettle();
  // The publisher saves the cursor at a `tick`, and there has been none.
  expect(cursor()?.sequence).toBe(0);
  emit(2);
  const restarted = createTestPublishers(rt, stream);
  await restarted.wakeAndSettle();
  expect(stream.sequences()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  restarted.tick();
  expect(cursor()?.sequence).toBe(7);
});

test("a message of another server on the same subject does not move the cursor", async () => {
  const { rt, business, stream, publishers, emit } = await setUp();
  const headers = { "X-Service-Sequence": "3" };
  const subject = `deskbell.${business.slug}.service.updated`;
  stream.messages.push({ subject, id: "evt_other", headers, body: Buffer.from("") });
  emit(3);
  await createTestPublishers(rt, stream).wakeAndSettle();
  expect(stream.sequences()).toEqual([3, 1, 2, 3]);
  await publishers.stop(0);
});

test("an event that is too large is skipped and reported until it is redelivered", async () => {
  const { rt, business, destination, stream, publishers, emit } = await setUp();
  stream.answers.push({ kind: "too_large", reason: "the max_payload of the server" });
  emit(2);
  await publishers.wakeAndSettle();
  expect(stream.sequences()).toEqual([2]);
  const [event] = rt.store.events.listAfter(business.id, 0, 1);
  const [condition] = conditions(rt);
  expect(condition?.code).toBe("destination.skipped");
  expect(condition?.text).toContain(`${event?.id} of salon-aurora (its `);
  expect(condition?.text).toContain("exceed the max_payload of the server");
  redeliverEvents(rt, destination.id, rt.now());
  await publishers.wakeAndSettle();
  expect(conditions(rt)).toEqual([]);
});

test("an event that was altered in the database is not published", async () => {
  const { rt, business, stream, publishers, emit } = await setUp();
  emit(2);
  const db = new Database(rt.config.databasePath);
  db.prepare("UPDATE event SET body = x'00' WHERE business_id = ? AND sequence = 1").run(
    business.id,
  );
  db.close();
  await publishers.wakeAndSettle();
  expect(stream.sequences()).toEqual([2]);
  expect(conditions(rt)[0]?.text).toContain("it was altered in the database file");
});

test("events that leave the history before they are published are reported", async () => {
  const { rt, stream, publishers, emit } = await setUp();
  stream.refusal = "connection refused";
  emit(4);
  await publishers.wakeAndSettle();
  rt.advance(31 * DAY_MS);
  emit(1);
  await createPruner(rt)();
  stream.refusal = undefined;
  await publishers.tickAndSettle();
  publishers.tick();
  expect(stream.sequences()).toEqual([5]);
  expect(conditions(rt)).toMatchObject([
    {
      code: "destination.skipped",
      text: expect.stringContaining(
        "did not get 4 events that left the history before the stream accepted them (salon-aurora)",
      ) as string,
    },
  ]);
});

test("redelivered events have the number of the redelivery in their ID, later events do not", async () => {
  const { rt, destination, stream, publishers, emit, cursor } = await setUp();
  emit(1);
  rt.advance(DAY_MS);
  emit(2);
  await publishers.wakeAndSettle();
  publishers.tick();
  const since = rt.now() - 1000;
  expect(redeliverEvents(rt, destination.id, since)).toEqual({ businesses: 1, events: 2 });
  await publishers.wakeAndSettle();
  emit(1);
  await publishers.wakeAndSettle();
  const [, second, third, ...later] = stream.ids();
  expect(later).toEqual([`${second}:1`, `${third}:1`, expect.stringMatching(/^evt_[^:]+$/)]);
  expect(stream.sequences()).toEqual([1, 2, 3, 2, 3, 4]);
  redeliverEvents(rt, destination.id, since);
  await publishers.wakeAndSettle();
  publishers.tick();
  expect(stream.ids().slice(6)).toEqual([
    `${second}:2`,
    `${third}:2`,
    expect.stringMatching(/^evt_[^:]+:2$/),
  ]);
  expect(cursor()).toMatchObject({ sequence: 4, redelivery: 2 });
});

test("a crash during a redelivery neither skips nor repeats events", async () => {
  const { rt, destination, stream, publishers, emit } = await setUp();
  emit(4);
  await publishers.wakeAndSettle();
  publishers.tick();
  redeliverEvents(rt, destination.id, rt.now() - 1000);
  await publishers.stop(0);
  const restarted = createTestPublishers(rt, stream);
  // The crash loses the answer to the second publish.
  stream.answers.push(undefined, refusal("the connection was closed", { isUnclear: true }));
  await restarted.wakeAndSettle();
  await createTestPublishers(rt, stream).wakeAndSettle();
  expect(stream.sequences()).toEqual([1, 2, 3, 4, 1, 2, 3, 4]);
});

test("a recreated stream is reported until its events are redelivered", async () => {
  const { rt, destination, stream, publishers, emit } = await setUp();
  emit(5);
  await publishers.wakeAndSettle();
  await publishers.tickAndSettle();
  expect(conditions(rt)).toEqual([]);
  stream.recreate();
  rt.advance(MINUTE_MS);
  emit();
  await publishers.wakeAndSettle();
  expect(stream.sequences()).toEqual([6]);
  const recreated = {
    code: "destination.recreated",
    text: "the stream DESKBELL of the destination 'bus' has lost events that it stored before 2026-11-20T12:01:00Z: it was deleted and created again, or restored",
    command: "deskbell destinations redeliver bus --since 2026-11-20T12:00:00Z",
  };
  expect(checkDestinations(rt)).toMatchObject([recreated]);
  // The numbers of the new stream are still below those of the old one.
  rt.advance(MINUTE_MS);
  emit();
  await publishers.wakeAndSettle();
  expect(checkDestinations(rt)).toMatchObject([recreated]);
  redeliverEvents(rt, destination.id, destination.createdAt);
  await publishers.wakeAndSettle();
  await publishers.tickAndSettle();
  expect(stream.sequences()).toEqual([6, 7, 1, 2, 3, 4, 5, 6, 7]);
  expect(conditions(rt)).toEqual([]);
});

test("a stream that was recreated while the daemon was stopped is reported", async () => {
  const { rt, stream, publishers, emit } = await setUp();
  emit(3);
  await publishers.wakeAndSettle();
  await publishers.stop(0);
  stream.recreate();
  emit();
  const restarted = createTestPublishers(rt, stream);
  await restarted.wakeAndSettle();
  expect(conditions(rt)).toMatchObject([{ code: "destination.recreated" }]);
  expect(stream.sequences()).toEqual([4]);
});

test("parallel publishes and a change to another stream do not count as a recreated stream", async () => {
  const { rt, destination, stream, publishers, emit, stored } = await setUp();
  const businesses = Array.from({ length: 20 }, (_, i) => addBusiness(rt, `b${i}`));
  for (const business of businesses) emitEvents(rt, business, "service.updated");
  await publishers.wakeAndSettle();
  await publishers.tickAndSettle();
  expect([stream.maxInFlight, stored().streamSequence]).toEqual([20, 20]);
  updateDestination(rt, destination.id, { stream: "OTHER" });
  stream.recreate();
  await publishers.wakeAndSettle();
  expect(countDestinations(rt)).toEqual({ current: 0, untried: 1, failing: 0, late: 0 });
  emit();
  await publishers.wakeAndSettle();
  await publishers.tickAndSettle();
  expect(conditions(rt)).toEqual([]);
  expect(stored().streamSequence).toBe(1);
  expect(countDestinations(rt)).toEqual({ current: 1, untried: 0, failing: 0, late: 0 });
});

test("a changed destination restarts, a deleted one stops, and both close their connections", async () => {
  const { rt, destination, stream, publishers, emit } = await setUp();
  emit();
  await publishers.wakeAndSettle();
  updateDestination(rt, destination.id, { prefix: "shop.events" });
  emit();
  await publishers.wakeAndSettle();
  expect(stream.messages.map(({ subject }) => subject)).toEqual([
    "deskbell.salon-aurora.service.updated",
    "shop.events.salon-aurora.service.updated",
  ]);
  expect(stream).toMatchObject({ connections: 2, closed: 1 });
  deleteDestination(rt, destination.id);
  emit();
  await publishers.wakeAndSettle();
  expect(stream.messages).toHaveLength(2);
  expect(stream).toMatchObject({ connections: 2, closed: 2 });
});

test("a destination whose password cannot be decrypted is reported as late, with this reason", async () => {
  const { rt, stream, publishers, emit } = await setUp();
  rmSync(rt.config.masterKeyPath);
  const restarted = createTestPublishers(rt, stream);
  await publishers.stop(0);
  emit();
  await restarted.wakeAndSettle();
  rt.advance(10 * MINUTE_MS);
  await restarted.tickAndSettle();
  expect(conditions(rt)).toMatchObject([{ code: "destination.late" }]);
});

test("an event that reuses the row number of a pruned event is published", async () => {
  const { rt, stream, publishers, emit } = await setUp();
  emit(3);
  await publishers.wakeAndSettle();
  publishers.tick();
  rt.advance(31 * DAY_MS);
  await createPruner(rt)();
  emit();
  publishers.wake();
  await publishers.tickAndSettle();
  expect(stream.sequences()).toEqual([1, 2, 3, 4]);
});
