import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ALL_EVENT_TYPES } from "../../../src/domain/event-types.ts";
import { createEndpoint } from "../../../src/app/webhooks/endpoints.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { monday, openBookingShop, orderOf, type Sent, visit } from "../../http/support/bookings.ts";

// A guest's data are in the responses that are for them, and encrypted in the database: in no other
// response, error, event, log line or file.

const CANARY = /canary/i;
const customer = {
  name: "Canary Name",
  email: "canary@example.com",
  phone: "+351 canary",
  notes: "A canary\nin two lines",
};

test("guest data are only in the responses that ask for them", async () => {
  const rt = createTestRuntime();
  const { site, owner, business, createClient } = openBookingShop(rt);
  await createEndpoint(rt, {
    businessId: business().id,
    keyId: null,
    name: "site",
    url: "http://10.0.0.1/",
    events: ALL_EVENT_TYPES,
    allowPrivate: true,
  });
  const shown: [string, Sent][] = [];
  const send = async (...[method, path, body]: Parameters<typeof site.send>): Promise<Sent> => {
    const sent = await site.send(method, path, body);
    shown.push([`${method} ${path}`, sent]);
    return sent;
  };
  for (const [path, body] of [
    ["bookings", visit("09:00")],
    ["reservations", { startsAt: monday("09:00"), partySize: 2 }],
    ["ticket-orders", orderOf(rt, 1)],
  ] as const) {
    const { status, body: created } = await send("POST", `/${path}`, { ...body, customer });
    expect(status).toBe(201);
    const own = `/${path}/${created.data.id}`;
    // Each is refused, with an error about the guest's data.
    for (const invalid of [
      { customer: { ...customer, name: "Canary\tName" } },
      { customer: { ...customer, email: { canary: true } } },
      { customer: "canary", customerRef: "canary@example.com" },
      { customerRef: "canary@example.com" },
    ])
      expect((await send("POST", `/${path}`, { ...body, ...invalid })).status).toBe(422);
    if (path !== "ticket-orders")
      await send("PATCH", own, { customer: { notes: "Another canary" }, customerRef: "web-1" });
    await send("GET", `/${path}`);
    await send("POST", `${own}/cancel`, {});
    for (const reading of [own, `/${path}?includeCustomer=true`])
      for (const client of [site, owner])
        expect((await client.send("GET", reading)).text).toMatch(CANARY);
    const reader = createClient(["bookings.read"]);
    shown.push([own, await reader.send("GET", own)]);
    shown.push([path, await reader.send("GET", `/${path}?includeCustomer=true`)]);
    const guests = createClient(["bookings.read", "guests.read"]);
    expect((await guests.send("GET", own)).text).toMatch(CANARY);
  }
  expect(shown.filter(([, { text }]) => CANARY.test(text)).map(([request]) => request)).toEqual([]);

  const events = rt.store.events.listAfter(business().id, 0, 1000);
  expect(events.some(({ type }) => type === "booking.updated")).toBe(true);
  expect(events.filter(({ body }) => CANARY.test(body.toString()))).toEqual([]);
  expect(JSON.stringify(rt.logged)).not.toMatch(CANARY);
  const { dataDir } = rt.config;
  const files = readdirSync(dataDir, { recursive: true, encoding: "utf8" })
    .map((name) => join(dataDir, name))
    .filter((path) => statSync(path).isFile());
  expect(files.length).toBeGreaterThan(1);
  for (const path of files)
    expect([path, CANARY.test(readFileSync(path, "latin1"))]).toEqual([path, false]);
});
