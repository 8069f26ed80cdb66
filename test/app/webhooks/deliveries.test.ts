import { describe, expect, test } from "vitest";
import {
  cancelDeliveries,
  redeliverDelivery,
  redeliverDeliveries,
  getDelivery,
} from "../../../src/app/webhooks/deliveries.ts";
import { deleteEndpoint, disableEndpoint } from "../../../src/app/webhooks/endpoint-lifecycle.ts";
import type { DeliveryStatus } from "../../../src/domain/webhooks/settle.ts";
import { dryRun } from "../../support/dry-run.ts";
import { addBusiness, emitEvents, createTestWorker, subscribe } from "../../support/delivery.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

/** Sets up an endpoint with attempted deliveries; the receiver responds with this status. */
async function setUp(count = 1, statusCode = 200) {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const { endpoint } = await subscribe(rt, business, "http://10.0.0.1/");
  const answer = { statusCode };
  const sent: { id: string; attempt: string; event: string }[] = [];
  const worker = createTestWorker(rt, async ({ headers }) => {
    sent.push({
      id: headers["X-Service-Delivery"]!,
      attempt: headers["X-Service-Attempt"]!,
      event: headers["webhook-id"]!,
    });
    return { kind: "responded", retryAfter: null, responseText: "", ...answer };
  });
  emitEvents(rt, business, ...Array.from({ length: count }, () => "service.updated" as const));
  const run = async () => {
    worker.sweep();
    await worker.whenIdle();
  };
  await run();
  const ids = rt.store.deliveries
    .list({}, 1000)
    .map(({ id }) => id)
    .reverse();
  const countByStatus = (status: DeliveryStatus) => rt.store.tallies.countByStatus()[status] ?? 0;
  return {
    rt,
    business,
    endpoint,
    worker,
    sent,
    answer,
    run,
    ids,
    id: ids[0]!,
    count: countByStatus,
  };
}

describe("redelivering one delivery", () => {
  test("a redelivered delivery is sent again with the same ID and event and the next attempt number", async () => {
    const { rt, sent, run, id } = await setUp();
    expect(redeliverDelivery(rt, id)).toMatchObject({
      status: "PENDING",
      nextAttemptAt: rt.now(),
      deliveredAt: null,
    });
    await run();
    expect(sent).toEqual([
      { id, attempt: "1", event: sent[0]!.event },
      { id, attempt: "2", event: sent[0]!.event },
    ]);
    expect(getDelivery(rt, id)).toMatchObject({ status: "DELIVERED", attemptCount: 2 });
  });

  test("redelivering an exhausted delivery restarts its retry schedule", async () => {
    const { rt, run, id } = await setUp(1, 500);
    while (getDelivery(rt, id).status === "PENDING") {
      rt.advance(getDelivery(rt, id).nextAttemptAt! - rt.now());
      await run();
    }
    expect(getDelivery(rt, id)).toMatchObject({ status: "EXHAUSTED", attemptCount: 20 });
    rt.advance(3_600_000);
    redeliverDelivery(rt, id);
    await run();
    const delivery = getDelivery(rt, id);
    expect(delivery).toMatchObject({ status: "PENDING", attemptCount: 21 });
    expect(delivery.nextAttemptAt! - rt.now()).toBeLessThanOrEqual(6000);
  });

  test("redelivering a delivery that waits for a retry sends it immediately", async () => {
    const { rt, answer, run, id } = await setUp(1, 500);
    answer.statusCode = 200;
    await run();
    expect(getDelivery(rt, id).status).toBe("PENDING");
    redeliverDelivery(rt, id);
    await run();
    expect(getDelivery(rt, id)).toMatchObject({ status: "DELIVERED", attemptCount: 2 });
  });

  test("redelivering one delivery fails for a disabled, deleted or unknown endpoint", async () => {
    const { rt, endpoint, id } = await setUp();
    disableEndpoint(rt, endpoint.id, "manual");
    expect(() => redeliverDelivery(rt, id)).toThrow(/is disabled: enable it first/);
    deleteEndpoint(rt, endpoint.id);
    expect(() => redeliverDelivery(rt, id)).toThrow(/was deleted/);
    expect(() => redeliverDelivery(rt, "dlv_none")).toThrow(/There is no delivery/);
  });
});

describe("redelivering many deliveries", () => {
  test("a dry run of a redelivery counts the deliveries that the redelivery then sends in order", async () => {
    const { rt, sent, run, ids } = await setUp(30);
    const filter = { since: 0 };
    expect(dryRun(rt, () => redeliverDeliveries(rt, filter))).toBe(30);
    await run();
    expect(sent).toHaveLength(30);
    expect(redeliverDeliveries(rt, filter)).toBe(30);
    await run();
    expect(sent.slice(30).map(({ id }) => id)).toEqual(ids);
  });

  test("a redelivery of failed deliveries leaves out delivered, parked and cancelled ones", async () => {
    const { rt, business, endpoint, answer, run, count } = await setUp(3, 500);
    answer.statusCode = 200;
    emitEvents(rt, business, "staff.updated", "addon.updated", "event.updated");
    await run();
    const [cancelled] = rt.store.deliveries.list({ eventType: "service.updated" }, 1);
    cancelDeliveries(rt, { id: cancelled!.id });
    const { endpoint: other } = await subscribe(rt, business, "http://10.0.0.2/");
    disableEndpoint(rt, other.id, "manual");
    emitEvents(rt, business, "service.updated");
    await run();
    expect(redeliverDeliveries(rt, { failed: true })).toBe(2);
    expect(
      dryRun(rt, () => redeliverDeliveries(rt, { status: "CANCELLED", endpointId: endpoint.id })),
    ).toBe(1);
    expect(dryRun(rt, () => redeliverDeliveries(rt, { endpointId: other.id }))).toBe(0);
    await run();
    expect(count("DELIVERED")).toBe(6);
    expect(count("PARKED")).toBe(1);
    expect(count("CANCELLED")).toBe(1);
  });

  test("a redelivery keeps to its rate, and is refused if it would take more than a day", async () => {
    const { rt, sent, run } = await setUp(20);
    redeliverDeliveries(rt, { since: 0 }, { perSecond: 5 });
    await run();
    expect(sent).toHaveLength(21);
    rt.advance(1000);
    await run();
    expect(sent).toHaveLength(26);
    expect(() => redeliverDeliveries(rt, { since: 0 }, { perSecond: 1 / 86_400 })).toThrow(
      /more than a day/,
    );
  });

  test("redelivering a single delivery sends it immediately, even if it waits in a slow bulk redelivery", async () => {
    const { rt, business, endpoint, sent, run } = await setUp(1);
    emitEvents(rt, business, "service.updated", "staff.updated");
    cancelDeliveries(rt, { endpointId: endpoint.id });
    redeliverDeliveries(rt, { status: "CANCELLED" }, { perSecond: 0.001 });
    await run();
    const [waiting] = rt.store.deliveries.list({ status: "PENDING" }, 10);
    expect(waiting!.nextAttemptAt).toBeGreaterThan(rt.now());
    redeliverDelivery(rt, waiting!.id);
    await run();
    expect(sent.at(-1)!.id).toBe(waiting!.id);
  });

  test("redelivering many deliveries works in batches and reports its progress", async () => {
    const { rt } = await setUp(2500);
    const reported: [number, number][] = [];
    expect(
      redeliverDeliveries(
        rt,
        { since: 0 },
        { onProgress: (...progress) => void reported.push(progress) },
      ),
    ).toBe(2500);
    expect(reported).toEqual([
      [1000, 2500],
      [2000, 2500],
      [2500, 2500],
    ]);
    expect(rt.store.deliveryMoves.countUntriedRedeliveries({})).toBe(2500);
  });
});

test("new deliveries are sent before redeliveries", async () => {
  const { rt, business, sent, run, ids } = await setUp(10);
  redeliverDeliveries(rt, { since: 0 });
  emitEvents(rt, business, "staff.updated");
  await run();
  const [fresh] = rt.store.deliveries.list({ eventType: "staff.updated" }, 1);
  expect(sent.slice(10).map(({ id }) => id)).toEqual([fresh!.id, ...ids]);
});

test("a cancelled delivery is not sent", async () => {
  const { rt, endpoint, sent, run, count } = await setUp(5, 500);
  expect(cancelDeliveries(rt, { endpointId: endpoint.id })).toBe(5);
  rt.advance(86_400_000);
  await run();
  expect(sent).toHaveLength(5);
  expect(count("CANCELLED")).toBe(5);
  expect(cancelDeliveries(rt, { endpointId: endpoint.id })).toBe(0);
});

test("the counts per business and per minute match the deliveries and attempts", async () => {
  const { rt, business, endpoint, answer, run } = await setUp(7);
  const other = addBusiness(rt, "bar-nova");
  await subscribe(rt, other, "http://10.0.0.9/");
  answer.statusCode = 500;
  emitEvents(rt, other, "service.updated", "staff.updated");
  emitEvents(rt, business, "service.updated");
  await run();
  rt.advance(60_000);
  answer.statusCode = 200;
  await run();
  redeliverDeliveries(rt, { endpointId: endpoint.id, status: "DELIVERED" });
  disableEndpoint(rt, endpoint.id, "manual");
  expect(rt.store.tallies.countByStatus(business.id)).toEqual({
    PENDING: 0,
    DELIVERED: 0,
    PARKED: 8,
  });
  expect(rt.store.tallies.countByStatus(other.id)).toEqual({ PENDING: 0, DELIVERED: 2 });
  const minute = Math.floor(rt.now() / 60_000);
  expect(rt.store.tallies.listMinutes(0)).toEqual([
    { minute: minute - 1, delivered: 7, failed: 3 },
    { minute, delivered: 3, failed: 0 },
  ]);
  rt.store.businesses.delete(other.id);
  expect(rt.store.tallies.countByStatus()).toEqual({ PENDING: 0, DELIVERED: 0, PARKED: 8 });
});
