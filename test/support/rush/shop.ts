import { applyCatalog } from "../../../src/app/catalog/catalog.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { createKey } from "../../../src/app/keys.ts";
import type { Runtime } from "../../../src/app/runtime.ts";
import { concertIds } from "../../http/support/bookings.ts";
import { SHOP_SLUG, shopId } from "../shop.ts";
import type { CapacityOf, Place } from "./occupancy.ts";

// A shop with little to book: three days of two stylists, three masseurs with one room, a waxing
// with a buffer, a sauna and a class with few seats, two tables, and 40 tickets.

const DAY = Temporal.Now.plainDateISO("UTC").add({ days: 7 });
const DAYS = [0, 1, 2].map((days) => DAY.add({ days }).toString());
const OPENS = 9;
const CLOSES = 14;
const MINUTE_MS = 60_000;
export const TICKETS = 40;
/** The price of a cut, in the shop's currency, when it opens. */
export const FIRST_PRICE = 4000;

/** The catalog file. Its time zone is UTC all year, so that local times are those of UTC. */
const FILE = `
catalog: 1
business:
  slug: ${SHOP_SLUG}
  name: The Shop
  timezone: Atlantic/Reykjavik
  currency: ISK
  bookingPolicy: { slotIntervalMin: 30, minNoticeMin: 60, maxAdvanceDays: 10, maxGapMin: 0 }
hours: [{ days: [mon-sun], start: "09:00", end: "14:00" }]
services:
  - { key: cut, name: Cut, durationMin: 60, price: ${FIRST_PRICE}, staff: [ann, bea] }
  - { key: color, name: Color, durationMin: 90, price: 9000, staff: [ann] }
  - { key: massage, name: Massage, durationMin: 60, price: 7000, staff: [cay, dot, eve], resources: [{ resource: room, units: 2 }] }
  - { key: wax, name: Wax, durationMin: 30, price: 2000, staff: [gil], bufferAfterMin: 30 }
  - { key: sauna, name: Sauna, durationMin: 60, price: 1500, capacity: 2 }
  - { key: pilates, name: Pilates, durationMin: 60, price: 1000, capacity: 2, staff: [fay], bookingRules: { slotIntervalMin: 60 } }
staff:
  - { key: ann, name: Ann }
  - { key: bea, name: Bea }
  - { key: cay, name: Cay }
  - { key: dot, name: Dot }
  - { key: eve, name: Eve }
  - { key: gil, name: Gil }
  - { key: fay, name: Fay }
resources: [{ key: room, name: Room, capacity: 3 }]
tables: [{ key: t2, minSeats: 1, maxSeats: 2 }, { key: t4, minSeats: 2, maxSeats: 4 }]
turnTimes: [{ upTo: 4, min: 60 }]
events:
  - key: gala
    name: Gala
    slug: gala
    startsAt: ${DAY.toString()}T19:00
    durationMin: 120
    status: PUBLISHED
    ticketTypes: [{ key: seat, name: Seat, kind: PAID, price: 2500 }]
    quotas: [{ key: room, size: ${TICKETS}, ticketTypes: [seat] }]
`;

type ServiceRules = {
  minutes: number;
  /**
   * The staff members who can do the service. The list is empty if the service needs nobody, or if
   * its only staff member is taken with its seats.
   */
  staff: readonly string[];
  /** A resource with three units, of which a visit takes two. */
  room?: string;
  bufferMin?: number;
  /** The number of guests of all visits that share the service at the same time. */
  seats?: number;
};

export const SERVICES = {
  cut: { minutes: 60, staff: ["ann", "bea"] },
  color: { minutes: 90, staff: ["ann"] },
  massage: { minutes: 60, staff: ["cay", "dot", "eve"], room: "room" },
  wax: { minutes: 30, staff: ["gil"], bufferMin: 30 },
  sauna: { minutes: 60, staff: [], seats: 2 },
  pilates: { minutes: 60, staff: [], seats: 2 },
} as const satisfies Record<string, ServiceRules>;
export type Service = keyof typeof SERVICES;

/** What a guest books: services one after the other, the first of them with `staff`, or a table. */
export type Visit =
  | { services: readonly Service[]; staff: string | null; guests: number }
  | { partySize: number };

/** Every start at which a cut or a table is offered, as UTC time. */
export const STARTS = DAYS.flatMap((day) =>
  Array.from({ length: (CLOSES - OPENS) * 2 - 1 }, (_, half) => {
    const minute = OPENS * 60 + half * 30;
    const [hours, minutes] = [Math.floor(minute / 60), minute % 60].map((part) =>
      String(part).padStart(2, "0"),
    );
    return `${day}T${hours}:${minutes}`;
  }),
);

/** Creates the shop. @param count the number of API keys, which may book and order tickets */
export function createRushShop(rt: Runtime, count: number) {
  applyCatalog(rt, [{ name: "shop.yaml", text: FILE }]);
  const secrets = Array.from(
    { length: count },
    (_, n) =>
      createKey(rt, {
        businessId: getBusiness(rt, SHOP_SLUG).id,
        name: `site ${n}`,
        kind: "RESTRICTED",
        scopes: ["bookings.write", "tickets.write"],
        limitMinute: 1_000_000,
        limitHour: 10_000_000,
        maxBookingsDay: 1_000_000,
      }).secret,
  );
  return { secrets, ...concertIds(rt) };
}

const CAPACITIES: Record<string, number> = {
  seat: TICKETS,
  room: 3,
  sauna: SERVICES.sauna.seats,
  pilates: SERVICES.pilates.seats,
};
export const capacityOf: CapacityOf = (resource) => CAPACITIES[resource] ?? 1;

const serviceById = new Map(
  (Object.keys(SERVICES) as Service[]).map((service) => [shopId("svc", service), service]),
);
export const serviceOf = (serviceId: string): Service => serviceById.get(serviceId)!;

/**
 * Returns the places that a visit takes with one service. `staffId` is null for a service that
 * needs nobody.
 */
export function placesOfSegment(
  service: Service,
  staffId: string | null,
  from: number,
  guests: number,
): Place[] {
  const rules: ServiceRules = SERVICES[service];
  const to = from + rules.minutes * MINUTE_MS;
  if (rules.seats !== undefined) return [{ resource: service, from, to, quantity: guests }];
  const until = to + (rules.bufferMin ?? 0) * MINUTE_MS;
  return [
    { resource: staffId ?? "", from, to: until, quantity: 1 },
    ...(rules.room === undefined ? [] : [{ resource: rules.room, from, to, quantity: 2 }]),
  ];
}

const combine = (sets: Place[][][]): Place[][] =>
  sets.reduce((all, next) => all.flatMap((one) => next.map((two) => [...one, ...two])), [[]]);

/** Returns alternative sets of places. Each set is enough for the visit. */
export function alternativesOf(visit: Visit, startsAt: string): Place[][] {
  let from = Date.parse(`${startsAt}Z`);
  if ("partySize" in visit) {
    const { partySize } = visit;
    const keys = partySize > 2 ? ["t4"] : partySize > 1 ? ["t2", "t4"] : ["t2"];
    const to = from + 60 * MINUTE_MS;
    return keys.map((key) => [{ resource: shopId("tbl", key), from, to, quantity: 1 }]);
  }
  return combine(
    visit.services.map((service, n) => {
      const { staff, minutes }: ServiceRules = SERVICES[service];
      const startOf = from;
      from += minutes * MINUTE_MS;
      const keys = n === 0 && visit.staff !== null ? [visit.staff] : staff;
      const ids = keys.length === 0 ? [null] : keys.map((key) => shopId("stf", key));
      return ids.map((id) => placesOfSegment(service, id, startOf, visit.guests));
    }),
  );
}

export const tickets = (quantity: number): Place => ({
  resource: "seat",
  from: 0,
  to: 1,
  quantity,
});
