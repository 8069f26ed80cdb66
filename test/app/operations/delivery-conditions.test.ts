import { expect, test } from "vitest";
import { readStatus } from "../../../src/app/operations/status.ts";
import { CHECKS } from "../../support/checks.ts";
import { createRunningServer, INJECTIONS, type RunningServer } from "../../support/conditions.ts";
import { emitEvents } from "../../support/delivery.ts";

const MINUTE_MS = 60_000;

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

test("webhooks that cannot be signed are reported as that, and not as a daemon that stands still", async () => {
  const rt = await createRunningServer();
  await INJECTIONS["signing_secret.wrong"](rt);
  emitEvents(rt, rt.business, "service.updated");
  deliver(rt, rt.endpointId);
  for (const minutes of [3, 60]) {
    rt.advance(minutes * MINUTE_MS);
    expect(listCodes(rt)).toEqual(["signing_secret.wrong"]);
  }
  // The webhook to the other endpoint could be signed.
  emitEvents(rt, rt.business, "service.updated");
  rt.advance(3 * MINUTE_MS);
  expect(listCodes(rt)).toEqual(["delivery.stalled", "signing_secret.wrong"]);
  rt.tx(() => rt.store.tallies.addAttempts(rt.business.id, rt.now() + 60 * MINUTE_MS, 1, 0));
  rt.advance(60 * MINUTE_MS);
  expect(listCodes(rt)).toEqual(["deliveries.stuck", "signing_secret.wrong"]);
});
