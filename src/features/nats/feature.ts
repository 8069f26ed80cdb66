import type { Feature } from "../feature.ts";

/** Publishes events to streams of NATS servers (JetStream). Such a stream is a destination. */
export const nats = {
  name: "nats",
  commands: [
    {
      name: "destinations",
      about: "Publish events to a stream of a NATS server (JetStream).",
      heading: "Partners",
      after: "deliveries",
      load: () => import("./commands/destinations.ts"),
    },
  ],
  conditions: {
    "destination.late": {
      severity: "warning",
      about: "destination",
      isLateness: true,
      coveredBy: ["master_key.missing", "master_key.wrong"],
    },
    "destination.recreated": { severity: "warning", about: "destination" },
    "destination.skipped": { severity: "warning", about: "destination" },
  },
  status: () => import("./commands/status.ts"),
  metrics: () => import("./metrics.ts"),
  schedule: () => import("./schedule.ts"),
  completion: () => import("./commands/completion.ts"),
  checks: () => import("./conditions.ts"),
  idPrefixes: ["dst"],
  auditActions: [
    "destination.created",
    "destination.updated",
    "destination.deleted",
    "destination.redelivered",
  ],
  secretTables: { destination: "create destinations again" },
  // A restore of an untrusted backup compares each destination of the backup with the database in
  // use. If the destination is missing there or has other rights, the restore deletes it, and the
  // audit log records the action in `revoked`.
  access: {
    destination: {
      table: "destination",
      rights: ["business_id", "url", "stream", "prefix", "events", "auth", "ca"],
      isActive: () => true,
      revokedAt: null,
      revoked: "destination.deleted",
    },
  },
} as const satisfies Feature;
