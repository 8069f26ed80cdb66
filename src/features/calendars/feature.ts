import type { Feature } from "../feature.ts";

/** Calendar feeds (iCal) of a business or a staff member, for phones. */
export const calendars = {
  name: "calendars",
  commands: [
    {
      name: "calendars",
      about: "Create, list and revoke calendar feeds (iCal) for the phones of staff.",
      heading: "Visits and tickets",
      after: "time-off",
      load: () => import("./commands.ts"),
    },
  ],
  routes: () => import("./routes.ts"),
  conditions: {
    "calendar.full": { severity: "warning", about: "booking" },
    "calendar.former_url": { severity: "info", about: "booking" },
  },
  checks: () => import("./conditions.ts"),
  idPrefixes: ["cal"],
  auditActions: ["calendar.created", "calendar.revoked"],
  // A restore of an untrusted backup compares the active calendars of the backup with the database
  // in use. If this database lacks a calendar, or has it with other `rights`, the restore revokes
  // the calendar and records the action in `revoked` in the audit log.
  access: {
    calendar: {
      table: "calendar",
      rights: ["business_id", "staff_id", "with_guests", "token_hash"],
      isActive: ({ revoked_at }) => revoked_at === null,
      revokedAt: "revoked_at",
      revoked: "calendar.revoked",
    },
  },
} as const satisfies Feature;
