import type { AuditAction } from "../../domain/audit.ts";
import type { Catalog } from "../../domain/catalog/catalog.ts";
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

/** Audits nothing if the catalog already had this content. */
export function auditChange(
  rt: Runtime,
  action: AuditAction,
  subject: { id: string; name: string },
  { businessId, fromVersion, version, changes, businessFields }: ChangeResult,
  details: Record<string, unknown>,
): void {
  if (version === fromVersion) return;
  const count = changes.length + businessFields.length;
  audit(rt, {
    action,
    subject,
    businessId,
    details: { ...details, fromVersion, version, changes: count },
  });
}
