import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { updateKey } from "../../../../src/app/keys.ts";
import { eraseVisits } from "../../../../src/app/guests/erase-visits.ts";
import {
  deleteEndpoint,
  disableEndpoint,
} from "../../../../src/app/webhooks/endpoint-lifecycle.ts";
import { createEndpoint } from "../../../../src/app/webhooks/endpoints.ts";
import { triggerEvent } from "../../../../src/app/webhooks/sample-events.ts";
import { deliveryWithAttempts } from "../../../../src/domain/public/schemas/webhook.ts";
import type { WebhookPost } from "../../../../src/domain/webhooks/webhook-post.ts";
import { getBusinessOfKey } from "../../../../src/http/pipeline/business-response.ts";
import { openDatabase } from "../../../../src/store/database/database.ts";
import { createTestWorker } from "../../../support/delivery.ts";
import { createTestApi, type TestApi } from "../../support/api.ts";
import { openBookingShop, visit } from "../../support/bookings.ts";
import {
  createTestEndpoint,
  DELIVERIES,
  readData,
  renameService,
  SALON_ID,
} from "../../support/webhooks.ts";

/** Opens the API with a receiver that keeps the requests that it gets. */
function setUp(statusCode = 200) {
  const api = createTestApi();
  const posts: WebhookPost[] = [];
  const response = { statusCode };
  const worker = createTestWorker(api, async (post) => {
    posts.push(post);
    return { kind: "responded", retryAfter: null, responseText: "", ...response };
  });
  const send = async () => {
    worker.sweep();
    await worker.whenIdle();
  };
  return { api, posts, response, send };
}

const newest = (api: TestApi) => api.store.deliveries.list({}, 1)[0]!;
const read = async (api: TestApi, id: string, key?: string) =>
  deliveryWithAttempts.parse(
    await readData(await api.request(`${DELIVERIES}/${id}`, key === undefined ? {} : { key })),
  );

describe("the request of a delivery", () => {
  test("a delivery has the request of its last attempt, with hidden signatures", async () => {
    const { api, posts, response, send } = setUp(500);
    const { endpoint, secret } = await createTestEndpoint(api, null);
    renameService(api, "Cut");
    await send();
    api.advance(10_000);
    response.statusCode = 200;
    await send();
    const { id } = newest(api);
    const sent = posts.findLast(({ headers }) => headers["X-Service-Delivery"] === id)!;
    const { request } = await read(api, id);
    const hidden = {
      "X-Service-Signature": sent.headers["X-Service-Signature"]!.replace(/v1=.*/, "v1=HIDDEN"),
      "webhook-signature": "v1,HIDDEN",
    };
    expect(request).toEqual({
      url: endpoint.url,
      headers: { ...sent.headers, ...hidden },
      body: sent.body.toString(),
    });
    expect(request!.headers["X-Service-Attempt"]).toBe("2");
    // The partner can compute the signature of the attempt from what the response has.
    const { "X-Service-Signature": header, "webhook-timestamp": t } = request!.headers;
    const v1 = createHmac("sha256", secret).update(`${t}.${request!.body}`).digest("hex");
    expect(header!.replace("HIDDEN", v1)).toBe(sent.headers["X-Service-Signature"]);
  });

  test("a delivery that was never attempted shows the headers that its first attempt will have", async () => {
    const { api } = setUp();
    await createTestEndpoint(api, null);
    renameService(api, "Cut");
    const { request, attempts } = await read(api, newest(api).id);
    expect(attempts).toEqual([]);
    expect(request!.headers["X-Service-Attempt"]).toBe("1");
  });

  test("a delivery of a deleted endpoint has no URL", async () => {
    const { api } = setUp();
    const { endpoint } = await createTestEndpoint(api, null);
    renameService(api, "Cut");
    deleteEndpoint(api, endpoint.id);
    expect((await read(api, newest(api).id)).request).toMatchObject({ url: null });
  });

  test("the request of a delivery has the customer reference only if the endpoint's key may receive it", async () => {
    const { api } = setUp();
    const subscribe = (scopes: string[]) => {
      const { id, secret } = api.createKey({ kind: "RESTRICTED", scopes });
      const fields = { businessId: SALON_ID, keyId: id, name: "hook", allowPrivate: true };
      return createEndpoint(api, {
        ...fields,
        url: `http://10.0.0.1/${scopes.length}`,
        events: ["booking.created"],
      }).then(({ endpoint }) => ({ endpoint, id, secret }));
    };
    const without = await subscribe(["webhooks.write"]);
    const withReference = await subscribe(["webhooks.write", "bookings.read"]);
    triggerEvent(api, getBusinessOfKey(api, { businessId: SALON_ID }), "booking.created");
    const bodyFor = async ({ endpoint }: typeof without, key?: string) => {
      const [{ id } = { id: "" }] = api.store.deliveries.list({ endpointId: endpoint.id }, 1);
      const { request } = await read(api, id, key);
      return request && (JSON.parse(request.body) as { data: { object: object } }).data.object;
    };
    expect(await bodyFor(without, without.secret)).toMatchObject({ customerRef: null });
    expect(await bodyFor(without)).toMatchObject({ customerRef: null });
    expect(await bodyFor(withReference)).toMatchObject({ customerRef: "sample" });
    updateKey(api, without.id, { eventGroups: ["bookings"] });
    expect(await bodyFor(without, without.secret)).toMatchObject({ customerRef: null });
  });

  test("a key without the group of an event sees the event's delivery, but not the delivery's request", async () => {
    const { api } = setUp();
    const { id, secret } = api.createKey({ kind: "RESTRICTED", scopes: ["webhooks.write"] });
    await createTestEndpoint(api, id);
    triggerEvent(api, getBusinessOfKey(api, { businessId: SALON_ID }), "booking.created");
    const delivery = newest(api).id;
    expect((await read(api, delivery, secret)).request).not.toBeNull();
    updateKey(api, id, { eventGroups: ["catalog"] });
    expect(await read(api, delivery, secret)).toMatchObject({
      eventType: "booking.created",
      request: null,
    });
  });

  test("a secret key without the group of an event does not see the event's deliveries to endpoints of other keys", async () => {
    const { api } = setUp();
    const { endpoint } = await createTestEndpoint(api, null);
    triggerEvent(api, getBusinessOfKey(api, { businessId: SALON_ID }), "booking.created");
    const [{ id } = { id: "" }] = api.store.deliveries.list({ endpointId: endpoint.id }, 1);
    const statusFor = async (eventGroups: ("bookings" | "catalog")[]) => {
      const { secret } = api.createKey({ kind: "SECRET", eventGroups });
      return (await api.request(`${DELIVERIES}/${id}`, { key: secret })).status;
    };
    expect(await statusFor(["bookings"])).toBe(200);
    expect(await statusFor(["catalog"])).toBe(404);
  });

  test("a delivery whose event was altered has no request", async () => {
    const { api } = setUp();
    await createTestEndpoint(api, null);
    renameService(api, "Cut");
    const { id, eventId } = newest(api);
    const other = openDatabase(api.config.databasePath, 1000, null);
    other.db.prepare("UPDATE event SET body = CAST('{}' AS BLOB) WHERE id = ?").run(eventId);
    other.close();
    expect((await read(api, id)).request).toBeNull();
  });

  test("the shown request of a delivery has no customer reference after its guest was erased", async () => {
    const { rt, site, owner, business } = openBookingShop();
    const fields = { businessId: business().id, keyId: null, name: "hook", allowPrivate: true };
    await createEndpoint(rt, { ...fields, url: "http://10.0.0.1/", events: ["booking.created"] });
    const { body } = await site.send(
      "POST",
      "/bookings",
      visit("09:00", { customerRef: "guest-7" }),
    );
    const { id } = rt.store.deliveries.list({}, 1)[0]!;
    const readText = async () => (await owner.send("GET", `/deliveries/${id}`)).text;
    expect(await readText()).toContain("guest-7");
    rt.tx(() => eraseVisits(rt, [body.data.id]));
    expect(await readText()).not.toContain("guest-7");
  });
});

describe("why a delivery waits", () => {
  test("a delivery says whether it waits for its turn, its next attempt or its endpoint", async () => {
    const { api, response, send } = setUp(500);
    const { endpoint } = await createTestEndpoint(api, null);
    renameService(api, "Cut");
    const { id } = newest(api);
    expect((await read(api, id)).waiting).toMatchObject({ reason: "due", until: null });
    await send();
    const { waiting, nextAttemptAt } = await read(api, id);
    expect(waiting).toMatchObject({ reason: "retry", until: nextAttemptAt });
    disableEndpoint(api, endpoint.id, "paused");
    expect(await read(api, id)).toMatchObject({
      status: "PARKED",
      waiting: { reason: "disabled", until: null },
    });
    response.statusCode = 200;
  });

  test("a delivery to a failing endpoint waits until the next probe of the endpoint", async () => {
    const { api, send } = setUp(503);
    await createTestEndpoint(api, null);
    renameService(api, "Cut");
    await send();
    renameService(api, "Trim");
    const { id } = newest(api);
    const { waiting, heldUntil } = await read(api, id);
    expect(waiting).toMatchObject({ reason: "failing", until: heldUntil });
    expect(heldUntil).not.toBeNull();
  });

  test("a delivery that has ended does not wait", async () => {
    const { api, send } = setUp();
    await createTestEndpoint(api, null);
    renameService(api, "Cut");
    await send();
    expect(await read(api, newest(api).id)).toMatchObject({ status: "DELIVERED", waiting: null });
  });
});
