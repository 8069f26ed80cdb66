import { isPublicStaff } from "../../../app/bookings/access.ts";
import type { Runtime } from "../../../app/runtime.ts";
import type { BookedSegment, Booking } from "../../../domain/bookings/booking.ts";
import type { Hold } from "../../../domain/bookings/hold.ts";
import type { Reservation } from "../../../domain/bookings/reservation.ts";
import { actionError, type Visit, type VisitStatus } from "../../../domain/bookings/visit.ts";
import type { Kind, ServiceDoc } from "../../../domain/catalog/catalog.ts";
import { priceTypeOfAll } from "../../../domain/catalog/price-type.ts";
import { localise } from "../../../domain/public/public-context.ts";
import { variantId } from "../../../domain/public/service.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import type { PageTexts } from "../../public-pages/texts.ts";
import type { Total } from "../total.ts";

// These functions read what a guest sees of a visit, on its page and in mails.

type Location = ServiceDoc["locationType"];

/** What was booked or is held, as its guest reads it. */
export type VisitContent = {
  /** The services, or null for a table. */
  services: string[] | null;
  staff: string[];
  guests: number;
  area: string | null;
  /** Where the visit takes place. The address of the business concerns only guests who go there. */
  location: Location;
  /** The price of all services for all guests; null for a table. */
  total: Total | null;
};

export type VisitView = VisitContent & {
  status: VisitStatus;
  startsAt: number;
  endsAt: number;
  /** Until when the guest can cancel or move the visit. */
  cancelUntil: number;
  /** Until when the business decides about a request; null if it has decided or need not decide. */
  decideBy: number | null;
  /** Whether the business declined the request, or did not decide in time. */
  isDeclined: boolean;
  canChange: boolean;
};

/** Returns whether the guest can still cancel or move a visit: one rule holds for both. */
export const canChange = (rt: Runtime, visit: Visit): boolean =>
  actionError("This visit", visit, "cancel", "GUEST", rt.now()) === undefined;

export function toView(
  rt: Runtime,
  business: BusinessRow,
  visit: Booking | Reservation,
  locale: string,
): VisitView {
  const { status, startsAt, endsAt, cancelUntil, decideBy, cancelReason } = visit;
  return {
    ...describeContent(rt, business, visit, locale),
    status,
    startsAt,
    endsAt,
    cancelUntil,
    decideBy,
    isDeclined: cancelReason === "DECLINED" || cancelReason === "EXPIRED",
    canChange: canChange(rt, visit),
  };
}

/**
 * Describes what a visit or hold is about, without staff members who are not public.
 * @param locale the language of the texts of the catalog
 */
export function describeContent(
  rt: Runtime,
  { id: businessId, slug }: BusinessRow,
  visit: Booking | Reservation | Hold,
  locale: string,
): VisitContent {
  // An object that has left the catalog gets no name, because guests would not understand its ID.
  const findName = (kind: Kind, id: string | null): string | null => {
    const doc = id === null ? undefined : rt.store.catalog.findByKeyOrId(businessId, kind, id);
    return nameIn(locale, doc, null);
  };
  // A reservation has no list of segments, and the list in the hold of a table is empty: the visit
  // is for a table.
  if (!("segments" in visit) || visit.segments.length === 0)
    return {
      services: null,
      staff: [],
      guests: "partySize" in visit ? visit.partySize : visit.guests,
      area: "areaId" in visit ? findName("area", visit.areaId) : null,
      location: "ON_SITE",
      total: null,
    };
  const { segments, guests, totalCents: cents, currency, currencyDigits } = visit;
  const staff = segments.flatMap(({ staffId, staffName }) =>
    staffId !== null && staffName !== null && isPublicStaff(rt, businessId, staffId)
      ? [staffName]
      : [],
  );
  // A visit stores neither its place nor whether its total is exact. Both come from the services,
  // as long as the catalog has them.
  const services = segments.map(({ serviceId }) =>
    rt.store.catalog.findByKeyOrId(businessId, "service", serviceId),
  );
  return {
    services: segments.flatMap((segment, i) => [
      describeService(slug, services[i], segment, locale),
      ...segment.addons.flatMap(({ addonId, quantity }) => {
        const name = findName("addon", addonId);
        return name === null ? [] : [`+ ${quantity > 1 ? `${quantity} × ` : ""}${name}`];
      }),
    ]),
    staff: [...new Set(staff)],
    guests,
    area: null,
    location: locationOf(services),
    total: {
      cents,
      currency,
      currencyDigits,
      priceType: priceTypeOfAll(services.flatMap((service) => service?.priceType ?? [])),
    },
  };
}

type Named = { name: string };

/**
 * Returns the name of an object in a locale. An object that was renamed or deleted since it was
 * booked has the name that was booked.
 */
const nameIn = (locale: string, doc: Named | undefined, booked: string | null): string | null =>
  doc !== undefined && (booked ?? doc.name) === doc.name ? localise(doc, locale).name : booked;

/** Returns the name of a booked service with that of its variant. */
function describeService(
  slug: string,
  service: ServiceDoc | undefined,
  booked: BookedSegment,
  locale: string,
): string {
  const name = nameIn(locale, service, booked.serviceName) ?? booked.serviceId;
  const variant = service?.variants.find(
    (one) => variantId(slug, service, one) === booked.variantId,
  );
  const variantName = nameIn(locale, variant, booked.variantName);
  return variantName === null ? name : `${name}, ${variantName}`;
}

/** Returns `ON_SITE` if the guest goes to the business for at least one of the services. */
function locationOf(services: readonly (ServiceDoc | undefined)[]): Location {
  // A service that has left the catalog counts as one at the business.
  const locations = services.map((service) => service?.locationType ?? "ON_SITE");
  return locations.find((location) => location === "ON_SITE") ?? locations[0] ?? "ON_SITE";
}

/** Returns the text for the place of a visit that is not at the business; null if it is there. */
export const describeElsewhere = (
  { atCustomer, online }: Pick<PageTexts, "atCustomer" | "online">,
  location: Location,
): string | null => ({ ON_SITE: null, AT_CUSTOMER: atCustomer, ONLINE: online })[location];
