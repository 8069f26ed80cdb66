import type { Feature } from "../feature.ts";

/** A page for the people in the shop, on phones that a secret link has paired. */
export const desk = {
  name: "desk",
  uses: ["guest-mail", "public-pages", "tickets"],
  commands: [
    {
      name: "desk",
      about: "Create, list and revoke desks: the page of the day for the people in the shop.",
      heading: "Visits and tickets",
      after: "time-off",
      load: () => import("./commands/desk.ts"),
    },
  ],
  pages: () => import("./pages.ts"),
  retention: () => import("./retention.ts"),
  status: () => import("./commands/status.ts"),
  metrics: () => import("./metrics.ts"),
  idPrefixes: ["dsk", "ddv", "alk"],
  auditActions: [
    "desk.created",
    "desk.link_created",
    "desk.paired",
    "desk.revoked",
    "desk.device_revoked",
  ],
  // A restore of an untrusted backup compares the active desks of the backup with the database in
  // use. If this database lacks a desk, or has it with other `rights`, the restore revokes the desk
  // and records the action in `revoked` in the audit log.
  access: {
    desk: {
      table: "desk",
      rights: ["business_id", "staff_id", "allow"],
      isActive: ({ revoked_at }) => revoked_at === null,
      revokedAt: "revoked_at",
      revoked: "desk.revoked",
    },
  },
  // A restore empties these tables, because a backup may have links and devices that were used or
  // revoked after it was made.
  emptiedByRestore: ["alert_link", "desk_action", "desk_device", "desk_link"],
} as const satisfies Feature;
