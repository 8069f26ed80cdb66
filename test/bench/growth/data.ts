import Database from "better-sqlite3";
import { applyCatalog } from "../../../src/app/catalog/catalog.ts";
import { createBooking } from "../../../src/app/bookings/bookings.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { createKey } from "../../../src/app/keys.ts";
import type { Runtime } from "../../../src/app/runtime.ts";
import { generateCatalog } from "../../../src/features/samples/generate.ts";
import { createEndpoint, MAX_ENDPOINTS } from "../../../src/app/webhooks/endpoints.ts";
import { isoCurrency } from "../../../src/domain/money.ts";
import { catalogId } from "../../../src/domain/ids.ts";
import { confirmedVisit, NO_NAMES } from "../../support/visit-rows.ts";

// This module stores a server's data at a given size. The first business is the one measured.

export type Size = Record<Dimension, number>;
export type Dimension = keyof typeof DIMENSIONS;

export const DIMENSIONS = {
  businesses: decades(0, 4),
  objects: decades(1, 5),
  bookings: decades(1, 6),
  events: decades(1, 6),
  endpoints: decades(0, 4),
};
/** The sizes of the dimensions that stay constant while another one varies. */
export const BASE: Size = { businesses: 1, objects: 100, bookings: 10, events: 10, endpoints: 1 };

export const SLUG = "growth";
export const SERVICE = "growth-cut";
export const SERVICE_ID = catalogId("svc", SLUG, SERVICE);
/** A public event with so many tickets that no order changes its sale state. */
const EVENT = "growth-night";
const TICKET_TYPE = "adult";
export const EVENT_ID = catalogId("pev", SLUG, EVENT);
export const TICKET_TYPE_ID = catalogId("ett", SLUG, EVENT, TICKET_TYPE);
export const FIRST_DAY = Temporal.Now.plainDateISO("Europe/Lisbon").add({ days: 1 });

const STAFF = ["ann", "ben", "cleo", "dan", "eve"];
const OBJECTS_OF_OTHERS = 10;
const PER_TRANSACTION = 100;
const DAY_MS = 86_400_000;
/**
 * The stored bookings end this many days ago. They are then neither near the bookings that are
 * measured nor in a calendar feed, which contains the last 30 days.
 */
const BOOKINGS_END_DAYS_AGO = 33;
const DAYS_OF_BOOKINGS = 1000;
const BOOKINGS_NEARBY = 100;
const NO_LIMITS = {
  limitMinute: 1_000_000_000,
  limitHour: 1_000_000_000,
  maxBookingsDay: 1_000_000_000,
  maxHolds: 1_000_000_000,
};

/** A key that can read one business. */
export type Target = { slug: string; secret: string };

function decades(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i));
}

/**
 * Stores a server's data at the given size. Returns the businesses that the GETs read in turn, with
 * the measured business first.
 */
export async function storeData(rt: Runtime, size: Size): Promise<Target[]> {
  applyCatalog(rt, [{ name: "growth.json", text: catalogText(size.objects) }], {
    seedingAt: rt.now(),
  });
  const slugs = [SLUG];
  const others = Math.max(size.businesses, Math.ceil(size.endpoints / MAX_ENDPOINTS));
  while (slugs.length < others)
    rt.tx(() => {
      for (let n = 0; n < PER_TRANSACTION && slugs.length < others; n++)
        slugs.push(storeOther(rt, slugs.length));
    });
  storeBookings(rt, size.bookings);
  await storeEndpoints(rt, slugs, size.endpoints);
  storeHistory(rt, size.events);
  return rt.tx(() => slugs.slice(0, READ_IN_TURN).map((slug) => createTarget(rt, slug)));
}

/**
 * How many businesses the GETs read in turn. The responses of more businesses could exceed the
 * cache. `many-businesses.ts` measures that case.
 */
const READ_IN_TURN = 200;

function createTarget(rt: Runtime, slug: string): Target {
  const { id: businessId } = getBusiness(rt, slug);
  const { secret } = createKey(rt, {
    businessId,
    name: "bench",
    kind: "SECRET",
    scopes: [],
    ...NO_LIMITS,
  });
  return { slug, secret };
}

/** Returns the catalog file of the first business, with a price that depends on `edition`. */
export function catalogText(objects: number, edition = 0): string {
  const { services = [], staff = [], events = [], ...rest } = generateCatalog(objects, 1);
  const night = {
    key: EVENT,
    name: "Night",
    startsIn: "300d 20:00",
    durationMin: 120,
    ticketTypes: [{ key: TICKET_TYPE, name: "Adult", price: "10.00" }],
    quotas: [{ key: "hall", size: 10_000_000 }],
  };
  const cut = { key: SERVICE, name: "Cut", durationMin: 30, price: price(edition), staff: STAFF };
  return JSON.stringify({
    ...rest,
    business: {
      slug: SLUG,
      name: "Growth",
      timezone: "Europe/Lisbon",
      currency: "EUR",
      bookingPolicy: { maxAdvanceDays: 365 },
    },
    hours: [{ days: "mon-sun", start: "08:00", end: "20:00" }],
    staff: [...staff, ...STAFF.map((key) => ({ key, name: key }))],
    services: [...services, cut],
    events: [...events, night],
  });
}

const price = (edition: number): string => `${40 + (edition % 50)}.00`;

function storeOther(rt: Runtime, number: number): string {
  const catalog = generateCatalog(OBJECTS_OF_OTHERS, number + 1);
  const slug = `business-${number}`;
  const text = JSON.stringify({ ...catalog, business: { ...catalog.business, slug } });
  applyCatalog(rt, [{ name: "other.json", text }], { seedingAt: rt.now() });
  return slug;
}

/** Stores half-hour bookings: `count` in the past, and 100 in the week that availability reads. */
function storeBookings(rt: Runtime, count: number): void {
  const { id } = getBusiness(rt, SLUG);
  const staffIds = STAFF.map((key) => catalogId("stf", SLUG, key));
  const opensAt = FIRST_DAY.toZonedDateTime({ timeZone: "Europe/Lisbon", plainTime: "08:00" });
  const insert = (day: number, n: number) => {
    const startsAt = opensAt.epochMilliseconds + day * DAY_MS + (n % 20) * 30 * 60_000;
    const span = { startsAt, endsAt: startsAt + 30 * 60_000 };
    rt.store.bookings.insert(id, {
      id: rt.newId("bkg"),
      ...confirmedVisit(startsAt, rt.now()),
      ...span,
      guests: 1,
      totalCents: 4000,
      ...isoCurrency("EUR"),
      segments: [
        {
          ...NO_NAMES,
          serviceId: SERVICE_ID,
          variantId: null,
          addons: [],
          staffId: staffIds[n % staffIds.length] ?? "",
          resources: [],
          seats: 1,
          bufferBeforeMin: 0,
          bufferAfterMin: 0,
          priceCents: 4000,
          ...span,
        },
      ],
    });
  };
  rt.tx(() => {
    for (let n = 0; n < BOOKINGS_NEARBY; n++) insert(Math.floor(n / 15), n);
    for (let n = 0; n < count; n++) insert(-BOOKINGS_END_DAYS_AGO - (n % DAYS_OF_BOOKINGS), n);
  });
}

async function storeEndpoints(rt: Runtime, slugs: readonly string[], count: number) {
  for (let n = 0; n < count; n++)
    await createEndpoint(rt, {
      businessId: getBusiness(rt, slugs[Math.floor(n / MAX_ENDPOINTS)] ?? SLUG).id,
      keyId: null,
      name: `receiver ${n}`,
      url: `https://127.0.0.1/${n}`,
      events: ["service.updated"],
      allowPrivate: true,
    });
}

/** Stores events of the last 20 days, each with a delivery that succeeded at the first attempt. */
function storeHistory(rt: Runtime, count: number): void {
  const { id: businessId, lastSequence } = getBusiness(rt, SLUG);
  const [endpoint] = rt.store.endpoints.list(businessId);
  const db = new Database(rt.config.databasePath);
  const parameters = {
    count,
    businessId,
    endpointId: endpoint?.id ?? null,
    lastSequence,
    startsAt: rt.now() - 20 * DAY_MS,
    step: (20 * DAY_MS) / count,
  };
  const run = (sql: string) => db.prepare(sql).run(parameters);
  db.transaction(() => {
    run(`WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < :count)
      INSERT INTO event (id, business_id, sequence, type, body, sha256, created_at)
      SELECT printf('evt_%025d', i), :businessId, :lastSequence + i, 'service.updated',
        CAST('{"id":"' || i || '","text":"' || hex(zeroblob(150)) || '"}' AS BLOB), zeroblob(32),
        CAST(:startsAt + i * :step AS INTEGER)
      FROM numbers`);
    run(`INSERT INTO delivery (id, business_id, endpoint_id, event_id, event_type, sequence, status, attempt_count,
        last_status_code, created_at, delivered_at)
      SELECT 'dlv' || substr(id, 4), business_id, :endpointId, id, type, sequence, 'DELIVERED', 1, 200, created_at, created_at + 40
      FROM event WHERE business_id = :businessId AND sequence > :lastSequence ORDER BY sequence`);
    run(`INSERT INTO attempt (delivery, n, at, duration_ms, outcome, status_code)
      SELECT number, 1, created_at, 40, 'responded', 200 FROM delivery WHERE status = 'DELIVERED' ORDER BY number`);
    run("INSERT OR REPLACE INTO delivery_count VALUES (:businessId, 'DELIVERED', :count)");
    run("UPDATE business SET last_sequence = :lastSequence + :count WHERE id = :businessId");
  })();
  db.close();
}

/**
 * Returns the start of the nth booking after the stored bookings. Two bookings share each start, at
 * which five staff members are free.
 */
export function startOfBooking(n: number): string {
  const day = FIRST_DAY.add({ days: 10 + Math.floor(n / 40) });
  const time = Temporal.PlainTime.from("08:00").add({ minutes: 30 * (Math.floor(n / 2) % 20) });
  const start = day.toZonedDateTime({ timeZone: "Europe/Lisbon", plainTime: time });
  return start.toString({ smallestUnit: "minute", timeZoneName: "never" });
}

/** Books the nth start as the operator. */
export const bookNext = (rt: Runtime, n: number): void =>
  void createBooking(rt, SLUG, { service: SERVICE, start: startOfBooking(n) });
