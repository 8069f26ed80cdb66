import { FEATURES, type KeysIn } from "../../features/index.ts";
import { lazy } from "../lazy.ts";

/**
 * Critical: partners or visitors get wrong, late or no data now. Warning: they will if nobody acts.
 * Info: the reason is on a partner's side, or nothing fails.
 */
export const SEVERITIES = ["critical", "warning", "info"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** The part of the server that a condition is about, which groups the output of `doctor`. */
type Area =
  | "daemon"
  | "delivery-worker"
  | "delivery"
  | "endpoint"
  | "key"
  | "secret"
  | "backup"
  | "disk"
  | "database"
  | "history"
  | "file"
  | "proxy"
  | "certificate"
  | "clock"
  | "destination"
  | "alerts"
  | "booking";

export type ConditionKind = {
  severity: Severity;
  about: Area;
  /**
   * While the condition is open, `/readyz` responds with 503, so that a load balancer uses another
   * server.
   */
  isUnready?: true;
  /**
   * The condition says that the daemon has done nothing for a while, perhaps only because it was
   * stopped.
   */
  isLateness?: true;
  /**
   * Each notice needs an answer, so it is sent at once, even if one about the same subject was sent
   * within the last hour. After several notices in a row, the next ones are sent once an hour.
   */
  isSentEachTime?: true;
  /**
   * Conditions that say more than this one. While one of them is open for the same subject, or for
   * the whole server, alerts about this condition neither begin nor end, and `status` and `doctor`
   * leave it out.
   */
  coveredBy?: readonly string[];
  /** Conditions of the core that a feature's condition covers: the reverse of `coveredBy`. */
  covers?: readonly string[];
};

const CORE_CONDITIONS = {
  "storage.gone": { severity: "critical", about: "disk", isUnready: true },
  "storage.read_only": { severity: "critical", about: "disk" },
  "storage.full": { severity: "critical", about: "disk", coveredBy: ["storage.gone"] },
  "storage.low": {
    severity: "warning",
    about: "disk",
    coveredBy: ["storage.full", "storage.gone"],
  },
  "database.damaged": { severity: "critical", about: "database", isUnready: true },
  "daemon.stopped": { severity: "critical", about: "daemon" },
  "delivery.stalled": {
    severity: "critical",
    about: "delivery-worker",
    isLateness: true,
    coveredBy: ["master_key.missing", "master_key.wrong"],
  },
  "deliveries.stuck": {
    severity: "critical",
    about: "delivery",
    isLateness: true,
    coveredBy: ["delivery.stalled", "master_key.missing", "master_key.wrong"],
  },
  "delivery.corrupt": { severity: "warning", about: "delivery" },
  "master_key.missing": { severity: "critical", about: "secret" },
  "master_key.wrong": { severity: "critical", about: "secret" },
  "signing_secret.wrong": { severity: "warning", about: "secret" },
  "tls.expired": { severity: "critical", about: "certificate" },
  "tls.expiring": { severity: "warning", about: "certificate", coveredBy: ["tls.expired"] },
  "guests.in_log": { severity: "warning", about: "database" },
  "clock.wrong": { severity: "warning", about: "clock", coveredBy: ["clock.differs"] },
  "clock.differs": { severity: "warning", about: "clock" },
  "files.exposed": { severity: "warning", about: "file" },
  "history.cut": { severity: "warning", about: "history" },
  "key.in_browser": { severity: "warning", about: "key" },
  "key.no_secret": { severity: "warning", about: "key" },
  "key.expiring": { severity: "warning", about: "key" },
  "holds.unused": { severity: "warning", about: "key" },
  "key.booking_fast": { severity: "warning", about: "key" },
  "proxy.one_address": { severity: "warning", about: "proxy" },
  "connections.full": { severity: "critical", about: "daemon" },
  "metrics.refused": { severity: "warning", about: "daemon" },
  "booking.undecided": { severity: "warning", about: "booking" },
  "network.out": { severity: "warning", about: "endpoint" },
  "endpoint.key_ended": { severity: "warning", about: "endpoint" },
  "endpoint.failing": {
    severity: "info",
    about: "endpoint",
    coveredBy: ["endpoint.disabling", "endpoint.disabled", "network.out"],
  },
  "endpoint.unreliable": {
    severity: "info",
    about: "endpoint",
    coveredBy: ["endpoint.failing", "endpoint.disabling", "endpoint.disabled", "network.out"],
  },
  "endpoint.disabling": { severity: "info", about: "endpoint", coveredBy: ["endpoint.disabled"] },
  "endpoint.disabled": { severity: "info", about: "endpoint" },
} as const satisfies Record<string, ConditionKind>;

export type ConditionCode = keyof typeof CORE_CONDITIONS | KeysIn<"conditions">;

/**
 * Returns every health condition of `status`, `doctor`, `/readyz`, `/metrics`, the log and alerts.
 */
const listConditions = lazy((): Readonly<Record<ConditionCode, ConditionKind>> =>
  Object.assign({}, CORE_CONDITIONS, ...FEATURES.map(({ conditions }) => conditions)),
);
export const listConditionCodes = (): ConditionCode[] =>
  Object.keys(listConditions()) as ConditionCode[];

/** Alerts about something that has happened, which no later alert resolves. */
const CORE_NOTICES = {
  "delivery.exhausted": { severity: "info", about: "delivery" },
  "booking.received": { severity: "info", about: "booking", isSentEachTime: true },
  "key.rotated_itself": { severity: "critical", about: "key" },
} as const satisfies Record<string, ConditionKind>;

export type NoticeCode = keyof typeof CORE_NOTICES | KeysIn<"notices">;
export type AlertCode = ConditionCode | NoticeCode;

const listNotices = lazy((): Readonly<Record<NoticeCode, ConditionKind>> =>
  Object.assign({}, CORE_NOTICES, ...FEATURES.map(({ notices }) => notices)),
);

export const isNotice = (code: AlertCode): code is NoticeCode => code in listNotices();

export const conditionKind = (code: AlertCode): ConditionKind =>
  isNotice(code) ? listNotices()[code] : listConditions()[code];

/** Returns whether a condition is as severe as `least`, or more. */
export const isAtLeast = (severity: Severity, least: Severity): boolean =>
  SEVERITIES.indexOf(severity) <= SEVERITIES.indexOf(least);

/** What a condition is about; an endpoint has a `url`. */
export type Subject = { id: string; name: string; url?: string };

/** A condition that is open, or a notice. */
export type HealthCondition<Code extends AlertCode = ConditionCode> = {
  code: Code;
  severity: Severity;
  about: Area;
  /** The slug of the business; null if the condition is about the whole server. */
  business: string | null;
  /** The endpoint, API key or other object that the condition is about, if there is one. */
  subject: Subject | null;
  /** When the condition began (epoch ms); null if unknown. */
  since: number | null;
  /** Set if the subject is a visit that waits for the operator to approve or confirm it. */
  asksForDecision?: true;
  /** What is wrong, as a sentence that usually has no full stop. */
  text: string;
  /** A command that fixes the condition or shows the details. */
  command: string;
};

/** Returns a condition with the severity and area of its code. */
export const openCondition = <Code extends AlertCode>(
  code: Code,
  text: string,
  command: string,
  where: Partial<Pick<HealthCondition, "business" | "subject" | "since" | "asksForDecision">> = {},
): HealthCondition<Code> => {
  const { severity, about } = conditionKind(code);
  return {
    code,
    severity,
    about,
    business: null,
    subject: null,
    since: null,
    ...where,
    text,
    command,
  };
};

type Found = HealthCondition<AlertCode>;

/**
 * Returns whether `other` covers `condition`: it says more than `condition`, about the same subject
 * or about the whole server.
 */
export const coversCondition = (other: Found, condition: Found): boolean =>
  (conditionKind(condition.code).coveredBy?.includes(other.code) === true ||
    conditionKind(other.code).covers?.includes(condition.code) === true) &&
  (other.subject === null || other.subject.id === condition.subject?.id);

/** Returns the conditions that no other condition of the list covers. */
export const withoutCovered = <C extends Found>(found: readonly C[]): C[] =>
  found.filter((condition) => !found.some((other) => coversCondition(other, condition)));

/** Returns a text that identifies a condition: it is the same whenever the condition is found. */
export const fingerprintOf = ({ code, business, subject }: Found): string =>
  [code, business ?? "", subject?.id ?? ""].join("|");

/** A problem that `doctor` found. */
export type Finding = {
  text: string;
  fix: string;
  /** The code of a health condition; other findings have none. */
  code?: ConditionCode;
  /** A finding without a severity counts as a warning. */
  severity?: Severity;
  /** Set if the finding is a recommendation: nothing is broken. */
  isAdvice?: true;
};

/** The result of a check. `summary` says what was examined. */
export type CheckResult = { about: string; summary: string; findings: Finding[] };
