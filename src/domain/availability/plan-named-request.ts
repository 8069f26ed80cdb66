import type { Catalog } from "../catalog/catalog.ts";
import { type VisitPlan, planResolvedRequest } from "./visit-plan.ts";
import type { RequestIssue, NamedRequest } from "./request.ts";
import type { DateRange } from "./date-range.ts";
import { type Audience, resolveRequest } from "./resolve-request.ts";

/**
 * Resolves the names in a request and plans the visit, both for listing and for booking.
 * @throws AppError with every issue of the request
 */
export function planNamedRequest(
  catalog: Catalog,
  audience: Audience,
  request: NamedRequest,
  dates: DateRange,
  nowMs: number,
): VisitPlan {
  const issues: RequestIssue[] = [];
  const resolved = resolveRequest(catalog, audience, request, (code, detail, parameter) => {
    issues.push({ code, detail, parameter });
  });
  return planResolvedRequest(catalog, { ...dates, ...resolved }, nowMs, issues);
}
