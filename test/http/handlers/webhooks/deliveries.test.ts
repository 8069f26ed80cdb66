import { describe, expect, test } from "vitest";
import { updateKey } from "../../../../src/app/keys.ts";
import { cancelDeliveries, redeliverDelivery } from "../../../../src/app/webhooks/deliveries.ts";
import {
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
} from "../../../../src/app/webhooks/endpoint-lifecycle.ts";
import {
  delivery as deliverySchema,
  deliveryWithAttempts,
  endpoint as endpointSchema,
} from "../../../../src/domain/public/schemas/webhook.ts";
import type { Outcome } from "../../../../src/domain/webhooks/settle.ts";
import { openDatabase } from "../../../../src/store/database/database.ts";
import { createTestWorker } from "../../../support/delivery.ts";
import { type TestApi, createTestApi } from "../../support/api.ts";
import {
  DELIVERIES,
  readData,
  createTestEndpoint,
  renameService,
  createForeignEndpoint,
  createRestrictedKey,
  WEBHOOKS,
} from "../../support/webhooks.ts";

type Listed = {
  data: { id: string; eventType: string }[];
  page: { hasMore: boolean; nextCursor: string | null };
};

/** Creates an endpoint, and a receiver with a configurable response. */
async function setUp() {
  const api = createTestApi();
  const { endpoint } = await createTestEndpoint(api, null);
  const response = { statusCode: 200, responseText: "" };
  const worker = createTestWorker(api, async () => ({
    kind: "responded",
    retryAfter: null,
    ...response,
  }));
  const send = async () => {
    worker.sweep();
    await worker.whenIdle();
  };
  const list = async (query = ""): Promise<Listed> => {
    const response = await api.request(`${WEBHOOKS}/${endpoint.id}/deliveries${query}`);
    expect(response.status).toBe(200);
    return (await response.json()) as Listed;
  };
  const newest = () => api.store.deliveries.list({ endpointId: endpoint.id }, 1)[0]?.id ?? "none";
  return { api, endpoint, response, send, list, newest };
}

const idsOf = (api: TestApi, endpointId: string) =>
  api.store.deliveries.list({ endpointId }, 1000).map(({ id }) => id);
/** Returns the IDs of all pages, which it reads by following their cursors. */
async function follow(list: (query: string) => Promise<Listed>, query: string): Promise<string[]> {
  const seen: string[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const { data, page } = await list(`${query}${cursor && `&cursor=${cursor}`}`);
    expect(page.hasMore).toBe(page.nextCursor !== null);
    seen.push(...data.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  return seen;
}

describe("the list of an endpoint's deliveries", () => {
  test("a list of deliveries has the newest first, without attempts", async () => {
    const { api, endpoint, send, list } = await setUp();
    await createTestEndpoint(api, null);
    renameService(api, "Cut");
    await send();
    const { data, ...rest } = await list();
    expect(data.map(({ id }) => id)).toEqual(idsOf(api, endpoint.id));
    expect(rest).toEqual({
      page: { hasMore: false, nextCursor: null },
      meta: {
        business: {
          id: endpoint.businessId,
          slug: "salon-aurora",
          name: "Salon Aurora",
          timezone: "America/New_York",
        },
      },
    });
    expect(deliverySchema.parse(data[0])).toEqual({
      id: data[0]?.id,
      endpointId: endpoint.id,
      eventId: expect.stringMatching(/^evt_/),
      eventType: "catalog.changed",
      sequence: api.store.feed.getLastSequence(endpoint.businessId ?? ""),
      status: "DELIVERED",
      attemptCount: 1,
      nextAttemptAt: null,
      heldUntil: null,
      waiting: null,
      lastStatusCode: 200,
      lastError: null,
      createdAt: "2026-11-20T07:00:00-05:00",
      deliveredAt: "2026-11-20T07:00:00-05:00",
    });
  });

  test("pages of deliveries continue without gaps while some are added, and Link points to the next page", async () => {
    const { api, endpoint, list } = await setUp();
    for (let i = 0; i < 10; i++) renameService(api, `Cut ${i}`);
    const ids = idsOf(api, endpoint.id);
    expect(await follow(list, "?limit=7")).toEqual(ids);
    expect(await follow(list, "?limit=10&status=PENDING")).toEqual(ids);
    const half = await api.request(
      `${WEBHOOKS}/${endpoint.id}/deliveries?limit=5&eventType=service.updated`,
    );
    const link = /^<[^>]*(\/v1[^>]*)>; rel="next"$/.exec(half.headers.get("link") ?? "")?.[1] ?? "";
    renameService(api, "Newer");
    const rest = (await (await api.request(link)).json()) as Listed;
    expect(rest.data.map(({ eventType }) => eventType)).toEqual(
      Array.from({ length: 5 }, () => "service.updated"),
    );
    expect(rest.page.hasMore).toBe(false);
  });

  test("a list of deliveries has 100 deliveries by default", async () => {
    const { api, list } = await setUp();
    for (let i = 0; i < 51; i++) renameService(api, `Cut ${i}`);
    const { data, page } = await list();
    expect([data.length, page.hasMore]).toEqual([100, true]);
    expect((await list("?limit=500")).data).toHaveLength(102);
  });

  test("a list of deliveries is filtered by status, event type and time", async () => {
    const { api, response, endpoint, send, list } = await setUp();
    renameService(api, "Cut");
    await send();
    api.advance(60_000);
    response.statusCode = 500;
    renameService(api, "Trim");
    await send();
    cancelDeliveries(api, { id: idsOf(api, endpoint.id)[0] });
    const found = async (query: string) =>
      (await list(query)).data.map(({ eventType }) => eventType);
    expect(await found("?status=DELIVERED")).toEqual(["catalog.changed", "service.updated"]);
    expect(await found("?status=PENDING")).toEqual(["service.updated"]);
    expect(await found("?status=CANCELLED&eventType=catalog.changed")).toEqual(["catalog.changed"]);
    expect(await found("?status=CANCELLED&eventType=service.updated")).toEqual([]);
    for (const since of ["2026-11-20T07:01", "2026-11-20T12:00:01Z"])
      expect(await found(`?since=${since}`)).toEqual(["catalog.changed", "service.updated"]);
    expect(await found("?since=2026-11-20T07:00")).toHaveLength(4);
    expect(await found("?since=2026-11-20T07:02")).toEqual([]);
    expect(await found("?since=1969-01-01&status=DELIVERED")).toHaveLength(2);
    expect(await list("?since=2026-11-20T07:01&limit=2")).toMatchObject({
      page: { hasMore: false },
    });
  });

  test("a list of deliveries includes those created while the clock was set back", async () => {
    const { api, list } = await setUp();
    renameService(api, "Cut");
    api.shiftClock(-3_600_000);
    renameService(api, "Trim");
    expect((await list("?since=2026-11-20T06:30")).data).toHaveLength(2);
    expect((await list("?since=2026-11-20T06:00")).data).toHaveLength(4);
  });

  test.each([
    { query: "?status=ANYTHING", message: "must be one of PENDING" },
    { query: "?status=PARKD", message: "Did you mean 'PARKED'?" },
    { query: "?eventType=service.update", message: "Did you mean 'service.updated'?" },
    { query: "?since=yesterday", message: "a date and time" },
    { query: "?limit=0", message: "1 to 500" },
    { query: "?statu=PENDING", message: "Did you mean 'status'?" },
    { query: "?cursor=nonsense", message: "issued by this list" },
  ])("a list of deliveries with $query is rejected", async ({ query, message }) => {
    const { api, endpoint } = await setUp();
    const problem = await api.requestProblem(`${WEBHOOKS}/${endpoint.id}/deliveries${query}`);
    expect(problem.status).toBe(400);
    expect(problem.detail).toContain(message);
  });

  test("a list of deliveries rejects a cursor of another endpoint's list", async () => {
    const { api, list } = await setUp();
    const { endpoint: other } = await createTestEndpoint(api, null);
    renameService(api, "Cut");
    const { page } = await list("?limit=1");
    expect(
      await api.requestProblem(`${WEBHOOKS}/${other.id}/deliveries?cursor=${page.nextCursor}`),
    ).toMatchObject({
      code: "invalid_cursor",
    });
  });

  test("HEAD of endpoints and deliveries has the headers of GET and no body", async () => {
    const { api, endpoint } = await setUp();
    renameService(api, "Cut");
    for (const path of [
      WEBHOOKS,
      `${WEBHOOKS}/${endpoint.id}`,
      `${WEBHOOKS}/${endpoint.id}/deliveries?limit=1`,
    ]) {
      const [get, head] = [await api.request(path), await api.request(path, { method: "HEAD" })];
      expect([head.status, await head.text()]).toEqual([200, ""]);
      for (const name of ["content-type", "content-length", "cache-control", "link"])
        expect(head.headers.get(name)).toBe(get.headers.get(name));
    }
  });

  test("a list of deliveries with a rare status is read page by page, each with limited work", async () => {
    const { api, endpoint, list } = await setUp();
    renameService(api, "Cut");
    const rare = idsOf(api, endpoint.id).at(-1) ?? "";
    multiplyDeliveries(api, rare, 60_000);
    const first = await list("?status=DELIVERED&limit=10");
    expect(first).toMatchObject({ data: [], page: { hasMore: true } });
    expect(await follow(list, "?status=DELIVERED&limit=10")).toEqual([rare]);
  });
});

/** Sets the delivery `id` to DELIVERED, and adds `count` newer pending ones. */
function multiplyDeliveries(api: TestApi, id: string, count: number): void {
  const other = openDatabase(api.config.databasePath, 1000, null);
  const columns =
    "business_id, endpoint_id, event_type, sequence, status, attempt_count, next_attempt_at, created_at";
  other.db.pragma("foreign_keys = OFF");
  other.db.exec(`
    INSERT INTO delivery (id, event_id, ${columns})
      WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${count})
      SELECT printf('dlv_z%07d', n), printf('evt_z%07d', n), ${columns} FROM delivery, n WHERE id = '${id}';
    UPDATE delivery SET status = 'DELIVERED', next_attempt_at = NULL, delivered_at = created_at WHERE id = '${id}'`);
  other.close();
}

describe("one delivery", () => {
  test("a delivery has its attempts with the receiver's response text, truncated and escaped", async () => {
    const { api, response: received, send, newest } = await setUp();
    Object.assign(received, { statusCode: 503, responseText: `\u001b[31m${"busy ".repeat(100)}` });
    renameService(api, "Cut");
    await send();
    api.advance(300_000);
    received.statusCode = 200;
    await send();
    const response = await api.request(`${DELIVERIES}/${newest()}`);
    expect(response.headers.get("cache-control")).toBe("private, no-cache");
    const data = deliveryWithAttempts.parse(await readData(response));
    expect(data).toMatchObject({
      status: "DELIVERED",
      attemptCount: 2,
      deliveredAt: "2026-11-20T07:05:00-05:00",
    });
    expect(data.attempts).toMatchObject([
      {
        n: 1,
        at: "2026-11-20T07:00:00-05:00",
        statusCode: 503,
        outcome: "responded",
        error: "HTTP 503",
      },
      { n: 2, at: "2026-11-20T07:05:00-05:00", statusCode: 200, outcome: "responded", error: null },
    ]);
    expect(data.attempts[0]?.responseText).toMatch(/^\u241b\[31mbusy .*…$/);
    expect(data.attempts[0]?.responseText).toHaveLength(256);
  });

  test.each([
    [
      {
        kind: "blocked",
        error: "'in.example' resolves to 10.0.0.5, which is not a public address.",
      },
    ],
    [{ kind: "unresolvable", error: "no address for in.example" }],
    [{ kind: "refused", error: "ECONNREFUSED" }, "connection refused"],
    [{ kind: "timed_out", error: "no connection within 5 s" }],
    [{ kind: "tls_failed", error: "CERT_HAS_EXPIRED" }, "its certificate has expired"],
  ] as [Outcome & { error: string }, string?][])(
    "a delivery with the outcome %o shows partners a general error, and the operator the reason",
    async (outcome, reason = outcome.error) => {
      const api = createTestApi();
      const { endpoint } = await createTestEndpoint(api, null);
      const worker = createTestWorker(api, async () => outcome);
      renameService(api, "Cut");
      worker.wake();
      await worker.whenIdle();
      const [row] = api.store.deliveries.list({}, 1);
      expect(row?.lastError).toContain(reason);
      const one = "The receiver could not be reached or did not respond in time.";
      const data = await readData(await api.request(`${DELIVERIES}/${row?.id}`));
      expect(data).toMatchObject({
        lastError: one,
        attempts: [{ outcome: "refused", error: one, statusCode: null, responseText: null }],
      });
      const list = await (await api.request(`${WEBHOOKS}/${endpoint.id}/deliveries`)).text();
      expect(list).toContain(one);
      expect(list).not.toContain(reason);
    },
  );

  test("a delivery remains visible to the key that created its endpoint after the endpoint is deleted", async () => {
    const api = createTestApi();
    const { id, secret: key } = createRestrictedKey(api);
    const { endpoint } = await createTestEndpoint(api, id);
    renameService(api, "Cut");
    const [delivery] = idsOf(api, endpoint.id);
    deleteEndpoint(api, endpoint.id);
    expect(await readData(await api.request(`${DELIVERIES}/${delivery}`, { key }))).toMatchObject({
      status: "CANCELLED",
      attempts: [],
    });
    expect(
      await api.requestProblem(`${WEBHOOKS}/${endpoint.id}/deliveries`, { key }),
    ).toMatchObject({
      status: 404,
    });
  });
});

describe("the list of the deliveries of all endpoints", () => {
  const listAll = async (api: TestApi, query = "", key?: string): Promise<Listed> => {
    const response = await api.request(DELIVERIES + query, key === undefined ? {} : { key });
    expect(response.status).toBe(200);
    return (await response.json()) as Listed;
  };
  const ids = ({ data }: Listed) => data.map(({ id }) => id);

  /**
   * Creates two endpoints of one partner, of which one is deleted, an endpoint of another partner,
   * and events.
   */
  async function createPartners() {
    const api = createTestApi();
    const partner = createRestrictedKey(api);
    const other = createRestrictedKey(api);
    const create = async (keyId: string | null, path: string) =>
      (await createTestEndpoint(api, keyId, { url: `http://10.0.0.1/${path}` })).endpoint.id;
    const first = await create(partner.id, "one");
    const second = await create(partner.id, "two");
    const foreign = await create(other.id, "three");
    const operators = await create(null, "four");
    for (let i = 0; i < 3; i++) {
      renameService(api, `Cut ${i}`);
      api.advance(60_000);
    }
    deleteEndpoint(api, second);
    const of = (...endpointIds: string[]) =>
      api.store.deliveries
        .list({}, 1000)
        .filter(({ endpointId }) => endpointIds.includes(endpointId))
        .map(({ id }) => id);
    return { api, partner, first, second, foreign, operators, of };
  }

  test("a restricted key lists the deliveries of its own endpoints, even deleted ones, and a secret key lists all", async () => {
    const { api, partner, first, second, foreign, operators, of } = await createPartners();
    expect(ids(await listAll(api, "", partner.secret))).toEqual(of(first, second));
    expect(ids(await listAll(api))).toEqual(of(first, second, foreign, operators));
    expect(await follow((query) => listAll(api, query, partner.secret), "?limit=5")).toEqual(
      of(first, second),
    );
    expect(ids(await listAll(api, `?endpointId=${second}`, partner.secret))).toEqual(of(second));
  });

  test("an endpoint of another key or business looks like one that does not exist", async () => {
    const { api, partner, foreign, operators } = await createPartners();
    const ask = async (endpointId: string, key: string) => {
      const problem = await api.requestProblem(`${DELIVERIES}?endpointId=${endpointId}`, { key });
      return { ...problem, requestId: "" };
    };
    const unknown = await ask("whe_none", partner.secret);
    expect(unknown).toMatchObject({ status: 404, code: "resource_not_found" });
    expect(await ask(foreign, partner.secret)).toEqual(unknown);
    expect(await ask(operators, partner.secret)).toEqual(unknown);
    const elsewhere = await createForeignEndpoint(api);
    expect(await ask(elsewhere.id, api.key)).toEqual(unknown);
  });

  test("a secret key without an event group lists deliveries of that group only for its own endpoints", async () => {
    const { api, first } = await createPartners();
    const narrow = api.createKey({ eventGroups: ["bookings"] });
    expect(ids(await listAll(api, "", narrow.secret))).toEqual([]);
    const own = api.createKey();
    await createTestEndpoint(api, own.id, { url: "http://10.0.0.1/own" });
    renameService(api, "Cut");
    updateKey(api, own.id, { eventGroups: ["catalog"] });
    expect(ids(await listAll(api, `?endpointId=${first}`, own.secret))).toHaveLength(8);
  });

  test("the list of all deliveries is filtered by endpoint, event, type, status and time", async () => {
    const { api, partner, first } = await createPartners();
    const list = (query: string) => listAll(api, query, partner.secret);
    const { data } = await list("");
    const { eventId } = data[0] as unknown as { eventId: string };
    expect((await list(`?eventId=${eventId}`)).data).toHaveLength(2);
    expect((await list(`?eventId=${eventId.slice(0, -1)}`)).data).toEqual([]);
    expect((await list(`?eventId=${eventId}&endpointId=${first}`)).data).toHaveLength(1);
    expect((await list("?eventType=service.updated")).data).toHaveLength(6);
    expect((await list("?status=CANCELLED")).data).toHaveLength(6);
    expect((await list("?since=2026-11-20T07:01")).data).toHaveLength(8);
    expect((await list("?until=2026-11-20T07:01")).data).toHaveLength(4);
    expect((await list("?since=2026-11-20T07:01&until=2026-11-20T07:02")).data).toHaveLength(4);
    expect((await list("?until=2026-11-20T07:00")).data).toEqual([]);
  });

  test("a cursor continues a list of deliveries that `until` limits", async () => {
    const { api, partner } = await createPartners();
    const query = "?until=2026-11-20T07:02&limit=3";
    const all = await follow((each) => listAll(api, each, partner.secret), query);
    expect(all).toEqual(ids(await listAll(api, "?until=2026-11-20T07:02", partner.secret)));
  });

  test("a cursor never has the ID of a delivery that the key does not see", async () => {
    const { api, partner, first, second, foreign, of } = await createPartners();
    const { listPage } = api.store.deliverySearch;
    const own = of(first, second);
    const hidden = of(foreign);
    // The search stops at a delivery of another key, as it does after 50,000 rows.
    api.store.deliverySearch.listPage = (filter, direction, start, limit) => {
      const page = listPage(filter, direction, start, limit);
      if (start !== null) return page;
      const reached = hidden.at(-1)!;
      return { rows: page.rows.filter(({ id }) => id > reached), reached };
    };
    const page = await listAll(api, "", partner.secret);
    const cursor = Buffer.from(page.page.nextCursor!, "base64url").toString();
    for (const id of hidden) expect(cursor).not.toContain(id);
    const rest = await listAll(api, `?cursor=${page.page.nextCursor}`, partner.secret);
    expect([...ids(page), ...ids(rest)]).toEqual(own);
  });
});

describe("redeliver", () => {
  const again = (api: TestApi, id: string) =>
    api.request(`${DELIVERIES}/${id}/redeliver`, { method: "POST" });

  test("redeliver sends the delivery again with the same IDs, and its previous attempts stay listed", async () => {
    const { api, send, newest } = await setUp();
    renameService(api, "Cut");
    await send();
    const data = deliveryWithAttempts.parse(await readData(await again(api, newest()), 202));
    expect(data).toMatchObject({
      id: newest(),
      status: "PENDING",
      attemptCount: 1,
      deliveredAt: null,
    });
    expect(data.attempts).toHaveLength(1);
    await send();
    expect(await readData(await api.request(`${DELIVERIES}/${newest()}`))).toMatchObject({
      status: "DELIVERED",
      attemptCount: 2,
    });
  });

  test("a redelivered delivery shows its last 100 attempts", async () => {
    const { api, send, newest } = await setUp();
    renameService(api, "Cut");
    await send();
    for (let i = 0; i < 104; i++) {
      redeliverDelivery(api, newest());
      await send();
    }
    const data = deliveryWithAttempts.parse(
      await readData(await api.request(`${DELIVERIES}/${newest()}`)),
    );
    expect(data.attemptCount).toBe(105);
    expect(data.attempts.map(({ n }) => n)).toEqual(Array.from({ length: 100 }, (_, i) => i + 6));
  });

  test.each([
    {
      what: "disabled",
      act: (api: TestApi, id: string) => void disableEndpoint(api, id, "manual"),
      message: "is disabled: enable it first",
    },
    {
      what: "deleted",
      act: (api: TestApi, id: string) => void deleteEndpoint(api, id),
      message: "was deleted",
    },
  ])("redeliver is a conflict if the endpoint is $what", async ({ act, message }) => {
    const { api, endpoint, newest } = await setUp();
    renameService(api, "Cut");
    const id = newest();
    act(api, endpoint.id);
    const { status } = api.store.deliveries.findById(id) ?? {};
    const response = await again(api, id);
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({
      code: "conflict",
      detail: expect.stringContaining(message),
    });
    expect(api.store.deliveries.findById(id)).toMatchObject({ status });
  });

  test("redeliver sends a delivery that was cancelled when its endpoint was enabled", async () => {
    const { api, endpoint, newest } = await setUp();
    disableEndpoint(api, endpoint.id, "manual");
    renameService(api, "Cut");
    enableEndpoint(api, endpoint.id, "none");
    expect(await readData(await again(api, newest()), 202)).toMatchObject({ status: "PENDING" });
  });

  test("redeliver rejects unknown fields in the body", async () => {
    const { api, newest } = await setUp();
    renameService(api, "Cut");
    const headers = { "content-type": "application/json" };
    const init = { method: "POST", headers, body: '{"force": true}' };
    expect(await api.requestProblem(`${DELIVERIES}/${newest()}/redeliver`, init)).toMatchObject({
      status: 422,
      errors: [
        {
          pointer: "#/force",
          code: "unknown_field",
          detail: "Unknown field 'force'. Known fields: none.",
        },
      ],
    });
  });
});

test("deleting an endpoint gets 503 while the database is locked, and changes nothing", async () => {
  const api = createTestApi("salon", 0);
  const { endpoint } = await createTestEndpoint(api, null);
  const other = openDatabase(api.config.databasePath, 0, null);
  other.db.exec("BEGIN IMMEDIATE");
  const rejected = api.request(`${WEBHOOKS}/${endpoint.id}`, { method: "DELETE" });
  expect(
    endpointSchema.parse(await readData(await api.request(`${WEBHOOKS}/${endpoint.id}`))).id,
  ).toBe(endpoint.id);
  api.advance(2000);
  expect((await rejected).status).toBe(503);
  other.close();
  expect(api.store.endpoints.findById(endpoint.id)).toBeDefined();
});
