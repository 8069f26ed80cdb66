import { errorInWords } from "../../domain/errors.ts";
import type { Alert, Cause } from "./rules/alert.ts";
import {
  type AlertCode,
  conditionKind,
  fingerprintOf,
  type HealthCondition,
  isNotice,
  type NoticeCode,
} from "../../domain/conditions/registry.ts";
import { deepEqual } from "../../domain/equality.ts";
import { trackConditions, withoutOldNews } from "./rules/track.ts";
import { isDecided } from "../../app/bookings/booking-alerts.ts";
import { type Check, listDaemonConditionsInSteps } from "../../app/operations/conditions.ts";
import type { Runtime } from "../../app/runtime.ts";
import { createAlertStore } from "./store.ts";

const MINUTE_MS = 60_000;
/**
 * Ticks come each second. A pause of this length between two ticks shows that the process was
 * suspended.
 */
const SUSPENDED_MS = 30_000;
/**
 * How long a resumed process may take to catch up. Deliveries must also have been due for this long
 * before the condition `delivery.stalled` begins.
 */
const CATCH_UP_MS = 2 * MINUTE_MS;

type StoredNotice = { key: string; value: HealthCondition<NoticeCode> };

/** Checks the health conditions, logs when one begins or ends, and tracks the causes of alerts. */
export class ConditionWatch {
  readonly #rt: Runtime;
  readonly #checks: readonly Check[];
  #causes: readonly Cause[];
  /** The conditions that the last check found. */
  #found: HealthCondition[] = [];
  /** The notices that were handled, but are not deleted yet. */
  #handled: readonly StoredNotice[] = [];
  /** Why the last check failed, or that there was none yet; undefined if it succeeded. */
  #checkError: string | undefined = "not checked yet";
  /**
   * When `tick` was last called (epoch ms). The wall clock is used, because the monotonic clock may
   * stop while the machine sleeps.
   */
  #tickedAt: number;
  /** When the process last resumed after a suspension (epoch ms); -Infinity if it never did. */
  #resumedAt = -Infinity;

  constructor(rt: Runtime, checks: readonly Check[]) {
    this.#rt = rt;
    this.#checks = checks;
    this.#causes = rt
      .openStore(createAlertStore)
      .list<Cause>("cause")
      .map(({ value }) => value);
    this.#tickedAt = rt.now();
  }

  get causes(): readonly Cause[] {
    return this.#causes;
  }

  get handledNotices(): readonly StoredNotice[] {
    return this.#handled;
  }

  /**
   * Whether the last check succeeded and found nothing critical. Notices do not count: they tell of
   * what has happened, not of what is wrong now.
   */
  get isHealthy(): boolean {
    return (
      this.#checkError === undefined && !this.#found.some(({ severity }) => severity === "critical")
    );
  }

  listFiring(): Cause[] {
    return this.#causes.filter(({ status }) => status === "FIRING");
  }

  /** Records whether the process was suspended since the last call. Call it each second. */
  tick(): void {
    const now = this.#rt.now();
    if (now - this.#tickedAt >= SUSPENDED_MS) this.#resumedAt = now;
    this.#tickedAt = now;
  }

  /**
   * Returns the alerts to send. A failing check must not end the daemon, which sends webhooks.
   * @param pause called after the check of each condition; if it resolves to false, the check ends
   *   without alerts, and the causes stay as they are
   */
  async check(pause: () => Promise<boolean>): Promise<Alert[]> {
    try {
      const alerts = await this.#findAlerts(pause);
      this.#checkError = undefined;
      return alerts;
    } catch (error) {
      const reason = errorInWords(error);
      if (reason !== this.#checkError)
        this.#rt.log("error", "The health conditions could not be checked.", { reason });
      this.#checkError = reason;
      return [];
    }
  }

  async #findAlerts(pause: () => Promise<boolean>): Promise<Alert[]> {
    const rt = this.#rt;
    const conditions = await listDaemonConditionsInSteps(rt, this.#checks, pause);
    // `conditions` is undefined if the alerts were stopped during a pause.
    if (conditions === undefined) return [];
    // The process may have been suspended while the conditions were checked.
    this.tick();
    const notices = rt.openStore(createAlertStore).list<StoredNotice["value"]>("notice");
    const isHandled = (notice: StoredNotice) =>
      this.#handled.some((handled) => deepEqual(handled, notice));
    const newNotices = notices.filter((notice) => !isHandled(notice));
    this.#found = conditions.filter((condition) => this.#isReported(condition));
    const found = [...this.#found, ...newNotices.map(({ value }) => value)];
    const causes = withoutOldNews(this.#causes, (notice) => isDecided(rt, notice));
    const tracked = trackConditions(causes, found, rt.now());
    this.#handled = notices;
    this.#causes = tracked.causes;
    for (const condition of tracked.began) logBeginning(rt, condition);
    for (const condition of tracked.ended) logEnd(rt, condition);
    return tracked.alerts;
  }

  /**
   * Returns whether to report a condition. Lateness that begins soon after a suspension is not
   * reported, because the process had no time to do its work.
   */
  #isReported(condition: HealthCondition): boolean {
    if (this.#rt.now() - this.#resumedAt >= CATCH_UP_MS) return true;
    if (!conditionKind(condition.code).isLateness) return true;
    const fingerprint = fingerprintOf(condition);
    return this.#causes.some(({ members }) =>
      members.some((member) => member.isOpen && member.fingerprint === fingerprint),
    );
  }

  /** Empties the list of handled notices. Call it when they have been deleted. */
  forgetHandled(): void {
    this.#handled = [];
  }
}

const logFields = ({ code, severity, business, subject }: HealthCondition<AlertCode>) => ({
  code,
  severity,
  business,
  subject: subject?.id ?? null,
});

function logBeginning({ log }: Runtime, condition: HealthCondition<AlertCode>): void {
  const { code, severity, text, command } = condition;
  const level = isNotice(code) ? "info" : severity === "critical" ? "error" : "warn";
  log(level, text, { ...logFields(condition), fix: command });
}

function logEnd({ log }: Runtime, condition: HealthCondition<AlertCode>): void {
  if (!isNotice(condition.code)) log("info", `ended: ${condition.text}`, logFields(condition));
}
