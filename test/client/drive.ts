import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { paths } from "./api.ts";

// A partner's program on the types that openapi-typescript makes of the description. test/e2e/client.test.ts generates them,
// checks this against them and runs it; it prints every operation that it has visited.

const [, , baseUrl = "", businessSlug = "", key = "", hookUrl = ""] = process.argv;
const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });
const visited = new Set<string>();
client.use({
  onRequest: ({ request, schemaPath }) => void visited.add(`${request.method} ${schemaPath}`),
});

const path = { businessSlug };
const at = (id: string) => ({ path: { businessSlug, id } });

/** What came, or the problem in the program's own words. */
function given<T>({
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
  const answer = await client.GET("/v1/businesses/{businessSlug}/services", {
    params: { path, query },
  });
  const { data: services, page } = given(answer);
  assert.equal(services.length, 2);
  assert.equal(typeof services[0]?.variants?.length, "number");
  const cursor = page.nextCursor ?? assert.fail("there is no further page");
  const rest = await client.GET("/v1/businesses/{businessSlug}/services", {
    params: { path, query: { cursor } },
  });
  assert.ok(given(rest).data.every(({ variants }) => variants === undefined));

  const etag = answer.response.headers.get("etag") ?? "";
  const again = await client.GET("/v1/businesses/{businessSlug}/services", {
    params: { path, query, header: { "If-None-Match": etag } },
  });
  assert.equal(again.response.status, 304);

  given(
    await client.GET("/v1/businesses/{businessSlug}/menu", { params: { path } }),
  ).data.items.forEach(({ priceCents, allergens }) =>
    assert.ok(priceCents >= 0 && allergens.contains),
  );
  given(await client.GET("/v1/businesses/{businessSlug}/service-categories", { params: { path } }));
  given(
    await client.GET("/v1/businesses/{businessSlug}/staff", {
      params: { path, query: { locale: "es" } },
    }),
  );
  given(
    await client.GET("/v1/businesses/{businessSlug}/promotions", {
      params: { path, query: { includeUpcoming: true } },
    }),
  );
  given(await client.GET("/v1/businesses/{businessSlug}/events/catalog", { params: { path } }));

  const serviceIds = services.slice(0, 1).map(({ id }) => id);
  const free = await client.GET("/v1/businesses/{businessSlug}/availability", {
    params: { path, query: { serviceIds, granularity: "next", limit: 1 } },
  });
  const { data } = given(free);
  assert.ok("slots" in data && data.slots.length === 1);

  const { error } = await client.GET("/v1/businesses/{businessSlug}/staff", {
    params: { path: { businessSlug: "somebody-else" } },
  });
  assert.equal(error?.code, "business_mismatch");
}

async function readWhatHappened(): Promise<void> {
  const feed = await client.GET("/v1/businesses/{businessSlug}/changes", {
    params: { path, query: { types: ["service_price.updated"] } },
  });
  for (const event of given(feed).data) {
    assert.ok(event.type === "service_price.updated");
    assert.ok(event.data.changed.price && event.data.object.priceCents > 0);
  }
  const endpoints = given(
    await client.GET("/v1/businesses/{businessSlug}/webhooks", { params: { path } }),
  ).data;
  const { id } = endpoints[0] ?? assert.fail("there is no endpoint");
  const listed = await client.GET("/v1/businesses/{businessSlug}/webhooks/{id}/deliveries", {
    params: { ...at(id), query: { eventType: "service.updated" } },
  });
  const delivery = given(listed).data[0] ?? assert.fail("there is no delivery");
  const params = at(delivery.id);
  given(
    await client.GET("/v1/businesses/{businessSlug}/deliveries/{id}", { params }),
  ).data.attempts.forEach(({ outcome }) => assert.equal(outcome, "responded"));
  given(await client.POST("/v1/businesses/{businessSlug}/deliveries/{id}/redeliver", { params }));
}

async function manageEndpoint(): Promise<void> {
  const made = await client.POST("/v1/businesses/{businessSlug}/webhooks", {
    params: { path, header: { "Idempotency-Key": "drive" } },
    body: { name: "drive", url: hookUrl, events: ["service.updated", "catalog.changed"] },
  });
  const { id, secret } = given(made).data;
  assert.match(secret, /^whsec_/);
  const params = at(id);
  assert.equal(
    given(await client.GET("/v1/businesses/{businessSlug}/webhooks/{id}", { params })).data.name,
    "drive",
  );
  const changed = await client.PATCH("/v1/businesses/{businessSlug}/webhooks/{id}", {
    params,
    body: { events: ["catalog.changed"] },
  });
  assert.deepEqual(given(changed).data.events, ["catalog.changed"]);
  const tested = await client.POST("/v1/businesses/{businessSlug}/webhooks/{id}/test", {
    params,
    body: {},
  });
  assert.deepEqual([given(tested).data.ok, given(tested).data.outcome], [true, "responded"]);
  const rotated = await client.POST("/v1/businesses/{businessSlug}/webhooks/{id}/rotate-secret", {
    params,
    body: { overlapSeconds: 60 },
  });
  assert.notEqual(given(rotated).data.secret, secret);
  const finished = await client.POST(
    "/v1/businesses/{businessSlug}/webhooks/{id}/rotate-secret/finish",
    { params },
  );
  assert.equal(given(finished).data.finished, true);
  const enabled = await client.POST("/v1/businesses/{businessSlug}/webhooks/{id}/enable", {
    params,
    body: { recover: "none" },
  });
  assert.equal(given(enabled).data.recovered, 0);
  const { response } = await client.DELETE("/v1/businesses/{businessSlug}/webhooks/{id}", {
    params,
  });
  assert.equal(response.status, 204);
  const { error } = await client.GET("/v1/businesses/{businessSlug}/webhooks/{id}", { params });
  assert.equal(error?.code, "resource_not_found");
}

async function lookAfterTheBox(): Promise<void> {
  assert.equal(given(await client.GET("/healthz")).status, "ok");
  assert.equal(given(await client.GET("/readyz")).status, "ready");
  assert.match(given(await client.GET("/metrics", { parseAs: "text" })), /^# /);
  assert.match(given(await client.GET("/openapi.json")).openapi, /^3\.1\./);
}

await readCatalog();
await readWhatHappened();
await manageEndpoint();
await lookAfterTheBox();
process.stdout.write(JSON.stringify([...visited]));
