import { expect, onTestFinished, test } from "vitest";
import { notify } from "../../src/app/notices.ts";
import { startDeliveryWorker } from "../../src/delivery/start.ts";
import { openCondition } from "../../src/domain/conditions/registry.ts";
import { addBusiness } from "../support/delivery.ts";
import { createReceiver } from "../support/receiver.ts";
import { createTestRuntime } from "../support/test-runtime.ts";

test("the delivery thread sends no alert that asks to confirm a ticket order that does not wait for it", async () => {
  const channel = await createReceiver();
  const rt = createTestRuntime({ alertUrl: channel.url }, Date.now());
  const business = addBusiness(rt).slug;
  const tell = (id: string, question: { asksForDecision?: true }) =>
    notify(
      rt,
      openCondition("booking.received", `news of ${id}`, "", {
        business,
        subject: { id, name: id },
        ...question,
      }),
    );
  rt.tx(() => {
    tell("tor_gone", { asksForDecision: true });
    tell("vis_known", {});
  });
  const worker = await startDeliveryWorker(rt.config, { onAttempt: () => {} });
  onTestFinished(worker.stop);
  await channel.waitForRequests(1);
  expect(channel.requests.map(({ body }) => String(body))).toEqual([
    expect.stringContaining("vis_known"),
  ]);
});
