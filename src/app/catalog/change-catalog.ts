import type { AuditAction } from "../../domain/audit.ts";
import type { Catalog } from "../../domain/catalog/catalog.ts";
import type { ObjectChange } from "../../domain/catalog/change/diff.ts";
import type { ChangeOrigin } from "../../domain/catalog/change/local-edits.ts";
import { audit } from "../audit.ts";
import type { Runtime } from "../runtime.ts";
import { type ChangeResult, planChange, type LoadedCatalog } from "./plan-change.ts";
import { publishDueTransitions } from "./publish.ts";

/**
 * Changes a catalog in one transaction.
 * @param approve throws to reject the plan, or returns the ID of its entry in the audit log
 */
export function changeCatalog(
  rt: Runtime,
  next: Catalog,
  origin: ChangeOrigin,
  loaded: LoadedCatalog | null,
  approve: (plan: ChangeResult) => string | null = () => null,
): ChangeResult {
  return rt.tx(() => {
    const row = rt.store.businesses.findBySlug(next.business.slug);
    if (row) publishDueTransitions(rt, row);
    const { result, write } = planChange(rt, next, origin, loaded);
    write(approve(result));
    return result;
  });
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
