import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { eraseForGood } from "../../../src/app/guests/erase-visits.ts";
import { findInReplies } from "../../../src/app/idempotent-replies.ts";
import { createPruner } from "../../../src/app/operations/retention.ts";
import { rotateMasterKey } from "../../../src/app/webhooks/endpoint-secrets.ts";
import { hashApiKey } from "../../../src/domain/api-key.ts";
import type { SendOnce } from "../../../src/app/webhooks/test-endpoint.ts";
import { createTestApp } from "../../support/app.ts";
import { commitReply, createHandleOnce } from "../../../src/http/pipeline/idempotency.ts";
import type { HttpRequest, RequestContext } from "../../../src/http/pipeline/request-context.ts";
import { ROUTES } from "../../support/routes.ts";
import { createTestApi, type Problem, type TestApi } from "../support/api.ts";
import {
  createTestEndpoint,
  DELIVERIES,
  jsonRequest,
  readData,
  renameService,
  WEBHOOKS,
} from "../support/webhooks.ts";
import type { Visit } from "../../../src/domain/bookings/visit.ts";
import { type Client, openBookingShop, orderOf, visit } from "../support/bookings.ts";
import type { TestRuntime } from "../../support/test-runtime.ts";

const DAY_MS = 86_400_000;
const NEW_ENDPOINT = { name: "Till", url: "https://8.8.8.8/", events: ["service.updated"] };

async function setUp() {
  const api = createTestApi();
  const { endpoint } = await createTestEndpoint(api, null);
  renameService(api, "Cut");
  const [delivery] = api.store.deliveries.list({ endpointId: endpoint.id }, 1);
  const paths: Record<string, [path: string, body?: object]> = {
    createEndpoint: [WEBHOOKS, NEW_ENDPOINT],
    testEndpoint: [`${WEBHOOKS}/${endpoint.id}/test`],
    enableEndpoint: [`${WEBHOOKS}/${endpoint.id}/enable`, { recover: "none" }],
    rotateEndpointSecret: [`${WEBHOOKS}/${endpoint.id}/rotate-secret`],
    finishSecretRotation: [`${WEBHOOKS}/${endpoint.id}/rotate-secret/finish`],
    redeliverDeliveries: [`${DELIVERIES}/redeliver`, { since: "2026-11-20" }],
    redeliverDelivery: [`${DELIVERIES}/${delivery!.id}/redeliver`, {}],
  };
  return { api, endpoint, paths, rotation: `${WEBHOOKS}/${endpoint.id}/rotate-secret` };
}

const send = (api: TestApi, path: string, body?: object, token = "order-1", key = api.key) => {
  const { headers, ...init } = body ? jsonRequest("POST", body) : { method: "POST" };
  return api.request(path, { ...init, key, headers: { ...headers, "idempotency-key": token } });
};

const readAll = async (response: Response) => ({
  status: response.status,
  headers: ["content-type", "cache-control", "location", "etag"].map((name) =>
    response.headers.get(name),
  ),
  body: await response.text(),
});

test.each(
  ROUTES.filter(({ method, group }) => method === "POST" && group === "Webhooks").map(
    ({ operationId }) => operationId,
  ),
)(
  "%s takes effect once, and a repetition with its Idempotency-Key gets the first response",
  async (operationId) => {
    const { api, paths } = await setUp();
    const [path, body] = paths[operationId]!;
    const first = await send(api, path, body);
    expect(first.headers.get("idempotency-replayed")).toBeNull();
    const original = await readAll(first);
    const revision = api.revision();
    const again = await send(api, path, body);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(again.headers.get("request-id")).not.toBe(first.headers.get("request-id"));
    expect(await readAll(again)).toEqual(original);
    expect(api.revision()).toBe(revision);
    const remaining = (response: Response) =>
      Number(/r=(\d+)/.exec(response.headers.get("ratelimit") ?? "")?.[1]);
    expect(remaining(again)).toBe(remaining(first) - 1);
  },
);

test("a rotation of a signing secret whose response was lost can be retried with its Idempotency-Key", async () => {
  const { api, endpoint, rotation } = await setUp();
  const { secret } = await readData(await send(api, rotation));
  expect(await readData(await send(api, rotation))).toMatchObject({ secret });
  expect(api.store.endpointSecrets.listValid(endpoint.id, api.now())).toHaveLength(2);
  // A request with another Idempotency-Key is a second rotation, which is refused until the first
  // one is finished.
  expect((await send(api, rotation, undefined, "order-2")).status).toBe(409);
});

test("an Idempotency-Key with another path or body is refused", async () => {
  const { api, rotation } = await setUp();
  const code = async (path: string, body?: object) => {
    const response = await send(api, path, body);
    return response.ok ? "ok" : `${response.status} ${((await response.json()) as Problem).code}`;
  };
  expect(await code(rotation, { overlapSeconds: 60, force: false })).toBe("ok");
  expect(await code(rotation, { force: false, overlapSeconds: 60 })).toBe("ok");
  const reused = "422 idempotency_key_reused";
  expect(await code(rotation, { overlapSeconds: 61, force: false })).toBe(reused);
  expect(await code(rotation)).toBe(reused);
  expect(await code(`${rotation}/finish`, { overlapSeconds: 60, force: false })).toBe(reused);
  // Each API key has Idempotency-Keys of its own, so this is a new request, which is refused
  // because a rotation is not finished.
  const { secret } = api.createKey();
  expect((await send(api, rotation, {}, "order-1", secret)).status).toBe(409);
});

test("a refused request with an Idempotency-Key has no effect, and is handled again when repeated", async () => {
  const { api, rotation } = await setUp();
  await send(api, rotation, undefined, "first");
  expect((await send(api, rotation)).status).toBe(409);
  await send(api, `${rotation}/finish`, undefined, "finish");
  const response = await send(api, rotation);
  expect([response.status, response.headers.get("idempotency-replayed")]).toEqual([200, null]);
});

test("a request with an Idempotency-Key whose reply cannot be stored has no effect", async () => {
  const { api, endpoint, rotation } = await setUp();
  const replace = api.store.idempotency.replace;
  api.store.idempotency.replace = () => {
    throw new Error("the disk failed");
  };
  const response = await send(api, rotation);
  expect([response.status, response.headers.get("etag")]).toEqual([500, null]);
  expect(api.store.endpointSecrets.listValid(endpoint.id, api.now())).toHaveLength(1);
  api.store.idempotency.replace = replace;
  expect((await send(api, rotation)).status).toBe(200);
});

test("20 concurrent requests with one Idempotency-Key rotate a secret once", async () => {
  const { api, endpoint, rotation } = await setUp();
  const responses = await Promise.all(Array.from({ length: 20 }, () => send(api, rotation)));
  const secrets = await Promise.all(
    responses.map(async (response) => (await readData(response))["secret"]),
  );
  expect(new Set(secrets).size).toBe(1);
  const replayed = responses.filter(({ headers }) => headers.has("idempotency-replayed"));
  expect(replayed).toHaveLength(19);
  expect(api.store.endpoints.findById(endpoint.id)?.version).toBe(2);
});

test("a second request with an Idempotency-Key gets 503 after 2 s if the first is still in progress", async () => {
  const { api, endpoint } = await setUp();
  const responded = Promise.withResolvers<Awaited<ReturnType<SendOnce>>>();
  const started = Promise.withResolvers<void>();
  const { request } = createTestApp(api, () => {
    started.resolve();
    return responded.promise;
  });
  const test = () =>
    request(`${WEBHOOKS}/${endpoint.id}/test`, {
      method: "POST",
      headers: { authorization: `Bearer ${api.key}`, "idempotency-key": "order-1" },
    });
  const first = test();
  await started.promise;
  const second = test();
  await new Promise(setImmediate);
  api.advance(2000);
  const busy = await second;
  expect([busy.status, busy.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(await busy.json()).toMatchObject({ code: "busy" });
  const third = test();
  responded.resolve({ outcome: { kind: "refused", error: "refused" }, address: null });
  expect(await (await third).json()).toEqual(await (await first).json());
});

test("a stored reply is kept for 24 hours, encrypted, and survives a rotation of the master key", async () => {
  const { api, rotation } = await setUp();
  const first = await readData<{ secret: string }>(
    await send(api, rotation, { overlapSeconds: 86_399 }),
  );
  rotateMasterKey(api);
  api.advance(DAY_MS - 1);
  const again = await send(api, rotation, { overlapSeconds: 86_399 });
  expect(await readData(again)).toEqual(first);
  const stored = ["", "-wal"].map((end) => readFileSync(api.config.databasePath + end, "latin1"));
  for (const text of [first.secret, "86399"]) expect(stored.join()).not.toContain(text);
  api.advance(1);
  expect((await send(api, rotation, { overlapSeconds: 1 })).status).toBe(200);
  api.advance(DAY_MS);
  await createPruner(api)();
  expect(api.store.idempotency.list()).toEqual([]);
  expect(JSON.stringify(api.logged)).not.toContain("order-1");
});

test("the repeated reply to a booking or order does not have the customer reference of an erased guest", async () => {
  const { rt, site } = openBookingShop();
  const requests = [
    ["/bookings", visit("09:00", { customerRef: "ana" }), "booking-1"],
    ["/bookings", visit("10:00", { customerRef: "leo" }), "booking-2"],
    ["/ticket-orders", { ...orderOf(rt), customerRef: "ana" }, "order-1"],
  ] as const;
  const sendAll = () =>
    Promise.all(
      requests.map(async ([path, body, token]) => {
        const {
          status,
          headers,
          body: reply,
        } = await site.send("POST", path, body, {
          "idempotency-key": token,
        });
        const isRepeated = headers.get("idempotency-replayed") === "true";
        return { status, isRepeated, id: reply.data.id, customerRef: reply.data.customerRef };
      }),
    );
  const made = await sendAll();
  expect(made.map(({ customerRef }) => customerRef)).toEqual(["ana", "leo", "ana"]);
  // A reply that no master key decrypts does not prevent the erasure.
  const [row] = rt.store.idempotency.list();
  rt.store.idempotency.replace({ ...row!, token: "lost", sealed: Buffer.alloc(64) });
  eraseForGood(rt, [made[0]!.id, made[2]!.id]);
  expect(await sendAll()).toEqual(
    made.map((sent, i) => ({ ...sent, isRepeated: true, customerRef: i === 1 ? "leo" : null })),
  );
});

test("an erasure decrypts stored replies before its transaction, and finds a reply that is stored in between", async () => {
  const { rt, site } = openBookingShop();
  const book = (token: string) =>
    site.send("POST", "/bookings", visit("09:00", { customerRef: "ana" }), {
      "idempotency-key": token,
    });
  const { body } = await book("first");
  const [row] = rt.store.idempotency.list();
  const { list } = rt.store.idempotency;
  const { decrypt } = rt.secrets;
  let decrypted = 0;
  rt.secrets.decrypt = (...sealed) => {
    decrypted += 1;
    return decrypt(...sealed);
  };
  rt.advance(1);
  const erase = findInReplies(rt, [body.data.id]);
  expect(decrypted).toBe(1);
  // A second reply to the client contains the visit as it was before the erasure.
  const token = "second";
  const copy = rt.secrets.encrypt(
    decrypt(row!.sealed, `${row!.keyId} first`),
    `${row!.keyId} ${token}`,
  );
  rt.store.idempotency.replace({ ...row!, token, sealed: copy, createdAt: rt.now() });
  rt.tx(erase);
  expect(decrypted).toBe(2);
  const texts = list().map(({ keyId, token, sealed }) => decrypt(sealed, `${keyId} ${token}`));
  expect(texts).toHaveLength(2);
  for (const text of texts) expect(text).not.toContain("ana");
});

/** Books a visit with a customer reference, and returns the reply that was stored. */
async function storeReply() {
  const { rt, site } = openBookingShop();
  const { body } = await site.send("POST", "/bookings", visit("09:00", { customerRef: "ana" }), {
    "idempotency-key": "first",
  });
  const [row] = rt.store.idempotency.list();
  const listTexts = () =>
    rt.store.idempotency
      .list()
      .map(({ keyId, token, sealed }) => rt.secrets.decrypt(sealed, `${keyId} ${token}`));
  return { rt, visitId: body.data.id, row: row!, listTexts };
}

test("an erasure finds a reply whose transaction began before the erasure and was committed later", async () => {
  const { rt, visitId, row, listTexts } = await storeReply();
  rt.tx(() => rt.store.idempotency.delete(row));
  rt.advance(1);
  const erase = findInReplies(rt, [visitId]);
  rt.tx(() => rt.store.idempotency.replace(row));
  rt.tx(erase);
  expect(listTexts()).toEqual([expect.not.stringContaining("ana")]);
});

test("an erasure finds a reply that a rotation of the master key has encrypted again meanwhile", async () => {
  const { rt, visitId, listTexts } = await storeReply();
  rt.advance(1);
  const erase = findInReplies(rt, [visitId]);
  rotateMasterKey(rt);
  rt.tx(erase);
  expect(listTexts()).toEqual([expect.not.stringContaining("ana")]);
});

test("a repeated request is refused, not handled again, if the master key is gone", async () => {
  const { api, endpoint, rotation } = await setUp();
  await send(api, rotation);
  const [row] = api.store.idempotency.list();
  api.store.idempotency.replace({ ...row!, sealed: Buffer.alloc(64) });
  expect((await send(api, rotation)).status).toBe(503);
  expect(api.store.endpoints.findById(endpoint.id)?.version).toBe(2);
  // A reply that no key decrypts does not prevent a rotation of the master key.
  rotateMasterKey(api);
  expect(api.store.idempotency.list()).toEqual([]);
});

test("if several requests arrive at the same time with one Idempotency-Key, only one is handled", async () => {
  const { api } = await setUp();
  const key = api.store.keys.findCredential(hashApiKey(api.key))!;
  const handleOnce = createHandleOnce(api);
  const body = Promise.resolve(Buffer.alloc(0));
  let handled = 0;
  const requests = Array.from({ length: 3 }, async () => {
    const headers = { "idempotency-key": "order-1" };
    const request = { method: "POST", path: "/", headers } as unknown as HttpRequest;
    const context = { request, body, responseHeaders: [] } as unknown as RequestContext;
    return handleOnce(context, key, async () => {
      handled += 1;
      await new Promise(setImmediate);
      return commitReply(api, context, () => ({ status: 204, headers: [], body: null }));
    });
  });
  await Promise.all(requests);
  expect(handled).toBe(1);
});

const HOUR_MS = 3_600_000;

const POSTS = ROUTES.filter(({ method, group }) => method === "POST" && group === "Bookings");

/**
 * Returns a different start for each `n` from 0 to 11: one of three hours on one of four Mondays.
 */
const startOf = (n: number): string =>
  `${["2026-11-23", "2026-11-30", "2026-12-07", "2026-12-14"][n % 4]}T${["09", "10", "11"][n % 3]}:00:00+00:00`;

/** Returns the path and body of a request that succeeds. */
async function requestOf(
  rt: TestRuntime,
  { send }: Client,
  operationId: string,
): Promise<[path: string, body: object]> {
  const create = async (path: string, body: object) => (await send("POST", path, body)).body.data;
  const startsAt = startOf(POSTS.findIndex((route) => route.operationId === operationId));
  const booking = { ...visit("09:00"), startsAt };
  const reservation = { startsAt, partySize: 2 };
  switch (operationId) {
    case "createHold":
      return ["/holds", booking];
    case "createBooking":
      return ["/bookings", booking];
    case "createReservation":
      return ["/reservations", reservation];
    default:
  }
  const [, action = "", noun = ""] =
    /^([a-z]+(?:NoShow)?)(Booking|Reservation)$/.exec(operationId) ?? [];
  const path = noun === "Booking" ? "/bookings" : "/reservations";
  const { id } = await create(path, noun === "Booking" ? booking : reservation);
  if (action === "approve" || action === "decline")
    setState(rt, id, { status: "PENDING", decideBy: rt.now() + HOUR_MS });
  if (action === "complete" || action === "markNoShow") setState(rt, id, { startsAt: rt.now() });
  const name = action === "markNoShow" ? "no-show" : action;
  const later = { startsAt: startsAt.replace("2026-11", "2026-12").replace("-23T", "-21T") };
  return [`${path}/${id}/${name}`, action === "reschedule" ? later : {}];
}

function setState(rt: TestRuntime, id: string, state: Partial<Visit>): void {
  const { id: businessId } = rt.store.businesses.list()[0]!;
  const { bookings, reservations } = rt.store;
  rt.tx(() => {
    if (id.startsWith("bkg")) bookings.update({ ...bookings.findById(businessId, id)!, ...state });
    else reservations.update({ ...reservations.findById(businessId, id)!, ...state });
  });
}

test("each POST route takes effect once, and a repeated request gets the first response", async () => {
  const { rt, owner } = openBookingShop();
  for (const { operationId } of POSTS) {
    const [path, body] = await requestOf(rt, owner, operationId);
    const once = { "idempotency-key": operationId };
    const dry = await owner.send("POST", `${path}?dryRun=true`, body, once);
    expect([operationId, dry.status]).toEqual([operationId, 200]);
    const revision = rt.revision();
    const first = await owner.send("POST", path, body, once);
    expect(first.status, operationId).toBe(operationId.startsWith("create") ? 201 : 200);
    expect(rt.revision()).toBeGreaterThan(revision);
    const written = rt.revision();
    const again = await owner.send("POST", path, body, once);
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    for (const name of ["etag", "location", "cache-control"])
      expect(again.headers.get(name)).toBe(first.headers.get(name));
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(rt.revision()).toBe(written);
    const other = await owner.send("POST", path, { ...body, other: 1 }, once);
    expect([other.status, other.body.code]).toEqual([422, "idempotency_key_reused"]);
  }
});

test("a POST that creates an object requires an Idempotency-Key, except in a dry run", async () => {
  const { rt, site } = openBookingShop();
  const none = { "idempotency-key": undefined };
  const needing = POSTS.filter(({ needsIdempotencyKey }) => needsIdempotencyKey);
  expect(needing.map(({ operationId }) => operationId)).toEqual([
    "createHold",
    "createBooking",
    "createReservation",
  ]);
  for (const { operationId } of needing) {
    const [path, body] = await requestOf(rt, site, operationId);
    const refused = await site.send("POST", path, body, none);
    expect([refused.status, refused.body.code]).toEqual([400, "missing_idempotency_key"]);
    expect((await site.send("POST", `${path}?dryRun=1`, body, none)).status).toBe(200);
  }
});

test("the body of a request with an Idempotency-Key is parsed once", async () => {
  const { site } = openBookingShop();
  const body = visit("09:00", { customerRef: "c-1" });
  const parse = vi.spyOn(JSON, "parse");
  try {
    expect((await site.send("POST", "/bookings", body)).status).toBe(201);
    const parsed = parse.mock.calls.filter(([text]) => text === JSON.stringify(body));
    expect(parsed).toHaveLength(1);
  } finally {
    parse.mockRestore();
  }
});
