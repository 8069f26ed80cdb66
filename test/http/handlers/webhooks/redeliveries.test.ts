import { describe, expect, test } from "vitest";
import { updateKey } from "../../../../src/app/keys.ts";
import { cancelDeliveries } from "../../../../src/app/webhooks/deliveries.ts";
import { disableEndpoint } from "../../../../src/app/webhooks/endpoint-lifecycle.ts";
import { triggerEvent } from "../../../../src/app/webhooks/sample-events.ts";
import { DELIVERY_STATUSES } from "../../../../src/domain/webhooks/settle.ts";
import { redeliverBody } from "../../../../src/http/handlers/webhooks/redeliveries.ts";
import { getBusinessOfKey } from "../../../../src/http/pipeline/business-response.ts";
import { createTestWorker } from "../../../support/delivery.ts";
import { createTestApi, type TestApi } from "../../support/api.ts";
import {
  createRestrictedKey,
  createTestEndpoint,
  DELIVERIES,
  jsonRequest,
  renameService,
  SALON_ID,
} from "../../support/webhooks.ts";

const REDELIVER = `${DELIVERIES}/redeliver`;
const MINUTE_MS = 60_000;

type Redelivered = {
  data: { count: number; disabledEndpointIds: string[] };
  page: { hasMore: boolean; nextCursor: string | null };
};

/**
 * Opens the API with two endpoints of one partner, an endpoint of another partner, and their
 * deliveries.
 */
async function setUp() {
  const api = createTestApi();
  const partner = createRestrictedKey(api);
  const create = async (keyId: string, path: string) =>
    (await createTestEndpoint(api, keyId, { url: `http://10.0.0.1/${path}` })).endpoint.id;
  const [first, second] = [await create(partner.id, "one"), await create(partner.id, "two")];
  const foreign = await create(createRestrictedKey(api).id, "three");
  const response = { statusCode: 200 };
  const worker = createTestWorker(api, async () => ({
    kind: "responded",
    retryAfter: null,
    responseText: "",
    ...response,
  }));
  const send = async () => {
    worker.sweep();
    await worker.whenIdle();
  };
  const redeliver = (body: object, query = "", headers: Record<string, string> = {}) => {
    const init = jsonRequest("POST", body);
    return api.request(REDELIVER + query, {
      ...init,
      headers: { ...(init.headers as Record<string, string>), ...headers },
      key: partner.secret,
    });
  };
  const redelivered = async (...args: Parameters<typeof redeliver>): Promise<Redelivered> => {
    const result = await redeliver(...args);
    expect(result.status).toBe(args[1] ? 200 : 202);
    return (await result.json()) as Redelivered;
  };
  const count = async (...args: Parameters<typeof redeliver>) =>
    (await redelivered(...args)).data.count;
  const problem = async (...args: Parameters<typeof redeliver>) => {
    const result = await redeliver(...args);
    return `${result.status} ${((await result.json()) as { code: string }).code}`;
  };
  return {
    api,
    partner,
    first,
    second,
    foreign,
    response,
    send,
    redelivered,
    count,
    problem,
    redeliver,
  };
}

const pending = (api: TestApi, endpointId: string) =>
  api.store.deliveries.list({ endpointId, status: "PENDING" }, 1000).length;

describe("POST deliveries/redeliver", () => {
  test("redeliver with a filter sends deliveries of all endpoints of the key again, and of no other key", async () => {
    const { api, first, second, foreign, send, redelivered } = await setUp();
    renameService(api, "Cut");
    await send();
    expect(await redelivered({ eventType: "service.updated" })).toEqual({
      data: { count: 2, disabledEndpointIds: [] },
      page: { hasMore: false, nextCursor: null },
      meta: { business: expect.objectContaining({ slug: "salon-aurora" }) },
    });
    expect([first, second, foreign].map((id) => pending(api, id))).toEqual([1, 1, 0]);
    const [before] = api.store.deliveries.list({ endpointId: first, status: "PENDING" }, 1);
    await send();
    expect(api.store.deliveries.findById(before!.id)).toMatchObject({
      status: "DELIVERED",
      attemptCount: 2,
      eventId: before!.eventId,
    });
  });

  test("redeliver filters deliveries by their time, status, event type and endpoint", async () => {
    const { api, first, response, send, count } = await setUp();
    renameService(api, "Cut");
    await send();
    api.advance(MINUTE_MS);
    response.statusCode = 500;
    renameService(api, "Trim");
    await send();
    const dry = (body: object) => count(body, "?dryRun=true");
    expect(await dry({ since: "2026-11-20T07:00" })).toBe(8);
    expect(await dry({ since: "2026-11-20T12:00:30Z" })).toBe(4);
    expect(await dry({ until: "2026-11-20T12:01:00Z" })).toBe(4);
    expect(await dry({ since: "2026-11-20T12:00:30Z", until: "2026-11-20T12:00:59Z" })).toBe(0);
    expect(await dry({ status: "DELIVERED" })).toBe(4);
    expect(await dry({ status: "PENDING" })).toBe(4);
    expect(await dry({ status: "EXHAUSTED" })).toBe(0);
    expect(await dry({ endpointId: first })).toBe(4);
    expect(await dry({ endpointId: first, eventType: "catalog.changed" })).toBe(2);
    cancelDeliveries(api, { endpointId: first, status: "PENDING" });
    expect(await dry({ endpointId: first })).toBe(2);
    expect(await dry({ status: "CANCELLED" })).toBe(2);
  });

  test("a dry run of redeliver writes nothing", async () => {
    const { api, send, count } = await setUp();
    renameService(api, "Cut");
    await send();
    const revision = api.revision();
    expect(await count({ status: "DELIVERED" }, "?dryRun=true")).toBe(4);
    expect(api.revision()).toBe(revision);
    expect(await count({ status: "DELIVERED" })).toBe(4);
  });

  test("redeliver with a filter leaves out a delivery that already waits to be sent again, or that was never sent", async () => {
    const { api, send, count } = await setUp();
    renameService(api, "Cut");
    expect(await count({ since: "2026-11-20" })).toBe(0);
    await send();
    expect(await count({ since: "2026-11-20" })).toBe(4);
    expect(await count({ since: "2026-11-20" })).toBe(0);
  });

  test("pages of redeliver go through all deliveries, and send each delivery once", async () => {
    const { api, first, second, send, redelivered } = await setUp();
    for (let i = 0; i < 5; i++) renameService(api, `Cut ${i}`);
    await send();
    const seen: string[] = [];
    const counts: number[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const body = { status: "DELIVERED", limit: 6, ...(cursor && { cursor }) };
      const { data, page } = await redelivered(body);
      counts.push(data.count);
      const due = [first, second].flatMap((endpointId) =>
        api.store.deliveries.list({ endpointId, status: "PENDING" }, 100),
      );
      seen.push(...due.map(({ id }) => id).sort());
      await send();
      cursor = page.nextCursor;
    }
    expect(counts).toEqual([6, 6, 6, 2]);
    const all = [first, second].flatMap((endpointId) =>
      api.store.deliveries.list({ endpointId }, 100).map(({ id }) => id),
    );
    expect(seen).toHaveLength(20);
    expect(new Set(seen)).toEqual(new Set(all));
  });

  test("redeliver with an Idempotency-Key takes effect once", async () => {
    const { api, send, redeliver } = await setUp();
    renameService(api, "Cut");
    await send();
    const once = { "idempotency-key": "once" };
    const bodies = [];
    for (let i = 0; i < 2; i++) {
      bodies.push(await (await redeliver({ status: "DELIVERED" }, "", once)).json());
      await send();
    }
    expect(bodies[1]).toEqual(bodies[0]);
    const attempts = api.store.deliveries.list({}, 100).map(({ attemptCount }) => attemptCount);
    expect(attempts.sort()).toEqual([1, 1, 2, 2, 2, 2]);
  });

  test("redeliver leaves out a disabled endpoint and reports its ID, and refuses a filter that names the endpoint", async () => {
    const { api, first, second, send, redelivered, problem } = await setUp();
    renameService(api, "Cut");
    await send();
    disableEndpoint(api, first, "paused");
    expect((await redelivered({ status: "DELIVERED" })).data).toEqual({
      count: 2,
      disabledEndpointIds: [first],
    });
    expect(pending(api, second)).toBe(2);
    expect(await problem({ endpointId: first })).toBe("409 conflict");
  });

  test("events that the key may no longer receive are not sent again", async () => {
    const { api, partner, send, count } = await setUp();
    triggerEvent(api, getBusinessOfKey(api, { businessId: SALON_ID }), "booking.created");
    await send();
    expect(await count({ eventType: "booking.created" }, "?dryRun=true")).toBe(2);
    updateKey(api, partner.id, { eventGroups: ["catalog"] });
    expect(await count({ eventType: "booking.created" })).toBe(0);
    expect(await count({ since: "2026-11-20" }, "?dryRun=true")).toBe(0);
  });

  test("a key has a maximum of pending redeliveries", async () => {
    const { api, send, count, problem } = await setUp();
    renameService(api, "Cut");
    await send();
    const { countPending } = api.store.ownRedeliveries;
    api.store.ownRedeliveries.countPending = () => 9_999;
    expect(await count({ status: "DELIVERED" })).toBe(1);
    api.store.ownRedeliveries.countPending = () => 10_000;
    expect(await problem({ status: "DELIVERED" })).toBe("429 too_many_redeliveries");
    api.store.ownRedeliveries.countPending = countPending;
    expect(await count({ status: "DELIVERED" })).toBe(3);
  });

  test.each([
    [{}, "422 validation_failed"],
    [{ limit: 10 }, "422 validation_failed"],
    [{ status: "PARKED" }, "422 validation_failed"],
    [{ eventType: "service.renamed" }, "422 validation_failed"],
    [{ since: "yesterday" }, "422 validation_failed"],
    [{ since: 5 }, "422 validation_failed"],
    [{ since: "2026-11-20", limit: 1001 }, "422 validation_failed"],
    [{ since: "2026-11-20", force: true }, "422 validation_failed"],
    [{ since: "2026-11-20", cursor: "x" }, "400 invalid_cursor"],
    [{ endpointId: "whe_none" }, "404 resource_not_found"],
  ])("redeliver with the filter %o gets %s", async (body, expected) => {
    const { problem } = await setUp();
    expect(await problem(body)).toBe(expected);
  });

  test("an endpoint of another key looks like one that does not exist", async () => {
    const { foreign, redeliver } = await setUp();
    const bodyOf = async (endpointId: string) => {
      const text = await (await redeliver({ endpointId })).text();
      return text.replace(/"requestId":"\w+"/, "");
    };
    expect(await bodyOf(foreign)).toBe(await bodyOf("whe_none"));
  });
});

test("the filter of redeliver accepts each status whose deliveries can be sent again", () => {
  const accepts = (status: string) => redeliverBody().safeParse({ status }).success;
  const chosen = DELIVERY_STATUSES.filter(accepts);
  expect(chosen).toEqual(["PENDING", "DELIVERED", "EXHAUSTED", "CANCELLED"]);
});
