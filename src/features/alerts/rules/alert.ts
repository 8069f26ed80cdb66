import {
  type AlertCode,
  type HealthCondition,
  isNotice,
  type Severity,
  type Subject,
} from "../../../domain/conditions/registry.ts";

/**
 * A message to the operator about a condition, or about several conditions with the same code and
 * business.
 */
export type Alert = {
  code: AlertCode;
  status: "FIRING" | "RESOLVED";
  severity: Severity;
  /** The slug; null if the alert is about the whole server. */
  business: string | null;
  subject: Subject | null;
  /** Set if the subject is a visit that waits for the operator to approve or confirm it. */
  asksForDecision?: true;
  /** When the cause began, as an ISO time. */
  since: string;
  /** An ID that all alerts of one cause share. */
  fingerprint: string;
  /**
   * How often the cause has begun. The count starts again at 1 if the cause begins more than two
   * hours after its last alert.
   */
  count: number;
  message: string;
  fix: string;
  /** When the alert was created, as an ISO time. */
  at: string;
  /**
   * The pages that accept or decline the visit. The links are secret, so they are added while the
   * alert is sent, and never stored.
   */
  links?: { accept: string; decline: string } | undefined;
};

/** A condition, or a group of conditions, that has its own alerts. Times are epoch milliseconds. */
export type Cause = {
  fingerprint: string;
  isGroup: boolean;
  /** The conditions of the cause, at least one. */
  members: Member[];
  since: number;
  /** Since when no member is open; null while one is. */
  clearSince: number | null;
  count: number;
  /** The status in the last alert of the cause; RESOLVED before the first alert. */
  status: Alert["status"];
  /** When the last alert was created; null before the first one. */
  alertedAt: number | null;
  /**
   * The number of alerts in the current run, including the first and the last one. Each alert of a
   * run came less than an hour after the alert before it. Absent before the first alert, and in
   * causes that version 0.2 has stored.
   */
  alertsInARow?: number;
};

export type Member = {
  fingerprint: string;
  condition: HealthCondition<AlertCode>;
  isOpen: boolean;
  /** When the condition last began. */
  since: number;
  /** Whether the condition began after the last alert of its cause. */
  isNew: boolean;
};

export function toAlert(
  { members, since, fingerprint, count }: Cause,
  status: Alert["status"],
  now: number,
): Alert {
  // A new condition is reported even if it has already ended.
  const current = members.filter(({ isOpen, isNew }) => isOpen || isNew);
  const shown = status === "FIRING" && current.length > 0 ? current : members;
  const [{ condition }] = shown as [Member];
  const { code, severity, business, subject, asksForDecision, text, command } = condition;
  const isSingle = shown.length === 1;
  const what = isSingle ? text : listTexts(shown);
  const isOver = status === "RESOLVED" && !isNotice(code);
  const where = business === null || what.includes(business) ? "" : ` (${business})`;
  return {
    code,
    status,
    severity,
    business,
    subject: isSingle ? subject : null,
    ...(isSingle && status === "FIRING" && asksForDecision && { asksForDecision }),
    since: new Date(since).toISOString(),
    fingerprint,
    count,
    message: `${isOver ? "Resolved: " : ""}${what}${where}`,
    fix: isSingle ? command : "deskbell status",
    at: new Date(now).toISOString(),
  };
}

/** The number of conditions that an alert about several of them describes. */
const MAX_TEXTS = 5;

function listTexts(members: readonly Member[]): string {
  const texts = members.slice(0, MAX_TEXTS).map(({ condition }) => condition.text);
  const others = members.length - texts.length;
  return `${texts.join("; ")}${others > 0 ? `; and ${others} more` : ""}`;
}
