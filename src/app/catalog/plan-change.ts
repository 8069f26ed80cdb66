import {
  type LocalEdits,
  nextLocalEdits,
  type ChangeOrigin,
  withOverwrittenEdits,
} from "../../domain/catalog/change/local-edits.ts";
import {
  findOverwrittenSections,
  nextScheduleEdits,
} from "../../domain/catalog/change/schedule-edits.ts";
import type { Catalog } from "../../domain/catalog/catalog.ts";
import { type Emptied, findEmptied } from "../../domain/catalog/change/losses.ts";
import { findRepricing, type Repricing } from "../../domain/catalog/change/repricing.ts";
import { findReplaced } from "../../domain/catalog/change/replaced.ts";
import {
  diffCatalog,
  isEmptyDiff,
  type ObjectChange,
  type RowChanges,
  type MassDelete,
  findMassDeletes,
  sortOrdersAfter,
} from "../../domain/catalog/change/diff.ts";
import { currencyChange, type CurrencyChange } from "../../domain/currency.ts";
import { businessId } from "../../domain/catalog/object-id.ts";
import type { EventDraft } from "../../domain/envelope.ts";
import type { EventType } from "../../domain/event-types.ts";
import type { StoredCatalog } from "../../domain/public/public-context.ts";
import { ALL_LISTS, listsAffectedBy } from "../../domain/public/public-catalog.ts";
import type { Runtime } from "../runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { loadCatalog } from "./load-catalog.ts";
import { planUpdate, catalogStateAt, writeUpdate, timeBeforeTransition } from "./publish.ts";
import { findVisitsOfChange, NOT_BOOKED, type VisitsOfChange } from "./visits-of-change.ts";

export type ChangeResult = {
  businessId: string;
  slug: string;
  currency: string;
  currencyDigits: number;
  isNew: boolean;
  fromVersion: number;
  /** Equal to `fromVersion` if nothing differs; then nothing is written. */
  version: number;
  businessFields: string[];
  /** Applying it needs `acceptCurrencyChange`, because stored prices are not converted. */
  currencyChange: CurrencyChange | null;
  changes: ObjectChange[];
  /** Sections of the schedule whose local edits since the last catalog file are overwritten. */
  overwrittenSections: string[];
  events: { type: EventType; resourceId: string }[];
  /** The number of deliveries to the endpoints that are subscribed now. */
  deliveries: number;
  webhooks: { type: EventType; events: number; deliveries: number }[];
  /** Applying these needs `allowMassDelete`. */
  massDeletes: MassDelete[];
  /** Lists that catalog files empty. Applying them needs `confirmed`, as overwritten edits do. */
  emptied: Emptied[];
  /** Prices that change so much that a catalog file needs `confirmed`; otherwise null. */
  repricing: Repricing | null;
} & VisitsOfChange;

/** A catalog and the row of its business when it was loaded; both are null for a new business. */
export type LoadedCatalog = { business: BusinessRow | null; stored: StoredCatalog | null };

/** @param loaded reused if the business has not changed since */
export function planChange(
  rt: Runtime,
  next: Catalog,
  origin: ChangeOrigin,
  loaded: LoadedCatalog | null,
): { result: ChangeResult; write: () => void } {
  const row = rt.store.businesses.findBySlug(next.business.slug);
  const now = timeBeforeTransition(rt, row);
  const isCurrent = loaded && loaded.business?.revision === row?.revision;
  const stored = isCurrent ? loaded.stored : row && loadCatalog(rt, row);
  const { sortOrderOf } = stored ?? NOTHING_STORED;
  const diff = diffCatalog(stored?.catalog ?? null, next, sortOrderOf);
  const edits = origin === "local" ? findLocalEdits(rt, diff.rows) : listLocalEdits(rt, row);
  const nextEdits = nextLocalEdits(edits, diff, stored?.catalog ?? null, next, origin);
  const scheduleEdits = row ? rt.store.businesses.getScheduleEdits(row.id) : {};
  const business = {
    ...(row ?? newBusiness(rt, next, now)),
    doc: next.business,
    schedule: next.schedule,
  };
  // A command or an undo says what it does; what a file does may be a mistake in the file.
  const isFile = origin !== "local" && "listed" in origin;
  const replacedByFile = isFile && stored ? stored.catalog : null;
  const result: ChangeResult = {
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
    overwrittenSections:
      stored && isFile
        ? findOverwrittenSections(scheduleEdits, stored.catalog.schedule, next.schedule)
        : [],
    events: [],
    deliveries: 0,
    webhooks: [],
    massDeletes: replacedByFile ? findMassDeletes(diff.changes, replacedByFile) : [],
    emptied: replacedByFile ? findEmptied(replacedByFile, next, diff.changes) : [],
    repricing: stored ? findRepricing(stored.catalog, diff.changes) : null,
    ...(stored ? findVisitsOfChange(rt, business, stored.catalog, next, diff) : NOT_BOOKED),
  };
  const writeEdits = () => {
    rt.store.catalog.writeLocalEdits(nextEdits);
    if (!stored) return;
    const { schedule } = stored.catalog;
    const edited = nextScheduleEdits(scheduleEdits, schedule, next.schedule, origin);
    rt.store.businesses.writeScheduleEdits(business.id, edited);
  };
  if (row && isEmptyDiff(diff)) return { result, write: writeEdits };

  // The fields of the business itself affect every list.
  const lists =
    stored && diff.businessFields.length === 0
      ? listsAffectedBy(new Set(diff.changes.map(({ kind }) => kind)))
      : ALL_LISTS;
  const before = stored ? catalogStateAt(stored, now, lists) : null;
  const update = planUpdate(
    rt,
    business,
    before,
    {
      ...(stored ?? NOTHING_STORED),
      catalog: next,
      sortOrderOf: sortOrdersAfter(diff, sortOrderOf),
    },
    now,
    { lists },
  );
  const webhooks = countWebhooks(rt, business.id, update.diff.drafts);
  return {
    result: {
      ...result,
      version: update.business.catalogVersion,
      events: update.diff.drafts.map(({ type, resource }) => ({ type, resourceId: resource.id })),
      deliveries: webhooks.reduce((sum, { deliveries }) => sum + deliveries, 0),
      webhooks,
    },
    write: () => {
      const hasEdits = (id: string): boolean =>
        origin === "local" ? rt.store.catalog.findLocalEdit(id) !== undefined : edits.has(id);
      const isEdited = (idOrField: string) => idOrField in scheduleEdits || hasEdits(idOrField);
      const replaced = findReplaced(stored?.catalog ?? null, next, diff, sortOrderOf, isEdited);
      writeUpdate(rt, update);
      rt.store.catalogChanges.insert({
        businessId: business.id,
        version: update.business.catalogVersion,
        fromVersion: business.catalogVersion,
        at: rt.now(),
        replaced,
      });
      rt.store.catalog.writeObjects(business.id, diff.rows);
      writeEdits();
    },
  };
}

function countWebhooks(
  rt: Runtime,
  businessId: string,
  drafts: readonly EventDraft[],
): ChangeResult["webhooks"] {
  const endpoints = rt.store.endpoints.list(businessId);
  return [...Map.groupBy(drafts, ({ type }) => type)].map(([type, { length: events }]) => ({
    type,
    events,
    deliveries: events * endpoints.filter((endpoint) => endpoint.events.includes(type)).length,
  }));
}

const listLocalEdits = (rt: Runtime, row: BusinessRow | undefined): LocalEdits =>
  row ? rt.store.catalog.listLocalEdits(row.id) : new Map();

/** Returns the earlier edits of the objects in `written`. */
const findLocalEdits = (rt: Runtime, { written }: RowChanges): LocalEdits =>
  new Map(
    written.flatMap(({ id }) => {
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
    publishedUntil: now,
    nextTransitionAt: null,
  };
}
