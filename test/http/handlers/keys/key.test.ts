import { describe, expect, test } from "vitest";
import { rotateKey, updateKey } from "../../../../src/app/keys.ts";
import { SCOPES } from "../../../../src/domain/api-key.ts";
import { key as keySchema, rotatedKey } from "../../../../src/domain/public/schemas/key.ts";
import { meaningOf } from "../../../../src/http/pipeline/problem-codes.ts";
import { createTestWorker } from "../../../support/delivery.ts";
import { createTestApi, SALON, type TestApi } from "../../support/api.ts";
import { openBookingShop, visit } from "../../support/bookings.ts";
import { addRemovalHook } from "../../../support/on-removal.ts";
import {
  createTestEndpoint,
  jsonRequest,
  readData,
  renameService,
  SALON_ID,
} from "../../support/webhooks.ts";

const KEY = `/v1/businesses/${SALON}/key`;
const ROTATE = `${KEY}/rotate`;
const SERVICES = `/v1/businesses/${SALON}/services`;
const MINUTE_MS = 60_000;

const readKey = async (api: TestApi, key?: string) =>
  keySchema.parse(await readData(await api.request(KEY, key === undefined ? {} : { key })));

describe("GET key", () => {
  test("the response about a key has the key's properties, rights and limits, and the use of each limit", async () => {
    const api = createTestApi();
    const { id, secret } = api.createKey({
      name: "website",
      kind: "RESTRICTED",
      scopes: ["webhooks.write"],
      eventGroups: ["catalog", "bookings"],
      cidrs: ["127.0.0.0/8"],
      expiresAt: api.now() + MINUTE_MS,
      limitMinute: 5,
      maxEndpoints: 3,
    });
    await api.request(KEY, { key: secret });
    api.advance(10_000);
    expect(await readKey(api, secret)).toEqual({
      id,
      kind: "RESTRICTED",
      name: "website",
      prefix: "deskbell_rk_",
      last4: secret.slice(-4),
      business: {
        id: SALON_ID,
        slug: SALON,
        name: "Salon Aurora",
        timezone: "America/New_York",
      },
      scopes: ["webhooks.write"],
      eventGroups: ["catalog", "bookings"],
      ownVisitsOnly: false,
      customerReferences: false,
      cidrs: ["127.0.0.0/8"],
      limits: {
        requests: [
          { window: "per-minute", seconds: 60, limit: 5, used: 2, resetSeconds: 50 },
          { window: "per-hour", seconds: 3600, limit: 1000, used: 2, resetSeconds: 3590 },
        ],
        endpoints: { limit: 3, used: 0 },
        holds: { limit: 20, used: 0 },
        bookingsDay: { limit: 200, used: 0 },
        redeliveries: { limit: 10_000, used: 0 },
      },
      visitorLimits: { holds: 3, bookingsDay: 10, ordersDay: 10 },
      createdAt: "2026-11-20T07:00:00-05:00",
      expiresAt: "2026-11-20T07:01:00-05:00",
      selfRotation: false,
      guestMail: false,
      rotation: null,
      usesOldSecret: false,
      lastDeliveryAt: null,
    });
  });

  test.each(SCOPES)("a key with the scope %s alone may read its own properties", async (scope) => {
    const api = createTestApi();
    const { secret } = api.createKey({ kind: "RESTRICTED", scopes: [scope] });
    expect((await readKey(api, secret)).scopes).toEqual([scope]);
  });

  test("the route about a key refuses a key of another business, and a request without a key", async () => {
    const api = createTestApi();
    expect(await api.requestProblem("/v1/businesses/shop-none/key")).toMatchObject({
      status: 403,
      code: "business_mismatch",
    });
    expect(await api.requestProblem(KEY, { key: null })).toMatchObject({ code: "missing_key" });
  });

  test("a key counts its endpoints, holds and bookings of the day", async () => {
    const api = createTestApi();
    const { id, secret } = api.createKey();
    await createTestEndpoint(api, id);
    await createTestEndpoint(api, null, { url: "http://10.0.0.1/other" });
    expect((await readKey(api, secret)).limits.endpoints).toEqual({ limit: 10, used: 1 });

    const { rt, site } = openBookingShop();
    const readLimits = async () => (await site.send("GET", "/key")).body.data.limits;
    expect(await readLimits()).toMatchObject({ holds: { used: 0 }, bookingsDay: { used: 0 } });
    await site.send("POST", "/holds", visit("09:00"));
    const { body } = await site.send("POST", "/bookings", visit("10:00"));
    const used = { holds: { limit: 20, used: 1 }, bookingsDay: { limit: 1_000_000, used: 1 } };
    expect(await readLimits()).toMatchObject(used);
    rt.advance(300_000);
    await site.send("POST", `/bookings/${body.data.id}/cancel`, {});
    expect(await readLimits()).toMatchObject({ holds: { used: 0 }, bookingsDay: { used: 0 } });
  });

  test("the response about a key has the time at which any receiver last accepted a webhook", async () => {
    const api = createTestApi();
    await createTestEndpoint(api, null);
    const worker = createTestWorker(api, async () => ({
      kind: "responded",
      statusCode: 200,
      retryAfter: null,
      responseText: "",
    }));
    api.advance(MINUTE_MS);
    renameService(api, "Cut");
    worker.wake();
    await worker.whenIdle();
    const { secret } = api.createKey({ kind: "RESTRICTED", scopes: ["services.read"] });
    expect((await readKey(api, secret)).lastDeliveryAt).toBe("2026-11-20T07:01:00-05:00");
  });

  test("the response about a key has its last rotation, who made it, and whether the request used the old secret", async () => {
    const api = createTestApi();
    const { id, secret } = api.createKey();
    api.advance(MINUTE_MS);
    const newer = rotateKey(api, id, 2 * MINUTE_MS).secret;
    const rotation = {
      at: "2026-11-20T07:01:00-05:00",
      by: "BUSINESS",
      oldSecretEndsAt: "2026-11-20T07:03:00-05:00",
    };
    const last4 = newer.slice(-4);
    expect(await readKey(api, secret)).toMatchObject({ last4, rotation, usesOldSecret: true });
    expect(await readKey(api, newer)).toMatchObject({ last4, rotation, usesOldSecret: false });
    api.advance(2 * MINUTE_MS);
    expect((await readKey(api, newer)).rotation).toEqual({ ...rotation, oldSecretEndsAt: null });
  });
});

describe("POST key/rotate", () => {
  const setUp = (fields: Parameters<TestApi["createKey"]>[0] = {}) => {
    const api = createTestApi();
    const { id, secret } = api.createKey({ name: "site", selfRotation: true, ...fields });
    const rotate = (key: string, token = "first", body: object = {}) => {
      const { headers, ...init } = jsonRequest("POST", body);
      return api.request(ROTATE, {
        ...init,
        key,
        headers: { ...headers, "idempotency-key": token },
      });
    };
    const rotateTo = async (...args: Parameters<typeof rotate>) =>
      rotatedKey.parse(await readData(await rotate(...args)));
    const refusal = async (...args: Parameters<typeof rotate>) => {
      const response = await rotate(...args);
      const { code } = (await response.json()) as { code: string };
      return `${response.status} ${code}`;
    };
    const isAccepted = async (key: string) => (await api.request(SERVICES, { key })).status;
    return { api, id, secret, rotate, rotateTo, refusal, isAccepted };
  };
  const DAY_MS = 86_400_000;

  test("a rotation returns the new secret once, and keeps everything else of the key", async () => {
    const { api, id, secret, rotate, isAccepted } = setUp({
      kind: "RESTRICTED",
      scopes: ["services.read"],
      expiresAt: Date.parse("2027-01-01T00:00:00Z"),
      limitMinute: 50,
    });
    const before = await readKey(api, secret);
    const response = await rotate(secret);
    expect(response.headers.get("cache-control")).toBe("no-store");
    const { secret: newer, oldSecretEndsAt, ...after } = rotatedKey.parse(await readData(response));
    expect(oldSecretEndsAt).toBe("2026-11-21T07:00:00-05:00");
    expect(after).toEqual({
      ...before,
      last4: newer.slice(-4),
      limits: after.limits,
      rotation: { at: "2026-11-20T07:00:00-05:00", by: "KEY", oldSecretEndsAt },
      usesOldSecret: true,
    });
    expect([await isAccepted(secret), await isAccepted(newer)]).toEqual([200, 200]);
    expect((await readKey(api, newer)).id).toBe(id);
    api.advance(DAY_MS);
    expect([await isAccepted(secret), await isAccepted(newer)]).toEqual([401, 200]);
  });

  test("a key may not rotate itself unless the operator allows it", async () => {
    const { api, id, secret, refusal, rotate } = setUp({ selfRotation: false });
    expect(await refusal(secret)).toBe("403 rotation_not_allowed");
    updateKey(api, id, { selfRotation: true });
    expect((await rotate(secret)).status).toBe(200);
    updateKey(api, id, { selfRotation: false });
    expect(await refusal(secret)).toBe("403 rotation_not_allowed");
  });

  test("a rotation needs an Idempotency-Key", async () => {
    const { api, secret } = setUp();
    expect(await api.requestProblem(ROTATE, { method: "POST", key: secret })).toMatchObject({
      status: 400,
      code: "missing_idempotency_key",
    });
  });

  test("a secret may repeat its rotation of the key for 10 minutes, even after the secret has ended", async () => {
    const { api, secret, rotate, rotateTo, refusal, isAccepted } = setUp();
    const first = await rotateTo(secret, "first", { overlapSeconds: 0 });
    expect(await isAccepted(secret)).toBe(401);
    api.advance(10 * MINUTE_MS - 1);
    const again = await rotate(secret, "first", { overlapSeconds: 0 });
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(await readData(again)).toEqual(first);
    expect(await refusal(secret, "first", { overlapSeconds: 1 })).toBe(
      "422 idempotency_key_reused",
    );
    expect(await refusal(secret, "second", { overlapSeconds: 0 })).toBe("401 expired_key");
    expect(await isAccepted(secret)).toBe(401);
    api.advance(1);
    expect(await refusal(secret, "first", { overlapSeconds: 0 })).toBe("401 expired_key");
    expect(await isAccepted(first.secret)).toBe(200);
  });

  test("after 10 minutes, an old secret within its overlap neither rotates the key nor gets the new secret", async () => {
    const { api, secret, rotateTo, refusal, isAccepted } = setUp();
    await rotateTo(secret);
    expect(await refusal(secret, "second")).toBe("403 rotation_not_allowed");
    api.advance(10 * MINUTE_MS);
    expect(await refusal(secret, "first")).toBe("403 rotation_not_allowed");
    expect(await refusal(secret, "second")).toBe("403 rotation_not_allowed");
    expect(await isAccepted(secret)).toBe(200);
  });

  test("the old secret of a rotation by the operator cannot rotate the key", async () => {
    const { api, id, secret, refusal, rotateTo } = setUp();
    const newer = rotateKey(api, id).secret;
    expect(await refusal(secret)).toBe("403 rotation_not_allowed");
    expect((await rotateTo(newer, "second", { overlapSeconds: 0 })).last4).not.toBe(
      newer.slice(-4),
    );
  });

  test("no crash during a rotation leaves an ended secret that a restore would bring back", async () => {
    const { secret, rotate, isAccepted } = setUp();
    let crashes = true;
    addRemovalHook({
      accessRevoked() {
        if (crashes) throw new Error("the process was killed");
      },
    });
    expect((await rotate(secret, "first", { overlapSeconds: 0 })).status).toBe(500);
    expect(await isAccepted(secret)).toBe(200);
    crashes = false;
    expect((await rotate(secret, "first", { overlapSeconds: 0 })).status).toBe(200);
    expect(await isAccepted(secret)).toBe(401);
  });

  test("a second rotation keeps an old secret valid, unless the rotation ends all old secrets at once", async () => {
    const { secret, rotateTo, refusal, isAccepted } = setUp();
    const second = await rotateTo(secret);
    expect(await refusal(second.secret, "second")).toBe("409 conflict");
    expect(await isAccepted(secret)).toBe(200);
    const third = await rotateTo(second.secret, "third", { overlapSeconds: 0 });
    const all = [secret, second.secret, third.secret];
    expect(await Promise.all(all.map(isAccepted))).toEqual([401, 401, 200]);
  });

  test("two rotations at the same time leave one new secret", async () => {
    const { secret, rotate, isAccepted } = setUp();
    const responses = await Promise.all([rotate(secret, "one"), rotate(secret, "two")]);
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 403]);
    const done = responses.find(({ status }) => status === 200);
    const { secret: newer } = await readData<{ secret: string }>(done!);
    expect(await isAccepted(newer)).toBe(200);
  });

  test("a rotation by the operator without an overlap ends every older secret, even for a repeated request", async () => {
    const { api, id, secret, rotateTo, refusal, isAccepted } = setUp();
    const stolen = await rotateTo(secret);
    const last = rotateKey(api, id, 0).secret;
    const all = [secret, stolen.secret, last];
    expect(await Promise.all(all.map(isAccepted))).toEqual([401, 401, 200]);
    expect(await refusal(secret)).toBe("401 invalid_key");
    expect(await refusal(stolen.secret)).toBe("401 expired_key");
  });

  test("an old secret gets expired_key until the next rotation, and invalid_key after it", async () => {
    const { secret, rotateTo, refusal } = setUp();
    const second = await rotateTo(secret, "one", { overlapSeconds: 0 });
    expect(await refusal(secret, "new")).toBe("401 expired_key");
    await rotateTo(second.secret, "two", { overlapSeconds: 0 });
    expect(await refusal(secret, "new")).toBe("401 invalid_key");
    expect(await refusal(second.secret, "new")).toBe("401 expired_key");
    expect(meaningOf("expired_key")).toContain("the secret before the newest one");
    expect(meaningOf("invalid_key")).toContain("After two rotations");
  });

  test("the error for an old secret that has rotated its key tells the holder to alert the business to a theft", async () => {
    const { api, secret, rotateTo, refusal } = setUp();
    await rotateTo(secret, "first", { overlapSeconds: 0 });
    const hint = "If you did not rotate the key, tell the business at once";
    expect(await api.requestProblem(SERVICES, { key: secret })).toMatchObject({
      code: "expired_key",
      detail: expect.stringContaining(hint),
    });
    expect(await refusal(secret, "second")).toBe("401 expired_key");
  });

  test("a rotation is audited with the address of the client, and without the secret", async () => {
    const { api, id, secret, rotateTo } = setUp();
    const { secret: newer } = await rotateTo(secret);
    const [entry] = api.store.audit.list({}, 1);
    expect(entry).toMatchObject({
      action: "key.rotated",
      via: "http",
      actorId: id,
      subjectId: id,
      address: "127.0.0.1",
      details: { oldSecretEndsAt: "2026-11-21T12:00:00.000Z" },
    });
    expect(JSON.stringify(entry)).not.toContain(newer);
  });

  test.each([-1, 0.5, 7 * 86_400 + 1, "1h"])("an overlap of %s s is refused", async (seconds) => {
    const { secret, refusal } = setUp();
    expect(await refusal(secret, "first", { overlapSeconds: seconds })).toBe(
      "422 validation_failed",
    );
  });

  test("the reply with the new secret is deleted soon after the request can no longer be repeated", async () => {
    const { api, secret, rotateTo } = setUp();
    await rotateTo(secret);
    const prune = () => api.store.idempotency.deleteUntil(0, api.now());
    prune();
    expect(api.store.idempotency.list()).toHaveLength(1);
    api.advance(10 * MINUTE_MS);
    prune();
    expect(api.store.idempotency.list()).toEqual([]);
  });
});
