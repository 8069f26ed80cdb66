import type { BusinessDoc, ServiceDoc } from "../catalog/catalog.ts";
import { AppError } from "../errors.ts";
import { formatInstant, formatInstantOrNull } from "../local-time.ts";
import { safe } from "../text.ts";
import type { VisitPlan } from "../availability/visit-plan.ts";

// This file defines the states of bookings and reservations, and who may change them.

export const VISIT_STATUSES = [
  "PENDING",
  "CONFIRMED",
  "CANCELLED",
  "COMPLETED",
  "NO_SHOW",
] as const;
export type VisitStatus = (typeof VISIT_STATUSES)[number];

/**
 * Who changes a visit. GUEST: an API key without `bookings.manage`. BUSINESS: the operator, or a
 * key with that scope. SYSTEM: the clock.
 */
export const INITIATORS = ["GUEST", "BUSINESS", "SYSTEM"] as const;
export type Initiator = (typeof INITIATORS)[number];

/**
 * Who tells the guest that the business has changed a visit: deskbell by mail, the partner whose
 * key made the visit, or nobody. A partner learns of the change and can tell the guest.
 */
export type Teller = "partner" | "mail" | "nobody";

/** What a booking and a reservation have in common. Times are epoch milliseconds. */
export type Visit = {
  id: string;
  status: VisitStatus;
  startsAt: number;
  endsAt: number;
  customerRef: string | null;
  /** The API key that made the visit; null for the operator. */
  createdByKey: string | null;
  /** The end of the time in which a guest can cancel or reschedule the visit. */
  cancelUntil: number;
  /** When a pending visit is cancelled unless the business approves it; null in other states. */
  decideBy: number | null;
  cancelledBy: Initiator | null;
  cancelReason: string | null;
  /** 1 at first, and one more with each change. */
  version: number;
  createdAt: number;
  /**
   * When the visit last changed. The times of successive changes never decrease among the bookings
   * of a business, or among its reservations.
   */
  updatedAt: number;
};

export const toPublicVisit = (visit: Visit, timezone: string) => ({
  id: visit.id,
  status: visit.status,
  startsAt: formatInstant(visit.startsAt, timezone),
  endsAt: formatInstant(visit.endsAt, timezone),
  customerRef: visit.customerRef,
  cancelUntil: formatInstant(visit.cancelUntil, timezone),
  decideBy: formatInstantOrNull(visit.decideBy, timezone),
  cancelledBy: visit.cancelledBy,
  cancelReason: visit.cancelReason,
  version: visit.version,
  createdAt: formatInstant(visit.createdAt, timezone),
  updatedAt: formatInstant(visit.updatedAt, timezone),
});

export const VISIT_ACTIONS = [
  "approve",
  "decline",
  "expire",
  "cancel",
  "reschedule",
  "complete",
  "noShow",
] as const;
export type VisitAction = (typeof VISIT_ACTIONS)[number];

type Rule = {
  from: readonly VisitStatus[];
  /** The status after the action; null for `reschedule`, which `stateAfterReschedule` decides. */
  to: VisitStatus | null;
  by: readonly Initiator[];
  /**
   * `before-deadline`: guests can act until `cancelUntil`, the business at any time. `after-start`:
   * nobody can act before the visit starts.
   */
  when?: "before-deadline" | "after-start";
};

const RULES: Record<VisitAction, Rule> = {
  approve: { from: ["PENDING"], to: "CONFIRMED", by: ["BUSINESS"] },
  decline: { from: ["PENDING"], to: "CANCELLED", by: ["BUSINESS"] },
  expire: { from: ["PENDING"], to: "CANCELLED", by: ["SYSTEM"] },
  cancel: {
    from: ["PENDING", "CONFIRMED"],
    to: "CANCELLED",
    by: ["GUEST", "BUSINESS"],
    when: "before-deadline",
  },
  reschedule: {
    from: ["PENDING", "CONFIRMED"],
    to: null,
    by: ["GUEST", "BUSINESS"],
    when: "before-deadline",
  },
  complete: {
    from: ["CONFIRMED", "NO_SHOW"],
    to: "COMPLETED",
    by: ["BUSINESS"],
    when: "after-start",
  },
  noShow: {
    from: ["CONFIRMED", "COMPLETED"],
    to: "NO_SHOW",
    by: ["BUSINESS"],
    when: "after-start",
  },
};

const VERBS: Record<VisitAction, string> = {
  approve: "approved",
  decline: "declined",
  expire: "expired",
  cancel: "cancelled",
  reschedule: "rescheduled",
  complete: "completed",
  noShow: "marked as a no-show",
};

const DAY_MS = 86_400_000;
/** How long after its end a visit can be changed between COMPLETED and NO_SHOW. */
const CORRECTION_MS = 7 * DAY_MS;
/** How long the business has to approve a visit. */
const DECISION_MS = DAY_MS;

export const wrongStatusError = (
  subject: string,
  verb: string,
  reason: string,
  currentStatus: string,
): AppError =>
  new AppError("wrong_status", `${subject} cannot be ${verb}: ${reason}.`, {
    extensions: { currentStatus },
  });

/**
 * @param subject such as `Booking bkg_1`
 * @throws AppError insufficient_scope, wrong_status, cancellation_closed
 */
export function assertActionAllowed(...given: Parameters<typeof actionError>): void {
  const error = actionError(...given);
  if (error) throw error;
}

/** Returns why an action is not allowed; undefined if it is. */
export function actionError(
  subject: string,
  visit: Visit,
  action: VisitAction,
  initiator: Initiator,
  now: number,
): AppError | undefined {
  const { from, by, when } = RULES[action];
  const { status, startsAt, endsAt, cancelUntil } = visit;
  const wrongStatus = (reason: string) => wrongStatusError(subject, VERBS[action], reason, status);
  if (!by.includes(initiator))
    return new AppError("insufficient_scope", "This key does not have the scope bookings.manage.");
  if (!from.includes(status)) return wrongStatus(`its status is ${status}`);
  if (when === "before-deadline" && initiator === "GUEST" && (now > cancelUntil || now >= startsAt))
    return new AppError(
      "cancellation_closed",
      `${subject} can no longer be ${VERBS[action]} by the guest.`,
      { fix: "ask the business" },
    );
  if (when !== "after-start") return undefined;
  if (now < startsAt) return wrongStatus("it has not started");
  if (status !== "CONFIRMED" && now > endsAt + CORRECTION_MS)
    return wrongStatus("it ended more than 7 days ago");
  return undefined;
}

type State = Pick<Visit, "status" | "decideBy" | "cancelledBy" | "cancelReason">;

/** The cancel reasons of actions for which nobody enters a reason. */
const FIXED_REASONS: Partial<Record<VisitAction, string>> = {
  decline: "DECLINED",
  expire: "EXPIRED",
};

/** Returns the state after an allowed action other than `reschedule`. */
export function stateAfter(
  visit: Visit,
  action: Exclude<VisitAction, "reschedule">,
  initiator: Initiator,
  reason: string | null = null,
): State {
  const status = RULES[action].to ?? visit.status;
  if (status !== "CANCELLED")
    return { status, decideBy: null, cancelledBy: null, cancelReason: null };
  return {
    status,
    decideBy: null,
    cancelledBy: initiator,
    cancelReason: FIXED_REASONS[action] ?? (reason && safe(reason)),
  };
}

/** Returns the state of a visit that was just made, or rescheduled by its guest. */
export const newState = (requiresApproval: boolean, startsAt: number, now: number): State => ({
  status: requiresApproval ? "PENDING" : "CONFIRMED",
  decideBy: requiresApproval ? Math.min(now + DECISION_MS, startsAt) : null,
  cancelledBy: null,
  cancelReason: null,
});

/**
 * Returns whether half of the time to decide has passed. The time to decide begins when the visit
 * is made or a day before `decideBy`, whichever is later: a guest who reschedules the visit gives
 * the business a new deadline.
 */
export const isDecisionLate = (
  { createdAt, decideBy }: { createdAt: number; decideBy: number },
  now: number,
): boolean => now >= (Math.max(createdAt, decideBy - DECISION_MS) + decideBy) / 2;

/**
 * Returns the state after a reschedule. A guest's new time needs approval if the visits of the
 * business do. Any other reschedule keeps the status, and the time to decide ends at the new start
 * at the latest. A new start in the past leaves the time to decide as it was, because the visit
 * would otherwise expire at once.
 */
export function stateAfterReschedule(
  visit: Visit,
  initiator: Initiator,
  requiresApproval: boolean,
  startsAt: number,
  now: number,
): State {
  if (initiator === "GUEST" && requiresApproval) return newState(true, startsAt, now);
  const { status, decideBy, cancelledBy, cancelReason } = visit;
  return {
    status,
    decideBy: decideBy && startsAt > now ? Math.min(decideBy, startsAt) : decideBy,
    cancelledBy,
    cancelReason,
  };
}

/** The terms of a planned visit, from the rules of its services and the business. */
export type ApprovalTerms = {
  requiresApproval: boolean;
  /** The guest can cancel until this many minutes before the start. */
  cancelUntilMin: number;
};

/**
 * Returns whether the business approves each visit for a service. A table has no service, so the
 * rule of the business applies.
 */
export const requiresApprovalOf = (
  service: Pick<ServiceDoc, "bookingRules"> | null,
  policy: BusinessDoc["bookingPolicy"],
): boolean => service?.bookingRules.requiresApproval ?? policy.requiresApproval;

/**
 * Returns the terms of a visit. The visit requires approval if one of its services does, and the
 * earliest deadline of its services applies.
 */
export function approvalTerms({ catalog, segments }: VisitPlan): ApprovalTerms {
  const policy = catalog.business.bookingPolicy;
  const rules = segments.map(({ service }) => ({
    requiresApproval: requiresApprovalOf(service, policy),
    cancelUntilMin: service?.bookingRules.cancelUntilMin ?? policy.cancelUntilMin,
  }));
  return {
    requiresApproval: rules.some(({ requiresApproval }) => requiresApproval),
    cancelUntilMin: Math.max(...rules.map(({ cancelUntilMin }) => cancelUntilMin)),
  };
}
