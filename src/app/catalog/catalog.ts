import { type BoxEdits, nextBoxEdits, type Origin, withUndone } from "../../domain/catalog/box-edits.ts";
import type { Catalog, DocOf, Kind } from "../../domain/catalog/catalog.ts";
import { businessId, objectId } from "../../domain/catalog/object-id.ts";
import { diffCatalog, isEmpty, type ObjectChange } from "../../domain/catalog/diff.ts";
import { refuseUnsound } from "../../domain/catalog/check-object.ts";
import type { EventDraft } from "../../domain/envelope.ts";
import type { EventType } from "../../domain/event-types.ts";
import { AppError } from "../../domain/errors.ts";
import { type MassDelete, massDeletes } from "../../domain/catalog/mass-delete.ts";
import { didYouMean } from "../../domain/nearest.ts";
import type { StoredCatalog } from "../../domain/public/lens.ts";
import { ALL_LISTS, listsShowing } from "../../domain/public/representation.ts";
import type { Runtime } from "../../runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { visitsLeftOut } from "./outside-hours.ts";
import { type CatalogSource, readCatalog } from "./read-catalog.ts";
import { requireBusiness } from "../require-business.ts";
import { catchUp, loadCatalog, planStep, stateAt, takeStep } from "./tell.ts";

export type ChangeResult = {
  businessId: string;
  slug: string;
  currency: string;
  /** true: the business did not exist before. */
  isNew: boolean;
  fromVersion: number;
  /** Equal to `fromVersion` when nothing differs, and then nothing was written. */
  version: number;
  /** Fields and sections of the business itself that differ. */
  businessFields: string[];
  changes: ObjectChange[];
  /** What partners are told, in order. */
  events: { type: EventType; resourceId: string }[];
  /** How many webhooks that makes over the endpoints that are subscribed at this moment, and of which types. */
  deliveries: number;
  webhooks: { type: EventType; events: number; deliveries: number }[];
  /** Kinds of which suspiciously much goes: without a word for it, only a dry run gets past them. */
  massDeletes: MassDelete[];
  /** Future bookings and reservations that lie within the hours of before and outside the new ones. */
  outsideHours: string[];
};

export type ApplyOptions = {
  /** Drop what the named sections do not list. */
  prune?: boolean;
  /** Drop it also where it is more than a fifth of a kind. */
  allowMassDelete?: boolean;
  dryRun?: boolean;
  /** Is told as a step begins. */
  onStep?: (step: string) => void;
  /** Epoch ms from which `startsIn` counts; absent: the file may not use it. */
  seedingAt?: number;
};

/**
 * Brings a business to what its files say, in one transaction with the events that tell partners of it.
 * @throws AppError invalid_input with every mistake of the files; conflict when somebody else changed the catalog meanwhile
 */
export function applyCatalog(rt: Runtime, sources: CatalogSource[], options: ApplyOptions = {}): ChangeResult {
  const { onStep = () => {} } = options;
  let readAtVersion = 0;
  const seen: Seen = { revision: rt.revision(), stored: null };
  onStep("reading the files");
  const { catalog: next, listed } = readCatalog(sources, {
    prune: options.prune ?? false,
    seedingAt: options.seedingAt ?? null,
    current: (slug) => {
      const business = rt.store.businesses.bySlug(slug);
      readAtVersion = business?.catalogVersion ?? 0;
      seen.stored = business ? loadCatalog(rt, business) : null;
      return seen.stored && seen.stored.catalog;
    },
  });
  onStep("comparing with what is on the box");
  if (options.dryRun) return planChange(rt, next, { listed }, seen).result;
  return rt.tx(() => {
    const version = rt.store.businesses.bySlug(next.business.slug)?.catalogVersion ?? 0;
    if (version !== readAtVersion)
      throw new AppError("conflict", `The catalog of ${next.business.slug} was changed by somebody else meanwhile.`, {
        fix: "run the same command again",
      });
    return changeCatalog(rt, next, { listed }, seen, ({ massDeletes, changes, events }) => {
      if (!options.allowMassDelete) refuseMassDeletes(massDeletes);
      if (events.length > 0) onStep(`writing ${changes.length} changes and ${events.length} events`);
    });
  });
}

function refuseMassDeletes(massDeletes: readonly MassDelete[]): void {
  if (massDeletes.length === 0) return;
  const parts = massDeletes.map(({ kind, removed, of }) => `${removed} of ${of} ${kind}`);
  throw new AppError("state_refuses", `This would remove ${parts.join(", ")}. Nothing was changed.`, {
    fix: "look at what --dry-run lists; if it is meant, add --allow-mass-delete",
  });
}

/**
 * Changes one object, named by its id or its author's key, on the same path as a file.
 * @throws AppError invalid_input when no file could say what the edit makes of it
 */
export function editObject<K extends Kind>(
  rt: Runtime,
  slug: string,
  kind: K,
  keyOrId: string,
  edit: (doc: DocOf[K]) => DocOf[K],
  options: { dryRun?: boolean } = {},
): ChangeResult {
  return rt.tx(() => {
    const { catalog } = loadCatalog(rt, requireBusiness(rt, slug));
    const docs: DocOf[K][] = catalog.objects[kind];
    const index = docs.findIndex((doc) => doc.key === keyOrId || objectId(kind, slug, doc) === keyOrId);
    const doc = docs[index];
    if (!doc) {
      const keys = docs.map(({ key }) => key);
      throw new AppError("resource_not_found", `${slug} has no ${kind} '${keyOrId}'.${didYouMean(keyOrId, keys)}`);
    }
    const edited = edit(doc);
    const next = { ...catalog, objects: { ...catalog.objects, [kind]: docs.with(index, edited) } };
    refuseUnsound(catalog, kind, edited);
    return options.dryRun ? planChange(rt, next, "box", null).result : changeCatalog(rt, next, "box", null);
  });
}

/** What was loaded a moment ago, as of which revision of the file. */
type Seen = { revision: string; stored: StoredCatalog | null };

/**
 * Writes the next state of a catalog with its events. A state that differs in nothing writes nothing.
 * @param approve throws when the plan must not be carried out
 */
export function changeCatalog(
  rt: Runtime,
  next: Catalog,
  origin: Origin,
  seen: Seen | null,
  approve: (plan: ChangeResult) => void = () => {},
): ChangeResult {
  return rt.tx(() => {
    const row = rt.store.businesses.bySlug(next.business.slug);
    if (row) catchUp(rt, row);
    const { result, write } = planChange(rt, next, origin, seen);
    approve(result);
    write();
    return result;
  });
}

/** What a change would do, and how to do it. */
function planChange(
  rt: Runtime,
  next: Catalog,
  origin: Origin,
  seen: Seen | null,
): { result: ChangeResult; write: () => void } {
  const now = rt.now();
  const row = rt.store.businesses.bySlug(next.business.slug);
  const stored = seen?.revision === rt.revision() ? seen.stored : row && loadCatalog(rt, row);
  const diff = diffCatalog(stored?.catalog ?? null, next);
  const edits: BoxEdits = row ? rt.store.catalog.boxEdits(row.id) : new Map();
  const nextEdits = nextBoxEdits(edits, diff, stored?.catalog ?? null, next, origin);
  const business = { ...(row ?? newBusiness(next, now)), doc: next.business, schedule: next.schedule };
  const result: ChangeResult = {
    businessId: business.id,
    slug: business.slug,
    currency: next.business.currency,
    isNew: !row,
    fromVersion: business.catalogVersion,
    version: business.catalogVersion,
    businessFields: diff.businessFields,
    changes: stored && origin !== "box" ? withUndone(diff.changes, edits, stored.catalog, next) : diff.changes,
    events: [],
    deliveries: 0,
    webhooks: [],
    massDeletes: stored ? massDeletes(diff.changes, stored.catalog) : [],
    outsideHours: stored ? visitsLeftOut(rt, business.id, { before: stored.catalog, after: next, diff }) : [],
  };
  if (row && isEmpty(diff)) return { result, write: () => rt.store.catalog.writeBoxEdits(nextEdits) };

  // What the business itself says stands in every list.
  const lists =
    stored && diff.businessFields.length === 0
      ? listsShowing(new Set(diff.changes.map(({ kind }) => kind)))
      : ALL_LISTS;
  const before = stored ? stateAt(stored, now, lists) : null;
  const step = planStep(rt, business, before, { ...(stored ?? NOTHING_STORED), catalog: next }, now, { lists });
  const webhooks = countWebhooks(rt, business.id, step.told.drafts);
  return {
    result: {
      ...result,
      version: step.business.catalogVersion,
      events: step.told.drafts.map(({ type, resource }) => ({ type, resourceId: resource.id })),
      deliveries: webhooks.reduce((sum, { deliveries }) => sum + deliveries, 0),
      webhooks,
    },
    write: () => {
      takeStep(rt, step);
      rt.store.catalog.writeObjects(business.id, diff.rows);
      rt.store.catalog.writeBoxEdits(nextEdits);
    },
  };
}

/** What the endpoints would be sent, by type in the order of the events. */
function countWebhooks(rt: Runtime, businessId: string, drafts: readonly EventDraft[]): ChangeResult["webhooks"] {
  const endpoints = rt.store.endpoints.list(businessId);
  return [...Map.groupBy(drafts, ({ type }) => type)].map(([type, { length: events }]) => ({
    type,
    events,
    deliveries: events * endpoints.filter((endpoint) => endpoint.events.includes(type)).length,
  }));
}

const NOTHING_STORED = {
  mark: () => ({ version: 0, updatedAt: 0 }),
  day: { soldOut: new Map<string, null>(), taken: new Map<string, number>() },
};

const newBusiness = (catalog: Catalog, now: number): BusinessRow => ({
  id: businessId(catalog.business.slug),
  slug: catalog.business.slug,
  doc: catalog.business,
  schedule: catalog.schedule,
  catalogVersion: 0,
  lastSequence: 0,
  createdAt: now,
  updatedAt: now,
  revision: 0,
  toldUntil: now,
  nextTransitionAt: null,
});
