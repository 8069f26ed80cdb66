import { formatInstant } from "../../domain/local-time.ts";
import type { AuditAction } from "../../domain/audit.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { audit } from "../audit.ts";
import type { Runtime } from "../runtime.ts";
import type { Visit } from "../../domain/bookings/visit.ts";

// Audit entries contain IDs, times and names of fields. They contain neither guest data nor the
// reason of a cancellation, which may be about a guest. There is no entry for a visit or order that
// a key makes: its row names the key, and an entry for each would double the writes of a website.

type Audited = { id: string; startsAt: number };

/**
 * Adds an entry about a visit or order to the audit log. Call it in the transaction of the change.
 */
export function auditVisit(
  rt: Runtime,
  { id: businessId, doc: { timezone } }: BusinessRow,
  action: AuditAction,
  { id, startsAt }: Audited,
  details?: Record<string, unknown>,
): void {
  const subject = { id, name: formatInstant(startsAt, timezone) };
  audit(rt, { action, subject, businessId, details });
}

/** What the operator may decide about a new start. */
export type StartOptions = {
  /** Skips the minimum notice, the horizon and the grid. The audit log records it. */
  ignoresNotice?: boolean | undefined;
};

/**
 * Records in the audit log that a visit ignores the minimum notice. Call it in the transaction that
 * books or moves the visit.
 */
export const auditIgnoredNotice = (
  rt: Runtime,
  business: BusinessRow,
  noun: "booking" | "reservation",
  visit: Visit,
): void => auditVisit(rt, business, `${noun}.notice_ignored`, visit);
