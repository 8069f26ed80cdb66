import {
  type LocalEdits,
  nextLocalEdits,
  type ChangeOrigin,
  withOverwrittenEdits,
} from "../../domain/catalog/change/local-edits.ts";
import type { Catalog } from "../../domain/catalog/catalog.ts";
import { diffCatalog, isEmptyDiff, type ObjectChange } from "../../domain/catalog/change/diff.ts";
import { type MassDelete, findMassDeletes } from "../../domain/catalog/change/mass-delete.ts";
import { businessId } from "../../domain/catalog/object-id.ts";
import type { EventDraft } from "../../domain/envelope.ts";
import type { EventType } from "../../domain/event-types.ts";
import type { StoredCatalog } from "../../domain/public/public-context.ts";
import { ALL_LISTS, listsAffectedBy } from "../../domain/public/public-catalog.ts";
import type { Runtime } from "../runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { findVisitsOutsideHours } from "./outside-hours.ts";
import { loadCatalog, planUpdate, catalogStateAt, writeUpdate } from "./publish.ts";

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

/** What was loaded a moment ago, as of which revision of the file. */
export type LoadedCatalog = { revision: number; stored: StoredCatalog | null };

/** What a change would do, and how to do it. */
export function planChange(
  rt: Runtime,
  next: Catalog,
  origin: ChangeOrigin,
  seen: LoadedCatalog | null,
): { result: ChangeResult; write: () => void } {
  const now = rt.now();
  const row = rt.store.businesses.findBySlug(next.business.slug);
  const stored = seen?.revision === rt.revision() ? seen.stored : row && loadCatalog(rt, row);
  const diff = diffCatalog(stored?.catalog ?? null, next);
  const edits: LocalEdits = row ? rt.store.catalog.listLocalEdits(row.id) : new Map();
  const nextEdits = nextLocalEdits(edits, diff, stored?.catalog ?? null, next, origin);
  const business = {
    ...(row ?? newBusiness(rt, next, now)),
    doc: next.business,
    schedule: next.schedule,
  };
  const result: ChangeResult = {
    businessId: business.id,
    slug: business.slug,
    currency: next.business.currency,
    isNew: !row,
    fromVersion: business.catalogVersion,
    version: business.catalogVersion,
    businessFields: diff.businessFields,
    changes:
      stored && origin !== "local"
        ? withOverwrittenEdits(diff.changes, edits, stored.catalog, next)
        : diff.changes,
    events: [],
    deliveries: 0,
    webhooks: [],
    massDeletes: stored ? findMassDeletes(diff.changes, stored.catalog) : [],
    outsideHours: stored
      ? findVisitsOutsideHours(rt, business.id, { before: stored.catalog, after: next, diff })
      : [],
  };
  if (row && isEmptyDiff(diff))
    return { result, write: () => rt.store.catalog.writeLocalEdits(nextEdits) };

  // What the business itself says stands in every list.
  const lists =
    stored && diff.businessFields.length === 0
      ? listsAffectedBy(new Set(diff.changes.map(({ kind }) => kind)))
      : ALL_LISTS;
  const before = stored ? catalogStateAt(stored, now, lists) : null;
  const step = planUpdate(
    rt,
    business,
    before,
    { ...(stored ?? NOTHING_STORED), catalog: next },
    now,
    { lists },
  );
  const webhooks = countWebhooks(rt, business.id, step.diff.drafts);
  return {
    result: {
      ...result,
      version: step.business.catalogVersion,
      events: step.diff.drafts.map(({ type, resource }) => ({ type, resourceId: resource.id })),
      deliveries: webhooks.reduce((sum, { deliveries }) => sum + deliveries, 0),
      webhooks,
    },
    write: () => {
      writeUpdate(rt, step);
      rt.store.catalog.writeObjects(business.id, diff.rows);
      rt.store.catalog.writeLocalEdits(nextEdits);
    },
  };
}

/** What the endpoints would be sent, by type in the order of the events. */
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

const NOTHING_STORED = {
  versionOf: () => ({ version: 0, updatedAt: 0 }),
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
    toldUntil: now,
    nextTransitionAt: null,
  };
}
