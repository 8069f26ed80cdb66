import type { Catalog, ServiceDoc } from "../../domain/catalog/catalog.ts";
import type { ObjectChange } from "../../domain/catalog/change/diff.ts";
import { objectId } from "../../domain/catalog/object-id.ts";
import { variantId } from "../../domain/public/service.ts";
import type { PerformedService } from "../../store/bookings/booking-segments.ts";
import type { Runtime } from "../runtime.ts";

/** Returns the IDs of future bookings of a service with a person who no longer performs it. */
export function listUnlinkedVisits(
  rt: Runtime,
  businessId: string,
  before: Catalog,
  after: Catalog,
  changes: readonly ObjectChange[],
): string[] {
  const updated = new Set(changes.filter(({ action }) => action === "update").map(({ id }) => id));
  const next = performersOf(after, updated);
  const unlinked = [...performersOf(before, updated)].flatMap(([offer, { service, staff }]) => {
    const left = next.get(offer)?.staff;
    return left === undefined ? [] : [...staff.difference(left)].map((id) => [...service, id]);
  }) as PerformedService[];
  return unlinked.length === 0
    ? []
    : rt.store.bookings.listUpcomingWith(businessId, rt.now(), unlinked);
}

type Performers = { service: [serviceId: string, variantId: string | null]; staff: Set<string> };

/** IDs of the staff who perform each service and variant. A variant without staff has the service's. */
function performersOf(
  { business: { slug }, objects }: Catalog,
  serviceIds: ReadonlySet<string>,
): Map<string, Performers> {
  const idOfKey = new Map(objects.staff.map((doc) => [doc.key, objectId("staff", slug, doc)]));
  const idsOf = (keys: readonly string[]) => new Set(keys.map((key) => idOfKey.get(key) ?? key));
  const offersOf = (doc: ServiceDoc): Performers[] => {
    const id = objectId("service", slug, doc);
    return [
      { service: [id, null], staff: idsOf(doc.staff) },
      ...doc.variants.map((variant): Performers => ({
        service: [id, variantId(slug, doc, variant)],
        staff: idsOf(variant.staff ?? doc.staff),
      })),
    ];
  };
  return new Map(
    objects.service
      .filter((doc) => serviceIds.has(objectId("service", slug, doc)))
      .flatMap(offersOf)
      .map((offer) => [offer.service.join(), offer]),
  );
}
