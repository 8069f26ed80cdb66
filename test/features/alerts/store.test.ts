import { expect, test } from "vitest";
import { createBooking } from "../../../src/app/bookings/bookings.ts";
import { rotateKey } from "../../../src/app/keys.ts";
import { getDelivery, redeliverDelivery } from "../../../src/app/webhooks/deliveries.ts";
import type { HealthCondition, NoticeCode } from "../../../src/domain/conditions/registry.ts";
import { createAlertStore } from "../../../src/features/alerts/store.ts";
import { openBookingShop, visit, monday } from "../../http/support/bookings.ts";
import { addBusiness, createTestWorker, emitEvents, subscribe } from "../../support/delivery.ts";
import { SHOP_SLUG } from "../../support/shop.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";

const listNotices = (rt: TestRuntime) =>
  rt
    .openStore(createAlertStore)
    .list<HealthCondition<NoticeCode>>("notice")
    .map(({ value }) => value);

test("a booking over HTTP alerts the operator, a booking by a command does not", async () => {
  const { rt, site } = openBookingShop();
  const { body } = await site.send("POST", "/bookings", visit("09:00"));
  createBooking(rt, SHOP_SLUG, { service: "cut", start: "2026-11-23T11:00" });
  expect(listNotices(rt)).toMatchObject([
    {
      code: "booking.received",
      business: "shop",
      subject: { id: body.data.id },
      text: "a booking of Cut at 2026-11-23 09:00 was made over the API",
      command: `deskbell bookings show ${body.data.id} --business shop`,
    },
  ]);
});

test("a key that rotates itself alerts the operator, with the client's address and the command that ends the key", async () => {
  const { rt, createClient } = openBookingShop();
  const { id, send } = createClient(["services.read"], { selfRotation: true });
  const { body } = await send("POST", "/key/rotate");
  expect(listNotices(rt)).toMatchObject([
    {
      code: "key.rotated_itself",
      severity: "critical",
      business: "shop",
      subject: { id, name: "site" },
      text: expect.stringMatching(
        /^the API key 'site' was rotated with its own secret from 127\.0\.0\.1: /,
      ),
      command: `deskbell keys rotate ${id} --overlap 0s`,
    },
  ]);
  expect(JSON.stringify(listNotices(rt))).not.toContain(body.data.secret);
  rotateKey(rt, id, 0);
  expect(listNotices(rt)).toHaveLength(1);
});

test("an alert about a booking or reservation contains no guest data", async () => {
  const { rt, site } = openBookingShop();
  const customer = {
    name: "Qanary Lima",
    email: "qanary@example.com",
    phone: "+1 718 555 0199",
    notes: "qanary: no scent",
  };
  const table = { startsAt: monday("10:00"), partySize: 2, customer };
  const responses = [
    await site.send("POST", "/bookings", visit("09:00", { customer })),
    await site.send("POST", "/reservations", table),
  ];
  expect(responses.map(({ status }) => status)).toEqual([201, 201]);
  expect(listNotices(rt)).toHaveLength(2);
  expect(JSON.stringify(listNotices(rt))).not.toMatch(/qanary|555 0199/i);
});

test("an exhausted delivery alerts the operator, but not again when it is redelivered", async () => {
  const rt = createTestRuntime();
  const business = addBusiness(rt);
  await subscribe(rt, business, "http://10.0.0.1/");
  const worker = createTestWorker(rt, async () => ({
    kind: "responded",
    statusCode: 500,
    retryAfter: null,
    responseText: "",
  }));
  const run = async () => {
    worker.sweep();
    await worker.whenIdle();
  };
  emitEvents(rt, business, "service.updated");
  await run();
  const id = rt.store.deliveries.list({}, 1)[0]?.id ?? "";
  while (getDelivery(rt, id).status === "PENDING") {
    expect(listNotices(rt)).toEqual([]);
    rt.advance((getDelivery(rt, id).nextAttemptAt ?? 0) - rt.now());
    await run();
  }
  const [notice, ...others] = listNotices(rt);
  expect(others).toEqual([]);
  expect(notice).toMatchObject({
    code: "delivery.exhausted",
    text: expect.stringMatching(/^deliveries to '.*' have failed permanently: HTTP 500$/),
  });
  const stored = rt.openStore(createAlertStore);
  rt.tx(() => stored.list("notice").forEach(({ key }) => stored.delete("notice", key)));
  rt.advance(3_600_000);
  redeliverDelivery(rt, id);
  await run();
  expect(getDelivery(rt, id)).toMatchObject({ status: "PENDING", attemptCount: 21 });
  expect(listNotices(rt)).toEqual([]);
});
