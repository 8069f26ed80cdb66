import { type Alert, type Cause, toAlert } from "./rules/alert.ts";
import { isNotice } from "../../domain/conditions/registry.ts";
import { shownStatus } from "./rules/formats.ts";
import type { Runtime } from "../../app/runtime.ts";
import { createAlertStore } from "./store.ts";

export type ListedAlert = Alert & {
  /**
   * When the last condition of the cause ended, as an ISO time; null while a condition is open,
   * after RESOLVED was sent, and for notices.
   */
  clearSince: string | null;
  /** The channels that have not accepted the alert yet. */
  waitingFor: string[];
};

/**
 * Returns the last alert of each cause: first the firing ones, then the notices and resolved alerts
 * of the last week.
 */
export function listAlerts(rt: Runtime): ListedAlert[] {
  const stored = rt.openStore(createAlertStore);
  const unsent = stored.list<{ channel: string; alert: Alert }>("unsent");
  return (
    stored
      .list<Cause>("cause")
      .map(({ value: cause }) => ({
        ...toAlert(cause, cause.status, cause.alertedAt ?? cause.since),
        clearSince: clearSinceOf(cause),
        waitingFor: unsent
          .filter(({ value }) => value.alert.fingerprint === cause.fingerprint)
          .map(({ value }) => value.channel),
      }))
      // The alphabetical order of FIRING, NOTICE and RESOLVED is the order in which they are
      // listed.
      .toSorted((a, b) => shownStatus(a).localeCompare(shownStatus(b)) || b.at.localeCompare(a.at))
  );
}

function clearSinceOf({ status, clearSince, members }: Cause): string | null {
  const isAboutNotice = members.some(({ condition }) => isNotice(condition.code));
  return status === "RESOLVED" || clearSince === null || isAboutNotice
    ? null
    : new Date(clearSince).toISOString();
}
