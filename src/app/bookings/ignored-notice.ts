import type { Visit } from "../../domain/bookings/visit.ts";
import type { BusinessRow } from "../../store/businesses.ts";
import type { Runtime } from "../runtime.ts";
import { auditVisit } from "./audit-visit.ts";

/** What the operator may decide about a new start. */
export type StartOptions = {
  /** Skips the minimum notice, the horizon and the grid, and is part of the audit log. */
  ignoresNotice?: boolean | undefined;
};

/** Call it in the transaction that books or moves the visit. */
export const auditIgnoredNotice = (
  rt: Runtime,
  business: BusinessRow,
  noun: "booking" | "reservation",
  visit: Visit,
): void => auditVisit(rt, business, `${noun}.notice_ignored`, visit);
