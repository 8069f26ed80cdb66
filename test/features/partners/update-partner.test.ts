import { expect, test } from "vitest";
import { applyCatalog } from "../../../src/app/catalog/catalog.ts";
import { createKey, updateKey } from "../../../src/app/keys.ts";
import { deleteEndpoint } from "../../../src/app/webhooks/endpoint-lifecycle.ts";
import { createEndpoint } from "../../../src/app/webhooks/endpoints.ts";
import type { EventType } from "../../../src/domain/events/event-types.ts";
import type { PartnerRow } from "../../../src/features/partners/store.ts";
import {
  type PartnerChanges,
  updatePartner,
} from "../../../src/features/partners/update-partner.ts";
import { createTestWorker } from "../../support/delivery.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { addBusinesses, createClient, createTestPartner, publish } from "./partners/support.ts";

type Runtime = ReturnType<typeof createTestRuntime>;

/** Returns the settings of a partner's access to a business. */
const accessOf = (rt: Runtime, { id }: PartnerRow, slug: string) =>
  rt.store.partnerAccess.find(id, rt.store.businesses.findBySlug(slug)!.id);

test("an update changes all keys of a partner and its access to every business, and no other key", async () => {
  const rt = createTestRuntime();
  const businesses = addBusinesses(rt, ["one", "two"]);
  const { partner, key, secret } = createTestPartner(rt, businesses);
  const rival = createTestPartner(rt, businesses, { name: "rival" });
  const site = createKey(rt, {
    businessId: businesses[0]!.id,
    name: "site",
    kind: "SECRET",
    scopes: [],
  });
  const ask = createClient(rt, secret);
  expect((await ask("businesses/one/bookings")).code).toBe("insufficient_scope");
  const { etag } = Object.fromEntries((await ask("businesses")).headers);

  const { changes } = updatePartner(rt, partner.id, {
    name: "portal",
    scopes: ["services.read", "bookings.read"],
    eventGroups: ["bookings", "catalog"],
    cidrs: ["0.0.0.0/0"],
    limitMinute: 3,
    maxHolds: 7,
    totalMinute: 9,
    totalHour: 1_000_000,
  });
  expect(changes).toMatchObject({
    limitMinute: { from: 1_000_000, to: 3 },
    name: { from: "aggregator", to: "portal" },
  });
  expect(Object.keys(changes)).not.toContain("totalHour");
  const changed = {
    name: "portal",
    scopes: ["services.read", "bookings.read"],
    eventGroups: ["bookings", "catalog"],
    cidrs: ["0.0.0.0/0"],
    maxHolds: 7,
  };
  for (const slug of ["one", "two"])
    expect(accessOf(rt, partner, slug)).toMatchObject({ ...changed, limitMinute: 3 });
  expect(rt.store.keys.findById(key.id)).toMatchObject({ ...changed, limitMinute: 9 });
  // The daemon still has the former settings of a key that has made requests, so it must notice the
  // change.
  const headers = { "if-none-match": etag ?? "" };
  expect((await ask("businesses", { headers })).meta).toMatchObject({
    partner: { name: "portal" },
  });
  const statuses: number[] = [];
  for (let i = 0; i < 4; i++) statuses.push((await ask("businesses/one/bookings")).status);
  expect(statuses).toEqual([200, 200, 200, 429]);

  expect(rt.store.keys.findById(rival.key.id)).toEqual(rival.key);
  expect(rt.store.keys.findById(site.key.id)).toEqual(site.key);
  const audited = (businessId: string | undefined) =>
    rt.store.audit.list({ businessId, action: "partner.updated" }, 10);
  expect(audited(undefined)).toHaveLength(3);
  expect(audited(businesses[1]!.id)).toMatchObject([
    { details: { scopes: ["services.read", "bookings.read"] } },
  ]);
});

test("a limit that one key has of its own stays until the same limit of the partner changes", () => {
  const rt = createTestRuntime();
  const { partner, key } = createTestPartner(rt, addBusinesses(rt, ["one"]));
  updateKey(rt, key.id, { limitMinute: 50 });
  updatePartner(rt, partner.id, { cidrs: ["10.0.0.0/8"] });
  expect(rt.store.keys.findById(key.id)).toMatchObject({ limitMinute: 50, cidrs: ["10.0.0.0/8"] });
  updatePartner(rt, partner.id, { totalMinute: 70, cidrs: [] });
  expect(rt.store.keys.findById(key.id)).toMatchObject({ limitMinute: 70, cidrs: [] });
});

test("an update to the same values changes nothing, and an invalid name or range is refused", () => {
  const rt = createTestRuntime();
  const { partner } = createTestPartner(rt, addBusinesses(rt, ["one"]));
  createTestPartner(rt, [], { name: "rival" });
  const same = { scopes: partner.scopes.toReversed(), totalHour: partner.totalHour };
  expect(updatePartner(rt, partner.id, same)).toMatchObject({ changes: {}, narrowed: [] });
  expect(rt.store.audit.list({ action: "partner.updated" }, 1)).toEqual([]);
  for (const [changes, message] of [
    [{ name: "rival" }, /already a partner/],
    [{ name: "" }, /must be one line/],
    [{ cidrs: ["10.0"] }, /Invalid address range/],
  ] satisfies [PartnerChanges, RegExp][])
    expect(() => updatePartner(rt, partner.id, { ...changes, totalHour: 1 })).toThrow(message);
  expect(rt.store.partnerAccess.listKeys(partner.id)[0]?.limitHour).toBe(partner.totalHour);
});

test("narrower event groups unsubscribe the endpoints and cancel the deliveries that wait", async () => {
  const rt = createTestRuntime();
  const [one] = addBusinesses(rt, ["one"]);
  const { partner, key } = createTestPartner(rt, [one!], {
    scopes: ["bookings.read", "webhooks.write"],
    eventGroups: ["catalog", "bookings"],
  });
  const subscribe = (owner: { businessId: string | null; keyId: string }, events: EventType[]) =>
    createEndpoint(rt, {
      ...owner,
      partnerId: owner.businessId === null ? partner.id : undefined,
      name: "mirror",
      url: `http://10.0.0.1/${events.length}`,
      events,
      allowPrivate: true,
    });
  const both: EventType[] = ["catalog.changed", "booking.created"];
  const access = { businessId: one!.id, keyId: accessOf(rt, partner, "one")!.id };
  const { endpoint } = await subscribe({ businessId: null, keyId: key.id }, both);
  const { endpoint: local } = await subscribe(access, both);
  const { endpoint: visits } = await subscribe(access, ["booking.created"]);
  publish(rt, one!, "booking.created");
  expect(() => updatePartner(rt, partner.id, { eventGroups: ["catalog"] })).toThrow(visits.id);
  expect(rt.store.endpoints.findById(endpoint.id)?.events).toEqual(both);

  deleteEndpoint(rt, visits.id);
  const { narrowed } = updatePartner(rt, partner.id, { eventGroups: ["catalog"] });
  expect(narrowed.map(({ id }) => id)).toEqual([endpoint.id, local.id]);
  for (const { id } of narrowed)
    expect(rt.store.endpoints.findById(id)?.events).toEqual(["catalog.changed"]);
  let sent = 0;
  const worker = createTestWorker(rt, async () => {
    sent += 1;
    return { kind: "responded", statusCode: 200, retryAfter: null, responseText: "" };
  });
  worker.sweep();
  await worker.whenIdle();
  expect([sent, rt.store.tallies.countByStatus()]).toMatchObject([0, { PENDING: 0 }]);
});

test("a partner that is updated to cover future businesses joins the next one", () => {
  const rt = createTestRuntime();
  const { partner } = createTestPartner(rt, addBusinesses(rt, ["one"]));
  const create = (slug: string) =>
    applyCatalog(rt, [
      {
        name: `${slug}.yaml`,
        text: `catalog: 1\nbusiness: { slug: ${slug}, name: New, timezone: UTC, currency: EUR }\n`,
      },
    ]);
  create("before");
  updatePartner(rt, partner.id, { coversFuture: true });
  create("within");
  updatePartner(rt, partner.id, { coversFuture: false });
  create("after");
  const reached = ["before", "within", "after"].filter((slug) => accessOf(rt, partner, slug));
  expect(reached).toEqual(["within"]);
});
