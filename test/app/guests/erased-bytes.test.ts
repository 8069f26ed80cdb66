import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createBooking } from "../../../src/app/bookings/bookings.ts";
import { saveCustomer } from "../../../src/app/bookings/guests.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { eraseGuests } from "../../../src/app/guests/erase-guests.ts";
import { applyCatalogBody } from "../../support/use-case.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { createSeededRandom } from "../../../src/app/sample-catalog/generator.ts";

const SLUG = "salon-aurora";
const CATALOG = `
hours: [{ days: [mon-sun], start: "00:00", end: "24:00" }]
services: [{ key: cut, name: Cut, durationMin: 60, price: 40.00, capacity: 50 }]
`;
const VISITS = 120;

test(
  "erased guests are nowhere in the database file or its log, however their rows have moved",
  { timeout: 120_000 },
  () => {
    const rt = createTestRuntime();
    applyCatalogBody(rt, CATALOG);
    const business = getBusiness(rt, SLUG);
    const random = createSeededRandom(4711);
    const sealed: Buffer[] = [];
    const save = (id: string, name: string) => {
      const notes = "x".repeat(random.integer(0, 900));
      rt.tx(() => saveCustomer(rt, business.id, id, { name, email: null, phone: null, notes }));
      sealed.push(rt.store.guests.findByVisit(id)!.sealed);
    };
    const references: string[] = [];
    for (let i = 0; i < VISITS; i++) {
      const customerRef = `reference-${i}-${"r".repeat(random.integer(0, 40))}`;
      references.push(customerRef);
      const start = `2026-12-${String(1 + (i % 20)).padStart(2, "0")}T${String(8 + (i % 12)).padStart(2, "0")}:00`;
      const { id } = createBooking(rt, SLUG, { service: "cut", start, customerRef });
      save(id, `guest-${i}`);
      if (random.chance(0.7)) save(id, `renamed-guest-${i}`);
    }
    for (const customerRef of references) eraseGuests(rt, business, { customerRef });

    const { databasePath } = rt.config;
    const left = [databasePath, `${databasePath}-wal`].flatMap((path) => {
      const bytes = existsSync(path) ? readFileSync(path) : Buffer.alloc(0);
      const found = [...references, ...sealed].filter((part) => bytes.includes(part));
      return found.length > 0 ? [{ path, found: found.length }] : [];
    });
    expect(left).toEqual([]);
  },
);
