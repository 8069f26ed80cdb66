import { businessId, type Catalog, type DocOf, type Kind, objectId } from "../domain/catalog.ts";
import { diffCatalog, isEmpty, type ObjectChange } from "../domain/catalog-diff.ts";
import type { EventType } from "../domain/event-types.ts";
import { AppError } from "../domain/errors.ts";
import { didYouMean } from "../domain/nearest.ts";
import type { Runtime } from "../runtime.ts";
import type { BusinessRow } from "../store/businesses.ts";
import { type CatalogSource, readCatalog } from "./read-catalog.ts";
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
  /** How many webhooks that makes over all endpoints; 0 in a dry run counts none. */
  deliveries: number;
};

export type ApplyOptions = {
  /** Drop what the named sections do not list. */
  prune?: boolean;
  dryRun?: boolean;
  /** Epoch ms from which `startsIn` counts; absent: the file may not use it. */
  seedingAt?: number;
};

/**
 * Brings a business to what its files say, in one transaction with the events that tell partners of it.
 * @throws AppError invalid_input with every mistake of the files; conflict when somebody else changed the catalog meanwhile
 */
export function applyCatalog(rt: Runtime, sources: CatalogSource[], options: ApplyOptions = {}): ChangeResult {
  let readAtVersion = 0;
  const next = readCatalog(sources, {
    prune: options.prune ?? false,
    seedingAt: options.seedingAt ?? null,
    current: (slug) => {
      const business = rt.store.businesses.bySlug(slug);
      readAtVersion = business?.catalogVersion ?? 0;
      return business ? loadCatalog(rt, business).catalog : null;
    },
  });
  if (options.dryRun) return planChange(rt, next).result;
  return rt.tx(() => {
    const version = rt.store.businesses.bySlug(next.business.slug)?.catalogVersion ?? 0;
    if (version !== readAtVersion)
      throw new AppError("conflict", `The catalog of ${next.business.slug} was changed by somebody else meanwhile.`, {
        fix: "run the same command again",
      });
    return changeCatalog(rt, next);
  });
}

/** Changes one object, named by its id or its author's key, on the same path as a file. */
export function editObject<K extends Kind>(
  rt: Runtime,
  slug: string,
  kind: K,
  keyOrId: string,
  edit: (doc: DocOf[K]) => DocOf[K],
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
    return changeCatalog(rt, { ...catalog, objects: { ...catalog.objects, [kind]: docs.with(index, edit(doc)) } });
  });
}

export function requireBusiness(rt: Runtime, slug: string): BusinessRow {
  const business = rt.store.businesses.bySlug(slug);
  if (business) return business;
  const slugs = rt.store.businesses.all().map((row) => row.slug);
  throw new AppError("business_not_found", `There is no business '${slug}'.${didYouMean(slug, slugs)}`, {
    fix: slugs.length > 0 ? `name one of ${slugs.join(", ")}` : "seed one first: deskbell seed salon",
  });
}

/** Writes the next state of a catalog with its events. A state that differs in nothing writes nothing. */
function changeCatalog(rt: Runtime, next: Catalog): ChangeResult {
  return rt.tx(() => {
    const row = rt.store.businesses.bySlug(next.business.slug);
    if (row) catchUp(rt, row);
    const { result, write } = planChange(rt, next);
    return write ? { ...result, deliveries: write() } : result;
  });
}

/** What a change would do, and how to do it: `write` is null when nothing differs. */
function planChange(rt: Runtime, next: Catalog): { result: ChangeResult; write: (() => number) | null } {
  const now = rt.now();
  const row = rt.store.businesses.bySlug(next.business.slug);
  const stored = row && loadCatalog(rt, row);
  const diff = diffCatalog(stored?.catalog ?? null, next);
  const business = { ...(row ?? newBusiness(next, now)), doc: next.business, schedule: next.schedule };
  const result: ChangeResult = {
    businessId: business.id,
    slug: business.slug,
    currency: next.business.currency,
    isNew: !row,
    fromVersion: business.catalogVersion,
    version: business.catalogVersion,
    businessFields: diff.businessFields,
    changes: diff.changes,
    events: [],
    deliveries: 0,
  };
  if (row && isEmpty(diff)) return { result, write: null };

  const before = stored ? stateAt(stored, now) : null;
  const step = planStep(rt, business, before, { ...(stored ?? NOTHING_STORED), catalog: next }, now);
  return {
    result: {
      ...result,
      version: step.business.catalogVersion,
      events: step.told.drafts.map(({ type, resource }) => ({ type, resourceId: resource.id })),
    },
    write: () => {
      const { deliveries } = takeStep(rt, step);
      rt.store.catalog.writeObjects(business.id, diff.rows);
      return deliveries;
    },
  };
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
