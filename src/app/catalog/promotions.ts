import type { PromotionDoc } from "../../domain/catalog/catalog.ts";
import { AppError } from "../../domain/errors.ts";
import { formatLocalMinute } from "../../domain/local-time.ts";
import { quote, shellQuote } from "../../domain/text.ts";
import { getBusiness } from "../businesses.ts";
import type { Runtime } from "../runtime.ts";
import { editObject } from "./changes/edit-object.ts";
import type { ChangeResult } from "./changes/plan-change.ts";

/** Pauses a promotion, which hides it from partners until it is resumed. */
export const pausePromotion = (rt: Runtime, slug: string, keyOrId: string): ChangeResult =>
  setStatus(rt, slug, keyOrId, "INACTIVE");

export const resumePromotion = (rt: Runtime, slug: string, keyOrId: string): ChangeResult =>
  setStatus(rt, slug, keyOrId, "ACTIVE");

const setStatus = (
  rt: Runtime,
  slug: string,
  keyOrId: string,
  status: "ACTIVE" | "INACTIVE",
): ChangeResult =>
  editObject(rt, slug, "promotion", keyOrId, (doc) => {
    if (doc.status === "ARCHIVED")
      throw new AppError("state_refuses", `The promotion ${quote(doc.key)} is archived.`, {
        fix: "set its status in the catalog file, then run deskbell catalog apply FILE",
      });
    return { ...doc, status };
  });

/** Ends a promotion now. A promotion that has already ended stays unchanged. */
export function endPromotion(rt: Runtime, slug: string, keyOrId: string): ChangeResult {
  const { timezone } = getBusiness(rt, slug).doc;
  // The end is a whole second, as in catalog files.
  const now = Math.floor(rt.now() / 1000) * 1000;
  return editObject(rt, slug, "promotion", keyOrId, (doc): PromotionDoc => {
    const { startsAt, endsAt } = doc.schedule;
    if (endsAt !== null && endsAt <= now) return doc;
    if (startsAt !== null && startsAt >= now)
      throw new AppError(
        "state_refuses",
        `The promotion ${quote(doc.key)} starts only at ${formatLocalMinute(startsAt, timezone)}.`,
        { fix: `deskbell promotions pause ${shellQuote(doc.key)}` },
      );
    return { ...doc, schedule: { ...doc.schedule, endsAt: now } };
  });
}
