import { expect, onTestFinished, test, vi } from "vitest";
import type { AttemptReport } from "../../../src/delivery/delivery-worker.ts";
import { startDeliveryWorker } from "../../../src/delivery/start.ts";
import {
  startReceiver,
  type ReceivedDelivery,
} from "../../../src/features/webhook-tools/sample-receiver.ts";
import { addBusiness, emitEvents, subscribe } from "../../support/delivery.ts";
import { createReceiver } from "../../support/receiver.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { WAITS } from "../../support/waits.ts";

test("the sample receiver accepts only deliveries signed with its secret", async () => {
  const rt = createTestRuntime({}, Date.now());
  const business = addBusiness(rt);
  // Creating the endpoint needs the receiver's URL, and returns the secret that the receiver needs.
  // So the test reserves a port first.
  const { url, port, close } = await createReceiver();
  await close();
  const { secret } = await subscribe(rt, business, url);
  const got: ReceivedDelivery[] = [];
  const sample = await startReceiver({
    port,
    secret,
    now: Date.now,
    onDelivery: (received) => void got.push(received),
  });
  onTestFinished(sample.close);
  const attempts: AttemptReport[] = [];
  const worker = await startDeliveryWorker(rt.config, {
    onAttempt: (attempt) => void attempts.push(attempt),
  });
  onTestFinished(worker.stop);
  emitEvents(rt, business, "service.updated");
  await vi.waitFor(() => expect(attempts).toHaveLength(1), WAITS);
  await fetch(sample.url, { method: "POST", body: "{}" }).then(({ status }) =>
    expect(status).toBe(401),
  );
  expect(got).toMatchObject([
    { eventType: "service.updated", attempt: 1, error: undefined },
    { eventType: "", error: "no X-Service-Signature header" },
  ]);
});
