import type { Catalog, ServiceDoc } from "../../../domain/catalog/catalog.ts";
import type { CatalogDiff, ObjectChange } from "../../../domain/catalog/change/diff.ts";
import {
  type BookedInterval,
  changesHours,
  findOutsideHours,
} from "../../../domain/availability/working-time.ts";
import {
  type AffectedVisits,
  idsOf,
  noVisits,
  type VisitSummary,
} from "../../../domain/bookings/affected-visits.ts";
import type { UpcomingVisit } from "../../../store/bookings/visits.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import { summarizeVisits } from "../../bookings/day-sheet.ts";
import type { Runtime } from "../../runtime.ts";
import { findAffectedVisits, findWithdrawnVisits } from "./affected-visits.ts";
import { objectId } from "../../../domain/catalog/object-id.ts";
import { variantId } from "../../../domain/public/service.ts";
import type { PerformedService } from "../../../store/bookings/booking-segments.ts";

/** The future visits that a change of the catalog concerns. */
export type VisitsOfChange = {
  /** Visits of deleted objects. Deleting the objects needs `cancelAffected`. */
  affected: AffectedVisits;
  /**
   * IDs of future bookings and reservations that are within the old hours, but not the new ones.
   */
  outsideHours: string[];
  /**
   * IDs of future visits that stay, although guests can no longer book them: their service, staff
   * member, table or event is no longer offered (perhaps because its area or a resource is not), or
   * the staff member no longer performs the service.
   */
  withdrawn: string[];
  /** The visits of `affected` that messages name. */
  deletedVisits: VisitSummary[];
  /** The visits of `outsideHours` and `withdrawn` that messages name. */
  keptVisits: VisitSummary[];
};

/** Returns the IDs of the future visits that a change concerns but does not cancel. */
export const keptVisitIds = ({
  affected,
  outsideHours,
  withdrawn,
}: Pick<VisitsOfChange, "affected" | "outsideHours" | "withdrawn">): string[] => {
  const cancelled = new Set(idsOf(affected));
  return [...new Set([...outsideHours, ...withdrawn])].filter((id) => !cancelled.has(id));
};

/** Returns the result for a new business, which has no visits. */
export const notBooked = (): VisitsOfChange => ({
  affected: noVisits(),
  outsideHours: [],
  withdrawn: [],
  deletedVisits: [],
  keptVisits: [],
});

/** Returns the visits that a change concerns, with summaries of those that a message names. */
export function findVisitsOfChange(
  rt: Runtime,
  business: Pick<BusinessRow, "id" | "doc">,
  before: Catalog,
  after: Catalog,
  diff: CatalogDiff,
): VisitsOfChange {
  const { id } = business;
  const found = {
    affected: findAffectedVisits(rt, id, before, after, diff.changes),
    outsideHours: findVisitsOutsideHours(rt, id, { before, after, diff }),
    withdrawn: [
      ...new Set([
        ...idsOf(findWithdrawnVisits(rt, id, before, after)),
        ...listUnlinkedVisits(rt, id, before, after, diff.changes),
      ]),
    ],
  };
  return {
    ...found,
    deletedVisits: summarizeVisits(rt, business, idsOf(found.affected)),
    keptVisits: summarizeVisits(rt, business, keptVisitIds(found)),
  };
}

const MINUTE_MS = 60_000;
/** The number of visits that are checked at a time, which limits the memory used. */
const VISITS_PER_CHECK = 10_000;

/**
 * Returns the IDs of upcoming visits that are within the working hours before the change, but not
 * after it.
 */
function findVisitsOutsideHours(
  rt: Runtime,
  businessId: string,
  { before, after, diff }: { before: Catalog; after: Catalog; diff: CatalogDiff },
): string[] {
  if (!changesHours(diff)) return [];
  const found: BookedInterval[] = [];
  for (const { iterateUpcoming } of [rt.store.bookings, rt.store.reservations])
    for (const visits of inGroups(iterateUpcoming(businessId, rt.now()), VISITS_PER_CHECK))
      found.push(...findOutsideHours(before, after, visits.map(toInterval)));
  found.sort((a, b) => a.start - b.start);
  return [...new Set(found.map(({ id }) => id))];
}

function* inGroups<T>(items: Iterable<T>, size: number): Generator<T[]> {
  let group: T[] = [];
  for (const item of items) {
    group.push(item);
    if (group.length < size) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

const toInterval = ({ id, staffId, startsAt, endsAt }: UpcomingVisit): BookedInterval => ({
  id,
  staffId,
  start: startsAt / MINUTE_MS,
  end: endsAt / MINUTE_MS,
});

/** Returns the IDs of future bookings whose staff member no longer performs the booked service. */
function listUnlinkedVisits(
  rt: Runtime,
  businessId: string,
  before: Catalog,
  after: Catalog,
  changes: readonly ObjectChange[],
): string[] {
  const updated = new Set(changes.filter(({ action }) => action === "update").map(({ id }) => id));
  const performersAfter = performersOf(after, updated);
  const unlinked = [...performersOf(before, updated)].flatMap(([key, { service, staff }]) => {
    // If a variant is deleted, `findAffectedVisits` finds its visits, so it is skipped here.
    const staffAfter = performersAfter.get(key)?.staff;
    if (staffAfter === undefined) return [];
    return [...staff.difference(staffAfter)].map((staffId) => [...service, staffId]);
  }) as PerformedService[];
  return unlinked.length === 0
    ? []
    : rt.store.bookings.listUpcomingWith(businessId, rt.now(), unlinked);
}

type Performers = { service: [serviceId: string, variantId: string | null]; staff: Set<string> };

/**
 * Returns for each service and variant the IDs of the staff who perform it. A variant without staff
 * of its own has the staff of its service.
 */
function performersOf(
  { business: { slug }, objects }: Catalog,
  serviceIds: ReadonlySet<string>,
): Map<string, Performers> {
  const idOfKey = new Map(objects.staff.map((doc) => [doc.key, objectId("staff", slug, doc)]));
  // The fallback `key` is never used, because a valid catalog names no unknown staff.
  const staffIdsOf = (keys: readonly string[]) =>
    new Set(keys.map((key) => idOfKey.get(key) ?? key));
  const ofServiceAndVariants = (doc: ServiceDoc): Performers[] => {
    const id = objectId("service", slug, doc);
    return [
      { service: [id, null], staff: staffIdsOf(doc.staff) },
      ...doc.variants.map((variant): Performers => ({
        service: [id, variantId(slug, doc, variant)],
        staff: staffIdsOf(variant.staff ?? doc.staff),
      })),
    ];
  };
  return new Map(
    objects.service
      .filter((doc) => serviceIds.has(objectId("service", slug, doc)))
      .flatMap(ofServiceAndVariants)
      .map((performers) => [performers.service.join(), performers]),
  );
}
