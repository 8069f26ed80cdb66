import type { Db } from "./database/db.ts";

/**
 * What happens to each column with a time when the wall clock jumps.
 * - `shifted`: the end or beginning of a period, which keeps its length. The creation of a hold, or
 *   of a reply for an Idempotency-Key, begins the time for which the row counts or is kept.
 * - `delivery`: a time that the delivery thread shifts, with the due times in its memory.
 * - `calendar`: a time that people have agreed on, such as the start of a visit.
 * - `record`: when something happened, by the clock of that moment.
 */
export const CLOCK_COLUMNS: Record<string, "shifted" | "delivery" | "calendar" | "record"> = {
  "alert_link.expires_at": "shifted",
  "api_key.browser_seen_at": "record",
  "api_key.created_at": "record",
  "api_key.ended_at": "record",
  "api_key.expires_at": "calendar",
  "api_key.last_used_at": "record",
  "api_key.revoked_at": "record",
  "api_key_secret.created_at": "record",
  "api_key_secret.expires_at": "shifted",
  "api_key_secret.repeats_until": "shifted",
  "attempt.at": "record",
  "audit_entry.at": "record",
  "audit_retention.kept_since": "record",
  "booking.cancel_until": "calendar",
  "booking.created_at": "record",
  "booking.decide_by": "shifted",
  "booking.ends_at": "calendar",
  "booking.starts_at": "calendar",
  "booking.updated_at": "record",
  "booking_segment.ends_at": "calendar",
  "booking_segment.starts_at": "calendar",
  "booking_segment.visit_starts_at": "calendar",
  "business.created_at": "record",
  "business.next_transition_at": "calendar",
  "business.told_until": "calendar",
  "business.updated_at": "record",
  "calendar.created_at": "record",
  "calendar.cut_at": "record",
  "calendar.former_url_read_at": "record",
  "calendar.revoked_at": "record",
  "catalog_change.at": "record",
  "daemon.certificate_expires_at": "calendar",
  "daemon.started_at": "record",
  "delivery.created_at": "record",
  "delivery.delivered_at": "record",
  "delivery.next_attempt_at": "delivery",
  "desk.created_at": "record",
  "desk.revoked_at": "record",
  "desk_action.at": "shifted",
  "desk_device.expires_at": "shifted",
  "desk_device.paired_at": "record",
  "desk_device.used_at": "record",
  "desk_link.expires_at": "shifted",
  "destination.behind_since": "record",
  "destination.created_at": "record",
  "destination.recreated_at": "record",
  "destination.updated_at": "record",
  "destination_skip.at": "record",
  "endpoint.created_at": "record",
  "endpoint.deleted_at": "record",
  "endpoint.disable_at": "shifted",
  "endpoint.failing_since": "shifted",
  "endpoint.held_until": "delivery",
  "endpoint.last_delivered_at": "record",
  "endpoint.recover_since": "record",
  "endpoint.status_since": "record",
  "endpoint.updated_at": "record",
  "endpoint.warned_at": "shifted",
  "endpoint_secret.created_at": "record",
  "endpoint_secret.expires_at": "shifted",
  "event.created_at": "record",
  "event_availability.due_at": "shifted",
  "event_availability.sent_at": "shifted",
  "guest_link.created_at": "record",
  "guest_mail.created_at": "record",
  "guest_mail.ended_at": "record",
  "guest_mail.expires_at": "shifted",
  "guest_mail.next_attempt_at": "shifted",
  "guest_mail_count.at": "shifted",
  "guest_mail_state.failing_since": "record",
  "guest_mail_state.reminded_until": "calendar",
  "history.cut_until": "record",
  "history.retention_at": "record",
  "hold.cancel_until": "calendar",
  "hold.created_at": "shifted",
  "hold.ends_at": "calendar",
  "hold.expires_at": "shifted",
  "hold.starts_at": "calendar",
  "idempotency.created_at": "shifted",
  "idempotency.ends_at": "shifted",
  "page_key.share_refused_at": "record",
  "partner.created_at": "record",
  "partner.deleted_at": "record",
  "partner_exclusion.excluded_at": "record",
  "representation.updated_at": "record",
  "reservation.cancel_until": "calendar",
  "reservation.created_at": "record",
  "reservation.decide_by": "shifted",
  "reservation.ends_at": "calendar",
  "reservation.starts_at": "calendar",
  "reservation.updated_at": "record",
  "server.log_kept_since": "record",
  "ticket.checked_in_at": "record",
  "ticket.created_at": "record",
  "ticket_order.created_at": "record",
  "ticket_order.expires_at": "shifted",
  "ticket_order.updated_at": "record",
  "time_off.created_at": "record",
  "time_off.ends_at": "calendar",
  "time_off.starts_at": "calendar",
  "unverified_request.at": "shifted",
  "verified_host.verified_at": "shifted",
  "visitor_action.made_at": "shifted",
};

/** Tables whose objects have a version. A shift raises it, because clients see the new time. */
const VERSIONED = new Set(["booking", "reservation", "ticket_order"]);

export function createClockStore(db: Db) {
  const find = db.prepare('SELECT source, offset_ms AS "offsetMs" FROM clock');
  const replace = db.prepare(
    "INSERT OR REPLACE INTO clock (id, source, offset_ms) VALUES (1, :source, :offsetMs)",
  );

  return {
    /** Returns the name of the monotonic clock, and how far the wall clock is ahead of it. */
    find: () => find.get() as { source: string; offsetMs: number } | undefined,
    replace: (source: string, offsetMs: number) => void replace.run({ source, offsetMs }),

    /** Shifts the stored times of all periods, whether or not they have ended. */
    shiftPeriods(byMs: number, now: number): void {
      for (const [name, kind] of Object.entries(CLOCK_COLUMNS)) {
        if (kind !== "shifted") continue;
        const [table = "", column = ""] = name.split(".");
        if (VERSIONED.has(table)) shiftVersioned(table, column, byMs, now);
        else
          db.prepare(
            `UPDATE ${table} SET ${column} = ${column} + :byMs WHERE ${column} IS NOT NULL`,
          ).run({ byMs });
      }
    },
  };

  /**
   * Shifts a time of pending objects; other objects no longer wait for the time. `updated_at` never
   * decreases within a business. The time to decide about a visit is not shifted beyond the start
   * of the visit. If the visit has already started by the new clock, that clock may be the wrong
   * one, so the time to decide is shifted in full.
   */
  function shiftVersioned(table: string, column: string, byMs: number, now: number): void {
    const shifted = `${column} + :byMs`;
    const capped = `iif(starts_at > :now, min(${shifted}, starts_at), ${shifted})`;
    db.prepare(`
      UPDATE ${table} SET ${column} = ${column === "decide_by" ? capped : shifted}, version = version + 1,
        updated_at = max(:now, (SELECT max(other.updated_at) FROM ${table} other
          WHERE other.business_id = ${table}.business_id))
      WHERE status = 'PENDING' AND ${column} IS NOT NULL`).run({ byMs, now });
  }
}
