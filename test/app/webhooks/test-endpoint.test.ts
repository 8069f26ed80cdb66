import { Stripe } from "stripe";
import { expect, test } from "vitest";
import { getBusiness } from "../../../src/app/businesses.ts";
import { disableEndpoint } from "../../../src/app/webhooks/endpoint-lifecycle.ts";
import { triggerEvent } from "../../../src/app/webhooks/sample-events.ts";
import { testEndpoint } from "../../../src/app/webhooks/test-endpoint.ts";
import { applyCatalog } from "../../../src/app/catalog/catalog.ts";
import { createSendOnce } from "../../../src/delivery/sender.ts";
import { EVENT_TYPES, type EventType } from "../../../src/domain/events/event-types.ts";
import { createTestWorker, subscribe } from "../../support/delivery.ts";
import { createReceiver } from "../../support/receiver.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

const CATALOG = {
  catalog: 1,
  business: { slug: "joes", name: "Joe's", timezone: "America/New_York", currency: "USD" },
  services: [{ key: "cut", name: "Cut", durationMin: 30, price: "40.00" }],
};

async function setUp(events: readonly EventType[] = EVENT_TYPES) {
  const rt = createTestRuntime({}, Date.now());
  applyCatalog(rt, [{ name: "joes.json", text: JSON.stringify(CATALOG) }]);
  const business = getBusiness(rt, "joes");
  const partner = await createReceiver();
  const { endpoint, secret } = await subscribe(rt, business, partner.url, events);
  return { rt, business, partner, id: endpoint.id, secret, sendOnce: createSendOnce(rt) };
}

test("a test event describes a real object, is signed and is marked as a test; the result has the receiver's address", async () => {
  const { rt, partner, id, secret, sendOnce } = await setUp(["staff.updated", "service.updated"]);
  const result = await testEndpoint(rt, id, sendOnce);
  const { headers, body } = partner.requests[0]!;
  expect(headers).toMatchObject({ "x-service-test": "true", "x-service-event": "service.updated" });
  expect(JSON.parse(body.toString())).toMatchObject({
    id: expect.stringMatching(/^evt_test_/),
    type: "service.updated",
    business: { slug: "joes" },
    data: { action: "updated", object: { name: "Cut", priceCents: 4000 } },
  });
  const signature = headers["x-service-signature"] as string;
  expect(Stripe.webhooks.constructEvent(body.toString(), signature, secret)).toBeTruthy();
  expect(result).toMatchObject({
    ok: true,
    address: "127.0.0.1",
    statusCode: 200,
    error: null,
    body: body.toString(),
  });
  expect(result.headers["X-Service-Signature"]).toBe(signature);
});

test("a test of an endpoint stores no event, delivery or failure, even if the endpoint is disabled and fails", async () => {
  const { rt, partner, id, sendOnce } = await setUp();
  disableEndpoint(rt, id, "manual");
  const before = rt.revision();
  await partner.close();
  const result = await testEndpoint(rt, id, sendOnce);
  expect(result).toMatchObject({
    ok: false,
    address: null,
    statusCode: null,
    error: "refused: connection refused",
  });
  expect(rt.revision()).toBe(before);
  expect(rt.store.events.list({}, 10)).toHaveLength(2);
});

test("a test of an endpoint sends catalog.changed if the business has no object for a subscribed event type", async () => {
  const { rt, id, sendOnce } = await setUp(["reservation.created"]);
  expect(await testEndpoint(rt, id, sendOnce)).toMatchObject({
    ok: true,
    eventType: "catalog.changed",
  });
});

test("a triggered event is stored and delivered to all subscribed endpoints or to a single one", async () => {
  const { rt, business, partner, id } = await setUp(["staff.updated"]);
  expect(triggerEvent(rt, business, "service.updated")).toMatchObject({ deliveries: 0 });
  const { events, deliveries } = triggerEvent(rt, business, "service.deleted", id);
  expect(deliveries).toBe(1);
  const worker = createTestWorker(rt);
  worker.sweep();
  await worker.whenIdle();
  const sent = JSON.parse(partner.requests[0]!.body.toString()) as {
    id: string;
    data: { object: object };
  };
  expect(sent.id).toBe(events[0]!.id);
  expect(sent.data.object).toMatchObject({ name: "Cut", deletedAt: expect.any(String) });
  expect(partner.requests[0]!.headers["x-service-test"]).toBeUndefined();
  expect(() => triggerEvent(rt, business, "staff.updated")).toThrow(
    /no object for a staff\.updated event/,
  );
  expect(() => triggerEvent(rt, business, "service.updated", "whe_none")).toThrow(
    /no webhook endpoint/,
  );
});
