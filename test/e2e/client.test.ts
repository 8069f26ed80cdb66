import assert from "node:assert/strict";
import { expect, test } from "vitest";
import { OPERATIONS } from "../../src/client/generated/operations.ts";
import {
  createClient,
  type DeskbellClient,
  type DeskbellError,
  type DeskbellEvent,
  verifyWebhook,
} from "../../src/client/index.ts";
import { createSeededSalon, spawnDaemon, waitForUrl } from "../support/daemon.ts";
import { createReceiver, type ReceivedRequest } from "../support/receiver.ts";

// A partner's program that calls every operation with the client, whose types come from the OpenAPI
// document. The type check of this file shows that the types describe what the daemon sends.

/** Returns the code of the problem with which a call is refused. */
const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => assert.fail("The call was not refused."),
    (error: DeskbellError) => error.code,
  );

async function readCatalog(client: DeskbellClient): Promise<void> {
  const services = await client.listServices({ includeVariants: true, limit: 2 });
  assert.equal(services.data.length, 2);
  assert.equal(typeof services.data[0]?.variants?.length, "number");
  const names = new Set<string>();
  for await (const { name } of client.listServices({ limit: 2 })) names.add(name);
  assert.equal(names.size, (await client.listServices()).data.length);
  assert.ok(names.size > 2);

  const business = await client.getBusiness();
  assert.ok(business.data.currencyDigits === 2 && business.data.openingHours.regular.length > 0);
  const unchanged = await client.getBusiness({ previous: business });
  assert.deepEqual([unchanged.status, unchanged.data], [304, business.data]);

  const menu = await client.getMenu();
  for (const { priceCents, allergens } of menu.data.items)
    assert.ok(priceCents >= 0 && allergens.contains);
  await client.listServiceCategories();
  await client.listStaff({ locale: "es" });
  await client.listPromotions({ includeUpcoming: true });
  await client.listPublicEvents();
  const serviceIds = services.data.slice(0, 1).map(({ id }) => id);
  const { data } = await client.getAvailability({ serviceIds, granularity: "next", limit: 1 });
  assert.ok("slots" in data && data.slots.length === 1);
}

async function readEvents(client: DeskbellClient, delivered: ReceivedRequest): Promise<void> {
  for await (const event of client.listChanges({ types: ["service_price.updated"] })) {
    // The type of `event` has a variant for event types that later versions add. `DeskbellEvent`
    // has only the known types, so TypeScript knows the data of each.
    const known = event as DeskbellEvent;
    assert.ok(known.type === "service_price.updated");
    assert.ok(known.data.changed.price && known.data.object.priceCents > 0);
  }
  const [endpoint] = (await client.listEndpoints()).data;
  const { id } = endpoint ?? assert.fail("There is no endpoint.");
  const deliveries = await client.listDeliveries({ id, eventType: "service.updated" });
  const delivery = deliveries.data[0] ?? assert.fail("There is no delivery.");
  const { attempts } = (await client.getDelivery({ id: delivery.id })).data;
  for (const { outcome } of attempts) assert.equal(outcome, "responded");
  await client.redeliverDelivery({ id: delivery.id });
  const { data: event } = await client.getChange({ id: delivery.eventId });
  assert.deepEqual([event.id, event.type], [delivery.eventId, "service.updated"]);
  const { data: all } = await client.listAllDeliveries({ eventId: event.id });
  assert.deepEqual(new Set(all.map(({ eventId }) => eventId)), new Set([event.id]));
  const again = { eventType: "catalog.changed" as const };
  const counted = await client.redeliverDeliveries({ dryRun: true, body: again });
  assert.ok(counted.data.count > 0);

  const rotated = await client.rotateEndpointSecret({ id, body: { overlapSeconds: 60 } });
  const header = String(delivered.headers["x-service-signature"]);
  const { secret } = rotated.data;
  const wrong = verifyWebhook({ body: delivered.body, header, secret });
  await assert.rejects(wrong, { name: "WebhookError", reason: "wrong_secret" });
}

async function manageEndpoint(client: DeskbellClient, url: string): Promise<void> {
  const created = await client.createEndpoint({
    body: { name: "drive", url, events: ["service.updated", "catalog.changed"] },
  });
  const { id, secret } = created.data;
  assert.match(secret, /^whsec_/);
  const { data, etag } = await client.getEndpoint({ id });
  assert.equal(data.name, "drive");
  const ifMatch = etag ?? assert.fail("There is no ETag.");
  const changed = await client.updateEndpoint({
    id,
    ifMatch,
    body: { events: ["catalog.changed"] },
  });
  assert.deepEqual(changed.data.events, ["catalog.changed"]);
  const again = client.updateEndpoint({ id, ifMatch, body: { name: "again" } });
  assert.equal(await codeOf(again), "version_mismatch");
  const tested = await client.testEndpoint({ id });
  assert.deepEqual([tested.data.ok, tested.data.outcome], [true, "responded"]);
  const rotated = await client.rotateEndpointSecret({ id, body: { overlapSeconds: 60 } });
  assert.notEqual(rotated.data.secret, secret);
  assert.equal((await client.finishSecretRotation({ id })).data.finished, true);
  assert.equal((await client.enableEndpoint({ id, body: { recover: "none" } })).data.recovered, 0);
  assert.equal((await client.deleteEndpoint({ id })).status, 204);
  assert.equal(await codeOf(client.getEndpoint({ id })), "resource_not_found");
}

async function takeBookings(client: DeskbellClient): Promise<void> {
  const serviceIds = (await client.listServices()).data.slice(0, 1).map(({ id }) => id);
  const { data } = await client.getAvailability({ serviceIds, granularity: "next", limit: 9 });
  // The test takes the last times, because the first ones can become too soon to book while it
  // runs.
  const [first, second] = "slots" in data ? data.slots.slice(-2) : [];
  assert.ok(first !== undefined && second !== undefined);
  const segments = serviceIds.map((serviceId) => ({ serviceId }));
  const hold = { startsAt: first.startsAt, segments };
  const held = await client.createHold({ body: hold, idempotencyKey: "hold", visitorId: "ana" });
  const repeated = await client.createHold({
    body: hold,
    idempotencyKey: "hold",
    visitorId: "ana",
  });
  assert.equal(repeated.data.id, held.data.id);
  const { id: holdId, totalCents } = held.data;
  const booked = await client.createBooking({
    body: { holdId, expectedTotalCents: totalCents, customer: { name: "Ana" } },
  });
  const { id, status } = booked.data;
  assert.equal(status, "CONFIRMED");
  assert.equal((await client.getBooking({ id })).data.customer?.name, "Ana");
  const listed = await client.listBookings({ status });
  assert.deepEqual(
    listed.data.map((booking) => booking.id),
    [id],
  );
  await client.updateBooking({ id, body: { customerRef: "web-1" } });
  const moved = await client.rescheduleBooking({ id, body: { startsAt: second.startsAt } });
  assert.equal(moved.data.startsAt, second.startsAt);
  assert.equal(await codeOf(client.completeBooking({ id })), "wrong_status");
  assert.equal(await codeOf(client.markNoShowBooking({ id })), "wrong_status");
  assert.equal(await codeOf(client.approveBooking({ id })), "wrong_status");
  assert.equal(await codeOf(client.declineBooking({ id })), "wrong_status");
  const cancelled = await client.cancelBooking({ id, body: { reason: "ill" } });
  assert.equal(cancelled.data.cancelReason, "ill");
  assert.equal(await codeOf(client.deleteHold({ id: holdId })), "hold_used");
  assert.equal((await client.getHold({ id: holdId })).data.bookingId, id);
}

/** Calls the operations of reservations and tickets, although the salon has no tables or tickets. */
async function callWithoutObjects(client: DeskbellClient): Promise<void> {
  const startsAt = "2027-01-01T10:00:00Z";
  const table = client.createReservation({ body: { startsAt, partySize: 2 } });
  assert.equal(await codeOf(table), "party_too_large");
  assert.deepEqual((await client.listReservations()).data, []);
  const id = "none";
  const items = [{ ticketTypeId: id, quantity: 1 }];
  assert.deepEqual((await client.listTicketOrders()).data, []);
  const refused = [
    client.getReservation({ id }),
    client.updateReservation({ id, body: { customerRef: null } }),
    client.rescheduleReservation({ id, body: { startsAt } }),
    client.cancelReservation({ id }),
    client.approveReservation({ id }),
    client.declineReservation({ id }),
    client.completeReservation({ id }),
    client.markNoShowReservation({ id }),
    client.createTicketOrder({ body: { eventId: id, items } }),
    client.getTicketOrder({ id }),
    client.confirmTicketOrder({ id }),
    client.cancelTicketOrder({ id }),
    client.reissueTickets({ id }),
  ];
  const codes = await Promise.all(refused.map(codeOf));
  assert.deepEqual(new Set(codes), new Set(["resource_not_found"]));
}

async function rotateOwnKey(client: DeskbellClient, secret: string): Promise<void> {
  const { data: key } = await client.getKey();
  assert.deepEqual([key.selfRotation, key.last4], [true, secret.slice(-4)]);
  const { data: rotated } = await client.rotateKey({ body: { overlapSeconds: 60 } });
  assert.notEqual(rotated.secret, secret);
}

test("the client calls every operation of the daemon", { timeout: 120_000 }, async () => {
  const { dataDir, deskbell } = await createSeededSalon();
  const args = ["--allow-http", "--allow-private", "127.0.0.0/8"];
  const baseUrl = await waitForUrl(spawnDaemon(dataDir, ...args));
  const partner = await createReceiver();
  const more = ["--limit-minute", "1000", "--self-rotation"];
  const key = await deskbell("keys", "create", "--name", "client", "--secret", ...more);
  const endpoint = ["--name", "site", "--url", partner.url, "--event", "all", "--allow-private"];
  await deskbell("webhooks", "create", ...endpoint);
  await deskbell("services", "update", "beard-trim", "--price", "77.00");
  await partner.waitForRequests(3);

  const called = new Set<string>();
  const client = createClient({
    baseUrl,
    business: "salon-aurora",
    key,
    fetch(url, init) {
      const path = new URL(String(url)).pathname.replace("/v1/businesses/salon-aurora", "");
      called.add(
        `${init?.method} ${path.replace(/\b(?:(?:whe|dlv|evt|bkg|hld)_\w+|none)\b/, "{id}")}`,
      );
      return fetch(url, init);
    },
  });
  const other = createClient({ baseUrl, business: "other", key });
  expect(await codeOf(other.getBusiness())).toBe("business_mismatch");
  await readCatalog(client);
  await readEvents(client, partner.requests[0]!);
  await manageEndpoint(client, partner.url);
  await takeBookings(client);
  await callWithoutObjects(client);
  await rotateOwnKey(client, key);
  const operations = Object.values(OPERATIONS).map(([method, path]) => `${method} ${path}`);
  expect([...called].toSorted()).toEqual(operations.toSorted());
});
