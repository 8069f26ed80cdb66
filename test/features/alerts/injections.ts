import type { alerts } from "../../../src/features/alerts/feature.ts";
import { createAlertStore } from "../../../src/features/alerts/store.ts";
import type { Injection } from "../../support/conditions.ts";

export const injections: Record<keyof typeof alerts.conditions, Injection> = {
  "alerts.failing": (rt) => {
    const stored = rt.openStore(createAlertStore);
    const failure = { since: rt.now(), error: "HTTP 500" };
    rt.tx(() => stored.put("channel", "--alert-mail", failure));
    return () => rt.tx(() => stored.delete("channel", "--alert-mail"));
  },
};
