import { expect, onTestFinished, test, vi } from "vitest";
import type { OnRemoval } from "../../../../src/app/feature-hooks.ts";
import { createKey, updateKey } from "../../../../src/app/keys.ts";
import { revokeKey } from "../../../../src/app/key-end.ts";
import { applyCatalog } from "../../../../src/app/catalog/catalog.ts";
import { deleteBusiness } from "../../../../src/app/delete-business.ts";
import { hashApiKey } from "../../../../src/domain/api-key.ts";
import { ON_REMOVAL } from "../../../../src/features/on-removal.ts";
import {
  addBusinesses as reach,
  createPartnerKey,
  deletePartner,
  removeBusinesses,
} from "../../../../src/features/partners/partners.ts";
import { createPartnerStore } from "../../../../src/features/partners/store.ts";
import { createTestApp } from "../../../support/app.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";
import { addBusinesses, createClient, createTestPartner, publish } from "./support.ts";

type Listed = { slug: string };
type Envelope = { id: string; type: string; business: { slug: string } };

const slugsOf = (data: readonly Listed[]) => data.map(({ slug }) => slug);
const eventsOf = (data: readonly Envelope[]) =>
  data.map(({ type, business }) => `${business.slug} ${type}`);

test("one key reads each business of its partner, and no other", async () => {
  const rt = createTestRuntime();
  const [one, two, other] = addBusinesses(rt, ["one", "two", "other"]);
  const ask = createClient(rt, createTestPartner(rt, [one!, two!]).secret);
  expect(slugsOf((await ask<Listed>("businesses")).data)).toEqual(["one", "two"]);
  for (const slug of ["one", "two"])
    expect((await ask(`businesses/${slug}/services`)).status).toBe(200);
  const refused = await ask(`businesses/${other!.slug}/services`);
  const unknown = await ask("businesses/nobody/services");
  expect([refused.status, refused.code]).toEqual([403, "business_mismatch"]);
  expect([unknown.status, unknown.code]).toEqual([403, "business_mismatch"]);
  expect((await ask("businesses/one/bookings")).code).toBe("insufficient_scope");
});

test("a business's own key is refused on the partners' routes without a look-up among the partners' keys", async () => {
  const rt = createTestRuntime();
  const [one] = addBusinesses(rt, ["one"]);
  const { secret } = createKey(rt, {
    businessId: one!.id,
    name: "site",
    kind: "SECRET",
    scopes: [],
  });
  const lookUp = vi.spyOn(rt.store.partnerAccess, "findCredential");
  const ask = createClient(rt, secret);
  for (const path of ["businesses", "changes", "webhooks"])
    expect([path, (await ask(path)).code]).toEqual([path, "business_mismatch"]);
  expect((await ask("businesses/one/services")).status).toBe(200);
  expect(lookUp).not.toHaveBeenCalled();
});

test("the list of businesses gets 304 until a catalog changes, and then names the business", async () => {
  const rt = createTestRuntime();
  const businesses = addBusinesses(rt, ["one", "two", "three"]);
  const [other] = addBusinesses(rt, ["other"]);
  const ask = createClient(rt, createTestPartner(rt, businesses).secret);
  createTestPartner(rt, [other!], { name: "rival" });
  const first = await ask<Listed>("businesses?limit=2");
  expect([first.data.length, first.page.hasMore, first.meta.count]).toEqual([2, true, 3]);
  const rest = await ask<Listed>(`businesses?limit=2&cursor=${first.page.nextCursor}`);
  expect(rest.data).toHaveLength(1);

  const headers = { "if-none-match": first.headers.get("etag") ?? "" };
  const again = await ask("businesses?limit=2", { headers });
  expect(again.status).toBe(304);
  publish(rt, businesses[1]!);
  publish(rt, other!);
  publish(rt, businesses[1]!, "service.updated");
  const changed = await ask<Listed>(`businesses?changedSince=${first.meta.cursor}`, { headers });
  expect(slugsOf(changed.data)).toEqual(["two"]);
  const nothing = await ask<Listed>(`businesses?changedSince=${changed.meta.cursor}`);
  expect(nothing.data).toEqual([]);
  expect((await ask(`businesses?changedSince=1.aaaaaaaaaa`)).code).toBe("invalid_cursor");
});

test("the feed has the events of each business of the partner until the business is removed", async () => {
  const rt = createTestRuntime();
  const [one, two, other] = addBusinesses(rt, ["one", "two", "other"]);
  const { partner, secret } = createTestPartner(rt, [one!, two!]);
  createTestPartner(rt, [other!], { name: "rival" });
  const ask = createClient(rt, secret);
  publish(rt, one!);
  publish(rt, other!);
  publish(rt, two!);
  publish(rt, two!, "booking.created");
  const page = await ask<Envelope>("changes?limit=1");
  expect(eventsOf(page.data)).toEqual(["one catalog.changed"]);
  const next = await ask<Envelope>(`changes?after=${page.page.nextCursor}`);
  expect(eventsOf(next.data)).toEqual(["two catalog.changed"]);

  removeBusinesses(rt, partner, [two!]);
  publish(rt, two!);
  reach(rt, partner, [other!]);
  const ended = await ask<Envelope>(
    `changes?types=catalog.changed,business.added,business.removed&after=${next.page.nextCursor}`,
  );
  expect(eventsOf(ended.data)).toEqual(["two business.removed", "other business.added"]);
  expect((await ask("businesses/two/services")).code).toBe("business_mismatch");
});

test("a cursor of a feed that a restore has replaced gets 410", async () => {
  const rt = createTestRuntime();
  const [one] = addBusinesses(rt, ["one"]);
  const ask = createClient(rt, createTestPartner(rt, [one!]).secret);
  const { page } = await ask("changes?after=latest");
  vi.spyOn(rt.store.feed, "getId").mockReturnValue("ffffffff");
  expect((await ask(`changes?after=${page.nextCursor}`)).status).toBe(410);
  expect((await ask(`businesses?changedSince=${page.nextCursor}`)).status).toBe(410);
});

test("a partner's request counts against its limit at the business and its limit at all businesses together", async () => {
  const rt = createTestRuntime();
  const businesses = addBusinesses(rt, ["one", "two", "three"]);
  const limits = { limitMinute: 2, totalMinute: 5 };
  const ask = createClient(rt, createTestPartner(rt, businesses, limits).secret);
  const statuses: number[] = [];
  for (const slug of ["one", "one", "one", "two", "two", "three", "three"])
    statuses.push((await ask(`businesses/${slug}/services`)).status);
  expect(statuses).toEqual([200, 200, 429, 200, 200, 200, 429]);
  expect((await ask("businesses")).status).toBe(429);
});

test("a 403 counts against a partner's total limit, unless the key only lacks a scope at a business that it reaches", async () => {
  const rt = createTestRuntime();
  const [one, other] = addBusinesses(rt, ["one", "other"]);
  const partner = createTestPartner(rt, [one!], { scopes: ["services.read"], totalMinute: 2 });
  const ask = createClient(rt, partner.secret);
  // The key lacks the scope at a business that it reaches, so these responses do not count.
  for (let i = 0; i < 3; i++) expect((await ask("businesses/one/bookings")).status).toBe(403);
  expect((await ask(`businesses/${other!.slug}/services`)).status).toBe(403);
  expect((await ask("webhooks")).status).toBe(403);
  expect((await ask("businesses/one/services")).status).toBe(429);
});

test("a partner no longer reaches a business that excludes it, and joins new businesses only if it covers future ones", () => {
  const rt = createTestRuntime();
  const [one] = addBusinesses(rt, ["one"]);
  const { partner } = createTestPartner(rt, [one!], { coversAll: true, coversFuture: true });
  const { partner: listed } = createTestPartner(rt, [one!], { name: "listed" });
  removeBusinesses(rt, partner, [one!], { isExclusion: true });
  const catalog = `catalog: 1\nbusiness: { slug: new, name: New, timezone: UTC, currency: EUR }\n`;
  applyCatalog(rt, [{ name: "new.yaml", text: catalog }]);
  const reached = (id: string, slug: string) =>
    rt.store.partnerAccess.find(id, rt.store.businesses.findBySlug(slug)!.id) !== undefined;
  expect([reached(partner.id, "one"), reached(partner.id, "new")]).toEqual([false, true]);
  expect([reached(listed.id, "one"), reached(listed.id, "new")]).toEqual([true, false]);
  const actions = rt.store.audit.list({ businessId: one!.id }, 10).map(({ action }) => action);
  expect(actions).toContain("partner.excluded");
});

test("a partner that covers future businesses joins a new business with the slug of a deleted one that excluded it", () => {
  const rt = createTestRuntime();
  const catalog = `catalog: 1\nbusiness: { slug: one, name: One, timezone: UTC, currency: EUR }\n`;
  const create = () => applyCatalog(rt, [{ name: "one.yaml", text: catalog }]);
  const find = () => rt.store.businesses.findBySlug("one")!;
  create();
  const { partner } = createTestPartner(rt, [find()], { coversAll: true, coversFuture: true });
  removeBusinesses(rt, partner, [find()], { isExclusion: true });
  const reached = () => rt.store.partnerAccess.find(partner.id, find().id) !== undefined;
  create();
  expect(reached()).toBe(false);
  deleteBusiness(rt, find());
  create();
  expect(reached()).toBe(true);
  expect(rt.openStore(createPartnerStore).listExcludedSlugs(partner.id)).toEqual([]);
});

test("a partner that reaches a business again is no longer excluded there, and stays excluded at other businesses", () => {
  const rt = createTestRuntime();
  const [one, two] = addBusinesses(rt, ["one", "two"]);
  const { partner } = createTestPartner(rt, [one!, two!]);
  removeBusinesses(rt, partner, [one!, two!], { isExclusion: true });
  reach(rt, partner, [one!]);
  expect(rt.openStore(createPartnerStore).listExcludedSlugs(partner.id)).toEqual(["two"]);
});

test("a partner's key is valid on another server that was given its hash", async () => {
  const [first, second] = [createTestRuntime(), createTestRuntime()];
  const { secret } = createTestPartner(first, addBusinesses(first, ["one"]));
  const secretHash = hashApiKey(secret);
  const created = createTestPartner(second, addBusinesses(second, ["two"]), { secretHash });
  expect(created.secret).toBe("");
  const answer = await createClient(second, secret)<Listed>("businesses");
  expect(slugsOf(answer.data)).toEqual(["two"]);
  expect(() => createPartnerKey(second, created.partner, { secretHash })).toThrow(/already/);
});

test("the revocation of a partner's key ends no other key, and the deletion of the partner ends all of its keys", async () => {
  const rt = createTestRuntime();
  const { partner, key, secret } = createTestPartner(rt, addBusinesses(rt, ["one"]));
  const other = createPartnerKey(rt, partner, { name: "spare" });
  revokeKey(rt, key.id);
  expect((await createClient(rt, secret)("businesses/one/services")).code).toBe("revoked_key");
  const ask = createClient(rt, other.secret);
  expect((await ask("businesses/one/services")).status).toBe(200);
  expect(deletePartner(rt, partner)).toEqual({ businesses: 1, keys: 2, endpoints: 0 });
  expect((await ask("businesses/one/services")).code).toBe("revoked_key");
  expect(createTestPartner(rt, []).partner.name).toBe(partner.name);
});

test("deleting a partner records the revocation of its keys and access, so that no restore brings them back", () => {
  const rt = createTestRuntime();
  const { partner } = createTestPartner(rt, addBusinesses(rt, ["one", "two"]));
  const ids = [
    partner.id,
    ...rt.store.partnerAccess.listKeys(partner.id).map(({ id }) => id),
    ...rt.store.partnerAccess.listAccessIds(partner.id),
  ];
  expect(ids).toHaveLength(4);
  const accessRevoked = vi.fn();
  (ON_REMOVAL as OnRemoval[]).push({ accessRevoked });
  onTestFinished(() => void (ON_REMOVAL as OnRemoval[]).pop());
  deletePartner(rt, partner);
  expect(accessRevoked.mock.calls).toEqual([[rt, ids]]);
});

test("a setting that also belongs to a partner's access to businesses cannot be changed for one key alone", () => {
  const rt = createTestRuntime();
  const { key } = createTestPartner(rt, addBusinesses(rt, ["one"]));
  for (const changes of [
    { eventGroups: ["bookings"] as const },
    { maxHolds: 1 },
    { maxBookingsDay: 1 },
    { guestMail: true },
  ])
    expect(() => updateKey(rt, key.id, changes)).toThrow(/is a key of a partner/);
  expect(updateKey(rt, key.id, { limitMinute: 7, maxEndpoints: 3 })).toMatchObject({
    limitMinute: 7,
    maxEndpoints: 3,
    eventGroups: key.eventGroups,
  });
});

test("every GET route of a partner accepts exactly the documented parameters", async () => {
  const rt = createTestRuntime();
  const { secret } = createTestPartner(rt, addBusinesses(rt, ["one"]));
  const app = createTestApp(rt);
  for (const path of ["businesses", "changes", "webhooks", "webhooks/x/deliveries"]) {
    const response = await app.request(`/v1/${path}?nope=1`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    expect([path, ((await response.json()) as { code: string }).code]).toEqual([
      path,
      "unknown_parameter",
    ]);
  }
});
