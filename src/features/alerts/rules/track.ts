import { type Alert, type Cause, type Member, toAlert } from "./alert.ts";
import {
  type AlertCode,
  conditionKind,
  coversCondition,
  fingerprintOf,
  type HealthCondition,
  isNotice,
} from "../../../domain/conditions/registry.ts";

/** A condition or notice that the current check found. */
type Found = HealthCondition<AlertCode>;

const HOUR_MS = 3_600_000;
/**
 * How long a condition must be absent to be resolved. After a shorter pause, it is still the same
 * problem.
 */
const CLEAR_MS = HOUR_MS / 2;
/** The shortest time between two alerts of a growing group. */
const INTERVAL_MS = HOUR_MS;
/**
 * A cause that begins again within this time after its last alert is flapping. RESOLVED then waits
 * until this time has passed since FIRING.
 */
const FLAPPING_MS = 2 * HOUR_MS;
/** How long resolved causes are kept for `alerts list`. */
const KEPT_MS = 7 * 24 * HOUR_MS;
/**
 * The maximum number of resolved causes that are kept. The daemon compares all causes each second.
 */
const MAX_RESOLVED = 500;
/**
 * The maximum number of alerts about one visit that follow one another within an hour. A guest can
 * move a visit any number of times.
 */
const MAX_IN_A_ROW = 3;
/**
 * A new condition joins a group if at least this many conditions of its code and business are open,
 * itself included.
 */
const GROUP_SIZE = 5;

export type Tracked = {
  causes: Cause[];
  alerts: Alert[];
  /** Conditions that began or ended in this check, for the log. */
  began: Found[];
  ended: Found[];
};

/**
 * Compares the open conditions with the earlier ones, and returns the alerts to send:
 *
 * - FIRING as soon as a condition begins that was not open, or had been resolved;
 * - RESOLVED when the condition has been absent for 30 minutes. If it had begun again within two
 *   hours of its last alert, RESOLVED also waits until two hours after FIRING, so that a flapping
 *   condition has at most two alerts in two hours.
 *
 * A new condition joins a group with one cause if at least five conditions of its code and business
 * are open, itself included. The group's alert is repeated at most once an hour when conditions
 * join; RESOLVED follows an hour after the last alert or later. A condition covered by another open
 * one sends no alert.
 *
 * A notice is sent at most once an hour for each subject. Notices about a visit are sent at once,
 * up to three in a row; a later one waits until an hour after the last alert.
 *
 * The guide `alerts` describes this rule to operators.
 */
export function trackConditions(
  before: readonly Cause[],
  found: readonly Found[],
  now: number,
): Tracked {
  const untracked = new Map(found.map((condition) => [fingerprintOf(condition), condition]));
  const isCovered = (condition: Found) => found.some((other) => coversCondition(other, condition));
  const began: Found[] = [];
  const ended: Found[] = [];

  function updateMember(member: Member): Member {
    const condition = untracked.get(member.fingerprint);
    untracked.delete(member.fingerprint);
    const isOpen = condition !== undefined || isCovered(member.condition);
    // A notice is about a moment and has no end, so each notice that a check finds is a new one.
    const isMoment = isNotice(member.condition.code);
    const wasOpen = member.isOpen && !isMoment;
    if (condition !== undefined && !wasOpen) began.push(condition);
    if (!isOpen && wasOpen) ended.push(member.condition);
    const beginsNow = isOpen && !wasOpen;
    // A notice that returns is news; a condition that returns before RESOLVED is still firing.
    const hasReturned = condition !== undefined && isMoment;
    return {
      ...member,
      condition: condition ?? member.condition,
      isOpen,
      since: beginsNow ? now : member.since,
      isNew: member.isNew || hasReturned,
    };
  }

  const causes = before.map((cause): Cause => {
    if (cause.status === "RESOLVED") return cause;
    const beganBefore = began.length;
    const members = cause.members.map(updateMember);
    const isClear = members.every(({ isOpen }) => !isOpen);
    return {
      ...cause,
      members,
      count: cause.count + began.length - beganBefore,
      clearSince: isClear ? (cause.clearSince ?? now) : null,
    };
  });

  const newcomers = [...untracked].filter(([, condition]) => !isCovered(condition));
  const open = [
    ...newcomers.map(([, condition]) => condition),
    ...causes
      .flatMap(({ status, members }) =>
        status === "RESOLVED" ? [] : members.filter(({ isOpen }) => isOpen),
      )
      .map(({ condition }) => condition),
  ];
  for (const [fingerprint, condition] of newcomers) {
    began.push(condition);
    const { code, business } = condition;
    const alike = open.filter((other) => other.code === code && other.business === business);
    const since = condition.since ?? now;
    const member = { fingerprint, condition, isOpen: true, since, isNew: true };
    addMember(causes, member, alike.length >= GROUP_SIZE, now);
  }

  const alerts: Alert[] = [];
  const after = causes.map((cause): Cause => {
    const status = nextStatus(cause, now);
    if (status === undefined) return cause;
    const isSilent = status === "RESOLVED" && isNotice(codeOf(cause));
    if (!isSilent) alerts.push(toAlert(cause, status, now));
    const isInARow = elapsed(cause.alertedAt ?? now, now) < INTERVAL_MS;
    const countBefore = isInARow ? (cause.alertsInARow ?? 0) : 0;
    const members = cause.members.map((member) => ({ ...member, isNew: false }));
    const stillOpen = members.filter(({ isOpen }) => isOpen);
    return {
      ...cause,
      // Ended members are dropped, because a group would otherwise only grow.
      members: stillOpen.length > 0 ? stillOpen : members.slice(-GROUP_SIZE),
      status,
      alertedAt: now,
      alertsInARow: isSilent ? countBefore : countBefore + 1,
    };
  });
  return { causes: dropOldResolved(after, now), alerts, began, ended };
}

/**
 * Returns the causes without the news of notices that wait to be sent, but no longer matter.
 * @param isOver tells whether a notice no longer matters
 */
export const withoutOldNews = (
  causes: readonly Cause[],
  isOver: (notice: Found) => boolean,
): Cause[] =>
  causes.map((cause) => {
    const isDropped = ({ isNew, condition }: Member) =>
      isNew && isNotice(condition.code) && isOver(condition);
    if (cause.isGroup || !cause.members.some(isDropped)) return cause;
    return { ...cause, members: cause.members.map((member) => ({ ...member, isNew: false })) };
  });

/**
 * Adds a condition to the cause of its group, or to its own cause. A new cause replaces a resolved
 * one.
 */
function addMember(causes: Cause[], member: Member, isGroup: boolean, now: number): void {
  const { code, business } = member.condition;
  const fingerprint = isGroup ? [code, business ?? "", "*"].join("|") : member.fingerprint;
  const index = causes.findIndex((cause) => cause.fingerprint === fingerprint);
  const known = causes[index];
  // A cause that has a new member but is not FIRING was added in this check, and has no alert yet.
  if (known?.status === "FIRING" || known?.members.some(({ isNew }) => isNew)) {
    const members = [...known.members, member];
    causes[index] = { ...known, members, count: known.count + 1, clearSince: null };
    return;
  }
  const { alertedAt = null, alertsInARow = 0 } = known ?? {};
  const isRecent = alertedAt !== null && elapsed(alertedAt, now) < FLAPPING_MS;
  causes.splice(index === -1 ? causes.length : index, 1, {
    fingerprint,
    isGroup,
    members: [member],
    since: member.since,
    clearSince: null,
    count: isRecent && known !== undefined ? known.count + 1 : 1,
    status: "RESOLVED",
    alertedAt,
    alertsInARow,
  });
}

/** Returns the status of the alert that is due, or undefined. */
function nextStatus(cause: Cause, now: number): Alert["status"] | undefined {
  const { status, clearSince, alertedAt, members, count, isGroup } = cause;
  const isClear = clearSince !== null;
  const hasNew = members.some(({ isNew }) => isNew);
  if (status === "RESOLVED") return hasNew ? "FIRING" : undefined;
  const sinceAlertMs = elapsed(alertedAt ?? now, now);
  if (hasNew && (!isClear || isNotice(codeOf(cause)))) {
    const isSentEachTime = !isGroup && conditionKind(codeOf(cause)).isSentEachTime === true;
    const isSentNow = isSentEachTime && (cause.alertsInARow ?? 0) < MAX_IN_A_ROW;
    return isSentNow || sinceAlertMs >= INTERVAL_MS ? "FIRING" : undefined;
  }
  const minGapMs = isGroup ? INTERVAL_MS : count > 1 ? FLAPPING_MS : 0;
  return isClear && elapsed(clearSince, now) >= CLEAR_MS && sinceAlertMs >= minGapMs
    ? "RESOLVED"
    : undefined;
}

/**
 * Returns the milliseconds since a time. A time in the future shows that the clock was set back;
 * the result is then Infinity, so that no alert is delayed.
 */
const elapsed = (since: number, now: number): number => (since > now ? Infinity : now - since);

function dropOldResolved(causes: readonly Cause[], now: number): Cause[] {
  const resolvedAt = ({ alertedAt }: Cause): number => alertedAt ?? 0;
  const newest = causes
    .filter((cause) => cause.status === "RESOLVED" && now - resolvedAt(cause) < KEPT_MS)
    .toSorted((a, b) => resolvedAt(a) - resolvedAt(b))
    .slice(-MAX_RESOLVED);
  const kept = new Set(newest);
  return causes.filter((cause) => cause.status === "FIRING" || kept.has(cause));
}

const codeOf = ({ members }: Cause): AlertCode => (members[0] as Member).condition.code;
