import { type ValuesIn, listOfFeatures } from "../features/index.ts";

const CORE_ACTIONS = [
  "key.created",
  "key.updated",
  "key.rotated",
  "key.revoked",
  "key.expired",
  "endpoint.created",
  "endpoint.updated",
  "endpoint.deleted",
  "endpoint.enabled",
  "endpoint.disabled",
  "endpoint.secret_rotated",
  "endpoint.secret_rotation_finished",
  "catalog.applied",
  "catalog.edited",
  "dish.sold_out",
  "dish.available",
  "business.deleted",
  "booking.created",
  "booking.approved",
  "booking.declined",
  "booking.cancelled",
  "booking.rescheduled",
  "booking.completed",
  "booking.no_show",
  "booking.updated",
  "booking.notice_ignored",
  "reservation.created",
  "reservation.approved",
  "reservation.declined",
  "reservation.cancelled",
  "reservation.rescheduled",
  "reservation.completed",
  "reservation.no_show",
  "reservation.updated",
  "reservation.notice_ignored",
  "time_off.created",
  "time_off.deleted",
  "master_key.rotated",
  "backup.restored",
] as const;
export type AuditAction = (typeof CORE_ACTIONS)[number] | ValuesIn<"auditActions">;

/** Returns the names of all audit actions. The names are stable, because scripts filter by them. */
export const listAuditActions = (): AuditAction[] => [
  ...CORE_ACTIONS,
  ...listOfFeatures("auditActions"),
];

/** Who makes a change. */
export type Actor = {
  /** `cli`: a user of this machine; `http`: an API key, desk or alert link; `daemon`: deskbell. */
  via: "cli" | "http" | "daemon";
  /** `uid:1000` for a user; the ID of the API key, desk or alert link; or `daemon`. */
  id: string;
  /**
   * The name of the API key, desk or system user, or of the user who ran sudo; `alert link` for an
   * alert link; null for the daemon, and for a key or user without a name.
   */
  name: string | null;
  /** The client's address; null unless `via` is `http`. */
  address: string | null;
};

export const DAEMON: Actor = { via: "daemon", id: "daemon", name: null, address: null };
