import type { Catalog } from "../catalog/catalog.ts";
import { type Plan, planQuestion } from "./plan.ts";
import type { Problem, Wish } from "./question.ts";
import type { Span } from "./span.ts";
import { type Audience, readWish } from "./wish.ts";

/**
 * The way from somebody's words to a plan, for those who list and for those who book.
 * @throws AppError with everything that is wrong with the wish
 */
export function planWish(
  catalog: Catalog,
  audience: Audience,
  wish: Wish,
  span: Span,
  nowMs: number,
): Plan {
  const problems: Problem[] = [];
  const question = readWish(catalog, audience, wish, (code, detail, parameter) => {
    problems.push({ code, detail, parameter });
  });
  return planQuestion(catalog, { ...span, ...question }, nowMs, problems);
}
