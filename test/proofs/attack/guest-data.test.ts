import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ALL_EVENT_TYPES } from "../../../src/domain/events/event-types.ts";
import { createEndpoint } from "../../../src/app/webhooks/endpoints.ts";
import { isRecording, recordClaim } from "../../support/claims.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";
import {
  monday,
  openBookingShop,
  orderOf,
  type SentResponse,
  visit,
} from "../../http/support/bookings.ts";

// A guest's data may be in the responses that are meant to contain them and, encrypted, in the
// database, but in no other response, error, event, log line or file.

const CANARY = /canary/i;
const customer = {
  name: "Canary Name",
  email: "canary@example.com",
  phone: "+351 canary",
  notes: "A canary\nin two lines",
};

/** Returns the responses, events, log lines and files that contain the guest's data by mistake. */
async function findLeaks(rt: TestRuntime) {
  const { site, owner, business, createClient } = openBookingShop(rt);
  await createEndpoint(rt, {
    businessId: business().id,
    keyId: null,
    name: "site",
    url: "http://10.0.0.1/",
    events: ALL_EVENT_TYPES,
    allowPrivate: true,
  });
  const shown: [string, SentResponse][] = [];
  const send = async (
    ...[method, path, body]: Parameters<typeof site.send>
  ): Promise<SentResponse> => {
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
    // Each request is refused, with an error about the guest's data.
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

  const events = rt.store.events.listAfter(business().id, 0, 1000);
  expect(events.some(({ type }) => type === "booking.updated")).toBe(true);
  const { dataDir } = rt.config;
  const files = readdirSync(dataDir, { recursive: true, encoding: "utf8" })
    .map((name) => [name, join(dataDir, name)] as const)
    .filter(([, path]) => statSync(path).isFile());
  expect(files.length).toBeGreaterThan(1);
  const searched: [place: string, text: string][] = [
    ...shown.map(([request, { text }]) => [request, text] as [string, string]),
    ...events.map(({ type, body }) => [type, body.toString()] as [string, string]),
    ...rt.logged.map((line) => ["log", JSON.stringify(line)] as [string, string]),
    ...files.map(([name, path]) => [name, readFileSync(path, "latin1")] as [string, string]),
  ];
  const places = searched.filter(([, text]) => CANARY.test(text)).map(([place]) => place);
  return { searched: searched.length, places: [...new Set(places)] };
}

/** Returns a runtime with a bug: it stores guest data without encryption. */
const withoutEncryption = (rt: TestRuntime): TestRuntime => ({
  ...rt,
  secrets: {
    ...rt.secrets,
    encrypt: (plain) => Buffer.from(plain),
    decrypt: (stored) => Buffer.from(stored).toString(),
    decryptsAny: () => true,
  },
});

test("guest data are only in the responses to requests that ask for them", async () => {
  const { searched, places } = await findLeaks(createTestRuntime());
  expect(places).toEqual([]);
  if (!isRecording()) return;
  const leaks = await findLeaks(withoutEncryption(createTestRuntime()));
  recordClaim({
    group: "attack",
    claim:
      "A guest's name, address, number and notes are only shown to those who may read them, and stored encrypted",
    done: `Bookings, reservations and ticket orders were made with the data of a guest, and ${searched} other responses, errors, events, log lines and files were searched for them.`,
    figure: "None of them contains the data.",
    control: {
      done: "The same search was made with a server that stores the data without encryption.",
      figure: `The data were found in ${leaks.places.join(" and ")}.`,
      hasFailed: leaks.places.length > 0,
    },
    seed: "none",
  });
});
