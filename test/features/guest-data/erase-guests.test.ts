import { expect, test } from "vitest";
import { createBooking } from "../../../src/app/bookings/bookings.ts";
import { saveCustomer } from "../../../src/app/bookings/guests.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import type { Customer } from "../../../src/domain/bookings/customer.ts";
import { eraseGuests } from "../../../src/features/guest-data/erase-guests.ts";
import { exportGuests } from "../../../src/features/guest-data/export-guests.ts";
import { findGuests } from "../../../src/features/guest-data/find-guests.ts";
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

const erase = (rt: TestRuntime, query: Parameters<typeof eraseGuests>[2]) =>
  eraseGuests(rt, getBusiness(rt, SLUG), query).guests.map(({ visitId }) => visitId);

test.each([
  [{ email: " ana@qanary.EXAMPLE" }, true],
  [{ phone: "17185550142" }, true],
  [{ customerRef: REFERENCE }, true],
  [{ email: "ana@other.example", phone: "0142" }, false],
  [{ customerRef: "ref-of" }, false],
])("searching for a guest by %j finds the visit: %s", (query, isFound) => {
  const rt = openSalon();
  const id = book(rt, ANA);
  book(rt, null, "other");
  const { guests } = findGuests(rt, getBusiness(rt, SLUG).id, query);
  expect(guests).toEqual(isFound ? [{ visitId: id, customer: ANA }] : []);
});

test("an erasure by a phone number without digits is refused, instead of matching other numbers without digits", () => {
  const rt = openSalon();
  book(rt, { ...ANA, phone: "unlisted" });
  for (const phone of ["unlisted", "none", ""])
    expect(() => erase(rt, { phone })).toThrow(/^Invalid phone number '.*': it has no digits\.$/);
});

test("an erasure finds visits with and without guest data, and adds one entry to the audit log", () => {
  const rt = openSalon();
  const ana = book(rt, ANA, "other");
  book(rt, { ...ANA, email: "leo@example.com" }, "leo");
  const referenced = book(rt, null);
  const query = { email: "ana@qanary.example", customerRef: REFERENCE };
  const visitIds = [ana, referenced];
  expect(erase(rt, query)).toEqual(visitIds);
  expect(erase(rt, query)).toEqual([]);
  const entries = rt.store.audit.list({}, 100).filter(({ action }) => action === "guests.erased");
  expect(entries).toMatchObject([{ details: { visits: 2, visitIds } }]);
});

test("a customer reference finds a guest whose data cannot be decrypted, and other such guests are only counted", () => {
  const rt = openSalon();
  const lost = [book(rt, ANA), book(rt, ANA, "other")] as const;
  const business = getBusiness(rt, SLUG);
  for (const visitId of lost)
    rt.store.guests.replace({ visitId, businessId: business.id, sealed: Buffer.alloc(64) });
  const query = { customerRef: REFERENCE };
  expect(exportGuests(rt, business, query)).toMatchObject({
    visits: [{ object: { id: lost[0] }, customer: null }],
    undecryptable: 2,
  });
  expect(eraseGuests(rt, business, query)).toEqual({
    guests: [{ visitId: lost[0], customer: null }],
    undecryptable: 1,
    remains: { inLog: false, inFreeSpace: false },
  });
  expect(lost.map((id) => rt.store.guests.findByVisit(id)?.visitId)).toEqual([undefined, lost[1]]);
});

test("other programs can write while an erasure searches for the guest", () => {
  const rt = openSalon();
  const id = book(rt, ANA);
  const other = createTestRuntime({ dataDir: rt.config.dataDir });
  const { decrypt } = rt.secrets;
  rt.secrets.decrypt = (...sealed) => {
    book(other, null, "other");
    return decrypt(...sealed);
  };
  expect(erase(rt, { email: ANA.email! })).toEqual([id]);
});
