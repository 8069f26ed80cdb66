import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./api.ts";

// A partner's program with the types that openapi-typescript generates from the OpenAPI document.
// test/e2e/client.test.ts type-checks and runs it. The program prints every operation it called.

const [, , baseUrl = "", businessSlug = "", key = "", hookUrl = "", metricsToken = ""] =
  process.argv;
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });
const called = new Set<string>();
client.use({
  onRequest: ({ request, schemaPath }) => void called.add(`${request.method} ${schemaPath}`),
});

const path = { businessSlug };
const pathWithId = (id: string) => ({ path: { businessSlug, id } });

/** Returns the data of a response, or throws the problem of a failed one. */
function dataOf<T>({
  data,
  error,
}: {
  data?: T;
  error?: { code: string; detail: string };
}): NonNullable<T> {
  if (data === undefined || data === null)
    throw new Error(error && `${error.code}: ${error.detail}`);
  return data;
}

async function readCatalog(): Promise<void> {
  const query = { includeVariants: true, includeAddons: true, limit: 2 };
  const response = await client.GET("/v1/businesses/{businessSlug}/services", {
    params: { path, query },
  });
  const { data: services, page } = dataOf(response);
  assert.equal(services.length, 2);
  assert.equal(typeof services[0]?.variants?.length, "number");
  const cursor = page.nextCursor ?? assert.fail("there is no further page");
  const rest = await client.GET("/v1/businesses/{businessSlug}/services", {
    params: { path, query: { cursor } },
  });
  assert.ok(dataOf(rest).data.every(({ variants }) => variants === undefined));

  const { data: business } = dataOf(
    await client.GET("/v1/businesses/{businessSlug}", { params: { path } }),
  );
  assert.ok(business.currencyDigits === 2 && business.openingHours.regular.length > 0);

  const etag = response.response.headers.get("etag") ?? "";
  const again = await client.GET("/v1/businesses/{businessSlug}/services", {
    params: { path, query, header: { "If-None-Match": etag } },
  });
  assert.equal(again.response.status, 304);

  dataOf(
    await client.GET("/v1/businesses/{businessSlug}/menu", { params: { path } }),
  ).data.items.forEach(({ priceCents, allergens }) =>
    assert.ok(priceCents >= 0 && allergens.contains),
  );
  dataOf(
    await client.GET("/v1/businesses/{businessSlug}/service-categories", { params: { path } }),
  );
  dataOf(
    await client.GET("/v1/businesses/{businessSlug}/staff", {
      params: { path, query: { locale: "es" } },
    }),
  );
  dataOf(
    await client.GET("/v1/businesses/{businessSlug}/promotions", {
      params: { path, query: { includeUpcoming: true } },
    }),
  );
  dataOf(await client.GET("/v1/businesses/{businessSlug}/events/catalog", { params: { path } }));

  const serviceIds = services.slice(0, 1).map(({ id }) => id);
  const availability = await client.GET("/v1/businesses/{businessSlug}/availability", {
    params: { path, query: { serviceIds, granularity: "next", limit: 1 } },
  });
  const { data } = dataOf(availability);
  assert.ok("slots" in data && data.slots.length === 1);

  const { error } = await client.GET("/v1/businesses/{businessSlug}/staff", {
    params: { path: { businessSlug: "other-business" } },
  });
  assert.equal(error?.code, "business_mismatch");
}

async function readEvents(): Promise<void> {
  const feed = await client.GET("/v1/businesses/{businessSlug}/changes", {
    params: { path, query: { types: ["service_price.updated"] } },
  });
  // KnownEvent has every event type but those added later, which are OtherEvent.
  for (const event of dataOf(feed).data as components["schemas"]["KnownEvent"][]) {
    assert.ok(event.type === "service_price.updated");
    assert.ok(event.data.changed.price && event.data.object.priceCents > 0);
  }
  const endpoints = dataOf(
    await client.GET("/v1/businesses/{businessSlug}/webhooks", { params: { path } }),
  ).data;
  const { id } = endpoints[0] ?? assert.fail("there is no endpoint");
  const listed = await client.GET("/v1/businesses/{businessSlug}/webhooks/{id}/deliveries", {
    params: { ...pathWithId(id), query: { eventType: "service.updated" } },
  });
  const delivery = dataOf(listed).data[0] ?? assert.fail("there is no delivery");
  const params = pathWithId(delivery.id);
  dataOf(
    await client.GET("/v1/businesses/{businessSlug}/deliveries/{id}", { params }),
  ).data.attempts.forEach(({ outcome }) => assert.equal(outcome, "responded"));
  dataOf(await client.POST("/v1/businesses/{businessSlug}/deliveries/{id}/redeliver", { params }));
}

async function manageEndpoint(): Promise<void> {
  const created = await client.POST("/v1/businesses/{businessSlug}/webhooks", {
    params: { path, header: { "Idempotency-Key": "drive" } },
    body: { name: "drive", url: hookUrl, events: ["service.updated", "catalog.changed"] },
  });
  const { id, secret } = dataOf(created).data;
  assert.match(secret, /^whsec_/);
  const params = pathWithId(id);
  assert.equal(
    dataOf(await client.GET("/v1/businesses/{businessSlug}/webhooks/{id}", { params })).data.name,
    "drive",
  );
  const changed = await client.PATCH("/v1/businesses/{businessSlug}/webhooks/{id}", {
    params,
    body: { events: ["catalog.changed"] },
  });
  assert.deepEqual(dataOf(changed).data.events, ["catalog.changed"]);
  const tested = await client.POST("/v1/businesses/{businessSlug}/webhooks/{id}/test", {
    params,
    body: {},
  });
  assert.deepEqual([dataOf(tested).data.ok, dataOf(tested).data.outcome], [true, "responded"]);
  const rotated = await client.POST("/v1/businesses/{businessSlug}/webhooks/{id}/rotate-secret", {
    params,
    body: { overlapSeconds: 60 },
  });
  assert.notEqual(dataOf(rotated).data.secret, secret);
  const finished = await client.POST(
    "/v1/businesses/{businessSlug}/webhooks/{id}/rotate-secret/finish",
    { params },
  );
  assert.equal(dataOf(finished).data.finished, true);
  const enabled = await client.POST("/v1/businesses/{businessSlug}/webhooks/{id}/enable", {
    params,
    body: { recover: "none" },
  });
  assert.equal(dataOf(enabled).data.recovered, 0);
  const { response } = await client.DELETE("/v1/businesses/{businessSlug}/webhooks/{id}", {
    params,
  });
  assert.equal(response.status, 204);
  const { error } = await client.GET("/v1/businesses/{businessSlug}/webhooks/{id}", { params });
  assert.equal(error?.code, "resource_not_found");
}

async function takeBookings(): Promise<void> {
  const once = () => ({ "Idempotency-Key": crypto.randomUUID() });
  const services = await client.GET("/v1/businesses/{businessSlug}/services", { params: { path } });
  const serviceIds = dataOf(services)
    .data.slice(0, 1)
    .map(({ id }) => id);
  const availability = await client.GET("/v1/businesses/{businessSlug}/availability", {
    params: { path, query: { serviceIds, granularity: "next", limit: 2 } },
  });
  const { data } = dataOf(availability);
  const [first, second] = "slots" in data ? data.slots : [];
  assert.ok(first !== undefined && second !== undefined);
  const segments = serviceIds.map((serviceId) => ({ serviceId }));
  const held = await client.POST("/v1/businesses/{businessSlug}/holds", {
    params: { path, header: once() },
    body: { startsAt: first.startsAt, segments },
  });
  const { id: holdId, totalCents } = dataOf(held).data;
  const booked = await client.POST("/v1/businesses/{businessSlug}/bookings", {
    params: { path, header: once() },
    body: { holdId, expectedTotalCents: totalCents, customer: { name: "Ana" } },
  });
  const { id, status } = dataOf(booked).data;
  assert.equal(status, "CONFIRMED");
  const params = pathWithId(id);
  const read = await client.GET("/v1/businesses/{businessSlug}/bookings/{id}", { params });
  assert.equal(dataOf(read).data.customer?.name, "Ana");
  const listed = await client.GET("/v1/businesses/{businessSlug}/bookings", {
    params: { path, query: { status } },
  });
  assert.deepEqual(
    dataOf(listed).data.map((booking) => booking.id),
    [id],
  );
  dataOf(
    await client.PATCH("/v1/businesses/{businessSlug}/bookings/{id}", {
      params,
      body: { customerRef: "web-1" },
    }),
  );
  const moved = await client.POST("/v1/businesses/{businessSlug}/bookings/{id}/reschedule", {
    params,
    body: { startsAt: second.startsAt },
  });
  assert.equal(dataOf(moved).data.startsAt, second.startsAt);
  const early = await client.POST("/v1/businesses/{businessSlug}/bookings/{id}/complete", {
    params,
    body: {},
  });
  assert.equal(early.error?.code, "wrong_status");
  await client.POST("/v1/businesses/{businessSlug}/bookings/{id}/no-show", { params, body: {} });
  await client.POST("/v1/businesses/{businessSlug}/bookings/{id}/approve", { params, body: {} });
  await client.POST("/v1/businesses/{businessSlug}/bookings/{id}/decline", { params, body: {} });
  const cancelled = await client.POST("/v1/businesses/{businessSlug}/bookings/{id}/cancel", {
    params,
    body: { reason: "ill" },
  });
  assert.equal(dataOf(cancelled).data.cancelReason, "ill");
  const { error } = await client.DELETE("/v1/businesses/{businessSlug}/holds/{id}", {
    params: pathWithId(holdId),
  });
  assert.equal(error?.code, "hold_used");
  const used = await client.GET("/v1/businesses/{businessSlug}/holds/{id}", {
    params: pathWithId(holdId),
  });
  assert.equal(dataOf(used).data.bookingId, id);
}

/** Calls the routes of reservations and tickets, although the salon has no tables or tickets. */
async function callWithoutObjects(): Promise<void> {
  const header = { "Idempotency-Key": "none" };
  const params = pathWithId("none");
  const startsAt = "2027-01-01T10:00:00Z";
  const table = await client.POST("/v1/businesses/{businessSlug}/reservations", {
    params: { path, header },
    body: { startsAt, partySize: 2 },
  });
  assert.equal(table.error?.code, "party_too_large");
  dataOf(await client.GET("/v1/businesses/{businessSlug}/reservations", { params: { path } }));
  const { error } = await client.GET("/v1/businesses/{businessSlug}/reservations/{id}", { params });
  assert.equal(error?.code, "resource_not_found");
  await client.PATCH("/v1/businesses/{businessSlug}/reservations/{id}", {
    params,
    body: { customerRef: null },
  });
  await client.POST("/v1/businesses/{businessSlug}/reservations/{id}/reschedule", {
    params,
    body: { startsAt },
  });
  await client.POST("/v1/businesses/{businessSlug}/reservations/{id}/cancel", { params, body: {} });
  await client.POST("/v1/businesses/{businessSlug}/reservations/{id}/approve", {
    params,
    body: {},
  });
  await client.POST("/v1/businesses/{businessSlug}/reservations/{id}/decline", {
    params,
    body: {},
  });
  await client.POST("/v1/businesses/{businessSlug}/reservations/{id}/complete", {
    params,
    body: {},
  });
  await client.POST("/v1/businesses/{businessSlug}/reservations/{id}/no-show", {
    params,
    body: {},
  });
  const order = await client.POST("/v1/businesses/{businessSlug}/ticket-orders", {
    params: { path, header: { "Idempotency-Key": "tickets" } },
    body: { eventId: "none", items: [{ ticketTypeId: "none", quantity: 1 }] },
  });
  assert.equal(order.error?.code, "resource_not_found");
  dataOf(await client.GET("/v1/businesses/{businessSlug}/ticket-orders", { params: { path } }));
  await client.GET("/v1/businesses/{businessSlug}/ticket-orders/{id}", { params });
  await client.POST("/v1/businesses/{businessSlug}/ticket-orders/{id}/confirm", {
    params: { ...params, header: { "Idempotency-Key": "confirm" } },
    body: {},
  });
  await client.POST("/v1/businesses/{businessSlug}/ticket-orders/{id}/cancel", {
    params,
    body: {},
  });
  await client.POST("/v1/businesses/{businessSlug}/ticket-orders/{id}/reissue", {
    params,
    body: {},
  });
}

async function callOperations(): Promise<void> {
  assert.equal(dataOf(await client.GET("/healthz")).status, "ok");
  assert.equal(dataOf(await client.GET("/readyz")).status, "ready");
  const operator = { headers: { authorization: `Bearer ${metricsToken}` } };
  assert.match(dataOf(await client.GET("/metrics", { ...operator, parseAs: "text" })), /^# /);
  assert.ok(
    dataOf(await client.GET("/metrics/status", operator)).data.businesses.includes(
      path.businessSlug,
    ),
  );
  assert.match(dataOf(await client.GET("/openapi.json")).openapi, /^3\.1\./);
  const file = { params: { path: { file: "none.ics" } }, parseAs: "text" } as const;
  assert.equal((await client.GET("/calendars/{file}", file)).error?.code, "resource_not_found");
  const ofBusiness = { ...file, params: { path: { ...path, file: "none.ics" } } } as const;
  const calendar = "/v1/businesses/{businessSlug}/calendars/{file}";
  assert.equal((await client.GET(calendar, ofBusiness)).error?.code, "resource_not_found");
}

await readCatalog();
await readEvents();
await manageEndpoint();
await takeBookings();
await callWithoutObjects();
await callOperations();
process.stdout.write(JSON.stringify([...called]));
