import type { HealthCondition, NoticeCode } from "../../domain/conditions/registry.ts";
import { fingerprintOf } from "../../domain/conditions/track.ts";
import type { Runtime } from "../runtime.ts";

/**
 * Sends an alert about something that has happened. Call it in the transaction that writes it: the
 * alert is sent if the transaction commits, also if it is made by another process or before the
 * daemon starts.
 */
export const notify = (rt: Runtime, notice: HealthCondition<NoticeCode>): void =>
  rt.store.alertState.put("notice", fingerprintOf(notice), notice);
