import { expect, test } from "vitest";
import { endExpiredKeys, revokeKey } from "../../../../src/app/key-end.ts";
import { createKey } from "../../../../src/app/keys.ts";
import {
  disableEndpoint,
  enableEndpoint,
} from "../../../../src/app/webhooks/endpoint-lifecycle.ts";
import { listDaemonConditions } from "../../../../src/app/operations/conditions.ts";
import { createEndpoint, updateEndpoint } from "../../../../src/app/webhooks/endpoints.ts";
import { testEndpoint } from "../../../../src/app/webhooks/test-endpoint.ts";
import { applyCatalog } from "../../../../src/app/catalog/catalog.ts";
import type { Send } from "../../../../src/domain/webhooks/webhook-post.ts";
import { createPartnerKey, removeBusinesses } from "../../../../src/features/partners/partners.ts";
import { CHECKS } from "../../../support/checks.ts";
import { createTestWorker } from "../../../support/delivery.ts";
import { edit } from "../../../support/edit-database.ts";
import { dryRun } from "../../../support/dry-run.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";
import { addBusinesses, createClient, createTestPartner, publish } from "./support.ts";

const DAY_MS = 86_400_000;

type Sent = { business: string; type: string; sequence: number };

/** An endpoint of a partner at a single business. */
const SINGLE = {
  name: "single",
  url: "http://10.0.0.1/hook",
  events: ["catalog.changed"],
  allowPrivate: true,
};

/** Returns a receiver that answers in the next turn, and what it has received. */
function createReceiver() {
  const received: Sent[] = [];
  const inFlight = new Map<string, number>();
  let overlaps = 0;
  const send: Send = async ({ body, headers }) => {
    const { business, type } = JSON.parse(body.toString()) as {
      business: { slug: string };
      type: string;
    };
    const { slug } = business;
    inFlight.set(slug, (inFlight.get(slug) ?? 0) + 1);
    if ((inFlight.get(slug) ?? 0) > 1) overlaps += 1;
    received.push({ business: slug, type, sequence: Number(headers["X-Service-Sequence"]) });
    await new Promise((resolve) => setImmediate(resolve));
    inFlight.set(slug, (inFlight.get(slug) ?? 1) - 1);
    return { kind: "responded", statusCode: 200, retryAfter: null, responseText: "" };
  };
  return { received, send, countOverlaps: () => overlaps };
}

const subscribeAll = (
  rt: ReturnType<typeof createTestRuntime>,
  partnerId: string,
  keyId: string,
  events: readonly string[] = ["catalog.changed", "service.updated", "business.removed"],
) =>
  createEndpoint(rt, {
    businessId: null,
    partnerId,
    keyId,
    name: "mirror",
    url: "http://10.0.0.1/hook",
    events,
    allowPrivate: true,
  });

test("the plan of a change counts the webhooks to the endpoints of partners", async () => {
  const rt = createTestRuntime();
  const businesses = addBusinesses(rt, ["one"]);
  const { partner, key } = createTestPartner(rt, businesses);
  await subscribeAll(rt, partner.id, key.id);
  const change = () =>
    applyCatalog(rt, [
      {
        name: "one.yaml",
        text: `catalog: 1
business: { slug: one, name: One, timezone: America/New_York, currency: USD }
services: [{ key: cut, name: Cut, durationMin: 30, price: 40.00 }]`,
      },
    ]);
  const { deliveries } = dryRun(rt, change);
  expect(deliveries).toBeGreaterThan(0);
  expect(change()).toMatchObject({ deliveries });
  expect(rt.store.deliveries.list({}, 100)).toHaveLength(deliveries);
});

test("an endpoint of a partner gets the events of each business in their order", async () => {
  const rt = createTestRuntime();
  const businesses = addBusinesses(rt, ["one", "two", "three"]);
  const [other] = addBusinesses(rt, ["other"]);
  const { partner, key } = createTestPartner(rt, businesses);
  await subscribeAll(rt, partner.id, key.id);
  const { received, send, countOverlaps } = createReceiver();
  const worker = createTestWorker(rt, send);
  for (let round = 0; round < 5; round++)
    for (const business of [...businesses, other!]) publish(rt, business, "service.updated");
  worker.wake();
  await worker.whenIdle();
  expect(received).toHaveLength(15);
  for (const { slug } of businesses) {
    const own = received.filter(({ business }) => business === slug);
    expect(own.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5]);
  }
  expect(countOverlaps()).toBe(0);
});

test.each([100, 2100])(
  "an event of one business does not wait for %i events of another at a partner's endpoint",
  async (count) => {
    const rt = createTestRuntime();
    const [one, two] = addBusinesses(rt, ["one", "two"]);
    const { partner, key } = createTestPartner(rt, [one!, two!]);
    await subscribeAll(rt, partner.id, key.id);
    const { received, send } = createReceiver();
    const worker = createTestWorker(rt, send);
    rt.tx(() => {
      for (let i = 0; i < count; i++) publish(rt, one!, "service.updated");
      publish(rt, two!, "service.updated");
    });
    worker.wake();
    await worker.whenIdle();
    expect(received).toHaveLength(count + 1);
    expect(received.findIndex(({ business }) => business === "two")).toBeLessThan(5);
  },
);

test("the events of one business do not wait for 2,100 events of another at a partner's endpoint while a command writes", async () => {
  const rt = createTestRuntime();
  const [one, two] = addBusinesses(rt, ["one", "two"]);
  const { partner, key } = createTestPartner(rt, [one!, two!]);
  await subscribeAll(rt, partner.id, key.id);
  const { received, send } = createReceiver();
  const worker = createTestWorker(rt, (request) => {
    // Another process commits, so the queue of the endpoint is read again before each delivery.
    if (received.length < 50) edit(rt, `UPDATE partner SET name = '${received.length}'`);
    return send(request);
  });
  rt.tx(() => {
    for (let i = 0; i < 2100; i++) publish(rt, one!, "service.updated");
    for (let i = 0; i < 10; i++) publish(rt, two!, "service.updated");
  });
  worker.wake();
  await worker.whenIdle();
  expect(received).toHaveLength(2110);
  expect(received.findLastIndex(({ business }) => business === "two")).toBeLessThan(30);
});

test("a partner whose access to a business ends gets business.removed, but no waiting or later event of the business", async () => {
  const rt = createTestRuntime();
  const [one] = addBusinesses(rt, ["one"]);
  const { partner, key } = createTestPartner(rt, [one!]);
  await subscribeAll(rt, partner.id, key.id);
  publish(rt, one!);
  removeBusinesses(rt, partner, [one!]);
  publish(rt, one!);
  const { received, send } = createReceiver();
  const worker = createTestWorker(rt, send);
  worker.sweep();
  await worker.whenIdle();
  // The event before the removal was still to be sent, and the partner may no longer read it.
  expect(received.map(({ type }) => type)).toEqual(["business.removed"]);
});

test("a test event for a partner's endpoint is about a business that the partner reaches", async () => {
  const rt = createTestRuntime();
  const [foreign, former, own] = addBusinesses(rt, ["a-foreign", "b-former", "c-own"]);
  createTestPartner(rt, [foreign!], { name: "rival" });
  const { partner, key } = createTestPartner(rt, [former!, own!]);
  const { endpoint } = await subscribeAll(rt, partner.id, key.id);
  removeBusinesses(rt, partner, [former!]);
  const { received, send } = createReceiver();
  const sendTest = () =>
    testEndpoint(rt, endpoint.id, async (post) => ({ outcome: await send(post), address: null }));
  await sendTest();
  expect(received.map(({ business }) => business)).toEqual(["c-own"]);
  removeBusinesses(rt, partner, [own!]);
  await expect(sendTest()).rejects.toMatchObject({ code: "resource_not_found" });
  expect(received).toHaveLength(1);
});

test("the delivery counts of each business stay right while a partner's endpoint is paused", async () => {
  const rt = createTestRuntime();
  const [one, two] = addBusinesses(rt, ["one", "two"]);
  const { partner, key } = createTestPartner(rt, [one!, two!]);
  const { endpoint } = await subscribeAll(rt, partner.id, key.id);
  for (const business of [one!, two!, two!]) publish(rt, business);
  expect(rt.store.tallies.countByStatus()).toMatchObject({ PENDING: 3 });
  disableEndpoint(rt, endpoint.id, "manual");
  expect(rt.store.tallies.countByStatus(two!.id)).toMatchObject({ PARKED: 2 });
  enableEndpoint(rt, endpoint.id, "all");
  expect(rt.store.tallies.countByStatus(one!.id)).toMatchObject({ PENDING: 1 });
  expect(rt.store.tallies.countByStatus(two!.id)).toMatchObject({ PENDING: 2 });
});

test("a partner manages its endpoints over HTTP, and sees none of other partners", async () => {
  const rt = createTestRuntime();
  const [one] = addBusinesses(rt, ["one"]);
  const { partner, key, secret } = createTestPartner(rt, [one!]);
  const rival = createTestPartner(rt, [one!], { name: "rival" });
  const { endpoint } = await subscribeAll(rt, partner.id, key.id);
  const [ask, askAsRival] = [secret, rival.secret].map((one) => createClient(rt, one));
  const listed = await ask!<{ id: string }>("webhooks");
  expect(listed.data.map(({ id }) => id)).toEqual([endpoint.id]);
  publish(rt, one!);
  expect((await ask!(`webhooks/${endpoint.id}/deliveries`)).data).toHaveLength(1);
  const [delivery] = rt.store.deliveries.list({ endpointId: endpoint.id }, 1);
  expect((await ask!(`deliveries/${delivery!.id}`)).status).toBe(200);

  expect((await askAsRival!("webhooks")).data).toEqual([]);
  for (const path of [
    `webhooks/${endpoint.id}`,
    `webhooks/${endpoint.id}/deliveries`,
    `deliveries/${delivery!.id}`,
    `businesses/one/webhooks/${endpoint.id}`,
  ])
    expect([path, (await askAsRival!(path)).status]).toEqual([path, 404]);

  const json = { "content-type": "application/json" };
  const body = JSON.stringify({ status: "DISABLED" });
  const path = `webhooks/${endpoint.id}`;
  expect((await ask!(path, { method: "PATCH", headers: json, body })).status).toBe(200);
  expect(rt.store.endpoints.findById(endpoint.id)?.disabledReason).toBe("paused");
  expect((await ask!(path, { method: "DELETE" })).status).toBe(204);
});

test("the secret key of a business lists deliveries to the business's own endpoints, but none to partners' endpoints", async () => {
  const rt = createTestRuntime();
  const [one] = addBusinesses(rt, ["one"]);
  const { partner, key } = createTestPartner(rt, [one!]);
  await subscribeAll(rt, partner.id, key.id);
  const { endpoint } = await createEndpoint(rt, {
    businessId: one!.id,
    keyId: null,
    name: "own",
    url: "http://10.0.0.2/hook",
    events: ["catalog.changed"],
    allowPrivate: true,
  });
  publish(rt, one!);
  expect(rt.store.tallies.countByStatus(one!.id)).toMatchObject({ PENDING: 2 });
  const { secret } = createKey(rt, {
    businessId: one!.id,
    name: "site",
    kind: "SECRET",
    scopes: [],
  });
  const { data } = await createClient(
    rt,
    secret,
  )<{ endpointId: string }>("businesses/one/deliveries");
  expect(data.map(({ endpointId }) => endpointId)).toEqual([endpoint.id]);
});

test("a partner's endpoint at one business is disabled when the last key of the partner is revoked", async () => {
  const rt = createTestRuntime();
  const [one] = addBusinesses(rt, ["one"]);
  const { partner, key } = createTestPartner(rt, [one!]);
  const spare = createPartnerKey(rt, partner, { name: "spare" });
  const access = rt.store.partnerAccess.find(partner.id, one!.id)!;
  const { endpoint } = await createEndpoint(rt, {
    businessId: one!.id,
    keyId: access.id,
    ...SINGLE,
  });
  expect(revokeKey(rt, key.id).endpoints).toEqual([]);
  expect(rt.store.endpoints.isActive(endpoint.id)).toBe(true);
  expect(revokeKey(rt, spare.key.id).endpoints).toMatchObject([{ id: endpoint.id }]);
  expect(rt.store.endpoints.findById(endpoint.id)?.disabledReason).toBe("key_revoked");
  const refused = { code: "conflict", message: expect.stringContaining("is revoked") };
  expect(() => enableEndpoint(rt, endpoint.id, "none")).toThrow(expect.objectContaining(refused));
  const another = {
    ...SINGLE,
    name: "another",
    byOperator: true,
    businessId: one!.id,
    keyId: access.id,
  };
  await expect(createEndpoint(rt, another)).rejects.toMatchObject({
    code: "conflict",
  });
  createPartnerKey(rt, partner, { name: "third" });
  expect(enableEndpoint(rt, endpoint.id, "none").endpoint.status).toBe("ACTIVE");
});

test("a partner's endpoint at one business pauses when the last key expires, and stops once that is certain", async () => {
  const rt = createTestRuntime();
  const [one] = addBusinesses(rt, ["one"]);
  const { partner, key } = createTestPartner(rt, [one!]);
  const expiresAt = rt.now() + 30 * DAY_MS;
  const spare = createPartnerKey(rt, partner, { name: "spare", expiresAt });
  const { endpoint } = await createEndpoint(rt, {
    businessId: one!.id,
    keyId: rt.store.partnerAccess.find(partner.id, one!.id)!.id,
    ...SINGLE,
  });
  const { received, send } = createReceiver();
  const worker = createTestWorker(rt, send);
  const countSent = async () => {
    publish(rt, one!);
    worker.wake();
    worker.sweep();
    await worker.whenIdle();
    return received.length;
  };
  expect(await countSent()).toBe(1);
  rt.shiftClock(365 * DAY_MS);
  expect(await countSent()).toBe(2);
  expect(revokeKey(rt, key.id).endpoints).toEqual([]);
  expect(await countSent()).toBe(2);
  expect(rt.store.endpoints.listPaused(rt.now())).toMatchObject([{ id: endpoint.id }]);
  rt.shiftClock(-365 * DAY_MS);
  expect(await countSent()).toBe(4);
  rt.advance(31 * DAY_MS);
  expect(await countSent()).toBe(4);
  endExpiredKeys(rt, rt.now());
  expect(rt.store.endpoints.findById(endpoint.id)?.disabledReason).toBe("key_expired");
  const fixes = () => listDaemonConditions(rt, CHECKS).map(({ command }) => command);
  expect(fixes()).toContain(`deskbell webhooks disable ${endpoint.id}`);
  createPartnerKey(rt, partner, { name: "third" });
  expect(fixes()).toContain(`deskbell webhooks enable ${endpoint.id}`);
  expect(rt.store.keys.findById(spare.key.id)?.revokedAt).toBeNull();
});

test("a partner's endpoint can be given to any key of the partner, and to no key of another partner", async () => {
  const rt = createTestRuntime();
  const businesses = addBusinesses(rt, ["one"]);
  const { partner, key } = createTestPartner(rt, businesses);
  const spare = createPartnerKey(rt, partner, { name: "spare" });
  const rival = createTestPartner(rt, businesses, { name: "rival" });
  const { endpoint } = await subscribeAll(rt, partner.id, key.id);
  const giveTo = (keyId: string) => updateEndpoint(rt, endpoint.id, { keyId });
  await expect(giveTo(rival.key.id)).rejects.toThrow(
    `The key ${rival.key.id} belongs to another partner.`,
  );
  expect(rt.store.endpoints.findKeyId(endpoint.id)).toBe(key.id);
  expect((await giveTo(spare.key.id)).keyId).toBe(spare.key.id);
});

test("a partner with the maximum of endpoints can give an endpoint to another key, but cannot create one", async () => {
  const rt = createTestRuntime();
  const { partner, key } = createTestPartner(rt, addBusinesses(rt, ["one"]), { maxEndpoints: 1 });
  const { endpoint } = await subscribeAll(rt, partner.id, key.id);
  const { key: another } = createPartnerKey(rt, partner, {});
  await updateEndpoint(rt, endpoint.id, { keyId: another.id });
  expect(rt.store.endpoints.findById(endpoint.id)?.keyId).toBe(another.id);
  await expect(
    createEndpoint(rt, {
      businessId: null,
      partnerId: partner.id,
      keyId: another.id,
      byOperator: true,
      name: "second",
      url: "http://10.0.0.1/second",
      events: ["service.updated"],
      allowPrivate: true,
    }),
  ).rejects.toThrow("already has 1 webhook endpoint; its maximum is 1.");
});
