import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { editObject } from "../../../../src/app/catalog/catalog.ts";
import { revokeKey } from "../../../../src/app/keys.ts";
import { deleteBusiness } from "../../../../src/app/businesses.ts";
import { businessId } from "../../../../src/domain/catalog/object-id.ts";
import { encodeChangeCursor } from "../../../../src/http/handlers/changes/change-cursor.ts";
import { getBusiness } from "../../../../src/http/pipeline/business-response.ts";
import { startServer } from "../../../../src/http/server.ts";
import { openDatabase } from "../../../../src/store/database.ts";
import { type TestApi, createTestApi, SALON, applyPreset } from "../../support/api.ts";

const CHANGES = `/v1/businesses/${SALON}/changes`;
const BUSINESS = businessId(SALON);

type Feed = {
  data: { id: string; type: string; data: { object: { name?: string } } }[];
  page: { hasMore: boolean; nextCursor: string };
};

const read = async (api: TestApi, query = ""): Promise<Feed> => {
  const response = await api.request(CHANGES + query);
  expect(response.status).toBe(200);
  return (await response.json()) as Feed;
};

const rename = (api: TestApi, name: string) =>
  editObject(api, SALON, "service", "cut", (service) => ({ ...service, name }));
const stored = (api: TestApi) => api.store.events.listAfter(BUSINESS, 0, 100_000);
const lastSequence = (api: TestApi) => api.store.feed.getLastSequence(BUSINESS);

/** As the pruning would, from beside the daemon. */
function forget(api: TestApi, where: string): void {
  const other = openDatabase(api.config.databasePath, 1000, null);
  other.db.exec(`DELETE FROM event WHERE ${where}`);
  other.close();
}

test("the envelopes are those of the webhooks, byte for byte and in their order", async () => {
  const api = createTestApi();
  const text = await (await api.request(`${CHANGES}?limit=500`)).text();
  const expected = stored(api)
    .map(({ body }) => body.toString())
    .join(",");
  expect(text.startsWith(`{"data":[${expected}],"page":{"hasMore":false,"nextCursor":"`)).toBe(
    true,
  );
  expect(JSON.parse(text)).toMatchObject({ meta: { business: { id: BUSINESS, slug: SALON } } });
});

test("pages join without a gap, and the end of one is where the next begins", async () => {
  const api = createTestApi();
  const seen: string[] = [];
  let feed = await read(api, "?limit=7");
  for (; feed.page.hasMore; feed = await read(api, `?limit=7&after=${feed.page.nextCursor}`)) {
    expect(feed.data).toHaveLength(7);
    seen.push(...feed.data.map(({ id }) => id));
  }
  seen.push(...feed.data.map(({ id }) => id));
  expect(seen).toEqual(stored(api).map(({ id }) => id));

  const nothing = await read(api, `?after=${feed.page.nextCursor}`);
  expect(nothing).toMatchObject({ data: [], page: feed.page });
  rename(api, "Cut");
  const news = await read(api, `?after=${nothing.page.nextCursor}`);
  expect(news.data.map(({ type }) => type)).toEqual(["service.updated", "catalog.changed"]);
});

test("only some types, and the cursor still moves over the others", async () => {
  const api = createTestApi();
  const feed = await read(api, "?types=staff.created&types=catalog.changed&limit=500");
  expect(new Set(feed.data.map(({ type }) => type))).toEqual(
    new Set(["staff.created", "catalog.changed"]),
  );
  expect(feed.page.nextCursor).toBe(encodeChangeCursor(BUSINESS, lastSequence(api)));
  const none = await read(api, "?types=booking.created");
  expect(none).toMatchObject({
    data: [],
    page: { hasMore: false, nextCursor: feed.page.nextCursor },
  });
});

test("a page is cut at a megabyte", async () => {
  const api = createTestApi();
  for (let i = 0; i < 5; i++)
    editObject(api, SALON, "service", "cut", (service) => ({
      ...service,
      description: `${i}${"é".repeat(9000)}`,
    }));
  const sizes: number[] = [];
  let more = true;
  for (let after = ""; more;) {
    const text = await (await api.request(`${CHANGES}?limit=500${after}`)).text();
    sizes.push(Buffer.byteLength(text));
    const { page } = JSON.parse(text) as Feed;
    more = page.hasMore;
    after = `&after=${page.nextCursor}`;
  }
  expect(Math.max(...sizes)).toBeLessThan(1024 * 1024 + 100_000);
});

describe("cursors", () => {
  test.each([
    { what: "anything", cursor: () => "nonsense" },
    {
      what: "one with a digit changed",
      cursor: () => encodeChangeCursor(BUSINESS, 3).replace("3", "4"),
    },
    { what: "another business's", cursor: () => encodeChangeCursor(businessId("kita-live"), 3) },
    { what: "a list's", cursor: () => "WyJzZXJ2aWNlcyIsMSwic3ZjIl0" },
  ])("$what: 400", async ({ cursor }) => {
    expect(await createTestApi().requestProblem(`${CHANGES}?after=${cursor()}`)).toMatchObject({
      status: 400,
      code: "invalid_cursor",
      errors: [{ parameter: "after" }],
    });
  });

  test("one from the future, as a restored box sees it: 410", async () => {
    const api = createTestApi();
    const cursor = encodeChangeCursor(BUSINESS, lastSequence(api) + 1);
    expect(await api.requestProblem(`${CHANGES}?after=${cursor}`)).toMatchObject({
      status: 410,
      code: "cursor_expired",
    });
  });

  test("one of a business that was removed and made anew since: 410, and its events are numbered on", async () => {
    const api = createTestApi();
    const last = lastSequence(api);
    const version = api.store.businesses.findById(BUSINESS)?.catalogVersion ?? 0;
    deleteBusiness(api, api.store.businesses.findById(BUSINESS)!);
    // In the same millisecond, with as many events as before.
    applyPreset(api, "salon");
    const { secret: key } = api.createKey();
    for (let sequence = 1; sequence <= last; sequence++) {
      const cursor = encodeChangeCursor(BUSINESS, sequence);
      expect(await api.requestProblem(`${CHANGES}?after=${cursor}`, { key })).toMatchObject({
        status: 410,
        code: "cursor_expired",
      });
      if (sequence % 20 === 0) api.advance(60_000);
    }
    api.advance(3_600_000);
    const feed = (await (await api.request(`${CHANGES}?limit=500`, { key })).json()) as Feed;
    expect(feed.data).toHaveLength(last);
    expect(stored(api).map(({ sequence }) => sequence)).toEqual(
      feed.data.map((_, i) => last + 1 + i),
    );
    expect(api.store.businesses.findById(BUSINESS)).toMatchObject({
      catalogVersion: version + 1,
      lastSequence: 2 * last,
    });
  });

  test("one whose followers are partly forgotten: 410, also when an older event is still kept", async () => {
    const api = createTestApi();
    const cursor = (sequence: number) => encodeChangeCursor(BUSINESS, sequence);
    forget(api, "sequence BETWEEN 3 AND 5");
    for (const sequence of [1, 2, 4])
      expect(await api.requestProblem(`${CHANGES}?after=${cursor(sequence)}`)).toMatchObject({
        code: "cursor_expired",
      });
    const rest = stored(api).filter(({ sequence }) => sequence > 5);
    for (const query of ["?limit=500", `?limit=500&after=${cursor(5)}`])
      expect((await read(api, query)).data.map(({ id }) => id)).toEqual(rest.map(({ id }) => id));
  });

  test("one of a quiet business, of which nothing is kept any more, goes on", async () => {
    const api = createTestApi();
    forget(api, "TRUE");
    const { data, page } = await read(api);
    expect([data, page.hasMore]).toEqual([[], false]);
    rename(api, "Cut");
    expect((await read(api, `?after=${page.nextCursor}`)).data).toHaveLength(2);
  });
});

test.each([
  { query: "?types=service.update", says: "Did you mean 'service.updated'?" },
  { query: "?types=", says: "'types' must not be empty." },
  { query: "?types=,", says: "'types' must not be empty." },
  { query: "?wait=26", says: "0 to 25" },
  { query: "?limit=0", says: "1 to 500" },
  { query: "?afer=x", says: "Did you mean 'after'?" },
])("$query is a mistake", async ({ query, says }) => {
  const problem = await createTestApi().requestProblem(CHANGES + query);
  expect(problem.status).toBe(400);
  expect(problem.detail).toContain(says);
});

test("unknown event names are told together with every other mistake", async () => {
  const { errors = [] } = await createTestApi().requestProblem(
    `${CHANGES}?types=menu.updated,staff.created,x&wait=26&nope=1`,
  );
  expect(errors.map(({ parameter, code }) => `${parameter} ${code}`)).toEqual([
    "types unknown_event",
    "types unknown_event",
    "wait invalid_value",
    "nope unknown_parameter",
  ]);
});

test("it needs webhooks.read, which webhooks.write implies", async () => {
  const api = createTestApi();
  const status = async (scope: string) =>
    (
      await api.request(CHANGES, {
        key: api.createKey({ kind: "RESTRICTED", scopes: [scope] }).secret,
      })
    ).status;
  expect([
    await status("services.read"),
    await status("webhooks.read"),
    await status("webhooks.write"),
  ]).toEqual([403, 200, 200]);
});

describe("waiting", () => {
  const atEnd = (api: TestApi) => `?after=${encodeChangeCursor(BUSINESS, lastSequence(api))}`;

  test("a change by another process is answered at once", async () => {
    const api = createTestApi();
    const waiting = read(api, `${atEnd(api)}&wait=20`);
    await delay(100);
    const startedAt = performance.now();
    rename(api, "Cut");
    const { data } = await waiting;
    expect(data.map(({ type }) => type)).toEqual(["service.updated", "catalog.changed"]);
    // Under 50 ms in practice; a machine at work may be late.
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });

  test("what is not asked for, and other businesses, wake nobody", async () => {
    const api = createTestApi();
    const waiting = api.request(`${CHANGES}${atEnd(api)}&types=staff.updated&wait=1`);
    applyPreset(api, "venue");
    rename(api, "Cut");
    const { data, page } = (await (await waiting).json()) as Feed;
    expect(data).toEqual([]);
    expect(page.nextCursor).toBe(encodeChangeCursor(BUSINESS, lastSequence(api)));
  });

  test("what is there already is not waited for", async () => {
    const startedAt = performance.now();
    expect((await read(createTestApi(), "?wait=20&limit=1")).data).toHaveLength(1);
    expect(performance.now() - startedAt).toBeLessThan(5000);
  });

  test("who waits for a business that is removed meanwhile is told so", async () => {
    const api = createTestApi();
    const waiting = api.requestProblem(`${CHANGES}${atEnd(api)}&wait=1`);
    await delay(100);
    deleteBusiness(api, getBusiness(api, { businessId: BUSINESS }));
    expect(await waiting).toMatchObject({ status: 409, code: "conflict" });
  });

  test("a key that is revoked meanwhile learns of nothing more", async () => {
    const api = createTestApi();
    const { id, secret } = api.createKey();
    const waiting = api.requestProblem(`${CHANGES}${atEnd(api)}&wait=20`, { key: secret });
    await delay(100);
    revokeKey(api, id);
    rename(api, "Cut");
    expect(await waiting).toMatchObject({ status: 401, code: "revoked_key" });
  });

  test("a key that went with its business learns of nothing in the one that is made anew", async () => {
    const api = createTestApi();
    const waiting = api.requestProblem(`${CHANGES}${atEnd(api)}&wait=20`);
    await delay(100);
    deleteBusiness(api, getBusiness(api, { businessId: BUSINESS }));
    applyPreset(api, "salon");
    expect(await waiting).toMatchObject({ status: 401, code: "revoked_key" });
  });

  test("closing the server answers who waits", async () => {
    const api = createTestApi();
    const server = await startServer(api, { host: "127.0.0.1", port: 0 });
    onTestFinished(() => server.close());
    const headers = { authorization: `Bearer ${api.key}` };
    const waiting = Array.from({ length: 20 }, () =>
      fetch(`${server.url}${CHANGES}${atEnd(api)}&wait=25`, { headers }),
    );
    await delay(200);
    await server.close();
    for (const response of await Promise.all(waiting)) {
      expect(response.status).toBe(200);
      expect(((await response.json()) as Feed).data).toEqual([]);
    }
  });
});

test("a partner that comes back now and then misses none of 200 changes", async () => {
  const api = createTestApi();
  const { secret } = api.createKey({ limitMinute: 1_000_000, limitHour: 1_000_000 });
  const pull = async (after: string) =>
    (await (await api.request(`${CHANGES}?limit=100${after}`, { key: secret })).json()) as Feed;
  const keys = ["cut", "color", "blowout"].filter((key) =>
    api.store.catalog.listObjects(BUSINESS).service.some((service) => service.key === key),
  );
  let random = 11;
  const draw = (below: number) => (random = (random * 48_271) % 2_147_483_647) % below;
  const seen: string[] = [];
  let after = "";
  for (let i = 0; i < 200; i++) {
    const key = keys[draw(keys.length)] ?? "cut";
    const edit = draw(3);
    editObject(api, SALON, "service", key, (service) => ({
      ...service,
      ...(edit === 0
        ? { name: `Name ${i}` }
        : edit === 1
          ? { description: `Text ${i}` }
          : { durationMin: 5 + (i % 90) }),
    }));
    // Now and then it comes back for a page.
    if (draw(20) > 0) continue;
    const { data, page } = await pull(after);
    seen.push(...data.map(({ id }) => id));
    after = `&after=${page.nextCursor}`;
  }
  for (let more = true; more;) {
    const { data, page } = await pull(after);
    seen.push(...data.map(({ id }) => id));
    after = `&after=${page.nextCursor}`;
    more = page.hasMore;
  }
  const all = stored(api).map(({ id }) => id);
  expect(all.length).toBeGreaterThan(380);
  expect(seen).toEqual(all);
});
