import {
  fingerprintOf,
  type HealthCondition,
  type NoticeCode,
} from "../domain/conditions/registry.ts";
import { FEATURES } from "../features/index.ts";
import type { Runtime } from "./runtime.ts";

/**
 * Stores an alert about something that has happened. Call it in the transaction that writes what
 * has happened: the alert is sent if the transaction commits, even if another process commits it or
 * no daemon runs yet.
 */
export function notify(rt: Runtime, notice: HealthCondition<NoticeCode>): void {
  if (FEATURES.some(({ takesNotices }) => takesNotices))
    rt.store.notices.put(fingerprintOf(notice), notice);
}
