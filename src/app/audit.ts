import type { AuditAction } from "../domain/audit.ts";
import type { Runtime } from "./runtime.ts";

export type AuditedChange = {
  action: AuditAction;
  /**
   * The object that was changed; `id` is null for an object without an ID, such as the master key.
   */
  subject: { id: string | null; name: string };
  /** The ID is null if the change concerns the whole server. */
  businessId: string | null;
  /** Details must not contain a secret, its hash, the path or query of a URL, or guest data. */
  details?: Record<string, unknown> | undefined;
};

/** Adds an entry to the audit log and returns its ID. Call it in the transaction of the change. */
export function audit(
  rt: Runtime,
  { action, subject, businessId, details = {} }: AuditedChange,
): string {
  const actor = rt.actor();
  const id = rt.newId("aud");
  rt.store.audit.insert({
    id,
    at: rt.now(),
    via: actor.via,
    actorId: actor.id,
    actorName: actor.name,
    address: actor.address,
    action,
    subjectId: subject.id,
    subjectName: subject.name,
    businessId,
    details,
  });
  return id;
}

/** Adds an entry about a key, an endpoint or another row that has a name. */
export const auditRow = (
  rt: Runtime,
  action: AuditAction,
  { id, name, businessId }: { id: string; name: string; businessId: string | null },
  details?: Record<string, unknown>,
): string => audit(rt, { action, subject: { id, name }, businessId, details });

/** Returns a time (epoch ms) as the text that `details` contains; null stays null. */
export const auditTime = (at: number | null): string | null =>
  at === null ? null : new Date(at).toISOString();
