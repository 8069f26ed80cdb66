import { audit } from "../../../app/audit.ts";
import type { Runtime } from "../../../app/runtime.ts";
import type { AuditAction } from "../../../domain/audit.ts";
import type { BusinessRow } from "../../../store/businesses.ts";

/**
 * Writes the audit entry of a change to a ticket order. Call it in the transaction of the change.
 */
export function auditOrder(
  rt: Runtime,
  { id: businessId }: BusinessRow,
  action: AuditAction,
  { id, code }: { id: string; code: string },
): void {
  audit(rt, { action, subject: { id, name: code }, businessId });
}
