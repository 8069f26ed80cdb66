import { expect, test } from "vitest";
import { readStatus } from "../../../src/app/operations/status.ts";
import { NO_STREAK } from "../../../src/domain/webhooks/failing-endpoint.ts";
import { CHECKS } from "../../support/checks.ts";
import { createRunningServer, INJECTIONS, type RunningServer } from "../../support/conditions.ts";
import { edit } from "../../support/edit-database.ts";
import { emitEvents, subscribe } from "../../support/delivery.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const listCodes = (rt: RunningServer) => readStatus(rt, CHECKS).problems.map(({ code }) => code);

/** Delivers what is due at an endpoint. */
function deliver(rt: RunningServer, endpointId: string): void {
  for (const row of rt.store.due.listForEndpoint(endpointId, rt.now(), 10))
    rt.tx(() => rt.store.due.settle(row, DELIVERED, null));
}
const DELIVERED = {
  status: "DELIVERED",
  nextAttemptAt: null,
  deliveredAt: 0,
  error: null,
} as const;

test("webhooks that cannot be signed are reported as a wrong signing secret, and not as a daemon that stands still", async () => {
  const rt = await createRunningServer();
  await INJECTIONS["signing_secret.wrong"](rt);
  emitEvents(rt, rt.business, "service.updated");
  deliver(rt, rt.endpointId);
  for (const minutes of [3, 60]) {
    rt.advance(minutes * MINUTE_MS);
    expect(listCodes(rt)).toEqual(["signing_secret.wrong"]);
  }
  // The daemon could have signed the webhook to `rt.endpointId`, so its delay is reported too.
  emitEvents(rt, rt.business, "service.updated");
  rt.advance(3 * MINUTE_MS);
  expect(listCodes(rt)).toEqual(["delivery.stalled", "signing_secret.wrong"]);
  rt.tx(() => rt.store.tallies.addAttempts(rt.business.id, rt.now() + 60 * MINUTE_MS, 1, 0));
  rt.advance(60 * MINUTE_MS);
  expect(listCodes(rt)).toEqual(["deliveries.stuck", "signing_secret.wrong"]);
});

test("late webhooks are reported only if the daemon could have sent them", async () => {
  const rt = await createRunningServer();
  const { business, endpointId } = rt;
  const { endpoint } = await subscribe(rt, business, "http://10.0.0.2/");
  emitEvents(rt, business, "service.updated");
  deliver(rt, endpoint.id);
  rt.advance(2 * HOUR_MS);
  const isStuck = () => {
    // The condition `delivery.stalled` would cover `deliveries.stuck`. This attempt prevents it, as
    // if the daemon had sent to the other endpoint.
    rt.tx(() => rt.store.tallies.addAttempts(business.id, rt.now(), 1, 0));
    return listCodes(rt).includes("deliveries.stuck");
  };
  expect(isStuck()).toBe(true);

  const { endpoints } = rt.store;
  const heldUntil = rt.now() + MINUTE_MS;
  rt.tx(() => endpoints.updateBackoff(endpointId, { heldUntil, heldReason: "retry_after" }));
  expect(isStuck()).toBe(false);
  rt.advance(HOUR_MS);
  expect(isStuck()).toBe(false);
  rt.advance(2 * MINUTE_MS);
  expect(isStuck()).toBe(true);

  const streak = { ...NO_STREAK, failingSince: rt.now(), failureCount: 1 };
  rt.tx(() => endpoints.updateStreak(endpointId, streak));
  expect(isStuck()).toBe(false);
  // The other endpoint does not fail, so its late deliveries show that the daemon stands still.
  emitEvents(rt, business, "service.updated");
  rt.advance(2 * HOUR_MS);
  expect(isStuck()).toBe(true);
  rt.tx(() => endpoints.updateStreak(endpointId, NO_STREAK));

  edit(rt, "UPDATE delivery SET is_redelivery = 1");
  expect(isStuck()).toBe(false);
});

test("endpoints that respond with errors do not count as an outage of the network", async () => {
  const rt = await createRunningServer();
  await INJECTIONS["network.out"](rt);
  const setErrors = (...errors: string[]) =>
    rt.tx(() => {
      const failing = rt.store.endpoints.list().filter(({ failingSince }) => failingSince !== null);
      for (const [i, endpoint] of failing.entries())
        rt.store.endpoints.updateStreak(endpoint.id, { ...endpoint, lastError: errors[i]! });
    });
  setErrors("HTTP 500", "HTTP 401", "HTTP 429");
  expect(listCodes(rt)).toEqual(Array(3).fill("endpoint.failing"));
  setErrors("refused: connection refused", "unresolvable: no address", "timed out: no response");
  expect(listCodes(rt)).toEqual(["network.out"]);
});
