import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createClient, type ClientOptions } from "../../src/client/client.ts";
import { OPERATIONS } from "../../src/client/generated/operations.ts";
import { DeskbellError } from "../../src/client/errors.ts";
import { describeApi } from "../../.config/openapi/document.ts";
import { ROUTES } from "../support/routes.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Sent = { method: string; url: string; headers: Headers; body: unknown };
type Answer = Response | Error;

const json = (body: unknown, init: ResponseInit = {}): Response =>
  Response.json(body, { headers: { etag: '"1"' }, ...init });

const problem = (status: number, code: string, headers: Record<string, string> = {}): Response =>
  Response.json(
    { type: "", title: "", status, code, detail: `It is ${code}.`, requestId: "req_1" },
    { status, headers: { "request-id": "req_1", ...headers } },
  );

/** Returns a client whose requests get the given answers in order, and what it has sent. */
function answer(answers: Answer[], options: Partial<ClientOptions> = {}) {
  const sent: Sent[] = [];
  const client = createClient({
    baseUrl: "https://desk.example/api/",
    business: "salon aurora",
    key: "deskbell_rk_1",
    fetch: async (url, init = {}) => {
      const body: unknown = init.body === undefined ? undefined : JSON.parse(String(init.body));
      const headers = new Headers(init.headers);
      sent.push({ method: String(init.method), url: String(url), headers, body });
      const next = answers.shift();
      if (next instanceof Response) return next;
      throw next ?? new Error("There is no answer.");
    },
    ...options,
  });
  return { client, sent };
}

/** Runs all timers for which a call waits, and returns its result or error. */
async function settle<T>(call: Promise<T>): Promise<T | DeskbellError> {
  const outcome = call.catch((error: DeskbellError) => error);
  await vi.runAllTimersAsync();
  return outcome;
}

const list = (ids: number[], nextCursor: string | null) => ({
  data: ids,
  page: { hasMore: nextCursor !== null, nextCursor },
});

test("a call sends IDs in the path, parameters in the query, and its headers and body", async () => {
  const { client, sent } = answer([json({ data: {} }), json({ data: {} })]);
  await client.getAvailability({ serviceIds: ["a,b", "c"], date: "2026-11-23", explain: false });
  const base = "https://desk.example/api/v1/businesses/salon%20aurora";
  expect(sent[0]).toMatchObject({
    method: "GET",
    url: `${base}/availability?serviceIds=a%2Cb,c&date=2026-11-23&explain=false`,
    body: undefined,
  });
  expect(sent[0]?.headers.get("authorization")).toBe("Bearer deskbell_rk_1");
  expect(sent[0]?.headers.has("idempotency-key")).toBe(false);

  const cancel = { id: "bkg_1/2", body: { reason: "ill" }, ifMatch: '"7"', idempotencyKey: "mine" };
  await client.cancelBooking({ ...cancel, dryRun: true });
  expect(sent[1]).toMatchObject({
    method: "POST",
    url: `${base}/bookings/bkg_1%2F2/cancel?dryRun=true`,
    body: { reason: "ill" },
  });
  const { headers } = sent[1] as Sent;
  expect(["if-match", "idempotency-key", "content-type"].map((name) => headers.get(name))).toEqual([
    '"7"',
    "mine",
    "application/json",
  ]);
});

test("a call without the ID of its object is refused, because its path would be that of a list", async () => {
  const { client, sent } = answer([]);
  await expect(client.getBooking({ id: "" })).rejects.toThrow("'id' is missing.");
  await expect(client.getBooking({} as { id: string })).rejects.toThrow("'id' is missing.");
  expect(sent).toEqual([]);
});

test("a result of the client has the data, the status and the ETag of the response", async () => {
  const { client } = answer([json({ data: [] }), new Response(null, { status: 204 })]);
  const services = await client.listServices();
  expect([services.data, services.status, services.etag]).toEqual([[], 200, '"1"']);
  const deleted = await client.deleteHold({ id: "hld_1" });
  expect([deleted.status, deleted.etag]).toEqual([204, null]);
});

test("an unchanged response has the data of the previous result", async () => {
  const { client, sent } = answer([
    json({ data: [1] }),
    new Response(null, { status: 304, headers: { etag: '"1"' } }),
    json({ data: [2] }),
  ]);
  const first = await client.listServices();
  const same = await client.listServices({ previous: first });
  expect([same.status, same.data]).toEqual([304, [1]]);
  expect(sent[1]?.headers.get("if-none-match")).toBe('"1"');
  const changed = await client.listServices({ previous: same });
  expect([changed.status, changed.data]).toEqual([200, [2]]);
});

test("a list is iterated over all of its pages, with the same parameters", async () => {
  const { client, sent } = answer([
    json(list([1, 2], "c1")),
    json(list([], "c2")),
    json(list([3], null)),
  ]);
  const found: unknown[] = [];
  for await (const booking of client.listBookings({ status: "PENDING", limit: 2 }))
    found.push(booking);
  expect(found).toEqual([1, 2, 3]);
  expect(sent.map(({ url }) => new URL(url).search)).toEqual([
    "?status=PENDING&limit=2",
    "?status=PENDING&limit=2&cursor=c1",
    "?status=PENDING&limit=2&cursor=c2",
  ]);
});

test("the feed is iterated with the cursor of each page", async () => {
  const { client, sent } = answer([
    json(list([1], "c1")),
    json({ ...list([2], "c2"), page: { hasMore: false, nextCursor: "c2" } }),
  ]);
  const found: unknown[] = [];
  for await (const event of client.listChanges({ since: "2026-11-20" } as object))
    found.push(event);
  expect(found).toEqual([1, 2]);
  expect(sent.map(({ url }) => new URL(url).search)).toEqual(["?since=2026-11-20", "?after=c1"]);
});

test.each([
  ["a GET", "getMenu", {}, [429, 502, 503, 504]],
  ["a POST with its Idempotency-Key", "createHold", { body: {} }, [429, 502, 503, 504]],
  ["a DELETE", "deleteHold", { id: "hld_1" }, [429, 502, 503, 504]],
  // A PATCH has no Idempotency-Key, so it is sent again only after a 429, which refuses it before
  // it has an effect.
  ["a PATCH", "updateBooking", { id: "bkg_1", body: {} }, [429]],
] as const)(
  "%s is sent again only after a status that allows a retry",
  async (_, id, args, repeated) => {
    for (const status of [400, 404, 409, 429, 500, 502, 503, 504]) {
      const code = status === 429 ? "rate_limited" : "busy";
      const { client, sent } = answer([problem(status, code), json({ data: {} })]);
      const call = client[id] as (args: object) => Promise<{ status: number }>;
      const result = await settle(call(args));
      const isRepeated = (repeated as readonly number[]).includes(status);
      expect([status, sent.length, result.status]).toEqual([
        status,
        isRepeated ? 2 : 1,
        isRepeated ? 200 : status,
      ]);
      const keys = sent.map(({ headers }) => headers.get("idempotency-key"));
      expect(new Set(keys).size).toBe(1);
      expect(keys[0] === null).toBe(id !== "createHold");
    }
  },
);

test("after a broken connection, a GET and a POST are repeated, but not a PATCH", async () => {
  const broken = () => new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") });
  const get = answer([broken(), broken(), json({ data: {} })]);
  expect(await settle(get.client.getMenu())).toMatchObject({ status: 200 });
  const post = answer([broken(), json({ data: {} })]);
  expect(
    await settle(
      post.client.createEndpoint({ body: { name: "x", url: "https://x.example", events: [] } }),
    ),
  ).toMatchObject({ status: 200 });
  const patch = answer([broken()]);
  expect(await settle(patch.client.updateBooking({ id: "bkg_1", body: {} }))).toMatchObject({
    code: "connection_failed",
    status: 0,
    detail:
      "PATCH https://desk.example/api/v1/businesses/salon%20aurora/bookings/bkg_1: connect ECONNREFUSED.",
  });
  const gone = answer([broken(), broken(), broken(), broken()]);
  expect(await settle(gone.client.getMenu())).toBeInstanceOf(DeskbellError);
  expect(gone.sent.length).toBe(4);
});

test("a retry waits as long as Retry-After says, but a wait of more than a minute is an error immediately", async () => {
  const { client, sent } = answer([
    problem(429, "rate_limited", { "retry-after": "30" }),
    json({ data: {} }),
  ]);
  const call = client.getMenu();
  await vi.advanceTimersByTimeAsync(29_999);
  expect(sent.length).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect((await call).status).toBe(200);

  const long = answer([problem(429, "rate_limited", { "retry-after": "61" })]);
  expect(await settle(long.client.getMenu())).toMatchObject({
    code: "rate_limited",
    retryAfter: 61,
  });
  expect(long.sent.length).toBe(1);
});

test.each(["too_many_holds", "too_many_bookings", "too_many_redeliveries"])(
  "%s is an error at once, although it has a Retry-After",
  async (code) => {
    const { client, sent } = answer([problem(429, code, { "retry-after": "60" })]);
    const error = await settle(client.createHold({ body: { startsAt: "", segments: [] } }));
    expect(error).toMatchObject({ code, retryAfter: 60 });
    expect(sent.length).toBe(1);
  },
);

test("a 429 of a proxy is repeated after the seconds in Retry-After", async () => {
  const busy = new Response("<h1>Busy</h1>", { status: 429, headers: { "retry-after": "30" } });
  const { client, sent } = answer([busy, json({ data: {} })]);
  expect(await settle(client.getMenu())).toMatchObject({ status: 200 });
  expect(sent.length).toBe(2);
});

test("a retry waits until the date in Retry-After, which a proxy can write", async () => {
  vi.setSystemTime("2026-11-23T10:00:00Z");
  const headers = { "retry-after": "Mon, 23 Nov 2026 10:00:30 GMT" };
  const busy = new Response("<h1>Busy</h1>", { status: 503, headers });
  const { client, sent } = answer([busy, json({ data: {} })]);
  const call = client.getMenu();
  await vi.advanceTimersByTimeAsync(29_999);
  expect(sent.length).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect((await call).status).toBe(200);
});

test.each([
  ["Mon, 23 Nov 2026 09:59:00 GMT", 0],
  ["Mon, 23 Nov 2026 10:01:01 GMT", 61],
  ["soon", undefined],
  ["-1", undefined],
  ["5, 5", undefined],
])("the error of a response with Retry-After: %s has %s seconds", async (value, retryAfter) => {
  vi.setSystemTime("2026-11-23T10:00:00Z");
  const { client } = answer([problem(503, "busy", { "retry-after": value })], { retries: 0 });
  expect(await settle(client.getMenu())).toMatchObject({ code: "busy", retryAfter });
});

test("the pauses between retries grow up to eight seconds, and half of each is random", async () => {
  const pauses: number[] = [];
  vi.spyOn(globalThis, "setTimeout").mockImplementation((run, ms) => {
    pauses.push(ms ?? 0);
    (run as () => void)();
    return 0 as unknown as NodeJS.Timeout;
  });
  const { client } = answer(
    Array.from({ length: 8 }, () => problem(503, "busy")),
    { retries: 7 },
  );
  expect(await client.getMenu().catch((error: DeskbellError) => error.code)).toBe("busy");
  vi.restoreAllMocks();
  const maximums = [500, 1000, 2000, 4000, 8000, 8000, 8000];
  expect(pauses.length).toBe(maximums.length);
  for (const [i, max] of maximums.entries()) {
    expect(pauses[i]).toBeGreaterThanOrEqual(max / 2);
    expect(pauses[i]).toBeLessThanOrEqual(max);
  }
});

test("an aborted call rejects with the reason of its signal, and is not sent again", async () => {
  const controller = new AbortController();
  const { client, sent } = answer([problem(503, "busy", { "retry-after": "5" })]);
  const call = client.getMenu({ signal: controller.signal });
  await vi.advanceTimersByTimeAsync(1000);
  controller.abort(new Error("left"));
  await expect(call).rejects.toThrow("left");
  expect(sent.length).toBe(1);
  await expect(client.getMenu({ signal: controller.signal })).rejects.toThrow("left");
});

test("an error that the client throws has the fields of the problem in the response", async () => {
  const body = {
    type: "/docs#problem-slot_taken",
    title: "Slot taken",
    status: 409,
    code: "slot_taken",
    detail: "The time is taken.",
    fix: "choose another one",
    requestId: "req_2",
    alternatives: [
      { startsAt: "2026-11-23T10:00:00Z", endsAt: "2026-11-23T11:00:00Z", segments: [] },
    ],
  };
  const { client } = answer([
    Response.json(body, { status: 409, headers: { "request-id": "req_2" } }),
  ]);
  const error = await client
    .createBooking({ body: { customer: { name: "Ana" } } })
    .catch((e: DeskbellError) => e);
  expect(error).toBeInstanceOf(DeskbellError);
  expect({ ...error }).toEqual({
    name: "DeskbellError",
    code: "slot_taken",
    status: 409,
    detail: "The time is taken.",
    fix: "choose another one",
    requestId: "req_2",
    retryAfter: undefined,
    problem: body,
  });
  expect(String(error)).toBe(
    "DeskbellError: slot_taken: The time is taken. Fix: choose another one",
  );
});

test.each([
  ["the page of a proxy", new Response("<h1>Bad gateway</h1>", { status: 404 })],
  ["a page with status 200", new Response("<h1>Welcome</h1>")],
  [
    "a redirect",
    new Response(null, { status: 302, headers: { location: "https://other.example" } }),
  ],
  ["JSON that is no problem", Response.json({ error: "no" }, { status: 400 })],
])("%s is an unexpected response", async (_, response) => {
  const { client } = answer([response]);
  expect(await settle(client.getMenu())).toMatchObject({
    code: "unexpected_response",
    status: response.status,
    fix: "check baseUrl, and the proxy before the server.",
  });
});

test("the client has a method for each operation of a business that responds with JSON", () => {
  const { client } = answer([]);
  const ids = Object.keys(OPERATIONS);
  expect(ids.length).toBeGreaterThan(40);
  expect(Object.keys(client)).toEqual(ids);
  expect(ids).not.toContain("getBusinessCalendar");
  expect(ids).not.toContain("getMetrics");
});

test("no query parameter has the name of the client's own arguments, such as body or signal", () => {
  const document = describeApi({ routes: ROUTES, version: "1" });
  const names = JSON.stringify(document.paths).matchAll(/"name":"(\w+)","in":"query"/g);
  const taken = ["body", "signal", "previous", "idempotencyKey", "ifMatch", "visitorId", "id"];
  const found = new Set([...names].map(([, name = ""]) => name));
  expect(found.size).toBeGreaterThan(20);
  expect(taken.filter((name) => found.has(name))).toEqual([]);
});
