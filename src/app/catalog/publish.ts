import { formatInstant } from "../../domain/local-time.ts";
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
import { loadCatalog, readTakenTickets, toStoredCatalog } from "./load-catalog.ts";
import { type AppendResult, appendEvents } from "../events.ts";
import { eventDraft } from "../../domain/events/envelope.ts";
import { emptyObjects } from "../../domain/catalog/catalog.ts";

// A business's public catalog changes by a catalog file or edit, by day-to-day changes such as
// orders, or by the clock. Each update is written together with its events, in one transaction.

export const catalogStateAt = (
  stored: StoredCatalog,
  at: number,
  lists?: readonly ListName[],
): CatalogState => ({
  catalog: stored.catalog,
  publicCatalog: toPublicCatalog(stored, at, lists),
  at,
});

export type CatalogUpdate = { business: BusinessRow; diff: PublicDiff };

/** The public lists that change by time alone. */
const TIMED_LISTS: ListName[] = ["menuItems", "modifierGroups", "promotions", "events"];

export type UpdateOptions = {
  /** The lists that can change, which `before` must contain; absent for all lists. */
  lists?: readonly ListName[];
  /** Whether availability changes although no catalog object does, as with time off. */
  affectsAvailability?: boolean;
};

/**
 * `load` returns the catalog, or the part of it from which the changed objects in `lists` are
 * built.
 */
type PublishOptions = UpdateOptions & { load?: (business: BusinessRow) => StoredCatalog };

/**
 * Plans an update of the public catalog, with its events.
 * @param business the row to save, still with the previous catalog version
 * @param before null for a new business
 * @param at the instant of the public state after the update
 */
export function planUpdate(
  rt: Runtime,
  business: BusinessRow,
  before: CatalogState | null,
  next: StoredCatalog,
  at: number,
  { lists, affectsAvailability = false }: UpdateOptions,
): CatalogUpdate {
  const now = rt.now();
  const version = business.catalogVersion + 1;
  const newVersion = {
    version,
    updatedAt: now,
    text: formatInstant(now, next.catalog.business.timezone),
  };
  const origin = { id: business.id, version: business.catalogVersion };
  const diff = diffPublicCatalogs(
    before,
    catalogStateAt(next, at, lists),
    origin,
    newVersion,
    affectsAvailability,
  );
  return {
    diff,
    business: {
      ...business,
      catalogVersion: version,
      updatedAt: now,
      publishedUntil: at,
      nextTransitionAt: nextTransition(next, at),
    },
  };
}

/**
 * Writes an update that was planned in the same transaction.
 * @param changedObjects the IDs of the catalog objects that the update writes, moves or removes;
 *   null for a new business. `diff` instead names what changes for partners.
 */
export function writeUpdate(
  rt: Runtime,
  { business, diff }: CatalogUpdate,
  changedObjects: readonly string[] | null = [],
): AppendResult {
  saveBusiness(rt, business, changedObjects);
  const newVersion = { version: business.catalogVersion, updatedAt: business.updatedAt };
  rt.store.objectVersions.write(
    business.id,
    { changed: diff.changedIds, removed: diff.removedIds },
    newVersion,
  );
  return appendEvents(rt, business, diff.drafts);
}

function saveBusiness(
  rt: Runtime,
  business: BusinessRow,
  changedObjects: readonly string[] | null,
): void {
  const revision = rt.store.businesses.upsert(business);
  // A patch says which objects of loaded lists have to be read again. A new business gets no patch,
  // because the patch could be applied to lists of a deleted business with the same ID.
  if (changedObjects !== null)
    rt.store.catalogLists.insertPatch(business.id, revision, changedObjects);
}

/**
 * Runs `change`, which writes day-to-day data, and publishes events for what partners see of it. A
 * change of a count alone, such as tickets left, has no event here: `publishEventAvailability`
 * sends it later.
 * @param change is called with the time (epoch ms) of the update
 */
export function publishChange(
  rt: Runtime,
  businessId: string,
  change: (now: number) => void,
  { load = (business) => loadCatalog(rt, business), ...options }: PublishOptions = {},
): AppendResult {
  return rt.tx(() => {
    const business = publishDueTransitions(rt, getBusinessRow(rt, businessId));
    const now = timeBeforeTransition(rt, business);
    const before = catalogStateAt(load(business), now, options.lists);
    change(now);
    // The row is read again, because `change` may have used sequence numbers.
    const changed = getBusinessRow(rt, businessId);
    const update = planUpdate(rt, changed, before, load(changed), now, options);
    if (update.diff.isSignificant) return writeUpdate(rt, update);
    // A change that is not significant keeps the version. The new revision lets other processes
    // notice the change.
    const { catalogVersion, updatedAt } = changed;
    saveBusiness(rt, { ...update.business, catalogVersion, updatedAt }, []);
    return appendEvents(rt, changed, []);
  });
}

/** Publishes the changes that time alone causes, such as the end of a promotion. */
export function publishClockChanges(rt: Runtime): void {
  for (const { id } of rt.store.businesses.listDueForTransition(rt.now()))
    rt.tx(() => void publishDueTransitions(rt, getBusinessRow(rt, id)));
}

/**
 * Publishes each due transition, including those of the time when no daemon was running. Call it
 * before any other update, so that the events of the transitions and of the update do not mix.
 */
export function publishDueTransitions(rt: Runtime, business: BusinessRow): BusinessRow {
  let current = business;
  while (current.nextTransitionAt !== null && current.nextTransitionAt <= rt.now()) {
    const stored = loadCatalog(rt, current);
    const before = catalogStateAt(stored, current.publishedUntil, TIMED_LISTS);
    writeUpdate(
      rt,
      planUpdate(rt, current, before, stored, current.nextTransitionAt, { lists: TIMED_LISTS }),
    );
    current = getBusinessRow(rt, current.id);
  }
  return current;
}

/**
 * Returns the time of an update: now, but before the next transition. An update compares the states
 * before and after it, so the events of a transition between them would be lost. Such a transition
 * is published later.
 */
export const timeBeforeTransition = (
  rt: Runtime,
  business: { nextTransitionAt: number | null } | undefined,
): number => Math.min(rt.now(), (business?.nextTransitionAt ?? Infinity) - 1);

function getBusinessRow(rt: Runtime, businessId: string): BusinessRow {
  const row = rt.store.businesses.findById(businessId);
  if (!row) throw new Error(`The business ${businessId} does not exist.`);
  return row;
}

/** Publishes how many tickets are left for each public event that has new sales. */
export function publishEventAvailability(rt: Runtime): void {
  const due = rt.store.eventAvailability.listDue(rt.now());
  for (const [businessId, changes] of Map.groupBy(due, ({ businessId }) => businessId))
    rt.tx(() =>
      publishTicketsLeft(
        rt,
        businessId,
        changes.map(({ eventId }) => eventId),
      ),
    );
}

function publishTicketsLeft(rt: Runtime, businessId: string, ids: readonly string[]): void {
  const found = rt.store.businesses.findById(businessId);
  if (!found) return;
  const business = publishDueTransitions(rt, found);
  const now = rt.now();
  const docs = ids.flatMap(
    (id) => rt.store.catalog.findByKeyOrId(businessId, "public_event", id) ?? [],
  );
  const taken = readTakenTickets(rt, businessId);
  const objects = { ...emptyObjects(), public_event: docs };
  const stored = toStoredCatalog(rt, business, objects, { soldOut: new Map(), taken });
  const { events } = toPublicCatalog(stored, now, ["events"]);
  appendEvents(
    rt,
    business,
    events.map((event) =>
      eventDraft("event_availability.updated", ["availability"], event, [event.id]),
    ),
  );
  for (const eventId of ids) rt.store.eventAvailability.markSent(eventId, now);
}
