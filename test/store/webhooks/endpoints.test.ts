import { expect, test } from "vitest";
import {
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
} from "../../../src/app/webhooks/endpoint-lifecycle.ts";
import { addBusiness, subscribe } from "../../support/delivery.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

test("an endpoint may be sent to until it is disabled or deleted", async () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const create = async () => (await subscribe(rt, business, "http://10.0.0.1/")).endpoint.id;
  const [disabled, deleted, other] = [await create(), await create(), await create()];
  const listActive = () =>
    [disabled, deleted, other].map((id) => {
      const isActive = rt.store.endpoints.isActive(id);
      expect(rt.store.endpoints.findTarget(id) !== undefined).toBe(isActive);
      return isActive;
    });
  expect(listActive()).toEqual([true, true, true]);
  disableEndpoint(rt, disabled, "manual");
  deleteEndpoint(rt, deleted);
  expect(listActive()).toEqual([false, false, true]);
  enableEndpoint(rt, disabled, "all");
  expect(listActive()).toEqual([true, false, true]);
  expect(rt.store.endpoints.isActive("whe_none")).toBe(false);
});
