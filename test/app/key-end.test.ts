import { expect, test } from "vitest";
import Database from "better-sqlite3";
import { endExpiredKeys, reopenKeys, revokeKey } from "../../src/app/key-end.ts";
import { createKey, type NewKey, rotateKey, updateKey } from "../../src/app/keys.ts";
import { listDaemonConditions } from "../../src/app/operations/conditions.ts";
import { createRetentionClock } from "../../src/app/operations/retention-clock.ts";
import { CHECKS } from "../support/checks.ts";
import { enableEndpoint } from "../../src/app/webhooks/endpoint-lifecycle.ts";
import { createEndpoint, updateEndpoint } from "../../src/app/webhooks/endpoints.ts";
import type { Resolve } from "../../src/app/webhooks/host-limits.ts";
import { createSender } from "../../src/delivery/sender.ts";
import { addBusiness, createTestWorker, emitEvents, subscribe } from "../support/delivery.ts";
import { createReceiver } from "../support/receiver.ts";
import { createTestRuntime, type TestRuntime } from "../support/test-runtime.ts";
import { releasedHold } from "../support/visit-rows.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Creates a partner with a key and an endpoint, besides an endpoint of the operator. */
async function withPartner(fields: Partial<NewKey> = {}) {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const scopes = ["webhooks.write", "bookings.write"];
  const { key } = createKey(rt, {
    businessId: business.id,
    name: "portal",
    kind: "RESTRICTED",
    scopes,
    ...fields,
  });
  const partner = await createReceiver();
  const own = await createReceiver();
  const { endpoint } = await subscribe(rt, business, partner.url, ["service.updated"], key.id);
  await subscribe(rt, business, own.url, ["service.updated"]);
  const worker = createTestWorker(rt);
  const send = async () => {
    worker.wake();
    worker.sweep();
    await worker.whenIdle();
  };
  const emit = () => emitEvents(rt, business, "service.updated");
  const find = () => rt.store.endpoints.findById(endpoint.id);
  return { rt, business, key, partner, own, endpoint, worker, send, emit, find };
}

const insertOpenHold = (rt: TestRuntime, businessId: string, keyId: string) =>
  rt.tx(() => {
    const hold = releasedHold(rt.newId("hld"), keyId, rt.now());
    const open = { status: "OPEN" as const, expiresAt: rt.now() + 600_000 };
    rt.store.holds.insert(businessId, { ...hold, ...open });
  });

const codes = (rt: TestRuntime) => listDaemonConditions(rt, CHECKS).map(({ code }) => code);

test("nothing reaches the endpoints of a revoked key, not even pending deliveries", async () => {
  const { rt, business, key, partner, own, send, emit, find } = await withPartner();
  emit();
  insertOpenHold(rt, business.id, key.id);
  const { endpoints, releasedHolds } = revokeKey(rt, key.id);
  expect(endpoints).toMatchObject([{ name: "partner", url: partner.url, parked: 1 }]);
  expect(releasedHolds).toBe(1);
  emit();
  await send();

  expect(partner.requests).toHaveLength(0);
  expect(own.requests).toHaveLength(2);
  expect(find()).toMatchObject({ status: "DISABLED", disabledReason: "key_revoked" });
  expect(rt.store.deliveries.list({ status: "PARKED" }, 10)).toHaveLength(2);
  expect(rt.store.holds.listOpenOfKey(business.id, key.id, rt.now())).toEqual([]);
  const [entry] = rt.store.audit.list({ action: "key.revoked" }, 1);
  expect(entry?.details).toMatchObject({ disabledEndpoints: [find()?.id], releasedHolds: 1 });
});

test("a delivery that is still connecting when the key of its endpoint is revoked is not sent", async () => {
  const { rt, business, key, partner } = await withPartner();
  let connect: (addresses: string[]) => void = () => {};
  const resolve: Resolve = () => new Promise((resolved) => (connect = resolved));
  const sender = createSender(rt.config.urlAllowances, rt.monotonic, { resolve });
  const url = `http://partner.test:${partner.port}/`;
  await createEndpoint(
    rt,
    {
      businessId: business.id,
      keyId: key.id,
      name: "slow",
      url,
      events: ["service.deleted"],
      allowPrivate: true,
    },
    async () => ["127.0.0.1"],
  );
  const worker = createTestWorker(rt, sender.send);
  emitEvents(rt, business, "service.deleted");
  worker.wake();
  revokeKey(rt, key.id);
  connect(["127.0.0.1"]);
  await worker.whenIdle();
  await sender.close();

  expect(partner.requests).toHaveLength(0);
  const [delivery] = rt.store.deliveries.list({ eventType: "service.deleted" }, 1);
  expect(delivery).toMatchObject({ status: "PARKED", attemptCount: 0 });
});

test("nothing reaches the endpoints of an expired key, even before they are disabled", async () => {
  const { rt, business, key, partner, send, emit, find } = await withPartner({
    expiresAt: Date.parse("2026-11-21T12:00:00Z"),
  });
  insertOpenHold(rt, business.id, key.id);
  rt.advance(DAY_MS);
  insertOpenHold(rt, business.id, key.id);
  emit();
  await send();
  expect(partner.requests).toHaveLength(0);
  expect(find()?.status).toBe("ACTIVE");

  endExpiredKeys(rt, rt.now());
  endExpiredKeys(rt, rt.now());
  expect(find()).toMatchObject({ status: "DISABLED", disabledReason: "key_expired" });
  expect(rt.store.deliveries.list({ status: "PARKED" }, 10)).toHaveLength(1);
  expect(rt.store.holds.listOpenOfKey(business.id, key.id, rt.now())).toEqual([]);
  expect(rt.store.audit.list({ action: "key.expired" }, 10)).toHaveLength(1);
  expect(codes(rt)).toContain("endpoint.disabled");
});

test("a delivery that is still connecting when the key of its endpoint expires is not sent", async () => {
  const expiresAt = Date.parse("2026-11-21T12:00:00Z");
  const { rt, partner, worker, emit } = await withPartner({ expiresAt });
  let isSent: boolean | undefined;
  const slow = createTestWorker(rt, async ({ url, isWanted }) => {
    if (url === partner.url) {
      rt.advance(2 * DAY_MS);
      isSent = isWanted?.();
    }
    return { kind: "responded", statusCode: 200, retryAfter: null, responseText: "" };
  });
  emit();
  slow.wake();
  await slow.whenIdle();
  await worker.whenIdle();
  expect(isSent).toBe(false);
});

test("a clock that is a year ahead for a while pauses the endpoints of an expiring key, and ends nothing", async () => {
  const expiresAt = Date.parse("2027-01-20T12:00:00Z");
  const { rt, business, key, partner, own, send, emit, find } = await withPartner({ expiresAt });
  const clock = createRetentionClock(rt);
  clock.update();
  rt.tx(() => rt.store.daemon.save({ url: "http://127.0.0.1:1", startedAt: rt.now() }));
  rt.advance(3 * HOUR_MS);
  rt.shiftClock(365 * DAY_MS);
  emit();
  await send();
  insertOpenHold(rt, business.id, key.id);
  rt.advance(3 * HOUR_MS);
  clock.update();
  endExpiredKeys(rt, clock.now());
  await send();
  expect([partner.requests.length, own.requests.length]).toEqual([0, 1]);
  expect(find()?.status).toBe("ACTIVE");
  expect(rt.store.holds.listOpenOfKey(business.id, key.id, rt.now() - 3 * HOUR_MS)).toHaveLength(1);
  expect(rt.store.due.getNextAttemptAt(rt.now())).toBeNull();
  expect(codes(rt)).toContain("endpoint.disabled");
  expect(codes(rt)).not.toContain("delivery.stalled");
  expect(codes(rt)).not.toContain("deliveries.stuck");

  rt.shiftClock(-365 * DAY_MS);
  endExpiredKeys(rt, clock.now());
  await send();
  expect([partner.requests.length, own.requests.length]).toEqual([1, 1]);
  expect(codes(rt)).not.toContain("endpoint.disabled");
  expect(rt.store.audit.list({ action: "key.expired" }, 10)).toEqual([]);
});

test("the condition of a paused endpoint stays the same, so that no check of the alerts writes", async () => {
  const { rt } = await withPartner({ expiresAt: Date.parse("2026-11-21T12:00:00Z") });
  rt.advance(2 * DAY_MS);
  const before = listDaemonConditions(rt, CHECKS);
  rt.advance(10_000);
  expect(listDaemonConditions(rt, CHECKS)).toEqual(before);
  expect(before.map(({ text }) => text)).toEqual([
    expect.stringContaining(
      "its API key expired at 2026-11-21T12:00:00Z by the clock of this server: set the clock if it is wrong.",
    ),
  ]);
});

test("a key that ended while the clock was ahead for days ends again when it expires", async () => {
  const expiresAt = Date.parse("2027-01-20T12:00:00Z");
  const { rt, endpoint, find } = await withPartner({ expiresAt });
  rt.shiftClock(365 * DAY_MS);
  endExpiredKeys(rt, rt.now());
  reopenKeys(rt);
  expect(find()?.disabledReason).toBe("key_expired");
  const fixes = () => listDaemonConditions(rt, CHECKS).map(({ command }) => command);
  expect(fixes()).toContain(`deskbell webhooks disable ${endpoint.id}`);
  rt.shiftClock(-365 * DAY_MS);
  expect(fixes()).toEqual([`deskbell webhooks enable ${endpoint.id}`]);
  enableEndpoint(rt, endpoint.id, "all");
  reopenKeys(rt);
  endExpiredKeys(rt, rt.now());
  expect(find()?.status).toBe("ACTIVE");
  rt.advance(50 * DAY_MS);
  expect(codes(rt)).toContain("key.expiring");
  rt.advance(12 * DAY_MS);
  endExpiredKeys(rt, rt.now());
  expect(find()?.disabledReason).toBe("key_expired");
});

test("the operator can keep the endpoints of a revoked key, and stop them later", async () => {
  const { rt, key, partner, send, emit, find } = await withPartner();
  const kept = revokeKey(rt, key.id, { keepsEndpoints: true });
  expect(kept).toMatchObject({ endpoints: [], keptEndpoints: [{ name: "partner" }] });
  emit();
  await send();
  expect(partner.requests).toHaveLength(1);
  expect(codes(rt)).not.toContain("endpoint.key_ended");

  expect(revokeKey(rt, key.id).endpoints).toMatchObject([{ name: "partner" }]);
  expect(find()?.disabledReason).toBe("key_revoked");
});

test("`endpointsAtEnd` cannot be set to STOP for a revoked key that has kept its endpoints", async () => {
  const { rt, key, find } = await withPartner();
  revokeKey(rt, key.id, { keepsEndpoints: true });
  expect(() => updateKey(rt, key.id, { endpointsAtEnd: "STOP" })).toThrow(/kept its endpoints/);
  expect(find()?.status).toBe("ACTIVE");
  revokeKey(rt, key.id);
  expect(find()?.status).toBe("DISABLED");
  updateKey(rt, key.id, { endpointsAtEnd: "STOP" });
});

test("the operator can keep the endpoints of a key that will expire", async () => {
  const expiresAt = Date.parse("2026-11-21T12:00:00Z");
  const { rt, key, partner, send, emit } = await withPartner({ expiresAt });
  updateKey(rt, key.id, { endpointsAtEnd: "KEEP" });
  rt.advance(2 * DAY_MS);
  endExpiredKeys(rt, rt.now());
  emit();
  await send();
  expect(partner.requests).toHaveLength(1);
});

test("a new expiry extends the life of a key that is still valid, and is refused for a key that has expired", async () => {
  const expiresAt = Date.parse("2026-11-21T12:00:00Z");
  const { rt, key, find } = await withPartner({ expiresAt });
  updateKey(rt, key.id, { expiresAt: expiresAt + DAY_MS });
  rt.advance(DAY_MS + 1000);
  endExpiredKeys(rt, rt.now());
  expect(find()?.status).toBe("ACTIVE");
  rt.advance(DAY_MS);
  expect(() => updateKey(rt, key.id, { expiresAt: rt.now() + DAY_MS })).toThrow("has expired");
});

test("rotating a key without an overlap stops none of its endpoints", async () => {
  const { rt, key, partner, send, emit } = await withPartner();
  rotateKey(rt, key.id, 0);
  rt.advance(1000);
  endExpiredKeys(rt, rt.now());
  emit();
  await send();
  expect(partner.requests).toHaveLength(1);
});

test("an endpoint of a revoked key is enabled only after it has another key", async () => {
  const { rt, business, key, partner, send, emit, endpoint } = await withPartner();
  revokeKey(rt, key.id);
  emit();
  expect(() => enableEndpoint(rt, endpoint.id, "all")).toThrow(/is revoked/);
  await expect(
    updateEndpoint(rt, endpoint.id, { keyId: key.id, name: "same" }),
  ).resolves.toBeDefined();
  const { key: next } = createKey(rt, {
    businessId: business.id,
    name: "portal 2",
    kind: "RESTRICTED",
    scopes: ["webhooks.write"],
  });
  await updateEndpoint(rt, endpoint.id, { keyId: next.id });
  enableEndpoint(rt, endpoint.id, "all");
  await send();
  expect(partner.requests).toHaveLength(1);
});

test("a key that ended under version 0.2 keeps its endpoints until the operator decides", async () => {
  const { rt, key, partner, send, emit, endpoint } = await withPartner();
  const db = new Database(rt.config.databasePath);
  db.exec(
    `UPDATE api_key SET revoked_at = ${rt.now()}, ended_at = ${rt.now()}, endpoints_at_end = 'UNDECIDED'`,
  );
  db.close();
  emit();
  endExpiredKeys(rt, rt.now());
  await send();
  expect(partner.requests).toHaveLength(1);
  const asked = listDaemonConditions(rt, CHECKS).find(({ code }) => code === "endpoint.key_ended");
  expect(asked?.text).toContain(`webhooks update ${endpoint.id} --key KEY`);
  revokeKey(rt, key.id);
  expect(codes(rt)).not.toContain("endpoint.key_ended");
});

test("a key that expires soon is reported with the endpoints that will receive nothing after its expiry", async () => {
  const expiresAt = Date.parse("2026-12-31T12:00:00Z");
  const { rt, key } = await withPartner({ expiresAt });
  expect(codes(rt)).not.toContain("key.expiring");
  rt.advance(30 * DAY_MS);
  const expiring = listDaemonConditions(rt, CHECKS).find(({ code }) => code === "key.expiring");
  expect(expiring).toMatchObject({
    text: expect.stringContaining("1 webhook endpoint receive nothing more (partner)"),
    command: `deskbell keys update ${key.id} --expires 365d`,
  });
});
