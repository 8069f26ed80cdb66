import type { StateAction } from "../../../app/bookings/change-visit.ts";
import {
  changeBooking,
  changeReservation,
  getBooking,
} from "../../../app/bookings/operator-changes.ts";
import { getBusiness } from "../../../app/businesses.ts";
import type { Runtime } from "../../../app/runtime.ts";
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
 * Moves a visit, so that the service of the selected row starts at the typed time. The person in
 * the shop decides, so the minimum notice, the horizon and the grid do not apply.
 * @param text a typed time; without a date, it is on the day of the visit
 */
export async function moveVisit(
  { rt }: EffectDeps,
  { notify }: EffectContext,
  { id, type, slug, name, startsAt }: VisitName,
  text: string,
): Promise<void> {
  const { id: businessId, doc } = getBusiness(rt, slug);
  const { timezone } = doc;
  const at = parseTimeOfDay(text, timezone, rt.now(), startsAt);
  if (at === undefined)
    throw new AppError("invalid_date", `Invalid time ${quote(text)}: use 11:30 or tomorrow 10:00.`);
  const { rescheduleBooking, rescheduleReservation } =
    await import("../../../app/bookings/reschedule.ts");
  const move = type === "booking" ? rescheduleBooking : rescheduleReservation;
  const start = at - (type === "booking" ? delayOfService(rt, businessId, id, startsAt) : 0);
  move(rt, slug, id, { start: formatInstant(start, timezone), ignoresNotice: true });
  notify(`Moved ${name} to ${formatLocalMinute(at, timezone).replace("T", " ")}.`, "good");
}

/**
 * Returns the time from the start of a visit to the start of one of its services, in milliseconds.
 * @param startsAt the start of the service when the row was selected
 * @throws AppError state_refuses if no service of the visit starts at this time any more
 */
function delayOfService(rt: Runtime, businessId: string, id: string, startsAt: number): number {
  const visit = getBooking(rt, businessId, id);
  if (visit.segments.some((segment) => segment.startsAt === startsAt))
    return startsAt - visit.startsAt;
  throw new AppError("state_refuses", "The visit was moved meanwhile.", {
    fix: "look at its new time and move it again",
  });
}
