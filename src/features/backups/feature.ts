import type { Feature } from "../feature.ts";

/** Backups of the data, their copies in other places, and restores of them. */
export const backups = {
  name: "backups",
  commands: [
    {
      name: "backup",
      about: "Create, list and verify backups. Without a subcommand, create one.",
      heading: "Backups",
      after: null,
      load: () => import("./commands/backup.ts"),
    },
    {
      name: "restore",
      about: "Restore a backup (the daemon must be stopped). The current data is kept as a copy.",
      heading: "Backups",
      after: "backup",
      load: () => import("./commands/restore.ts"),
    },
    {
      name: "handover",
      about: "Stop this server so that another one continues, and nothing is lost.",
      heading: "Backups",
      after: "restore",
      load: () => import("./commands/handover.ts"),
    },
  ],
  conditions: {
    "backup.failed": { severity: "warning", about: "backup" },
    "backup.overdue": { severity: "warning", about: "backup", coveredBy: ["backup.failed"] },
    "backup.unshipped": { severity: "warning", about: "backup" },
    "backup.drill_failed": { severity: "warning", about: "backup" },
    "backup.untagged": { severity: "warning", about: "backup" },
    "backup.damaged": { severity: "warning", about: "backup" },
    "server.replaced": { severity: "info", about: "daemon", covers: ["daemon.stopped"] },
    "events.altered": { severity: "warning", about: "database" },
  },
  checks: () => import("./conditions.ts"),
  damage: () => import("./conditions.ts"),
  schedule: () => import("./schedule.ts"),
  daemon: () => import("./daemon.ts"),
  status: () => import("./commands/status.ts"),
  doctor: () => import("./doctor.ts"),
  metrics: () => import("./metrics.ts"),
  alertingRules: () => import("./alerting-rules.ts"),
  copyTimes: () => import("./metrics.ts"),
  erasedGuests: () => import("./with-guests.ts"),
  variants: [{ command: "doctor", load: () => import("./commands/doctor-standby.ts") }],
} as const satisfies Feature;
