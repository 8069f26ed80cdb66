import { formatInstant } from "../../domain/local-time.ts";
import type { Visit } from "../../domain/bookings/visit.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import { audit } from "../audit.ts";
import type { Runtime } from "../runtime.ts";

/** What the operator may decide about a new start. */
export type StartOptions = {
  /** Skips the minimum notice, the horizon and the grid, and is part of the audit log. */
  ignoresNotice?: boolean | undefined;
};

/** Call it in the transaction that books or moves the visit. */
export function auditIgnoredNotice(
  rt: Runtime,
  business: BusinessRow,
  noun: "booking" | "reservation",
  { id, startsAt }: Visit,
): void {
  const start = formatInstant(startsAt, business.doc.timezone);
  audit(rt, {
    action: `${noun}.notice_ignored`,
    subject: { id, name: start },
    businessId: business.id,
  });
}
