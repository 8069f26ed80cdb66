import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createBooking } from "../../../src/app/bookings/bookings.ts";
import { cancelBooking, getBooking } from "../../../src/app/bookings/operator-changes.ts";
import { findCustomer, saveCustomer } from "../../../src/app/bookings/guests.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { eraseExpiredGuests, eraseForGood } from "../../../src/app/guests/erase-visits.ts";
import { rotateMasterKey } from "../../../src/app/webhooks/endpoint-secrets.ts";
import type { Customer } from "../../../src/domain/bookings/customer.ts";
import { createTestWorker, subscribe } from "../../support/delivery.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";
import { applyCatalogBody } from "../../support/use-case.ts";

const SLUG = "salon-aurora";
const CATALOG = `
hours: [{ days: [mon-sun], start: "00:00", end: "24:00" }]
services: [{ key: cut, name: Cut, durationMin: 60, price: 40.00, capacity: 9 }]
`;
const ANA: Customer = {
  name: "Ana Qanary",
  email: "Ana@Qanary.example",
  phone: "+1 718 555-0142",
  notes: "qanary: allergic to ammonia",
};
const REFERENCE = "ref-of-ana-4711";

function openSalon(): TestRuntime {
  const rt = createTestRuntime();
  applyCatalogBody(rt, CATALOG);
  return rt;
}

function book(rt: TestRuntime, customer: Customer | null, customerRef = REFERENCE): string {
  const { id } = createBooking(rt, SLUG, {
    service: "cut",
    start: "2026-12-01T10:00",
    customerRef,
  });
  rt.tx(() => saveCustomer(rt, getBusiness(rt, SLUG).id, id, customer));
  return id;
}

const bookingOf = (rt: TestRuntime, id: string) => getBooking(rt, getBusiness(rt, SLUG).id, id);

test("erasing a guest removes the guest data and the customer reference, also from events, and nothing else", async () => {
  const rt = openSalon();
  const business = getBusiness(rt, SLUG);
  await subscribe(rt, business, "http://10.0.0.1/", ["booking.created"]);
  const sent: string[] = [];
  const worker = createTestWorker(rt, async ({ body }) => {
    sent.push(body.toString());
    return { kind: "responded", statusCode: 200, retryAfter: null, responseText: "" };
  });
  const [ana, leo] = [book(rt, ANA), book(rt, { ...ANA, email: "leo@example.com" }, "leo")];
  eraseForGood(rt, [ana]);

  expect(bookingOf(rt, ana)).toMatchObject({ customerRef: null, version: 2, status: "CONFIRMED" });
  expect(findCustomer(rt, ana)).toBeNull();
  expect(bookingOf(rt, leo)).toMatchObject({ customerRef: "leo", version: 1 });
  expect(findCustomer(rt, leo)).toMatchObject({ email: "leo@example.com" });
  for (const { body } of rt.store.events.listByVisit(ana))
    expect(JSON.parse(body.toString())).toMatchObject({
      data: { object: { id: ana, customerRef: null } },
    });

  worker.wake();
  await worker.whenIdle();
  expect(sent).toHaveLength(2);
  expect(sent.join()).not.toContain(REFERENCE);
});

test("a stored event still matches its hash after the erasure", () => {
  const rt = openSalon();
  const id = book(rt, ANA);
  eraseForGood(rt, [id]);
  const [event] = rt.store.events.listByVisit(id);
  const { body, sha256 } = rt.store.events.findById(event!.id)!;
  expect(sha256).toEqual(createHash("sha256").update(body).digest());
});

test("erasing a guest deletes the responses that receivers sent to the guest's events", async () => {
  const rt = openSalon();
  await subscribe(rt, getBusiness(rt, SLUG), "http://10.0.0.1/", ["booking.created"]);
  const worker = createTestWorker(rt, async ({ body }) => ({
    kind: "responded",
    statusCode: 200,
    retryAfter: null,
    responseText: `You sent ${body.toString()}`,
  }));
  const id = book(rt, ANA);
  worker.wake();
  await worker.whenIdle();
  const [delivery] = rt.store.deliveries.list({}, 1);
  const texts = () =>
    rt.store.deliveries.listAttempts(delivery!.id).map(({ responseText }) => responseText);
  expect(texts()).toEqual([expect.stringContaining(REFERENCE)]);
  eraseForGood(rt, [id]);
  expect(texts()).toEqual([null]);
});

test("a dry run erases nothing", () => {
  const rt = openSalon();
  const id = book(rt, ANA);
  rt.startDryRun();
  eraseForGood(rt, [id]);
  expect(findCustomer(rt, id)).toBeNull();
  const other = createTestRuntime({ dataDir: rt.config.dataDir });
  expect(findCustomer(other, id)).toEqual(ANA);
});

test("guest data is erased `guestRetentionDays` after the end of a visit, or after the start of a cancelled visit", async () => {
  const rt = openSalon();
  const [visited, cancelled] = [book(rt, ANA), book(rt, ANA)];
  cancelBooking(rt, SLUG, cancelled);
  const kept = () => [visited, cancelled].filter((id) => findCustomer(rt, id) !== null);
  const advanceTo = async (time: string) => {
    rt.advance(Date.parse(time) - rt.now());
    await eraseExpiredGuests(rt);
  };
  // Each of the two visits began 90 days earlier, at 10:00 in New York. The visit that took place
  // ended at 11:00.
  await advanceTo("2027-03-01T15:00:00Z");
  expect(kept()).toEqual([visited, cancelled]);
  await advanceTo("2027-03-01T15:00:01Z");
  expect(kept()).toEqual([visited]);
  await advanceTo("2027-03-01T16:00:01Z");
  expect(kept()).toEqual([]);
  expect(bookingOf(rt, visited).customerRef).toBeNull();
});

test("rotating the master key re-encrypts guest data and keeps a row that no key decrypts", () => {
  const rt = openSalon();
  const [ana, lost] = [book(rt, ANA), book(rt, ANA)];
  const { businessId } = rt.store.guests.findByVisit(lost)!;
  rt.store.guests.replace({ visitId: lost, businessId, sealed: Buffer.alloc(64) });
  const before = rt.store.guests.findByVisit(ana)!.sealed;
  const terminal = createTestRuntime({ dataDir: rt.config.dataDir });
  expect(rotateMasterKey(terminal)).toMatchObject({ secrets: 0, guests: 1 });
  expect(readFileSync(rt.config.masterKeyPath, "utf8").trim().split("\n")).toHaveLength(1);
  expect(rt.store.guests.findByVisit(ana)!.sealed).not.toEqual(before);
  expect(findCustomer(rt, ana)).toEqual(ANA);
  expect(() => findCustomer(rt, lost)).toThrow("master key");
});

test("guest data is in no file or log as plain text, and in no file at all after the guest is erased", () => {
  const rt = openSalon();
  const id = book(rt, ANA);
  const sealed = rt.store.guests.findByVisit(id)!.sealed.toString("latin1");
  const files = () =>
    readdirSync(rt.config.dataDir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name)).toString("latin1"));
  const plain = new RegExp(`qanary|718 555`, "i");
  expect(files().filter((text) => plain.test(text))).toEqual([]);
  expect(JSON.stringify(rt.logged)).not.toMatch(plain);
  const filesWith = (text: string) => files().filter((content) => content.includes(text));
  for (const text of [REFERENCE, sealed]) expect(filesWith(text)).not.toEqual([]);

  eraseForGood(rt, [id]);
  for (const text of [REFERENCE, sealed]) expect(filesWith(text)).toEqual([]);
});
