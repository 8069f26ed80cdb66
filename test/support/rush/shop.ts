import { applyCatalog } from "../../../src/app/catalog/catalog.ts";
import { getBusiness } from "../../../src/app/businesses.ts";
import { createKey } from "../../../src/app/keys.ts";
import type { Runtime } from "../../../src/app/runtime.ts";
import { concertIds } from "../../http/support/bookings.ts";
import { SHOP_SLUG, shopId } from "../shop.ts";
import type { CapacityOf, Place } from "./occupancy.ts";

// A shop with little to book: three days of two staff members and two tables, and 40 tickets.

const DAY = Temporal.Now.plainDateISO("UTC").add({ days: 7 });
const DAYS = [0, 1, 2].map((days) => DAY.add({ days }).toString());
const OPENS = 9;
const CLOSES = 14;
const MINUTE_MS = 60_000;
export const TICKETS = 40;

/** The zone has no summer time, so that local times are those of UTC. */
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
  - { key: cut, name: Cut, durationMin: 60, price: 4000, staff: [ann, bea] }
  - { key: color, name: Color, durationMin: 90, price: 9000, staff: [ann] }
staff: [{ key: ann, name: Ann }, { key: bea, name: Bea }]
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

export const MINUTES = { cut: 60, color: 90 };
export type Service = keyof typeof MINUTES;
export const STAFF_OF: Record<Service, ("ann" | "bea")[]> = { cut: ["ann", "bea"], color: ["ann"] };

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

/** @param count of API keys, each of which may book and order tickets */
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
      }).secret,
  );
  return { secrets, ...concertIds(rt) };
}

export const capacityOf: CapacityOf = (resource) => (resource === "seat" ? TICKETS : 1);

/** A staff member or table for some minutes. */
const placeAt = (resource: string, startsAt: string, minutes: number): Place => {
  const from = Date.parse(`${startsAt}Z`);
  return { resource, from, to: from + minutes * MINUTE_MS, quantity: 1 };
};

export const staffPlaces = (service: Service, staff: "ann" | "bea" | null, startsAt: string) =>
  (staff === null ? STAFF_OF[service] : [staff]).map((key) =>
    placeAt(shopId("stf", key), startsAt, MINUTES[service]),
  );

export const tablePlaces = (partySize: number, startsAt: string): Place[] =>
  (partySize > 2 ? ["t4"] : partySize > 1 ? ["t2", "t4"] : ["t2"]).map((key) =>
    placeAt(shopId("tbl", key), startsAt, 60),
  );

export const tickets = (quantity: number): Place => ({
  resource: "seat",
  from: 0,
  to: 1,
  quantity,
});
