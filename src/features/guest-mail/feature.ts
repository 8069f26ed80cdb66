import type { Feature } from "../feature.ts";

/** Mails guests about their visits and orders. */
export const guestMail = {
  name: "guest-mail",
  uses: ["page-bookings", "public-pages", "calendars", "tickets"],
  commands: [
    {
      name: "guest-mail",
      about: "List the mails to guests: what was sent, what waits, and what failed.",
      heading: "Visits and tickets",
      after: "time-off",
      load: () => import("./commands/guest-mail.ts"),
    },
  ],
  schedule: () => import("./schedule.ts"),
  conditions: {
    "guest_mail.failing": { severity: "warning", about: "booking" },
    "guest_mail.unsent": { severity: "warning", about: "booking" },
  },
  checks: () => import("./conditions.ts"),
  status: () => import("./commands/status.ts"),
  metrics: () => import("./metrics.ts"),
  retention: () => import("./retention.ts"),
  guestRecords: () => import("./guest-records.ts"),
  idPrefixes: ["gml"],
  // A restore empties these tables, because a mail in the backup is old and may have been sent
  // since.
  emptiedByRestore: ["guest_mail", "guest_mail_count", "guest_mail_state"],
} as const satisfies Feature;
