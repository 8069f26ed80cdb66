import { formatInstant } from "../domain/business-time.ts";
import { businessId, type Catalog, type DocOf, type Kind, objectId } from "../domain/catalog.ts";
import { diffCatalog, isEmpty, type ObjectChange } from "../domain/catalog-diff.ts";
import { diffPublic, type PublicDiff } from "../domain/catalog-events.ts";
import type { EventType } from "../domain/event-types.ts";
import { AppError } from "../domain/errors.ts";
import type { Mark } from "../domain/lens.ts";
import { didYouMean } from "../domain/nearest.ts";
import { representCatalog } from "../domain/representation.ts";
import type { Runtime } from "../runtime.ts";
import type { BusinessRow } from "../store/businesses.ts";
import { appendEvents } from "./events.ts";
import { type CatalogSource, readCatalog } from "./read-catalog.ts";

export type StoredCatalog = { catalog: Catalog; mark: (objectId: string) => Mark };

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

/** A business's catalog as it is stored now. */
export function loadCatalog(rt: Runtime, business: BusinessRow): StoredCatalog {
  const marks = rt.store.catalog.marks(business.id);
  const unmarked = { version: business.catalogVersion, updatedAt: business.updatedAt };
  return {
    catalog: { business: business.doc, schedule: business.schedule, objects: rt.store.catalog.objects(business.id) },
    mark: (id) => marks.get(id) ?? unmarked,
  };
}

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
    const { result, write } = planChange(rt, next);
    return write ? { ...result, deliveries: write() } : result;
  });
}

/** What a change would do, and how to do it: `write` is null when nothing differs. */
function planChange(rt: Runtime, next: Catalog): { result: ChangeResult; write: (() => number) | null } {
  const now = rt.now();
  const { slug, timezone, currency } = next.business;
  const row = rt.store.businesses.bySlug(slug);
  const stored = row && loadCatalog(rt, row);
  const fromVersion = row?.catalogVersion ?? 0;
  const diff = diffCatalog(stored?.catalog ?? null, next);
  const result: ChangeResult = {
    businessId: businessId(slug),
    slug,
    currency,
    isNew: !row,
    fromVersion,
    version: fromVersion,
    businessFields: diff.businessFields,
    changes: diff.changes,
    events: [],
    deliveries: 0,
  };
  if (row && isEmpty(diff)) return { result, write: null };

  const mark = { version: fromVersion + 1, updatedAt: now, text: formatInstant(now, timezone) };
  const told = diffPublic(
    stored ? { catalog: stored.catalog, shown: representCatalog(stored.catalog, stored.mark, now) } : null,
    { catalog: next, shown: representCatalog(next, stored?.mark ?? (() => mark), now) },
    { id: result.businessId, version: fromVersion },
    mark,
  );
  return {
    result: {
      ...result,
      version: mark.version,
      events: told.drafts.map(({ type, resource }) => ({ type, resourceId: resource.id })),
    },
    write: () => writeChange(rt, next, row, diff.rows, told, mark),
  };
}

function writeChange(
  rt: Runtime,
  next: Catalog,
  row: BusinessRow | undefined,
  rows: ReturnType<typeof diffCatalog>["rows"],
  told: PublicDiff,
  mark: Mark,
): number {
  const business: BusinessRow = {
    id: businessId(next.business.slug),
    slug: next.business.slug,
    doc: next.business,
    schedule: next.schedule,
    catalogVersion: mark.version,
    lastSequence: row?.lastSequence ?? 0,
    createdAt: row?.createdAt ?? mark.updatedAt,
    updatedAt: mark.updatedAt,
  };
  rt.store.businesses.save(business);
  rt.store.catalog.writeObjects(business.id, rows);
  rt.store.catalog.writeMarks(business.id, { changed: told.changedIds, removed: told.removedIds }, mark);
  return appendEvents(rt, business, told.drafts).deliveries;
}
