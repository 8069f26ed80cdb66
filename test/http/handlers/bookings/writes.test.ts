import { expect, test } from "vitest";
import { createEndpoint } from "../../../../src/app/webhooks/endpoints.ts";
import { ALL_EVENT_TYPES } from "../../../../src/domain/events/event-types.ts";
import { createTestApp } from "../../../support/app.ts";
import { asOperator } from "../../../support/operator.ts";
import { createTestWorker } from "../../../support/delivery.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";
import { monday, openBookingShop, visit } from "../../support/bookings.ts";

const CUSTOMER = {
  name: "Qanary Lima",
  email: "qanary@example.com",
  phone: "+1 718 555 0199",
  notes: "qanary: no scent",
};
const GUEST_DATA = /qanary|555 0199/i;

test("guest data is only in the response to GET of the booking, not in other responses, webhooks, logs or metrics", async () => {
  const rt = createTestRuntime({ accessLog: true });
  const { site, owner, business } = openBookingShop(rt);
  await createEndpoint(rt, {
    businessId: business().id,
    keyId: null,
    name: "partner",
    url: "http://10.0.0.1/hook",
    events: [...ALL_EVENT_TYPES],
    allowPrivate: true,
  });
  const sent: string[] = [];
  const worker = createTestWorker(rt, async ({ body, headers }) => {
    sent.push(body.toString(), JSON.stringify(headers));
    return { kind: "responded", statusCode: 200, retryAfter: null, responseText: "" };
  });

  const booked = await site.send("POST", "/bookings", visit("09:00", { customer: CUSTOMER }));
  expect(booked.status).toBe(201);
  const path = `/bookings/${booked.body.data.id}`;
  const table = { startsAt: monday("10:00"), partySize: 2, customer: CUSTOMER };
  const responses = [
    booked,
    await site.send("POST", "/reservations", table),
    await site.send("PATCH", path, { customerRef: "web-1" }),
    await site.send("POST", `${path}/reschedule`, { startsAt: monday("10:00") }),
    await site.send("GET", `/bookings?from=2026-11-23`),
    // These requests are refused.
    await site.send("POST", "/bookings", visit("04:00", { customer: CUSTOMER })),
    await site.send("POST", "/bookings", visit("11:00", { customer: { ...CUSTOMER, age: 7 } })),
    await site.send(
      "POST",
      `/bookings`,
      visit("11:00", { customer: { name: `${CUSTOMER.name}\u0007!` } }),
    ),
    await owner.send("POST", `${path}/cancel`, {}),
    await owner.send("GET", "/changes?types=booking.created,booking.updated,booking.cancelled"),
  ];
  expect(responses.map(({ status }) => status)).toEqual([
    201, 201, 200, 200, 200, 409, 422, 422, 200, 200,
  ]);
  expect((await site.send("GET", path)).body.data.customer).toEqual(CUSTOMER);
  worker.wake();
  await worker.whenIdle();
  const metrics = await (await createTestApp(rt).request("/metrics", asOperator(rt))).text();

  expect(sent.length).toBeGreaterThan(8);
  expect(rt.logged.length).toBeGreaterThan(10);
  const places = {
    responses: responses.map(({ text }) => text),
    webhooks: sent,
    log: rt.logged,
    metrics,
    audit: rt.store.audit.list({}, 100),
  };
  for (const [place, content] of Object.entries(places))
    expect(GUEST_DATA.test(JSON.stringify(content)), place).toBe(false);
});

test("the audit entry of an updated visit names only the fields whose values have changed", async () => {
  const { rt, site } = openBookingShop();
  const booked = await site.send("POST", "/bookings", visit("09:00", { customer: CUSTOMER }));
  const { id } = booked.body.data;
  await site.send("PATCH", `/bookings/${id}`, { customerRef: "web-1", customer: CUSTOMER });
  const [entry] = rt.store.audit.list({ visit: id }, 1);
  expect(entry?.details).toEqual({ fields: ["customerRef"] });
});

test("guest data that cannot be decrypted can be deleted", async () => {
  const { rt, site, business } = openBookingShop();
  const booked = await site.send("POST", "/bookings", visit("09:00", { customer: CUSTOMER }));
  const { id } = booked.body.data;
  rt.store.guests.replace({ visitId: id, businessId: business().id, sealed: Buffer.alloc(64) });
  expect((await site.send("PATCH", `/bookings/${id}`, { customer: null })).status).toBe(200);
  expect(rt.store.guests.findByVisit(id)).toBeUndefined();
});

test("the audit log names the key that changed, moved or cancelled a visit, and the client's address", async () => {
  const rt = createTestRuntime();
  const { site, owner } = openBookingShop(rt);
  const customer = { name: "Qanary Lima" };
  const booked = await site.send("POST", "/bookings", visit("09:00", { customer }));
  const path = `/bookings/${booked.body.data.id}`;
  await site.send("PATCH", path, { customer: { name: "Qanary Silva" } });
  await site.send("POST", `${path}/reschedule`, { startsAt: monday("10:00") });
  await owner.send("POST", `${path}/cancel?dryRun=true`, { reason: "Qanary is ill" });
  await owner.send("POST", `${path}/cancel`, { reason: "Qanary is ill" });
  await owner.send("POST", `${path}/cancel`, { reason: "Qanary is ill" });

  const entries = rt.store.audit.list({ visit: booked.body.data.id }, 10);
  expect(entries).toMatchObject([
    { action: "booking.cancelled", via: "http", actorId: owner.id },
    { action: "booking.rescheduled", via: "http", actorId: site.id },
    { action: "booking.updated", actorId: site.id, details: { fields: ["customer"] } },
  ]);
  expect(entries.every(({ address }) => address !== null)).toBe(true);
  expect(JSON.stringify(entries)).not.toContain("Qanary");
});
