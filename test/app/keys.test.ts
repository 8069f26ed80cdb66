import { expect, test } from "vitest";
import { revokeKey } from "../../src/app/key-end.ts";
import {
  createKey,
  createKeyUsage,
  listKeys,
  type NewKey,
  rotateKey,
  updateKey,
} from "../../src/app/keys.ts";
import { hashApiKey, SCOPES } from "../../src/domain/api-key.ts";
import { createEndpoint, updateEndpoint } from "../../src/app/webhooks/endpoints.ts";
import type { EventType } from "../../src/domain/events/event-types.ts";
import { AppError } from "../../src/domain/errors.ts";
import { addBusiness } from "../support/delivery.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

const DAY_MS = 86_400_000;

function withBusiness() {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const make = (fields: Partial<NewKey> = {}) =>
    createKey(rt, {
      businessId: business.id,
      name: "website",
      kind: "RESTRICTED",
      scopes: ["services.read"],
      ...fields,
    });
  return { rt, business, make };
}

const refusal = (run: () => unknown): AppError => {
  try {
    run();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error("no error was thrown");
};

test("a key is stored as its hash, prefix and last four characters", () => {
  const { rt, make } = withBusiness();
  const { key, secret } = make();
  expect(key).toMatchObject({
    prefix: "deskbell_rk_",
    last4: secret.slice(-4),
    limitMinute: 60,
    limitHour: 1000,
  });
  expect(JSON.stringify(listKeys(rt))).not.toContain(secret);
  expect(rt.store.keys.findCredential(hashApiKey(secret))?.id).toBe(key.id);
});

test("a secret key has every scope, and a restricted key has the given scopes without duplicates", () => {
  const { make } = withBusiness();
  expect(make({ kind: "SECRET", scopes: [] }).key.scopes).toEqual(SCOPES);
  expect(make({ scopes: ["webhooks.write", "webhooks.write"] }).key.scopes).toEqual([
    "webhooks.write",
  ]);
});

test("all issues of a new key are reported together, and an unknown scope suggests the nearest scope", () => {
  const { rt, make } = withBusiness();
  const error = refusal(() =>
    make({
      name: " ",
      scopes: ["service.read"],
      cidrs: ["10.0.0.0/40"],
      limitMinute: 0,
      expiresAt: rt.now(),
    }),
  );
  expect(error.code).toBe("validation_failed");
  expect(error.issues.map(({ code }) => code)).toEqual([
    "invalid_name",
    "unknown_scope",
    "invalid_cidr",
    "invalid_limit",
    "invalid_expiry",
  ]);
  expect(error.message).toContain("Did you mean 'services.read'?");
  expect(refusal(() => make({ scopes: [] })).issues[0]?.code).toBe("missing_scope");
  expect(refusal(() => make({ businessId: "biz_none" })).code).toBe("business_not_found");
  expect(listKeys(rt)).toEqual([]);
});

test.each([
  ["a\nb", "U+000A"],
  ["a\x1b[2Jb", "U+001B"],
  ["a\u202eb", "U+202E"],
  ["a\u200bb", "U+200B"],
])("a key's name with a control or format character is rejected: $1", (name, character) => {
  const { make } = withBusiness();
  const [issue] = refusal(() => make({ name })).issues;
  expect(issue).toMatchObject({ code: "invalid_name" });
  expect(issue!.detail).toContain(`contains the character ${character}: use one line`);
});

test("rotation keeps the key and sets an expiry on the old secret", () => {
  const { rt, make } = withBusiness();
  const first = make({ limitMinute: 5 });
  const second = rotateKey(rt, first.key.id);
  expect(second.key).toMatchObject({
    id: first.key.id,
    limitMinute: 5,
    last4: second.secret.slice(-4),
  });
  expect(rt.store.keys.findCredential(hashApiKey(first.secret))?.secretExpiresAt).toBe(
    rt.now() + DAY_MS,
  );
  expect(rt.store.keys.findCredential(hashApiKey(second.secret))?.secretExpiresAt).toBeNull();
  expect(listKeys(rt)).toHaveLength(1);

  rotateKey(rt, first.key.id);
  expect(rt.store.keys.findCredential(hashApiKey(first.secret))).toBeUndefined();
  expect(rt.store.keys.findCredential(hashApiKey(second.secret))?.secretExpiresAt).toBe(
    rt.now() + DAY_MS,
  );
});

test.each([-1, 7 * DAY_MS + 1, 0.5, Number.NaN])(
  "a key rotation with an overlap of %d ms is rejected",
  (overlapMs) => {
    const { rt, make } = withBusiness();
    const { id } = make().key;
    expect(refusal(() => rotateKey(rt, id, overlapMs)).code).toBe("validation_failed");
  },
);

test("a revoked or expired key cannot be rotated", () => {
  const { rt, make } = withBusiness();
  const { key: revoked } = revokeKey(rt, make().key.id);
  const expired = make({ expiresAt: rt.now() + 1000 }).key;
  rt.advance(1000);
  expect(refusal(() => rotateKey(rt, revoked.id)).code).toBe("conflict");
  expect(refusal(() => rotateKey(rt, expired.id)).code).toBe("conflict");
  expect(refusal(() => rotateKey(rt, "key_none")).code).toBe("resource_not_found");
});

test("revoking a key twice keeps the first revocation time", () => {
  const { rt, make } = withBusiness();
  const { id } = make().key;
  const { revokedAt } = revokeKey(rt, id).key;
  rt.advance(5000);
  expect(revokeKey(rt, id).key.revokedAt).toBe(revokedAt);
  expect(refusal(() => revokeKey(rt, "key_none")).code).toBe("resource_not_found");
});

test("keys are listed by business", () => {
  const { rt, business, make } = withBusiness();
  const other = addBusiness(rt, "kita-live");
  const mine = make().key.id;
  rt.advance(1);
  const theirs = make({ businessId: other.id }).key.id;
  expect(listKeys(rt, business.id).map(({ id }) => id)).toEqual([mine]);
  expect(listKeys(rt).map(({ id }) => id)).toEqual([mine, theirs]);
});

test("key usage is written in one transaction, and only if a key was used", () => {
  const { rt, make } = withBusiness();
  const { id } = make().key;
  const use = createKeyUsage(rt);
  use.record(id, rt.now());
  rt.advance(3000);
  use.record(id, rt.now());
  expect(listKeys(rt)[0]?.lastUsedAt).toBeNull();
  use.flush();
  expect(listKeys(rt)[0]?.lastUsedAt).toBe(rt.now());
  const revision = rt.revision();
  use.flush();
  expect(rt.revision()).toBe(revision);
});

test("narrowing the event groups of a key unsubscribes its endpoints from the events of other groups", async () => {
  const { rt, business, make } = withBusiness();
  const { key } = make({ scopes: ["webhooks.write"] });
  const create = (keyId: string | null, url: string, events: EventType[]) =>
    createEndpoint(
      rt,
      { businessId: business.id, keyId, name: "hook", url, events, allowPrivate: true },
      async () => ["8.8.8.8"],
    );
  const url = "https://partner.example/";
  const both = await create(key.id, url, ["booking.created", "catalog.changed"]);
  const operators = await create(null, url, ["booking.created"]);
  const eventsOf = ({ endpoint }: typeof both) => rt.store.endpoints.findById(endpoint.id)?.events;

  expect(updateKey(rt, key.id, { eventGroups: ["catalog"] }).eventGroups).toEqual(["catalog"]);
  expect([eventsOf(both), eventsOf(operators)]).toEqual([["catalog.changed"], ["booking.created"]]);
  await expect(create(key.id, `${url}2`, ["ticket.checked_in"])).rejects.toMatchObject({
    code: "insufficient_scope",
  });
  await expect(
    updateEndpoint(rt, both.endpoint.id, { events: ["booking.created"] }),
  ).rejects.toMatchObject({ code: "insufficient_scope" });

  updateKey(rt, key.id, { eventGroups: ["catalog", "bookings"] });
  expect(eventsOf(both)).toEqual(["catalog.changed"]);
  expect(refusal(() => updateKey(rt, key.id, { eventGroups: ["tickets"] }))).toMatchObject({
    code: "state_refuses",
    fix: `deskbell webhooks delete ${both.endpoint.id}`,
  });
  expect(eventsOf(both)).toEqual(["catalog.changed"]);
});

test("the limits of a key can be changed, and the audit log records only the limits that change", () => {
  const { rt, make } = withBusiness();
  const { key } = make();
  const limits = { limitMinute: 300, maxEndpoints: 50 };
  const same = { limitHour: 1000, maxHolds: undefined };
  expect(updateKey(rt, key.id, { ...limits, ...same })).toEqual({ ...key, ...limits });
  updateKey(rt, key.id, limits);
  const entries = rt.store.audit.list({}, 10);
  expect(entries.filter(({ action }) => action === "key.updated")).toMatchObject([
    { subjectId: key.id, details: limits },
  ]);
  expect(refusal(() => updateKey(rt, key.id, { limitHour: 0 }))).toMatchObject({
    code: "validation_failed",
    issues: [{ code: "invalid_limit" }],
  });
});
