import type { AuditAction } from "../../domain/audit.ts";
import type { Catalog } from "../../domain/catalog/catalog.ts";
import type { ObjectChange } from "../../domain/catalog/change/diff.ts";
import type { ChangeOrigin } from "../../domain/catalog/change/local-edits.ts";
import { audit } from "../audit.ts";
import type { Runtime } from "../runtime.ts";
import { type ChangeResult, planChange, type LoadedCatalog } from "./plan-change.ts";
import { publishDueTransitions } from "./publish.ts";

/** @param approve throws to reject the plan */
export function changeCatalog(
  rt: Runtime,
  next: Catalog,
  origin: ChangeOrigin,
  loaded: LoadedCatalog | null,
  approve: (plan: ChangeResult) => void = () => {},
): ChangeResult {
  return rt.tx(() => {
    const row = rt.store.businesses.findBySlug(next.business.slug);
    if (row) publishDueTransitions(rt, row);
    const { result, write } = planChange(rt, next, origin, loaded);
    approve(result);
    write();
    return result;
  });
}

/**
 * Adds an entry to the audit log and refers to it in the history of the catalog. Does nothing if
 * nothing was changed.
 */
export function auditChange(
  rt: Runtime,
  action: AuditAction,
  subject: { id: string; name: string },
  { businessId, isNew, fromVersion, version, changes, businessFields }: ChangeResult,
  details: Record<string, unknown>,
): void {
  if (version === fromVersion) return;
  const countOf = (wanted: ObjectChange["action"]) =>
    changes.filter((change) => change.action === wanted).length;
  const auditId = audit(rt, {
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
  rt.store.catalogChanges.setAuditId(businessId, version, auditId);
}
