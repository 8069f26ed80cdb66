import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./api.ts";

// A partner's program that uses the types that openapi-typescript generates from the OpenAPI
// document. test/e2e/client.test.ts type-checks and runs it; it prints every operation it called.

const [, , baseUrl = "", businessSlug = "", key = "", hookUrl = ""] = process.argv;
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });
const called = new Set<string>();
client.use({
  onRequest: ({ request, schemaPath }) => void called.add(`${request.method} ${schemaPath}`),
});

const path = { businessSlug };
const pathWithId = (id: string) => ({ path: { businessSlug, id } });

/** The data of a response; throws the problem of a failed one. */
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
  // Only types that this client names: OtherEvent is for types that were added later.
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

async function callOperations(): Promise<void> {
  assert.equal(dataOf(await client.GET("/healthz")).status, "ok");
  assert.equal(dataOf(await client.GET("/readyz")).status, "ready");
  assert.match(dataOf(await client.GET("/metrics", { parseAs: "text" })), /^# /);
  assert.match(dataOf(await client.GET("/openapi.json")).openapi, /^3\.1\./);
}

await readCatalog();
await readEvents();
await manageEndpoint();
await callOperations();
process.stdout.write(JSON.stringify([...called]));
