import { createTableCheck } from "../../../domain/availability/segments.ts";
import type { Catalog, CatalogObjects, DocOf, Kind } from "../../../domain/catalog/catalog.ts";
import type { Keyed } from "../../../domain/catalog/common.ts";
import { endOfEvent } from "../../../domain/catalog/event-end.ts";
import type { ObjectChange } from "../../../domain/catalog/change/diff.ts";
import { objectId, originalKey } from "../../../domain/catalog/object-id.ts";
import { ticketTypeId } from "../../../domain/public/public-event.ts";
import { variantId } from "../../../domain/public/service.ts";
import { AppError } from "../../../domain/errors.ts";
import {
  type AffectedVisits,
  deletedVisitsText,
  idsOf,
  noVisits,
  type VisitSummary,
} from "../../../domain/bookings/affected-visits.ts";
import { cancelBooking, cancelReservation } from "../../bookings/operator-changes.ts";
import { type CancelVisit, loadOtherVisits, otherVisits } from "../../bookings/other-visits.ts";
import type { Runtime } from "../../runtime.ts";
import { joinPublished, type PublishedEvents, readPublished } from "./published-events.ts";

/**
 * Returns the upcoming visits of objects, variants and ticket types that a change deletes. An
 * object that stays in the catalog with another status keeps its visits.
 */
export function findAffectedVisits(
  rt: Runtime,
  businessId: string,
  before: Catalog,
  after: Catalog,
  changes: readonly ObjectChange[],
): AffectedVisits {
  const ids = [
    ...changes.filter(({ action }) => action === "delete").map(({ id }) => id),
    ...deletedParts(before, after, changes),
  ];
  return findVisitsOf(rt, businessId, before, ids);
}

/** Returns the upcoming visits of objects that stay in the catalog but are no longer offered. */
export function findWithdrawnVisits(
  rt: Runtime,
  businessId: string,
  before: Catalog,
  after: Catalog,
): AffectedVisits {
  return findVisitsOf(rt, businessId, before, listWithdrawn(before, after));
}

/** The kinds of objects that visits refer to. */
const BOOKED_KINDS = ["service", "staff", "table", "public_event"] as const;
/** The fields of objects and their parts that decide whether guests can book them. */
type Offered = { status?: string; bookable?: boolean };

const isOffered = ({ status = "ACTIVE", bookable = true }: Offered): boolean =>
  bookable && !["INACTIVE", "ARCHIVED", "CANCELLED", "DRAFT"].includes(status);

/** Returns a function that tells whether guests can book an object of a catalog. */
function createOfferCheck({ area, resource }: CatalogObjects): (doc: DocOf[Kind]) => boolean {
  const isTableOffered = createTableCheck(area);
  const active = new Set(resource.flatMap(({ key, status }) => (status === "ACTIVE" ? key : [])));
  return (doc) => {
    if ("maxSeats" in doc) return isTableOffered(doc);
    // A service has no free times if a resource that it needs is not active.
    const needed = "resources" in doc ? doc.resources : [];
    return isOffered(doc as Offered) && needed.every((one) => active.has(one.resource));
  };
}

/**
 * Returns the IDs of objects, variants and ticket types that were offered before a change and no
 * longer are.
 */
function listWithdrawn({ business: { slug }, objects }: Catalog, after: Catalog): string[] {
  const [wasOffered, staysOffered] = [createOfferCheck(objects), createOfferCheck(after.objects)];
  return BOOKED_KINDS.flatMap((kind) => {
    const docs = after.objects[kind] as DocOf[Kind][];
    const docsAfter = new Map(docs.map((doc) => [objectId(kind, slug, doc), doc]));
    return (objects[kind] as DocOf[Kind][]).flatMap((doc) => {
      const id = objectId(kind, slug, doc);
      const next = docsAfter.get(id);
      if (next === undefined) return [];
      const isWithdrawn = wasOffered(doc) && !staysOffered(next);
      return isWithdrawn ? [id] : listWithdrawnParts(slug, doc, next);
    });
  });
}

/** Returns the IDs of the variants and ticket types of an object that are no longer offered. */
function listWithdrawnParts(slug: string, doc: DocOf[Kind], after: DocOf[Kind]): string[] {
  if ("variants" in doc && "variants" in after)
    return withdrawnParts(doc.variants, after.variants).map((part) => variantId(slug, doc, part));
  if ("ticketTypes" in doc && "ticketTypes" in after)
    return withdrawnParts(doc.ticketTypes, after.ticketTypes).map((part) =>
      ticketTypeId(slug, doc, part),
    );
  return [];
}

function withdrawnParts<Part extends Keyed & Offered>(
  before: readonly Part[],
  after: readonly Part[],
): Part[] {
  const next = new Map(after.map((part) => [originalKey(part), part]));
  return before.filter((part) => {
    const kept = next.get(originalKey(part));
    return kept !== undefined && isOffered(part) && !isOffered(kept);
  });
}

/**
 * Returns the upcoming visits of the objects, without visits that can no longer be cancelled. A
 * visit that was completed or marked as a no-show before its end cannot be cancelled, so it is no
 * reason to refuse a change.
 */
function findVisitsOf(
  rt: Runtime,
  businessId: string,
  before: Catalog,
  ids: readonly string[],
): AffectedVisits {
  if (ids.length === 0) return noVisits();
  const now = rt.now();
  const ended = new Set(
    before.objects.public_event
      .filter((event) => endOfEvent(event) <= now)
      .map((event) => objectId("public_event", before.business.slug, event)),
  );
  const idsByOtherKind = otherVisits().map(({ name, listActiveOf }) => {
    const active = listActiveOf(rt, businessId, ids);
    return [name, active.filter(({ eventId }) => !ended.has(eventId)).map(({ id }) => id)];
  });
  return {
    bookings: rt.store.bookings.listUpcomingOf(businessId, now, ids),
    reservations: rt.store.reservations.listUpcomingOf(businessId, now, ids),
    ...(Object.fromEntries(idsByOtherKind) as Record<string, string[]>),
  };
}

/**
 * Returns the IDs of the variants and ticket types that a change deletes from objects that stay in
 * the catalog.
 */
function deletedParts(
  { business: { slug }, objects }: Catalog,
  after: Catalog,
  changes: readonly ObjectChange[],
): string[] {
  const updated = new Set(changes.filter(({ action }) => action === "update").map(({ id }) => id));
  const updatedPairs = <Doc extends Keyed>(
    kind: "service" | "public_event",
    from: Doc[],
    to: Doc[],
  ) => {
    const docsAfter = new Map(to.map((doc) => [objectId(kind, slug, doc), doc]));
    return from.flatMap((doc) => {
      const id = objectId(kind, slug, doc);
      const next = updated.has(id) ? docsAfter.get(id) : undefined;
      return next === undefined ? [] : [{ doc, next }];
    });
  };
  const removedParts = <Part extends Keyed>(from: readonly Part[], to: readonly Part[]): Part[] => {
    const keys = new Set(to.map(originalKey));
    return from.filter((part) => !keys.has(originalKey(part)));
  };
  return [
    ...updatedPairs("service", objects.service, after.objects.service).flatMap(({ doc, next }) =>
      removedParts(doc.variants, next.variants).map((variant) => variantId(slug, doc, variant)),
    ),
    ...updatedPairs("public_event", objects.public_event, after.objects.public_event).flatMap(
      ({ doc, next }) =>
        removedParts(doc.ticketTypes, next.ticketTypes).map((type) =>
          ticketTypeId(slug, doc, type),
        ),
    ),
  ];
}

/** Cancels the visits of deleted objects. @throws AppError, such as wrong_status */
export type CancelAffected = (rt: Runtime, slug: string, affected: AffectedVisits) => void;

/**
 * Loads the function that cancels visits of every kind in the transaction of a change.
 * @param isWanted if it is false, nothing is loaded, and the visits are a reason to refuse the
 * change
 */
export async function loadCancelAffected(isWanted = true): Promise<CancelAffected | undefined> {
  if (!isWanted) return undefined;
  await loadOtherVisits();
  const cancelOfOtherKinds = await Promise.all(
    otherVisits().map(async ({ name, loadCancel }): Promise<[string, CancelVisit]> => [
      name,
      await loadCancel(),
    ]),
  );
  return (rt, slug, affected) => {
    for (const id of affected.bookings) cancelBooking(rt, slug, id);
    for (const id of affected.reservations) cancelReservation(rt, slug, id);
    for (const [name, cancel] of cancelOfOtherKinds)
      for (const id of affected[name] ?? []) cancel(rt, slug, id);
  };
}

/** The visits of deleted objects: those that a change would cancel, or that it has cancelled. */
type DeletedVisits = { affected: AffectedVisits; deletedVisits: VisitSummary[] };

/**
 * Cancels the visits of the objects that a planned change deletes, and makes the change. The result
 * has the cancelled visits and the events of the cancellations, too: a change that is planned after
 * the cancellations has neither. Call it in a transaction or a dry run.
 * @param plan called only if there is a function that cancels
 */
export function withCancellations<Result extends DeletedVisits & PublishedEvents>(
  rt: Runtime,
  cancelAffected: CancelAffected | undefined,
  plan: () => DeletedVisits & { businessId: string; slug: string },
  change: () => Result,
): Result {
  if (cancelAffected === undefined) return change();
  const { businessId, slug, affected, deletedVisits } = plan();
  // A dry run without cancellations needs no transaction, which would block other writers.
  if (idsOf(affected).length === 0) return change();
  const sequence = rt.store.feed.getLastSequence(businessId);
  rt.tx(() => cancelAffected(rt, slug, affected));
  const cancellations = readPublished(rt, businessId, sequence);
  const result = change();
  return { ...result, affected, deletedVisits, ...joinPublished(cancellations, result) };
}

/** @throws AppError state_refuses */
export function assertNoAffectedVisits({ affected, deletedVisits }: DeletedVisits): void {
  const text = deletedVisitsText(affected, deletedVisits);
  if (text === null) return;
  throw new AppError(
    "state_refuses",
    `This would delete objects of the catalog that are booked: ${text}. Nothing was changed.`,
    {
      fix: "keep the objects with status INACTIVE (public events: CANCELLED), or add --cancel-affected, which cancels the bookings and orders",
    },
  );
}
