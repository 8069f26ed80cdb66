import { type Alert, type Cause, toAlert } from "../../domain/conditions/alert.ts";
import type { Runtime } from "../runtime.ts";

export type ListedAlert = Alert & {
  /** The channels that have not accepted it yet. */
  waitingFor: string[];
};

/** Returns the last alert of each cause: those that are firing first, then those of the last week. */
export function listAlerts(rt: Runtime): ListedAlert[] {
  const { alertState } = rt.store;
  const unsent = alertState.list<{ channel: string; alert: Alert }>("unsent");
  return alertState
    .list<Cause>("cause")
    .map(({ value: cause }) => ({
      ...toAlert(cause, cause.status, cause.alertedAt ?? cause.since),
      waitingFor: unsent
        .filter(({ value }) => value.alert.fingerprint === cause.fingerprint)
        .map(({ value }) => value.channel),
    }))
    .toSorted((a, b) => a.status.localeCompare(b.status) || b.at.localeCompare(a.at));
}
