import { isoCurrency } from "../../src/domain/money.ts";
import { changeCatalog } from "../../src/app/catalog/changes/change-catalog.ts";
import type { Catalog } from "../../src/domain/catalog/catalog.ts";
import { businessId, objectId } from "../../src/domain/catalog/object-id.ts";
import type { Runtime } from "../../src/app/runtime.ts";
import { buildCatalog, buildStaffMember, buildService } from "./catalog-builders.ts";
import { confirmedVisit, NO_NAMES } from "./visit-rows.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const DAYS_ELSEWHERE = 1000;
/**
 * Bookings elsewhere keep this distance, because closer ones could affect the days of the salon.
 */
const MARGIN_DAYS = 7;

export type SalonSize = {
  people: number;
  services: number;
  /** The first of the `days` days with bookings. */
  firstDay: string;
  days: number;
  bookings: number;
  /** Further bookings, about 1,000 days before and after those days. */
  bookingsElsewhere?: number;
};

/** Returns a salon that is open daily from 8:00 to 20:00, in which everyone does every service. */
function buildLargeSalon(people: number, services: number): Catalog {
  const staff = Array.from({ length: people }, (_, i) => buildStaffMember(`p${i}`));
  const catalog = buildCatalog(
    {
      staff,
      service: Array.from({ length: services }, (_, i) =>
        buildService(`s${i}`, {
          durationMin: 30,
          bufferAfterMin: 5,
          staff: staff.map(({ key }) => key),
        }),
      ),
    },
    { timezone: "Europe/Lisbon" },
  );
  Object.assign(catalog.business.bookingPolicy, { maxAdvanceDays: 365, maxGapMin: 15 });
  catalog.schedule.hours = [
    {
      days: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
      start: "08:00",
      end: "20:00",
      validFrom: null,
      validTo: null,
    },
  ];
  return catalog;
}

/** Stores the salon, and half-hour bookings at random times and staff; they may overlap. */
export function createLargeSalon(
  rt: Runtime,
  size: SalonSize,
  policy: Partial<Catalog["business"]["bookingPolicy"]> = {},
) {
  const catalog = buildLargeSalon(size.people, size.services);
  Object.assign(catalog.business.bookingPolicy, policy);
  const { slug } = catalog.business;
  changeCatalog(rt, { catalog, origin: "local", loaded: null });
  const [services, staff] = (["service", "staff"] as const).map((kind) =>
    catalog.objects[kind].map((doc) => objectId(kind, slug, doc)),
  ) as [string[], string[]];
  const opensAt = Date.parse(`${size.firstDay}T08:00:00Z`);
  const random = createRandom();
  const insertBooking = (day: number): void => {
    const startsAt = opensAt + day * DAY_MS + random(46) * 15 * MINUTE_MS;
    const span = { startsAt, endsAt: startsAt + 30 * MINUTE_MS };
    rt.store.bookings.insert(businessId(slug), {
      id: rt.newId("bkg"),
      ...confirmedVisit(startsAt, rt.now()),
      ...span,
      guests: 1,
      totalCents: 3000,
      ...isoCurrency("EUR"),
      segments: [
        {
          ...NO_NAMES,
          serviceId: services[random(services.length)] ?? "",
          variantId: null,
          addons: [],
          staffId: staff[random(staff.length)] ?? "",
          resources: [],
          seats: 1,
          bufferBeforeMin: 0,
          bufferAfterMin: 5,
          priceCents: 3000,
          ...span,
        },
      ],
    });
  };
  rt.tx(() => {
    for (let i = 0; i < size.bookings; i++) insertBooking(random(size.days));
    for (let i = 0; i < (size.bookingsElsewhere ?? 0); i++) {
      const distance = MARGIN_DAYS + random(DAYS_ELSEWHERE);
      insertBooking(i % 2 === 0 ? -distance : size.days + distance);
    }
  });
  return { slug, services, staff };
}

/** Returns a generator of whole numbers from 0 to `limit` - 1, which are the same in every run. */
function createRandom(): (limit: number) => number {
  let state = 7;
  return (limit) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
}
