import { columns, type Db, insertInto, parseOptional } from "../../store/database/db.ts";
import { parseJson } from "../../store/database/storage-error.ts";
import type { MailFacts, MailKind, MailStatus } from "./rules.ts";

/** Times are epoch milliseconds. */
export type MailRow = {
  id: string;
  businessId: string;
  /** The ID of a visit, order or hold. */
  visitId: string;
  kind: MailKind;
  facts: MailFacts;
  status: MailStatus;
  /** Why the mail was not sent, or why its last attempt failed; null if neither happened. */
  reason: string | null;
  attempts: number;
  /** When a waiting mail is tried next; null for other mails. */
  nextAttemptAt: number | null;
  createdAt: number;
  expiresAt: number;
  endedAt: number | null;
};

export type MailState = {
  /** Visits that start up to this time have their reminders (epoch ms). */
  remindedUntil: number;
  /**
   * When the first of the failures in a row happened (epoch ms); null if the mail server answers.
   */
  failingSince: number | null;
  /** Failures of the mail server in a row. */
  failures: number;
  /** The last failure; null if the mail server answers. */
  error: string | null;
  /** The number of all mails so far with each outcome. */
  sent: number;
  failed: number;
  discarded: number;
};

export type UnsentMails = {
  businessId: string;
  reason: string | null;
  count: number;
};

const MAIL = `id, business_id, visit_id, kind, facts, status, reason, attempts, next_attempt_at, created_at,
  expires_at, ended_at`;
const STATE = "reminded_until, failing_since, failures, error, sent, failed, discarded";

const parse = (raw: unknown): MailRow => {
  const row = raw as Omit<MailRow, "facts"> & { facts: string };
  return { ...row, facts: parseJson(row.facts, "guest_mail.facts") as MailFacts };
};

const CLEAR_FAILURE =
  "UPDATE guest_mail_state SET failing_since = NULL, failures = 0, error = NULL";

/** The statements of a daemon without mail, which discards the mails of an earlier daemon. */
export function createDiscardStore(db: Db) {
  const isNeeded = db
    .prepare(`
      SELECT EXISTS (SELECT 1 FROM guest_mail WHERE status = 'WAITING')
        OR EXISTS (SELECT 1 FROM guest_mail_state WHERE failures > 0)`)
    .pluck();
  const discard = db.prepare(`
    UPDATE guest_mail SET status = 'DISCARDED', reason = 'mail is off', next_attempt_at = NULL, ended_at = ?
    WHERE status = 'WAITING'`);
  const addDiscarded = db.prepare("UPDATE guest_mail_state SET discarded = discarded + ?");
  const clearFailure = db.prepare(CLEAR_FAILURE);

  return {
    /** Returns whether mails wait, or the mail server has failed. */
    isNeeded: () => isNeeded.get() === 1,
    /** Discards the mails that wait, and forgets failures. Returns the number of mails. */
    discard(at: number): number {
      const { changes } = discard.run(at);
      addDiscarded.run(changes);
      clearFailure.run();
      return changes;
    },
  };
}

export function createGuestMailStore(db: Db) {
  const insert = db.prepare(insertInto("guest_mail", MAIL));
  // A new mail waits for the earlier mails about its visit, so those earlier mails become due at
  // once.
  const bringForward = db.prepare(`
    UPDATE guest_mail SET next_attempt_at = min(next_attempt_at, :createdAt)
    WHERE visit_id = :visitId AND status = 'WAITING'`);
  const select = db.prepare(`SELECT ${columns(MAIL)} FROM guest_mail WHERE id = ?`);
  // A guest must read the last state of a visit last, so a mail waits for the earlier ones about the
  // same visit. A clock that is set changes the order of IDs and times, but not that of row IDs.
  const selectDue = db.prepare(`
    SELECT ${columns(MAIL)} FROM guest_mail mail
    WHERE status = 'WAITING' AND next_attempt_at <= :now AND NOT EXISTS (
      SELECT 1 FROM guest_mail earlier
      WHERE earlier.visit_id = mail.visit_id AND earlier.status = 'WAITING' AND earlier.rowid < mail.rowid)
    ORDER BY next_attempt_at, id LIMIT :limit`);
  const selectWaiting = db.prepare(`
    SELECT ${columns(MAIL)} FROM guest_mail WHERE visit_id = ? AND status = 'WAITING' ORDER BY rowid`);
  const remove = db.prepare("DELETE FROM guest_mail WHERE id = ?");
  const attempt = db.prepare(`
    UPDATE guest_mail SET attempts = attempts + 1, next_attempt_at = :nextAttemptAt
    WHERE id = :id AND status = 'WAITING'`);
  const postpone = db.prepare(`
    UPDATE guest_mail SET next_attempt_at = :nextAttemptAt, reason = :reason
    WHERE id = :id AND status = 'WAITING'`);
  const end = db.prepare(`
    UPDATE guest_mail SET status = :status, reason = :reason, next_attempt_at = NULL, ended_at = :at
    WHERE id = :id AND status = 'WAITING'`);
  // The column `subject` has a hash of what a limit counts, not the subject line of a mail.
  const countOfHash = db
    .prepare("SELECT count(*) FROM guest_mail_count WHERE subject = :subject AND at > :since")
    .pluck();
  const insertCount = db.prepare(insertInto("guest_mail_count", "subject, at"));
  const selectState = db.prepare(`SELECT ${columns(STATE)} FROM guest_mail_state`);
  const insertState = db.prepare(
    "INSERT OR IGNORE INTO guest_mail_state (id, reminded_until) VALUES (1, ?)",
  );
  const saveReminded = db.prepare("UPDATE guest_mail_state SET reminded_until = ?");
  const saveFailure = db.prepare(`
    UPDATE guest_mail_state SET failing_since = coalesce(failing_since, :at), failures = failures + 1, error = :error`);
  const clearFailure = db.prepare(CLEAR_FAILURE);
  const counters = {
    SENT: db.prepare("UPDATE guest_mail_state SET sent = sent + 1"),
    FAILED: db.prepare("UPDATE guest_mail_state SET failed = failed + 1"),
    DISCARDED: db.prepare("UPDATE guest_mail_state SET discarded = discarded + 1"),
  };

  return {
    insert(row: MailRow): void {
      insert.run({ ...row, facts: JSON.stringify(row.facts) });
      if (row.status === "WAITING")
        bringForward.run({ visitId: row.visitId, createdAt: row.createdAt });
      else counters[row.status].run();
    },
    find: (id: string) => parseOptional(select.get(id), parse),
    /**
     * Lists the mails that are due. If several mails about one visit wait, only the first of them
     * is listed.
     */
    listDue: (now: number, limit: number) => selectDue.all({ now, limit }).map(parse),
    /** Lists the mails about a visit that wait, in the order in which they are sent. */
    listWaiting: (visitId: string) => selectWaiting.all(visitId).map(parse),
    /** Deletes a mail. The sender stops if it is sending the mail. */
    remove: (id: string) => void remove.run(id),
    /**
     * Records that an attempt begins. If this process dies, the mail is tried again at
     * `nextAttemptAt`.
     */
    startAttempt: (id: string, nextAttemptAt: number) => void attempt.run({ id, nextAttemptAt }),
    postpone: (id: string, nextAttemptAt: number, reason: string) =>
      void postpone.run({ id, nextAttemptAt, reason }),
    /** Ends a mail that waits. Does nothing if the mail was erased. */
    end(id: string, status: Exclude<MailStatus, "WAITING">, reason: string | null, at: number) {
      if (end.run({ id, status, reason, at }).changes > 0) counters[status].run();
    },
    /** Returns how many mails a limit has counted since a time. */
    count: (hash: Buffer, since: number) => countOfHash.get({ subject: hash, since }) as number,
    insertCount: (hash: Buffer, at: number) => void insertCount.run({ subject: hash, at }),
    findState: () => selectState.get() as MailState | undefined,
    createState: (remindedUntil: number) => void insertState.run(remindedUntil),
    saveReminded: (until: number) => void saveReminded.run(until),
    saveFailure: (error: string, at: number) => void saveFailure.run({ error, at }),
    clearFailure: () => void clearFailure.run(),
  };
}

/** The statements for reports about mails to the operator, and for the export of guest data. */
export function createReportStore(db: Db) {
  const selectState = db.prepare(`SELECT ${columns(STATE)} FROM guest_mail_state`);
  const countWaiting = db
    .prepare("SELECT count(*) FROM guest_mail WHERE status = 'WAITING'")
    .pluck();
  const selectUnsent = db.prepare(`
    SELECT ${columns("business_id, reason")}, count(*) AS count FROM guest_mail
    WHERE status IN ('FAILED', 'DISCARDED') AND ended_at > ? GROUP BY 1, 2 ORDER BY 1, 2`);
  const selectByVisit = db.prepare(
    `SELECT ${columns(MAIL)} FROM guest_mail WHERE visit_id = ? ORDER BY created_at, id`,
  );
  const selectNewest = db.prepare(`
    SELECT ${columns(MAIL)} FROM guest_mail
    WHERE (:businessId IS NULL OR business_id = :businessId)
      AND (:unsent = 0 OR status IN ('FAILED', 'DISCARDED'))
    ORDER BY created_at DESC, id DESC LIMIT :limit`);
  const deleteCounts = db.prepare("DELETE FROM guest_mail_count WHERE at <= ?");

  return {
    findState: () => selectState.get() as MailState | undefined,
    countWaiting: () => countWaiting.get() as number,
    /** Returns how many mails ended unsent since a time, by business and reason. */
    listUnsent: (since: number) => selectUnsent.all(since) as UnsentMails[],
    listByVisit: (visitId: string) => selectByVisit.all(visitId).map(parse),
    /** Lists the newest mails. @param filter.businessId null for all businesses */
    list: ({ unsent, ...filter }: { businessId: string | null; unsent: boolean; limit: number }) =>
      selectNewest.all({ ...filter, unsent: unsent ? 1 : 0 }).map(parse),
    deleteCountsUntil: (time: number) => void deleteCounts.run(time),
  };
}

/** A confirmed visit or order of which the guest is reminded. Times are epoch milliseconds. */
export type UpcomingVisit = {
  id: string;
  businessId: string;
  /** The API key that made the visit or order; null if a command did. */
  createdByKey: string | null;
  version: number;
  startsAt: number;
  endsAt: number;
  cancelUntil: number;
};

export function createUpcomingStore(db: Db) {
  const visits = (table: string) => `
    SELECT ${columns("id, created_by_key, version, starts_at, ends_at, cancel_until")},
      v.business_id AS businessId
    FROM page_visit v JOIN ${table} ON id = visit_id
    WHERE status = 'CONFIRMED' AND starts_at > :from AND starts_at <= :to`;
  // No mail about an order says until when it can be cancelled, so the start of the event stands in
  // for `cancel_until`.
  const select = db.prepare(`
    ${visits("booking")} UNION ALL ${visits("reservation")} UNION ALL
    SELECT o.id, o.created_by_key AS createdByKey, o.version, e.doc ->> 'startsAt', e.doc ->> 'endsAt',
      e.doc ->> 'startsAt', v.business_id AS businessId
    FROM page_visit v JOIN ticket_order o ON o.id = v.visit_id JOIN catalog_object e ON e.id = o.event_id
    WHERE o.status = 'CONFIRMED' AND e.doc ->> 'status' = 'PUBLISHED'
      AND e.doc ->> 'startsAt' > :from AND e.doc ->> 'startsAt' <= :to`);

  return {
    /** Lists the visits and orders that begin after `from`, and at `to` or earlier. */
    list: (from: number, to: number) => select.all({ from, to }) as UpcomingVisit[],
  };
}
