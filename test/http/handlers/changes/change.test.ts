import { expect, test } from "vitest";
import { eraseVisits } from "../../../../src/app/guests/erase-visits.ts";
import { triggerEvent } from "../../../../src/app/webhooks/sample-events.ts";
import type { EventType } from "../../../../src/domain/events/event-types.ts";
import { getBusinessOfKey } from "../../../../src/http/pipeline/business-response.ts";
import { openBookingShop, visit } from "../../support/bookings.ts";
import { applyPreset, createTestApi, SALON, type TestApi } from "../../support/api.ts";
import { renameService, SALON_ID } from "../../support/webhooks.ts";

const CHANGES = `/v1/businesses/${SALON}/changes`;

const stored = (api: TestApi) => api.store.events.listAfter(SALON_ID, 0, 100_000);

function trigger(api: TestApi, type: EventType): string {
  triggerEvent(api, getBusinessOfKey(api, { businessId: SALON_ID }), type);
  return stored(api).at(-1)!.id;
}

test("GET of an event returns the event's stored bytes, and a cursor that continues after the event", async () => {
  const api = createTestApi();
  renameService(api, "Cut");
  const events = stored(api);
  const event = events.at(-2)!;
  const response = await api.request(`${CHANGES}/${event.id}`);
  expect(response.headers.get("cache-control")).toBe("no-store");
  const text = await response.text();
  expect(text.startsWith(`{"data":${event.body.toString()},"meta":`)).toBe(true);
  const { meta } = JSON.parse(text) as { meta: { sequence: number; cursor: string } };
  expect(meta).toMatchObject({ business: { slug: SALON }, sequence: event.sequence });
  const feed = await (await api.request(`${CHANGES}?after=${meta.cursor}`)).json();
  expect((feed as { data: object[] }).data).toMatchObject([{ id: events.at(-1)!.id }]);
});

test("an event that the key may not receive looks like one that does not exist", async () => {
  const api = createTestApi();
  const own = trigger(api, "booking.created");
  applyPreset(api, "restaurant");
  const foreign = api.store.businesses.list().find(({ slug }) => slug !== SALON)!;
  const [{ id: other } = { id: "" }] = api.store.events.listAfter(foreign.id, 0, 1);
  const read = async (id: string, key?: string) => {
    const problem = await api.requestProblem(`${CHANGES}/${id}`, key === undefined ? {} : { key });
    return { ...problem, requestId: "" };
  };
  const unknown = await read("evt_none");
  expect(unknown).toMatchObject({ status: 404, code: "resource_not_found" });
  expect(await read(other)).toEqual(unknown);
  const catalogOnly = api.createKey({ eventGroups: ["catalog"] });
  expect(await read(own, catalogOnly.secret)).toEqual(unknown);
  const limitedToOwn = api.createKey({
    kind: "RESTRICTED",
    scopes: ["webhooks.read", "bookings.write"],
  });
  expect(await read(own, limitedToOwn.secret)).toEqual(unknown);
  const noWebhooks = api.createKey({ kind: "RESTRICTED", scopes: ["services.read"] });
  expect(await read(own, noWebhooks.secret)).toMatchObject({ code: "insufficient_scope" });
});

test("an event has customer references only for keys with a scope for bookings", async () => {
  const api = createTestApi();
  const id = trigger(api, "booking.created");
  const referenceFor = async (...scopes: string[]) => {
    const { secret } = api.createKey({ kind: "RESTRICTED", scopes });
    const response = await api.request(`${CHANGES}/${id}`, { key: secret });
    const { data } = (await response.json()) as { data: { data: { object: object } } };
    return data.data.object;
  };
  expect(await referenceFor("webhooks.read")).toMatchObject({ customerRef: null });
  expect(await referenceFor("webhooks.read", "bookings.read")).toMatchObject({
    customerRef: "sample",
  });
});

test("the event of an erased guest has no reference to the guest", async () => {
  const { rt, site, owner, business } = openBookingShop();
  const { body } = await site.send("POST", "/bookings", visit("09:00", { customerRef: "guest-7" }));
  const event = rt.store.events
    .listAfter(business().id, 0, 100)
    .find(({ type }) => type === "booking.created")!;
  const read = async () => (await owner.send("GET", `/changes/${event.id}`)).text;
  expect(await read()).toContain("guest-7");
  rt.tx(() => eraseVisits(rt, [body.data.id]));
  expect(await read()).not.toContain("guest-7");
});
