import {
  type LocalEdits,
  nextLocalEdits,
  type ChangeOrigin,
  withOverwrittenEdits,
  findOverwrittenSections,
  nextSectionEdits,
} from "../../../domain/catalog/change/local-edits.ts";
import type { Catalog } from "../../../domain/catalog/catalog.ts";
import { type Emptied, findEmptied } from "../../../domain/catalog/change/losses.ts";
import { findRepricing, type Repricing } from "../../../domain/catalog/change/repricing.ts";
import {
  diffCatalog,
  isEmptyDiff,
  type ObjectChange,
  type RowChanges,
  type MassDelete,
  findMassDeletes,
  sortOrdersAfter,
} from "../../../domain/catalog/change/diff.ts";
import { currencyChange, type CurrencyChange } from "../../../domain/money.ts";
import { businessId } from "../../../domain/catalog/object-id.ts";
import type { StoredCatalog } from "../../../domain/public/public-context.ts";
import { ALL_LISTS, listsAffectedBy } from "../../../domain/public/public-catalog.ts";
import type { Runtime } from "../../runtime.ts";
import type { BusinessRow } from "../../../store/businesses.ts";
import { BEFORE_CATALOG_WRITE } from "../../../features/before-catalog-write.ts";
import type { CatalogChange } from "./catalog-write.ts";
import { loadCatalog, pricesIn } from "../load-catalog.ts";
import { planUpdate, catalogStateAt, writeUpdate, timeBeforeTransition } from "../publish.ts";
import { countDeliveries, nothingPublished, type PublishedEvents } from "./published-events.ts";
import { findVisitsOfChange, notBooked, type VisitsOfChange } from "./visits-of-change.ts";

export type ChangeResult = {
  businessId: string;
  slug: string;
  currency: string;
  currencyDigits: number;
  isNew: boolean;
  fromVersion: number;
  /**
   * The version after the change. It is `fromVersion` if the catalogs do not differ: then nothing
   * is published, but objects may no longer count as local edits.
   */
  version: number;
  businessFields: string[];
  /**
   * The change of currency by a catalog file, or null if the currency stays. The change needs
   * `acceptCurrencyChange`, because stored prices are not converted.
   */
  currencyChange: CurrencyChange | null;
  changes: ObjectChange[];
  /** Sections of the schedule in which a catalog file overwrites local edits. */
  overwrittenSections: string[];
  /** The kinds of which a catalog file deletes so many objects that it needs `allowMassDelete`. */
  massDeletes: MassDelete[];
  /** Lists that a catalog file empties. Emptying them needs `confirmed`. */
  emptied: Emptied[];
  /** Prices that change so much that the change needs `confirmed`; null if there are none. */
  repricing: Repricing | null;
} & PublishedEvents &
  VisitsOfChange;

/** A catalog and the row of its business when it was loaded; both are null for a new business. */
export type LoadedCatalog = { business: BusinessRow | null; stored: StoredCatalog | null };

export type PlannedChange = {
  result: ChangeResult;
  /**
   * Writes the change.
   * @param auditId the entry of the change in the audit log; null if there is none
   */
  write: (auditId: string | null) => void;
};

/**
 * Plans the replacement of a catalog. Nothing is written before `write` is called.
 * @param loaded the catalog before the change; it is loaded again if the business has changed since
 */
export function planChange(
  rt: Runtime,
  next: Catalog,
  origin: ChangeOrigin,
  loaded: LoadedCatalog | null,
): PlannedChange {
  const row = rt.store.businesses.findBySlug(next.business.slug);
  const now = timeBeforeTransition(rt, row);
  const isCurrent = loaded && isUnchanged(loaded.business, row);
  // If `others` is set, only a part of the catalog was loaded, and `next` was made from this part.
  // Such a `next` cannot be compared with a catalog that was loaded later.
  if (!isCurrent && loaded?.stored?.others)
    throw new Error("A part of a catalog has been compared with a later catalog.");
  const stored = isCurrent ? loaded.stored : row && loadCatalog(rt, row);
  const { sortOrderOf } = stored ?? NOTHING_STORED;
  const diff = diffCatalog(stored?.catalog ?? null, next, sortOrderOf);
  const change: CatalogChange = {
    row,
    stored: stored ?? null,
    edits: loadLocalEdits(rt, row, stored, origin, diff.rows),
    sectionEdits: row ? rt.store.businesses.getSectionEdits(row.id) : {},
    next,
    origin,
    diff,
  };
  const business = {
    ...(row ?? newBusiness(rt, next, now)),
    doc: next.business,
    schedule: next.schedule,
  };
  const unpublished = describeChange(rt, business, change);
  const writeEdits = planEdits(rt, business.id, change);
  if (row && isEmptyDiff(diff)) return { result: unpublished, write: writeEdits };

  const lists = listsOf(change);
  const update = planUpdate(
    rt,
    business,
    stored ? catalogStateAt(stored, now, lists) : null,
    {
      ...(stored ?? NOTHING_STORED),
      catalog: next,
      sortOrderOf: sortOrdersAfter(diff, sortOrderOf),
    },
    now,
    { lists },
  );
  const events = update.diff.drafts.map(({ type, resource }) => ({
    type,
    resourceId: resource.id,
    ownerKeyId: null,
  }));
  return {
    result: {
      ...unpublished,
      version: update.business.catalogVersion,
      ...countDeliveries(rt, business.id, events),
    },
    write: (auditId) => {
      writeUpdate(rt, update, row ? idsOf(diff.rows) : null);
      const versions = {
        fromVersion: business.catalogVersion,
        version: update.business.catalogVersion,
      };
      for (const run of BEFORE_CATALOG_WRITE)
        run(rt, { ...change, ...versions, businessId: business.id, auditId });
      rt.store.catalog.writeObjects(business.id, diff.rows);
      settleTimeOff(rt, business.id, change);
      writeEdits();
    },
  };
}

/** Returns whether neither the catalog nor its stock has changed between two reads of a row. */
export const isUnchanged = (before: BusinessRow | null, now: BusinessRow | undefined): boolean =>
  before?.revision === now?.revision && before?.stockRevision === now?.stockRevision;

/**
 * Returns the result of a change as if it published nothing: without events, and with the version
 * before the change.
 */
function describeChange(
  rt: Runtime,
  business: BusinessRow,
  { row, stored, edits, sectionEdits, next, origin, diff }: CatalogChange,
): ChangeResult {
  // A catalog file can change the currency, delete objects or overwrite edits by mistake, so its
  // result lists these changes. The user of a command or an undo has asked for the change by name.
  // The field `listed` is set if and only if the origin is a catalog file.
  const isFile = origin !== "local" && "listed" in origin;
  const replacedByFile = isFile && stored ? stored.catalog : null;
  return {
    businessId: business.id,
    slug: business.slug,
    currency: next.business.currency,
    currencyDigits: next.business.currencyDigits,
    isNew: !row,
    fromVersion: business.catalogVersion,
    version: business.catalogVersion,
    businessFields: diff.businessFields,
    currencyChange: replacedByFile && currencyChange(replacedByFile.business, next.business),
    changes:
      stored && origin !== "local"
        ? withOverwrittenEdits(diff.changes, edits, stored.catalog, next)
        : diff.changes,
    overwrittenSections: replacedByFile
      ? findOverwrittenSections(sectionEdits, replacedByFile, next)
      : [],
    ...nothingPublished(),
    massDeletes: replacedByFile ? findMassDeletes(diff.changes, replacedByFile) : [],
    emptied: replacedByFile ? findEmptied(replacedByFile, next, diff.changes) : [],
    repricing: stored ? findRepricing(diff.changes, pricesIn(rt, business.id, stored)) : null,
    ...(stored ? findVisitsOfChange(rt, business, stored.catalog, next, diff) : notBooked()),
  };
}

/** Returns a function that stores which objects and sections are local edits after the change. */
function planEdits(
  rt: Runtime,
  businessId: string,
  { stored, edits, sectionEdits, next, origin, diff }: CatalogChange,
): () => void {
  const nextEdits = nextLocalEdits(edits, diff, stored?.catalog ?? null, next, origin);
  return () => {
    rt.store.catalog.writeLocalEdits(nextEdits);
    if (!stored) return;
    const edited = nextSectionEdits(sectionEdits, stored.catalog, next, origin);
    rt.store.businesses.writeSectionEdits(businessId, edited);
  };
}

/**
 * Deletes the time off of staff members whom a change creates: a new person has the same ID as a
 * deleted person with the same key, and must not get that person's time off. Erases the reasons of
 * the time off of staff members whom a change deletes. An undo restores people instead of creating
 * them, so their time off stays.
 */
function settleTimeOff(rt: Runtime, businessId: string, { origin, diff }: CatalogChange): void {
  const isUndo = origin !== "local" && "restored" in origin;
  const { timeOff } = rt.store;
  for (const { kind, action, id } of diff.changes) {
    if (kind !== "staff") continue;
    if (action === "create" && !isUndo) timeOff.deleteOf(businessId, id);
    if (action === "delete") timeOff.eraseReasonsOf(businessId, id);
  }
}

const idsOf = ({ written, renumbered, removed }: RowChanges): string[] => [
  ...[...written, ...renumbered].map(({ id }) => id),
  ...removed,
];

/** Returns the public lists that may change. A change of the business itself affects all lists. */
const listsOf = ({ stored, diff }: CatalogChange) =>
  stored && diff.businessFields.length === 0
    ? listsAffectedBy(new Set(diff.changes.map(({ kind }) => kind)))
    : ALL_LISTS;

/** Returns the stored local edits, or at least those of the objects that the change concerns. */
function loadLocalEdits(
  rt: Runtime,
  row: BusinessRow | undefined,
  stored: StoredCatalog | null | undefined,
  origin: ChangeOrigin,
  { written }: RowChanges,
): LocalEdits {
  if (origin === "local")
    return findLocalEdits(
      rt,
      written.map(({ id }) => id),
    );
  // An undo that loads only a part of the catalog needs the edits of the objects that it restores.
  if ("restored" in origin && stored?.others)
    return findLocalEdits(rt, [...origin.restored.keys()]);
  return row ? rt.store.catalog.listLocalEdits(row.id) : new Map();
}

const findLocalEdits = (rt: Runtime, ids: readonly string[]): LocalEdits =>
  new Map(
    ids.flatMap((id) => {
      const authored = rt.store.catalog.findLocalEdit(id);
      return authored === undefined ? [] : [[id, authored] as const];
    }),
  );

const NOTHING_STORED = {
  versionOf: () => ({ version: 0, updatedAt: 0 }),
  sortOrderOf: () => 0,
  stock: { soldOut: new Map<string, null>(), taken: new Map<string, number>() },
};

function newBusiness(rt: Runtime, { business: doc, schedule }: Catalog, now: number): BusinessRow {
  const id = businessId(doc.slug);
  const { catalogVersion, lastSequence } = rt.store.businesses.getInitialCounters(id);
  return {
    id,
    slug: doc.slug,
    doc,
    schedule,
    catalogVersion,
    lastSequence,
    createdAt: now,
    updatedAt: now,
    revision: 0,
    stockRevision: 0,
    publishedUntil: now,
    nextTransitionAt: null,
  };
}
