import { applyCatalog } from "../../src/app/catalog/catalog.ts";
import { catalogId } from "../../src/domain/ids.ts";
import type { Runtime } from "../../src/app/runtime.ts";

/**
 * The slug of a small business for tests of availability, with hourly slots in the morning and two
 * staff members.
 */
export const SHOP_SLUG = "shop";

const FILE = `
catalog: 1
business:
  slug: shop
  name: The Shop
  timezone: Europe/Lisbon
  currency: EUR
  bookingPolicy: { slotIntervalMin: 60, minNoticeMin: 60, maxAdvanceDays: 30, maxGapMin: 0 }
hours: [{ days: [mon-fri], start: "09:00", end: "12:00" }]
closures: [{ name: Staff outing, date: 2026-11-26 }]
services:
  - { key: cut, name: Cut, durationMin: 60, price: 40.00, staff: [ann, bea], addons: [{ addon: wash, max: 2 }, { addon: oil }] }
  - key: color
    name: Color
    durationMin: 60
    price: 60.00
    staff: [ann]
    variants: [{ key: long, name: Long hair, durationMin: 120, price: 90.00 }]
    addons: [{ addon: oil }]
  - { key: phone, name: By phone, durationMin: 60, price: 10.00, bookable: false, staff: [ann] }
  - { key: old, name: No more, durationMin: 60, price: 10.00, status: INACTIVE, staff: [ann] }
  - { key: yoga, name: Yoga, durationMin: 60, price: 12.00, capacity: 5, staff: [bea] }
addons:
  - { key: wash, name: Wash, price: 5.00, durationMin: 30 }
  - { key: oil, name: Oil, price: 7.00, durationMin: 0 }
staff:
  - { key: ann, name: Ann, timeOff: [{ from: "2026-11-24T00:00", to: "2026-11-25T00:00" }] }
  - { key: bea, name: Bea Quiet, public: false }
areas: [{ key: terrace, name: Terrace }]
tables:
  - { key: t2, minSeats: 1, maxSeats: 2, area: terrace }
  - { key: t4, minSeats: 2, maxSeats: 4 }
turnTimes: [{ upTo: 4, min: 60 }]
`;

export const seedShop = (rt: Runtime) => applyCatalog(rt, [{ name: "shop.yaml", text: FILE }]);

export const shopId = (
  prefix: "svc" | "svv" | "stf" | "adn" | "are" | "tbl",
  ...keys: string[]
): string => catalogId(prefix, SHOP_SLUG, ...keys);
