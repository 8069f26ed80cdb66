import {
  fingerprintOf,
  type HealthCondition,
  type NoticeCode,
} from "../domain/conditions/registry.ts";
import { FEATURES } from "../features/index.ts";
import type { Runtime } from "./runtime.ts";

/**
 * Stores an alert about something that has happened. Any process can call it, in the transaction
 * that writes what has happened. The daemon sends the alert after the commit, or once the daemon is
 * started.
 */
export function notify(rt: Runtime, notice: HealthCondition<NoticeCode>): void {
  if (FEATURES.some(({ takesNotices }) => takesNotices))
    rt.store.notices.put(fingerprintOf(notice), notice);
}
