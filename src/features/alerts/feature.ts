import type { Feature } from "../feature.ts";

/** Tells the operator of health conditions and notices by chat or mail, and of its own silence. */
export const alerts = {
  name: "alerts",
  commands: [
    {
      name: "alerts",
      about: "List alerts, and send a test through each channel.",
      heading: "Server",
      after: "status",
      load: () => import("./commands.ts"),
    },
  ],
  schedule: () => import("./schedule.ts"),
  failures: () => import("./failure-alert.ts"),
  conditions: { "alerts.failing": { severity: "warning", about: "alerts" } },
  checks: () => import("./conditions.ts"),
  begins: () => import("./conditions.ts"),
  notices: {
    "alert.test": { severity: "info", about: "alerts" },
    "alert.message": { severity: "warning", about: "alerts" },
    /** The daemon has ended, or refuses to start. */
    "daemon.failed": { severity: "critical", about: "daemon" },
  },
  takesNotices: true,
  // What a backup had not sent yet is old, and may have been sent since.
  emptiedByRestore: ["alert_state"],
} as const satisfies Feature;
