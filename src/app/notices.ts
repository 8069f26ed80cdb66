import {
  fingerprintOf,
  type HealthCondition,
  type NoticeCode,
} from "../domain/conditions/registry.ts";
import { FEATURES } from "../features/index.ts";
import type { Runtime } from "./runtime.ts";

/**
 * Stores an alert about something that has happened. Call it in the transaction that writes it: the
 * alert is sent if the transaction commits, also if it is made by another process or before the
 * daemon starts.
 */
export function notify(rt: Runtime, notice: HealthCondition<NoticeCode>): void {
  if (FEATURES.some(({ takesNotices }) => takesNotices))
    rt.store.notices.put(fingerprintOf(notice), notice);
}
