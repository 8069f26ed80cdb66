import type { HoursRule } from "../catalog.ts";
import { type Day, WEEK } from "../common.ts";

/** Rules for a season stay when the regular hours change. */
export const isRegular = ({ validFrom, validTo }: HoursRule): boolean =>
  validFrom === null && validTo === null;

/**
 * Returns the hours with other regular opening times on some weekdays. A time that other days have
 * too joins their rule, so that changing a day back restores the same rules.
 * @param opening their days are ignored; none for closed days
 */
export function withDayHours(
  hours: readonly HoursRule[],
  days: readonly Day[],
  opening: readonly Pick<HoursRule, "start" | "end">[],
): HoursRule[] {
  const kept = hours.map((rule) =>
    isRegular(rule) ? { ...rule, days: rule.days.filter((day) => !days.includes(day)) } : rule,
  );
  for (const { start, end } of opening) {
    const isSame = (rule: HoursRule) => isRegular(rule) && rule.start === start && rule.end === end;
    const at = kept.findIndex(isSame);
    const open = new Set([...days, ...(kept[at]?.days ?? [])]);
    const openDays = WEEK.filter((day) => open.has(day));
    const rule = { days: openDays, start, end, validFrom: null, validTo: null };
    if (at === -1) kept.push(rule);
    else kept[at] = rule;
  }
  return kept.filter((rule) => rule.days.length > 0);
}
