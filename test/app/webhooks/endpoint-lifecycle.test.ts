import { expect, test } from "vitest";
import { revokeKey } from "../../../src/app/key-end.ts";
import { createKey } from "../../../src/app/keys.ts";
import { EVENT_TYPES } from "../../../src/domain/events/event-types.ts";
import {
  disableEndpoint,
  prepareEnable,
  reviewEndpoints,
} from "../../../src/app/webhooks/endpoint-lifecycle.ts";
import { NO_STREAK } from "../../../src/domain/webhooks/failing-endpoint.ts";
import { addBusiness, subscribe } from "../../support/delivery.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { captureError } from "../../support/use-case.ts";

test("a partner can enable an endpoint that failed, but none that the operator disabled", async () => {
  const rt = createTestRuntime();
  const { endpoint } = await subscribe(rt, addBusiness(rt), "http://10.0.0.1/");
  const { id } = endpoint;
  const enable = (byPartner: boolean) => prepareEnable(rt, id, "all", { byPartner })().endpoint;
  disableEndpoint(rt, id, "failing");
  expect(enable(true)).toMatchObject({ status: "ACTIVE" });
  disableEndpoint(rt, id, "manual");
  expect(() => enable(true)).toThrow("only the business can enable it again");
  expect(rt.store.endpoints.findById(id)).toMatchObject({ status: "DISABLED" });
  expect(enable(false)).toMatchObject({ status: "ACTIVE" });
});

test.each(["is revoked", "has expired"])(
  "an endpoint whose key %s cannot be enabled, and the error says so to the operator and to the partner",
  async (how) => {
    const rt = createTestRuntime();
    const business = addBusiness(rt);
    const { key } = createKey(rt, {
      businessId: business.id,
      name: "partner",
      kind: "SECRET",
      scopes: [],
      expiresAt: rt.now() + 1000,
    });
    const { id } = (await subscribe(rt, business, "http://10.0.0.1/", EVENT_TYPES, key.id))
      .endpoint;
    disableEndpoint(rt, id, "failing");
    if (how === "is revoked") revokeKey(rt, key.id);
    else rt.advance(1000);
    const enable = (byPartner: boolean) => () => prepareEnable(rt, id, "all", { byPartner })();
    expect(captureError(enable(false))).toBe(`conflict: The key ${key.id} of ${id} ${how}.`);
    expect(captureError(enable(true))).toBe(
      `conflict: The API key of this endpoint ${how}; only the business can give it another one.`,
    );
    expect(rt.store.endpoints.findById(id)).toMatchObject({ status: "DISABLED" });
  },
);

test("a warning about an endpoint is stored even if another endpoint has just begun to fail", async () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const subscribed = [];
  for (const n of [1, 2]) subscribed.push(await subscribe(rt, business, `http://10.0.0.${n}/`));
  const [down, restarting] = subscribed.map(({ endpoint }) => endpoint.id) as [string, string];
  const fail = (id: string) =>
    rt.store.endpoints.updateStreak(id, {
      ...NO_STREAK,
      failingSince: rt.now(),
      failureCount: 5,
      failedEvents: 1,
    });
  fail(down);
  rt.advance(10 * 60_000);
  fail(restarting);
  reviewEndpoints(rt);
  const warnedAtOf = (id: string) => rt.store.endpoints.findById(id)?.warnedAt;
  expect([down, restarting].map(warnedAtOf)).toEqual([rt.now(), null]);
});
