import { expect, test } from "vitest";
import { NO_STREAK } from "../../../src/domain/webhooks/failing-endpoint.ts";
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

test("the list of failing endpoints leaves out endpoints that are healthy, disabled or deleted", async () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  const create = async () => (await subscribe(rt, business, "http://10.0.0.1/")).endpoint.id;
  const [failing, healthy, disabled, deleted] = [
    await create(),
    await create(),
    await create(),
    await create(),
  ];
  const listFailing = () => rt.store.endpoints.listFailing().map(({ id }) => id);
  expect(listFailing()).toEqual([]);
  const streak = { ...NO_STREAK, failingSince: rt.now(), failureCount: 3 };
  for (const id of [failing, disabled, deleted]) rt.store.endpoints.updateStreak(id, streak);
  disableEndpoint(rt, disabled, "manual");
  deleteEndpoint(rt, deleted);
  expect(listFailing()).toEqual([failing]);
  rt.store.endpoints.updateStreak(healthy, streak);
  rt.store.endpoints.updateStreak(failing, NO_STREAK);
  expect(listFailing()).toEqual([healthy]);
});
