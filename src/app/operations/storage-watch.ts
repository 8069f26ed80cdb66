import type { Runtime } from "../runtime.ts";
import { type Alert, makeServerAlert } from "../webhooks/alerts.ts";
import type { ConditionCode } from "../../domain/conditions/registry.ts";
import { checkStorage } from "./health-conditions.ts";

/** Until the same alert is sent again. */
const ALERT_INTERVAL_MS = 3_600_000;

/** Returns a function that reports when the disk is almost full, full, or without the database. */
export function createStorageWatch(rt: Runtime, onAlert: (alert: Alert) => void): () => void {
  let open: ConditionCode | undefined;
  const alertedAt = new Map<ConditionCode, number>();

  return () => {
    const [found] = checkStorage(rt);
    if (found?.code === open) return;
    if (found === undefined) rt.log("info", "The storage has recovered.", { ended: open ?? null });
    open = found?.code;
    if (found === undefined) return;
    const lastAt = alertedAt.get(found.code) ?? -Infinity;
    if (rt.monotonic() - lastAt < ALERT_INTERVAL_MS)
      return rt.log("warn", found.text, { type: found.code });
    alertedAt.set(found.code, rt.monotonic());
    onAlert(makeServerAlert(rt, found.code, `${found.text} Fix: ${found.command}`));
  };
}
