import type { Catalog } from "../catalog/catalog.ts";
import { type VisitPlan, planResolvedRequest } from "./visit-plan.ts";
import type { RequestIssue, NamedRequest } from "./request.ts";
import type { DateRange } from "./date-range.ts";
import { type Audience, resolveRequest } from "./resolve-request.ts";

/**
 * The way from somebody's words to a plan, for those who list and for those who book.
 * @throws AppError with everything that is wrong with the wish
 */
export function planNamedRequest(
  catalog: Catalog,
  audience: Audience,
  wish: NamedRequest,
  span: DateRange,
  nowMs: number,
): VisitPlan {
  const problems: RequestIssue[] = [];
  const question = resolveRequest(catalog, audience, wish, (code, detail, parameter) => {
    problems.push({ code, detail, parameter });
  });
  return planResolvedRequest(catalog, { ...span, ...question }, nowMs, problems);
}
