import { expect, test } from "vitest";
import { revokeKey } from "../../../src/app/key-end.ts";
import { createKey } from "../../../src/app/keys.ts";
import { disableEndpoint, prepareEnable } from "../../../src/app/webhooks/endpoint-lifecycle.ts";
import { EVENT_TYPES } from "../../../src/domain/event-types.ts";
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
