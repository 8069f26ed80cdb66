import { expect, test } from "vitest";
import { sentHeaders } from "../../../src/app/webhooks/sent-request.ts";
import type { AttemptRow, DeliveryRow } from "../../../src/store/webhooks/deliveries.ts";

test("the headers shown for a delivery contain the time of its last attempt and a placeholder for each signature", () => {
  const delivery = {
    id: "dlv_1",
    eventId: "evt_1",
    eventType: "service.updated",
    sequence: 3,
    attemptCount: 0,
  } as DeliveryRow;
  const createdAt = Date.parse("2026-11-20T12:00:00.999Z");
  const event = { body: Buffer.from("{}"), createdAt };
  const headersAfter = (last?: number) =>
    sentHeaders(
      delivery,
      event,
      last === undefined ? undefined : ({ at: last, n: 2 } as AttemptRow),
      "X",
    );
  expect(headersAfter()).toMatchObject({
    "X-Service-Signature": `t=${Date.parse("2026-11-20T12:00:00Z") / 1000},v1=X`,
    "webhook-signature": "v1,X",
  });
  expect(headersAfter(Date.parse("2026-11-21T12:00:00.001Z"))["X-Service-Signature"]).toBe(
    `t=${Date.parse("2026-11-21T12:00:00Z") / 1000},v1=X`,
  );
});
