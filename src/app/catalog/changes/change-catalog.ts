import type { AuditAction } from "../../../domain/audit.ts";
import type { Catalog } from "../../../domain/catalog/catalog.ts";
import type { ObjectChange } from "../../../domain/catalog/change/diff.ts";
import type { ChangeOrigin } from "../../../domain/catalog/change/local-edits.ts";
import { audit } from "../../audit.ts";
import type { Runtime } from "../../runtime.ts";
import {
  type ChangeResult,
  planChange,
  type LoadedCatalog,
  type PlannedChange,
  isUnchanged,
} from "./plan-change.ts";
import { publishDueTransitions } from "../publish.ts";

/** The catalog that a business gets by a change. */
export type NextCatalog = {
  catalog: Catalog;
  origin: ChangeOrigin;
  /** The catalog that is replaced; null if it has to be loaded. */
  loaded: LoadedCatalog | null;
  /**
   * Returns the same change of the present catalog. The function is called if another process has
   * changed the catalog meanwhile. The function is set if `catalog` has only the changed objects
   * and the objects that they refer to: such a part, unlike a whole catalog, cannot be compared
   * with a later catalog.
   */
  reload?: (() => NextCatalog) | undefined;
};

/**
 * Changes a catalog in one transaction.
 * @param approve throws to reject the plan, or returns the ID of the plan's entry in the audit log
 */
export function changeCatalog(
  rt: Runtime,
  next: NextCatalog,
  approve: (plan: ChangeResult) => string | null = () => null,
): ChangeResult {
  return rt.tx(() => {
    const row = rt.store.businesses.findBySlug(next.catalog.business.slug);
    if (row) publishDueTransitions(rt, row);
    const { result, write } = planNext(rt, next);
    write(approve(result));
    return result;
  });
}

/** Plans a change of the present catalog. Call it in a transaction or in `rt.read`. */
export function planNext(rt: Runtime, next: NextCatalog): PlannedChange {
  const { reload, loaded } = next;
  const row = rt.store.businesses.findBySlug(next.catalog.business.slug);
  const isCurrent = isUnchanged(loaded?.business ?? null, row);
  const present = reload && !isCurrent ? reload() : next;
  return planChange(rt, present.catalog, present.origin, present.loaded);
}

/** Adds an entry to the audit log and returns its ID; null if nothing changes. */
export function auditChange(
  rt: Runtime,
  action: AuditAction,
  subject: { id: string; name: string },
  { businessId, isNew, fromVersion, version, changes, businessFields }: ChangeResult,
  details: Record<string, unknown>,
): string | null {
  if (version === fromVersion) return null;
  const countOf = (wanted: ObjectChange["action"]) =>
    changes.filter((change) => change.action === wanted).length;
  return audit(rt, {
    action,
    subject,
    businessId,
    details: {
      ...details,
      fromVersion,
      version,
      changes: changes.length + businessFields.length,
      created: countOf("create"),
      updated: countOf("update"),
      moved: countOf("move"),
      deleted: countOf("delete"),
      fields: isNew ? [] : businessFields,
    },
  });
}
