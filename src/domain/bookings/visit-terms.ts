/** What applies to a planned visit, by the rules of its services and the business. */
export type ApprovalTerms = { requiresApproval: boolean; cancelUntilMin: number };

/** One service that requires approval is enough; the earliest deadline applies. */
export const approvalTerms = (): ApprovalTerms => ({ requiresApproval: false, cancelUntilMin: 0 });
