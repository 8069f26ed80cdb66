import { hash } from "node:crypto";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { editObject } from "../../../../src/app/catalog/changes/edit-object.ts";
import { appendEvents } from "../../../../src/app/events.ts";
import { draftSample, triggerEvent } from "../../../../src/app/webhooks/sample-events.ts";
import { revokeKey } from "../../../../src/app/key-end.ts";
import { rotateKey } from "../../../../src/app/keys.ts";
import { deleteBusiness } from "../../../../src/app/delete-business.ts";
import { businessId } from "../../../../src/domain/catalog/object-id.ts";
import { encodeChangeCursor } from "../../../../src/http/handlers/changes/changes.ts";
import { getBusinessOfKey } from "../../../../src/http/pipeline/business-response.ts";
import { startServer } from "../../../../src/http/server.ts";
import { openDatabase } from "../../../../src/store/database/database.ts";
import {
  type TestApi,
  createTestApi,
  SALON,
  applyPreset,
  applyToSalon,
} from "../../support/api.ts";
import { edit } from "../../../support/edit-database.ts";
import { WAITS } from "../../../support/waits.ts";

const CHANGES = `/v1/businesses/${SALON}/changes`;
const BUSINESS = businessId(SALON);

type Feed = {
  data: { id: string; type: string; data: { object: { name?: string } } }[];
  page: { hasMore: boolean; nextCursor: string };
  meta: { sequences: number[]; lastSequence: number };
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

/** Deletes events through another connection, as pruning does. */
function deleteEvents(api: TestApi, where: string): void {
  const other = openDatabase(api.config.databasePath, 1000, null);
  other.db.exec(`DELETE FROM event WHERE ${where}`);
  other.close();
}

test("the feed shows customer references only to keys with a scope for bookings", async () => {
  const api = createTestApi();
  triggerEvent(api, api.store.businesses.findById(BUSINESS)!, "booking.created");
  const referenceFor = async (...scopes: string[]) => {
    const { secret } = api.createKey({ kind: "RESTRICTED", scopes });
    const query = "?types=booking.created";
    const feed = await (await api.request(CHANGES + query, { key: secret })).json();
    return (feed as { data: { data: { object: object } }[] }).data[0]?.data.object;
  };
  expect(await referenceFor("webhooks.write")).toMatchObject({ customerRef: null });
  expect(await referenceFor("webhooks.write", "bookings.read")).toMatchObject({
    customerRef: "sample",
  });
});

test("the feed has the stored envelopes of the events, byte for byte and in order", async () => {
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

test("pages of the feed continue without gaps", async () => {
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

test("the feed is filtered by event type, and its cursor advances past other events", async () => {
  const api = createTestApi();
  const feed = await read(api, "?types=staff.created&types=catalog.changed&limit=500");
  expect(new Set(feed.data.map(({ type }) => type))).toEqual(
    new Set(["staff.created", "catalog.changed"]),
  );
  expect(feed.page.nextCursor).toBe(encodeChangeCursor(api, BUSINESS, lastSequence(api)));
  const none = await read(api, "?types=booking.created");
  expect(none).toMatchObject({
    data: [],
    page: { hasMore: false, nextCursor: feed.page.nextCursor },
  });
});

test("the feed starts at the first event since a time, or at the oldest", async () => {
  const api = createTestApi();
  const [oldest] = stored(api);
  for (const name of ["One", "Two", "Three"]) {
    api.advance(60_000);
    rename(api, name);
  }
  const namesSince = async (since: string) =>
    (await read(api, `?types=service.updated&since=${since}`)).data.map(
      ({ data }) => data.object.name,
    );
  expect(await namesSince("2026-11-20T12:02:00Z")).toEqual(["Two", "Three"]);
  expect(await namesSince("2026-11-20T07:02:01")).toEqual(["Three"]);
  expect(await namesSince("2026-11-20T12:04:00Z")).toEqual([]);
  expect(await namesSince("1969-01-01")).toEqual(["One", "Two", "Three"]);
  expect((await read(api, "?since=2026-01-01")).data[0]?.id).toBe(oldest?.id);
  expect(await api.requestProblem(`${CHANGES}?since=2026-11-20&after=latest`)).toMatchObject({
    status: 400,
    code: "invalid_parameter",
    errors: [{ parameter: "since", detail: "'since' cannot be combined with 'after'." }],
  });
});

test("the feed starts at the right event although sequence numbers have a gap", async () => {
  const api = createTestApi();
  rename(api, "One");
  api.advance(60_000);
  const other = openDatabase(api.config.databasePath, 1000, null);
  other.db.exec("UPDATE business SET last_sequence = last_sequence + 1000000");
  other.close();
  rename(api, "Two");
  api.advance(60_000);
  rename(api, "Three");
  const feed = await read(api, "?types=service.updated&since=2026-11-20T12:01:00Z");
  expect(feed.data.map(({ data }) => data.object.name)).toEqual(["Two", "Three"]);
  expect(feed.meta.lastSequence).toBe(lastSequence(api));
});

test("the feed leaves out some event types, such as event_availability.updated, unless `types` names them", async () => {
  const api = createTestApi();
  applyToSalon(
    api,
    "events: [{key: gala, name: Gala, startsAt: 2026-12-01T19:00, durationMin: 60}]",
  );
  const { nextCursor } = (await read(api, "?after=latest")).page;
  triggerEvent(api, getBusinessOfKey(api, { businessId: BUSINESS }), "event_availability.updated");
  rename(api, "Cut");
  const typesOf = async (query: string) =>
    (await read(api, `?after=${nextCursor}${query}`)).data.map(({ type }) => type);
  expect(await typesOf("")).toEqual(["service.updated", "catalog.changed"]);
  expect(await typesOf("&types=event_availability.updated,service.updated")).toEqual([
    "event_availability.updated",
    "service.updated",
  ]);
});

test("a key reads only events of its groups in the feed, and may not name other event types", async () => {
  const api = createTestApi();
  const { secret } = api.createKey({ eventGroups: ["catalog", "tickets"] });
  const business = getBusinessOfKey(api, { businessId: BUSINESS });
  const { nextCursor } = (await read(api, "?after=latest")).page;
  triggerEvent(api, business, "booking.created");
  rename(api, "Cut");
  const response = await api.request(`${CHANGES}?after=${nextCursor}`, { key: secret });
  const { data } = (await response.json()) as Feed;
  expect(data.map(({ type }) => type)).toEqual(["service.updated", "catalog.changed"]);
  for (const type of ["booking.created", "reservation.cancelled"])
    expect(
      await api.requestProblem(`${CHANGES}?types=${type},service.updated`, { key: secret }),
    ).toMatchObject({
      status: 403,
      code: "insufficient_scope",
      detail: `This key may not receive '${type}': its event groups are catalog, tickets.`,
    });
});

test("a key that may only write bookings reads only the events of bookings that it made", async () => {
  const api = createTestApi();
  const { id, secret } = api.createKey({
    kind: "RESTRICTED",
    scopes: ["webhooks.read", "bookings.write"],
  });
  const business = getBusinessOfKey(api, { businessId: BUSINESS });
  const { nextCursor } = (await read(api, "?after=latest")).page;
  const last = lastSequence(api);
  api.tx(() => {
    const drafts = [draftSample(api, business, "booking.cancelled")!];
    for (const ownerKeyId of [id, null, api.createKey().id])
      appendEvents(api, business, drafts, ownerKeyId);
  });
  const seenBy = async (key: string) => {
    const path = `${CHANGES}?after=${nextCursor}&types=booking.cancelled`;
    const { meta } = (await (await api.request(path, { key })).json()) as Feed;
    return meta.sequences.map((sequence) => sequence - last);
  };
  expect(await seenBy(secret)).toEqual([1]);
  expect(await seenBy(api.key)).toEqual([1, 2, 3]);
});

test("meta.sequences of the feed has the sequence number of each event, in the order of data", async () => {
  const api = createTestApi();
  const numbers = new Map(stored(api).map(({ id, sequence }) => [id, sequence]));
  for (const query of ["?limit=500", "?types=catalog.changed,staff.created"]) {
    const { data, meta } = await read(api, query);
    expect(data.length).toBeGreaterThan(0);
    expect(meta.sequences).toEqual(data.map(({ id }) => numbers.get(id)));
  }
});

describe("after=latest", () => {
  test("the parameter after=latest returns an empty page whose cursor continues with the next event", async () => {
    const api = createTestApi();
    const head = await read(api, "?after=latest");
    expect(head).toMatchObject({
      data: [],
      page: { hasMore: false, nextCursor: encodeChangeCursor(api, BUSINESS, lastSequence(api)) },
      meta: { sequences: [] },
    });
    rename(api, "Cut");
    const { data } = await read(api, `?after=${head.page.nextCursor}`);
    expect(data.map(({ type }) => type)).toEqual(["service.updated", "catalog.changed"]);
  });

  test("the parameter after=latest works even after every event has been pruned", async () => {
    const api = createTestApi();
    deleteEvents(api, "TRUE");
    const { page } = await read(api, "?after=latest");
    rename(api, "Cut");
    expect((await read(api, `?after=${page.nextCursor}`)).data).toHaveLength(2);
  });
});

test("a page of the feed ends after one MiB", async () => {
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

test("a page of the feed has the next event of a type, however many others precede it", async () => {
  const api = createTestApi();
  const after = (await read(api, "?after=latest")).page.nextCursor;
  const business = getBusinessOfKey(api, { businessId: BUSINESS });
  const draft = (type: "service.updated" | "staff.updated") => draftSample(api, business, type)!;
  const others = Array(6000).fill(draft("service.updated"));
  api.tx(() => appendEvents(api, business, [...others, draft("staff.updated")]));
  const { data, page } = await read(api, `?after=${after}&types=staff.updated`);
  expect(data.map(({ type }) => type)).toEqual(["staff.updated"]);
  expect(page.hasMore).toBe(false);
});

/** Returns a cursor as versions before 0.3 issued it. */
const cursorWithoutFeed = (position: number): string =>
  `${position}.${hash("sha256", `changes ${BUSINESS} ${position}`, "base64url").slice(0, 10)}`;

describe("cursors", () => {
  test.each([
    { what: "any text", cursor: () => "nonsense" },
    {
      what: "a cursor with a changed digit",
      cursor: (api: TestApi) => encodeChangeCursor(api, BUSINESS, 3).replace(/^3/, "4"),
    },
    {
      what: "a cursor of another business",
      cursor: (api: TestApi) => encodeChangeCursor(api, businessId("kita-live"), 3),
    },
    { what: "a cursor of a list", cursor: () => "WyJzZXJ2aWNlcyIsMSwic3ZjIl0" },
  ])("$what is refused as a cursor with 400", async ({ cursor }) => {
    const api = createTestApi();
    expect(await api.requestProblem(`${CHANGES}?after=${cursor(api)}`)).toMatchObject({
      status: 400,
      code: "invalid_cursor",
      errors: [{ parameter: "after" }],
    });
  });

  test("a cursor that is newer than a restored backup gets 410", async () => {
    const api = createTestApi();
    const cursor = encodeChangeCursor(api, BUSINESS, lastSequence(api) + 1);
    expect(await api.requestProblem(`${CHANGES}?after=${cursor}`)).toMatchObject({
      status: 410,
      code: "cursor_expired",
    });
  });

  test("every cursor of a feed that was replaced gets 410, also at a position that the new feed has", async () => {
    const api = createTestApi();
    const cursor = encodeChangeCursor(api, BUSINESS, 3);
    expect(await api.request(`${CHANGES}?after=${cursor}`)).toMatchObject({ status: 200 });
    api.tx(() => api.store.file.renewFeedId());
    for (const old of [cursor, cursorWithoutFeed(3)])
      expect(await api.requestProblem(`${CHANGES}?after=${old}`)).toMatchObject({
        status: 410,
        code: "cursor_expired",
      });
    const renewed = encodeChangeCursor(api, BUSINESS, 3);
    expect(await api.request(`${CHANGES}?after=${renewed}`)).toMatchObject({ status: 200 });
  });

  test("a cursor from before feeds had an ID stays valid after the upgrade", async () => {
    const api = createTestApi();
    edit(api, "UPDATE server SET feed_id = ''");
    const cursor = cursorWithoutFeed(3);
    expect(encodeChangeCursor(api, BUSINESS, 3)).toBe(cursor);
    expect(await api.request(`${CHANGES}?after=${cursor}`)).toMatchObject({ status: 200 });
  });

  test("a cursor of a business that is created again gets 410, and the sequence numbers continue", async () => {
    const api = createTestApi();
    const last = lastSequence(api);
    const version = api.store.businesses.findById(BUSINESS)?.catalogVersion ?? 0;
    deleteBusiness(api, api.store.businesses.findById(BUSINESS)!);
    // The new business has as many events as the deleted one. All are created in the same
    // millisecond.
    applyPreset(api, "salon");
    const { secret: key } = api.createKey();
    for (let sequence = 1; sequence <= last; sequence++) {
      const cursor = encodeChangeCursor(api, BUSINESS, sequence);
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

  test("a cursor whose next events were pruned gets 410, even if an older event still exists", async () => {
    const api = createTestApi();
    const cursor = (sequence: number) => encodeChangeCursor(api, BUSINESS, sequence);
    deleteEvents(api, "sequence BETWEEN 3 AND 5");
    for (const sequence of [1, 2, 4])
      expect(await api.requestProblem(`${CHANGES}?after=${cursor(sequence)}`)).toMatchObject({
        code: "cursor_expired",
      });
    const rest = stored(api).filter(({ sequence }) => sequence > 5);
    for (const query of ["?limit=500", `?limit=500&after=${cursor(5)}`])
      expect((await read(api, query)).data.map(({ id }) => id)).toEqual(rest.map(({ id }) => id));
  });

  test("a cursor at the end of the feed stays valid when all events have been pruned", async () => {
    const api = createTestApi();
    deleteEvents(api, "TRUE");
    const { data, page } = await read(api);
    expect([data, page.hasMore]).toEqual([[], false]);
    rename(api, "Cut");
    expect((await read(api, `?after=${page.nextCursor}`)).data).toHaveLength(2);
  });
});

test.each([
  { query: "?types=service.update", message: "Did you mean 'service.updated'?" },
  { query: "?types=", message: "'types' must not be empty." },
  { query: "?types=,", message: "'types' must not be empty." },
  { query: "?wait=26", message: "0 to 25" },
  { query: "?limit=0", message: "1 to 500" },
  { query: "?afer=x", message: "Did you mean 'after'?" },
])("the feed with $query is rejected", async ({ query, message }) => {
  const problem = await createTestApi().requestProblem(CHANGES + query);
  expect(problem.status).toBe(400);
  expect(problem.detail).toContain(message);
});

test("unknown event types in `types` are reported together with all other issues", async () => {
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

test("the feed requires webhooks.read, which webhooks.write includes", async () => {
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

describe("a long poll", () => {
  const afterLast = (api: TestApi) =>
    `?after=${encodeChangeCursor(api, BUSINESS, lastSequence(api))}`;

  /**
   * Replaces the time limit of long polls, which then wait for an event or until `end` is called.
   */
  function holdPolls() {
    const limits: AbortController[] = [];
    const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => {
      const limit = new AbortController();
      limits.push(limit);
      return limit.signal;
    });
    onTestFinished(() => timeout.mockRestore());
    return {
      timeout,
      /** Resolves when `count` requests wait. */
      waitFor: (count: number) => vi.waitUntil(() => limits.length === count, WAITS),
      end: () => limits.forEach((limit) => limit.abort()),
    };
  }

  test("a long poll returns a change by another process before its time limit", async () => {
    const api = createTestApi();
    const polls = holdPolls();
    const waiting = read(api, `${afterLast(api)}&wait=20`);
    await polls.waitFor(1);
    expect(polls.timeout).toHaveBeenCalledWith(20_000);
    rename(api, "Cut");
    const { data } = await waiting;
    expect(data.map(({ type }) => type)).toEqual(["service.updated", "catalog.changed"]);
  });

  test("a long poll ignores other event types and other businesses", async () => {
    const api = createTestApi();
    const polls = holdPolls();
    const waiting = api.request(`${CHANGES}${afterLast(api)}&types=staff.updated&wait=1`);
    await polls.waitFor(1);
    applyPreset(api, "venue");
    rename(api, "Cut");
    const reads = vi.spyOn(api.store.feed, "getLastSequence");
    await vi.waitUntil(() => reads.mock.calls.length > 0, WAITS);
    polls.end();
    const { data, page } = (await (await waiting).json()) as Feed;
    expect(data).toEqual([]);
    expect(page.nextCursor).toBe(encodeChangeCursor(api, BUSINESS, lastSequence(api)));
  });

  test("a long poll returns existing events without waiting", async () => {
    const polls = holdPolls();
    expect((await read(createTestApi(), "?wait=20&limit=1")).data).toHaveLength(1);
    expect(polls.timeout).not.toHaveBeenCalled();
  });

  test("a long poll ends with a conflict when its business is deleted", async () => {
    const api = createTestApi();
    const polls = holdPolls();
    const waiting = api.requestProblem(`${CHANGES}${afterLast(api)}&wait=1`);
    await polls.waitFor(1);
    deleteBusiness(api, getBusinessOfKey(api, { businessId: BUSINESS }));
    polls.end();
    expect(await waiting).toMatchObject({ status: 409, code: "conflict" });
  });

  test("a long poll ends with 401 when the key is revoked", async () => {
    const api = createTestApi();
    const polls = holdPolls();
    const { id, secret } = api.createKey();
    const waiting = api.requestProblem(`${CHANGES}${afterLast(api)}&wait=20`, { key: secret });
    await polls.waitFor(1);
    revokeKey(api, id);
    rename(api, "Cut");
    expect(await waiting).toMatchObject({ status: 401, code: "revoked_key" });
  });

  test.each(["rotated without an overlap", "expired"])(
    "a long poll ends with 401 when the key is %s",
    async (how) => {
      const api = createTestApi();
      const polls = holdPolls();
      const { id, secret } = api.createKey({ expiresAt: api.now() + 60_000 });
      const waiting = api.requestProblem(`${CHANGES}${afterLast(api)}&wait=20`, { key: secret });
      await polls.waitFor(1);
      if (how === "expired") api.advance(60_000);
      else rotateKey(api, id, 0);
      rename(api, "Cut");
      expect(await waiting).toMatchObject({ status: 401, code: "expired_key" });
    },
  );

  test("a long poll of a deleted business sees no event of a new business with the same slug", async () => {
    const api = createTestApi();
    const polls = holdPolls();
    const waiting = api.requestProblem(`${CHANGES}${afterLast(api)}&wait=20`);
    await polls.waitFor(1);
    deleteBusiness(api, getBusinessOfKey(api, { businessId: BUSINESS }));
    applyPreset(api, "salon");
    expect(await waiting).toMatchObject({ status: 401, code: "revoked_key" });
  });

  test("a long poll ends when the server shuts down", async () => {
    const api = createTestApi();
    const server = await startServer(api, { host: "127.0.0.1", port: 0 });
    onTestFinished(() => server.close());
    const polls = holdPolls();
    const headers = { authorization: `Bearer ${api.key}` };
    const waiting = Array.from({ length: 20 }, () =>
      fetch(`${server.url}${CHANGES}${afterLast(api)}&wait=25`, { headers }),
    );
    await polls.waitFor(20);
    await server.close();
    for (const response of await Promise.all(waiting)) {
      expect(response.status).toBe(200);
      expect(((await response.json()) as Feed).data).toEqual([]);
    }
  });
});

test("a partner that polls irregularly misses none of 200 changes", async () => {
  const api = createTestApi();
  const { secret } = api.createKey({ limitMinute: 1_000_000, limitHour: 1_000_000 });
  const fetchPage = async (after: string) =>
    (await (await api.request(`${CHANGES}?limit=100${after}`, { key: secret })).json()) as Feed;
  const keys = ["cut", "color", "blowout"].filter((key) =>
    api.store.catalog.listObjects(BUSINESS).service.some((service) => service.key === key),
  );
  let random = 11;
  const randomBelow = (below: number) => (random = (random * 48_271) % 2_147_483_647) % below;
  const seen: string[] = [];
  let after = "";
  for (let i = 0; i < 200; i++) {
    const key = keys[randomBelow(keys.length)] ?? "cut";
    const edit = randomBelow(3);
    editObject(api, SALON, "service", key, (service) => ({
      ...service,
      ...(edit === 0
        ? { name: `Name ${i}` }
        : edit === 1
          ? { description: `Text ${i}` }
          : { durationMin: 5 + (i % 90) }),
    }));
    // The partner reads a page at random times.
    if (randomBelow(20) > 0) continue;
    const { data, page } = await fetchPage(after);
    seen.push(...data.map(({ id }) => id));
    after = `&after=${page.nextCursor}`;
  }
  for (let more = true; more;) {
    const { data, page } = await fetchPage(after);
    seen.push(...data.map(({ id }) => id));
    after = `&after=${page.nextCursor}`;
    more = page.hasMore;
  }
  const all = stored(api).map(({ id }) => id);
  expect(all.length).toBeGreaterThan(380);
  expect(seen).toEqual(all);
});
