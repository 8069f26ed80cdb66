import type { Feature } from "../feature.ts";

/** Reports health conditions and notices by chat or mail, and sends a heartbeat. */
export const alerts = {
  name: "alerts",
  uses: ["desk"],
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
  openSince: () => import("./conditions.ts"),
  notices: {
    "alert.test": { severity: "info", about: "alerts" },
    "alert.message": { severity: "warning", about: "alerts" },
    /** The daemon has ended, or refuses to start. */
    "daemon.failed": { severity: "critical", about: "daemon" },
  },
  takesNotices: true,
  // A restored alert would be old, and may have been sent since the backup.
  emptiedByRestore: ["alert_state"],
} as const satisfies Feature;
