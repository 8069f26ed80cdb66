import type { VisitPlan } from "../availability/visit-plan.ts";

/** What applies to a planned visit, by the rules of its services and the business. */
export type ApprovalTerms = { requiresApproval: boolean; cancelUntilMin: number };

/** One service that requires approval is enough, and the earliest deadline applies. */
export function approvalTerms({ catalog, segments }: VisitPlan): ApprovalTerms {
  const policy = catalog.business.bookingPolicy;
  // A table has no service, so the rules of the business apply.
  const rules = segments.map(({ service }) => ({
    requiresApproval: service?.bookingRules.requiresApproval ?? policy.requiresApproval,
    cancelUntilMin: service?.bookingRules.cancelUntilMin ?? policy.cancelUntilMin,
  }));
  return {
    requiresApproval: rules.some(({ requiresApproval }) => requiresApproval),
    cancelUntilMin: Math.max(...rules.map(({ cancelUntilMin }) => cancelUntilMin)),
  };
}
