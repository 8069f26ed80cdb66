import type { StateAction } from "../../../app/bookings/change-visit.ts";
import { changeBooking, changeReservation } from "../../../app/bookings/operator-changes.ts";
import { getBusiness } from "../../../app/businesses.ts";
import { AppError } from "../../../domain/errors.ts";
import { formatInstant, formatLocalMinute, parseTimeOfDay } from "../../../domain/local-time.ts";
import { quote } from "../../../domain/text.ts";
import type { VisitName } from "../state/ui-state.ts";
import type { EffectContext, EffectDeps } from "./effect-context.ts";

const DONE_TEXTS: Record<StateAction, string> = {
  approve: "Approved",
  decline: "Declined",
  cancel: "Cancelled",
  complete: "Completed",
  noShow: "Marked as a no-show",
};

export function changeVisit(
  { rt }: EffectDeps,
  { notify }: EffectContext,
  { id, type, slug, name }: VisitName,
  action: StateAction,
): void {
  const change = type === "booking" ? changeBooking : changeReservation;
  change(rt, slug, id, action);
  notify(`${DONE_TEXTS[action]}: ${name}.`, "good");
}

/**
 * Moves a visit. The person in the shop decides, so the minimum notice, the horizon and the grid do
 * not apply.
 * @param text a typed time; without a date, it is on the day of the visit
 */
export async function moveVisit(
  { rt }: EffectDeps,
  { notify }: EffectContext,
  { id, type, slug, name, startsAt }: VisitName,
  text: string,
): Promise<void> {
  const { timezone } = getBusiness(rt, slug).doc;
  const at = parseTimeOfDay(text, timezone, rt.now(), startsAt);
  if (at === undefined)
    throw new AppError("invalid_date", `Invalid time ${quote(text)}: use 11:30 or tomorrow 10:00.`);
  const { rescheduleBooking, rescheduleReservation } =
    await import("../../../app/bookings/reschedule.ts");
  const move = type === "booking" ? rescheduleBooking : rescheduleReservation;
  move(rt, slug, id, { start: formatInstant(at, timezone), ignoresNotice: true });
  notify(`Moved ${name} to ${formatLocalMinute(at, timezone).replace("T", " ")}.`, "good");
}
