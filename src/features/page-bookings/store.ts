import { columns, type Db, insertInto, parseOptional } from "../../store/database/db.ts";
import { END_OF_ORDERED_EVENT } from "../../store/event-end.ts";

/** The API key of a page. */
export type PageKeyRow = {
  businessId: string;
  keyId: string;
  /** When the page last refused a visit because unconfirmed visits and holds fill its share. */
  shareRefusedAt: number | null;
};

/** A visit or order that its guest can see by links, or a hold that a link in a mail confirms. */
export type PageVisitRow = {
  visitId: string;
  businessId: string;
  language: string;
  /**
   * Whether the visit was booked at once: neither the business nor a mailbox at a mail provider has
   * confirmed it. The value is true for a hold.
   */
  unconfirmed: boolean;
  /** Whether a mailbox at a large mail provider has confirmed the visit. */
  hasMailbox: boolean;
};

const VISIT = "visit_id, business_id, language, unconfirmed, has_mailbox";
/** The most links to a visit: each mail to its guest has a link of its own. */
const MAX_LINKS = 10;

const parse = (raw: unknown): PageVisitRow => {
  const row = raw as Omit<PageVisitRow, "unconfirmed" | "hasMailbox"> & {
    unconfirmed: number;
    hasMailbox: number;
  };
  return { ...row, unconfirmed: row.unconfirmed === 1, hasMailbox: row.hasMailbox === 1 };
};

const endOf = (table: string) => `(SELECT ends_at FROM ${table} WHERE id = visit_id)`;

export function createPageBookingStore(db: Db) {
  const selectKey = db.prepare("SELECT key_id FROM page_key WHERE business_id = ?").pluck();
  const insertKey = db.prepare(insertInto("page_key", "business_id, key_id"));
  const setRefused = db.prepare("UPDATE page_key SET share_refused_at = :at WHERE key_id = :keyId");
  const pages = `SELECT ${columns("business_id, key_id, share_refused_at")} FROM page_key`;
  const selectPages = db.prepare(`${pages} ORDER BY business_id`);
  const selectPage = db.prepare(`${pages} WHERE business_id = ?`);
  const insert = db.prepare(insertInto("page_visit", VISIT));
  const insertLink = db.prepare(
    `${insertInto("guest_link", "token_hash, visit_id, created_at")} ON CONFLICT DO NOTHING`,
  );
  const deleteOldLinks = db.prepare(`
    DELETE FROM guest_link WHERE visit_id = :visitId AND token_hash NOT IN (
      SELECT token_hash FROM guest_link WHERE visit_id = :visitId
      ORDER BY created_at DESC, token_hash LIMIT ${MAX_LINKS})`);
  const moveLinks = db.prepare("UPDATE guest_link SET visit_id = :to WHERE visit_id = :from");
  const selectByToken = db.prepare(`
    SELECT ${columns(VISIT)} FROM page_visit
    WHERE visit_id = (SELECT visit_id FROM guest_link WHERE token_hash = ?)`);
  const selectByVisit = db.prepare(`SELECT ${columns(VISIT)} FROM page_visit WHERE visit_id = ?`);
  const selectEndedHolds = db
    .prepare(`
      SELECT visit_id FROM page_visit JOIN hold ON id = visit_id
      WHERE status = 'USED' OR created_at <= ?`)
    .pluck();
  const selectByBusiness = db.prepare(
    `SELECT ${columns(VISIT)} FROM page_visit WHERE business_id = ? AND (unconfirmed = 1 OR has_mailbox = 1)`,
  );
  const count = db.prepare("SELECT count(*) FROM page_visit").pluck();
  const deleteEnded = db.prepare(`
    DELETE FROM page_visit
    WHERE coalesce(${endOf("booking")}, ${endOf("reservation")}, ${endOf("hold")}, ${END_OF_ORDERED_EVENT}, 0) < ?`);

  return {
    findKeyId: (businessId: string) => selectKey.get(businessId) as string | undefined,
    insertKey: (businessId: string, keyId: string) => void insertKey.run({ businessId, keyId }),
    setRefused: (keyId: string, at: number) => void setRefused.run({ keyId, at }),
    listPages: () => selectPages.all() as PageKeyRow[],
    findPage: (businessId: string) => selectPage.get(businessId) as PageKeyRow | undefined,
    insert: (row: PageVisitRow) =>
      void insert.run({
        ...row,
        unconfirmed: row.unconfirmed ? 1 : 0,
        hasMailbox: row.hasMailbox ? 1 : 0,
      }),
    /** Adds a link to a visit. If there are too many links, the oldest one ends. */
    insertLink(visitId: string, tokenHash: Buffer, createdAt: number): void {
      insertLink.run({ visitId, tokenHash, createdAt });
      deleteOldLinks.run({ visitId });
    },
    /** Makes the links to a hold lead to the visit that was made from the hold. */
    moveLinks: (from: string, to: string) => void moveLinks.run({ from, to }),
    findByToken: (tokenHash: Buffer) => parseOptional(selectByToken.get(tokenHash), parse),
    findByVisit: (visitId: string) => parseOptional(selectByVisit.get(visitId), parse),
    /**
     * Returns the IDs of the holds that a link in a mail can no longer confirm: they were used, or
     * were made at `madeUntil` or before.
     */
    listEndedHolds: (madeUntil: number) => selectEndedHolds.all(madeUntil) as string[],
    /** Returns the rows of a business in which `unconfirmed` or `hasMailbox` is true. */
    listMarked: (businessId: string) => selectByBusiness.all(businessId).map(parse),
    count: () => count.get() as number,
    /** Deletes the links to visits that ended before a time, and to visits that are gone. */
    deleteEndedBefore: (time: number) => void deleteEnded.run(time),
  };
}
