import { formatInstant } from "../../domain/business-time.ts";
import type { CatalogState } from "../../domain/public/catalog-changed.ts";
import { diffPublicCatalogs, type PublicDiff } from "../../domain/public/catalog-events.ts";
import type { StoredCatalog } from "../../domain/public/public-context.ts";
import {
  type ListName,
  nextTransition,
  toPublicCatalog,
} from "../../domain/public/public-catalog.ts";
import type { Runtime } from "../runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { type AppendResult, appendEvents } from "../events.ts";

// How a business gets from one public state to the next: by its author, by the day's work, or by the clock. Each step is
// told whole, in the transaction that makes it.

/** A business's catalog as it is stored now. */
export function loadCatalog(rt: Runtime, business: BusinessRow): StoredCatalog {
  const marks = rt.store.catalog.listMarks(business.id);
  const unmarked = { version: business.catalogVersion, updatedAt: business.updatedAt };
  return {
    catalog: {
      business: business.doc,
      schedule: business.schedule,
      objects: rt.store.catalog.listObjects(business.id),
    },
    versionOf: (id) => marks.get(id) ?? unmarked,
    stock: {
      soldOut: rt.store.soldOut.list(business.id),
      taken: rt.store.orders.countHeldTickets(business.id),
    },
  };
}

/** What partners saw at an instant. */
export const catalogStateAt = (
  stored: StoredCatalog,
  at: number,
  lists?: readonly ListName[],
): CatalogState => ({
  catalog: stored.catalog,
  publicCatalog: toPublicCatalog(stored, at, lists),
});

export type CatalogUpdate = { business: BusinessRow; diff: PublicDiff };

/** Where the clock alone can be seen. A group's options are told by the dishes that offer them. */
const TIMED_LISTS: ListName[] = ["menuItems", "modifierGroups", "promotions", "events"];

export type UpdateOptions = {
  /** The lists in which the step can be seen, when it is known; `before` has the same. Absent: all of them. */
  lists?: readonly ListName[];
  /** Something that no catalog object shows decides who is free (time off). */
  affectsAvailability?: boolean;
};

/**
 * Works out a step without writing it.
 * @param business the row as it was, but for what the step itself sets; its catalog version is the one before
 * @param before null for a business that is new
 * @param at the instant whose state the step arrives at
 */
export function planUpdate(
  rt: Runtime,
  business: BusinessRow,
  before: CatalogState | null,
  next: StoredCatalog,
  at: number,
  { lists, affectsAvailability = false }: UpdateOptions = {},
): CatalogUpdate {
  const now = rt.now();
  const version = business.catalogVersion + 1;
  const mark = {
    version,
    updatedAt: now,
    text: formatInstant(now, next.catalog.business.timezone),
  };
  const origin = { id: business.id, version: business.catalogVersion };
  const diff = diffPublicCatalogs(
    before,
    catalogStateAt(next, at, lists),
    origin,
    mark,
    affectsAvailability,
  );
  return {
    diff,
    business: {
      ...business,
      catalogVersion: version,
      updatedAt: now,
      toldUntil: at,
      nextTransitionAt: nextTransition(next, at),
    },
  };
}

/** Writes a step that was planned in this transaction. */
export function writeUpdate(rt: Runtime, { business, diff }: CatalogUpdate): AppendResult {
  rt.store.businesses.upsert(business);
  const mark = { version: business.catalogVersion, updatedAt: business.updatedAt };
  rt.store.catalog.writeMarks(
    business.id,
    { changed: diff.changedIds, removed: diff.removedIds },
    mark,
  );
  return appendEvents(rt, business, diff.drafts);
}

/**
 * Runs `change`, which writes what no file touches (an order, a dish that is out, time off), and tells partners what they
 * see of it. A change that shows in a count alone, like the tickets that are left, is not told.
 */
export function publishChange(
  rt: Runtime,
  businessId: string,
  change: () => void,
  options: UpdateOptions = {},
): AppendResult {
  return rt.tx(() => {
    const now = rt.now();
    const business = publishDueTransitions(rt, getBusinessRow(rt, businessId));
    const before = catalogStateAt(loadCatalog(rt, business), now, options.lists);
    change();
    // Read again: the change may have taken sequence numbers.
    const changed = getBusinessRow(rt, businessId);
    const step = planUpdate(rt, changed, before, loadCatalog(rt, changed), now, options);
    if (step.diff.isSignificant) return writeUpdate(rt, step);
    rt.store.businesses.upsert({
      ...step.business,
      catalogVersion: changed.catalogVersion,
      updatedAt: changed.updatedAt,
    });
    return appendEvents(rt, changed, []);
  });
}

/** Tells of what the clock alone has changed since partners were last told: promotions that start and end, and the like. */
export function publishClockChanges(rt: Runtime): void {
  for (const { id } of rt.store.businesses.listDueForTransition(rt.now()))
    rt.tx(() => void publishDueTransitions(rt, getBusinessRow(rt, id)));
}

/**
 * One step for each instant that has passed, so that each is told, also those at which nobody was running. Before any
 * other step: what the clock did is not to be told as the author's doing.
 */
export function publishDueTransitions(rt: Runtime, business: BusinessRow): BusinessRow {
  let current = business;
  while (current.nextTransitionAt !== null && current.nextTransitionAt <= rt.now()) {
    const stored = loadCatalog(rt, current);
    const before = catalogStateAt(stored, current.toldUntil, TIMED_LISTS);
    writeUpdate(
      rt,
      planUpdate(rt, current, before, stored, current.nextTransitionAt, { lists: TIMED_LISTS }),
    );
    current = getBusinessRow(rt, current.id);
  }
  return current;
}

function getBusinessRow(rt: Runtime, businessId: string): BusinessRow {
  const row = rt.store.businesses.findById(businessId);
  if (!row) throw new Error(`the business ${businessId} is gone`);
  return row;
}
