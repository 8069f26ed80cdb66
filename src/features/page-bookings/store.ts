import { columns, type Db, insertInto } from "../../store/database/db.ts";

/** The API key of a page. */
export type PageKeyRow = {
  businessId: string;
  keyId: string;
  /** When a visit was last refused because unconfirmed ones take too much of the free time. */
  shareRefusedAt: number | null;
};

/** The link of a guest to a visit. */
export type PageVisitRow = {
  visitId: string;
  businessId: string;
  language: string;
  /** Whether neither the business nor the guest's mailbox has confirmed the visit. */
  unconfirmed: boolean;
};

type RawRow = Omit<PageVisitRow, "unconfirmed"> & { unconfirmed: number };

const VISIT = "visit_id, business_id, language, unconfirmed";
const endOf = (table: string) => `(SELECT ends_at FROM ${table} WHERE id = visit_id)`;
/** The end of the event of a ticket order, or the order's last change if the event is gone. */
const END_OF_EVENT = `(
  SELECT coalesce((SELECT doc ->> 'endsAt' FROM catalog_object WHERE id = event_id), updated_at)
  FROM ticket_order WHERE id = visit_id)`;

export function createPageBookingStore(db: Db) {
  const selectKey = db.prepare("SELECT key_id FROM page_key WHERE business_id = ?").pluck();
  const selectKeys = db.prepare("SELECT key_id FROM page_key").pluck();
  const insertKey = db.prepare(insertInto("page_key", "business_id, key_id"));
  const setRefused = db.prepare("UPDATE page_key SET share_refused_at = :at WHERE key_id = :keyId");
  const selectPages = db.prepare(
    `SELECT ${columns("business_id, key_id, share_refused_at")} FROM page_key ORDER BY business_id`,
  );
  const insert = db.prepare(insertInto("page_visit", `${VISIT}, token_hash`));
  const selectByToken = db.prepare(`SELECT ${columns(VISIT)} FROM page_visit WHERE token_hash = ?`);
  const selectByVisit = db.prepare(`SELECT ${columns(VISIT)} FROM page_visit WHERE visit_id = ?`);
  const selectUnconfirmed = db
    .prepare("SELECT visit_id FROM page_visit WHERE business_id = ? AND unconfirmed = 1")
    .pluck();
  const count = db.prepare("SELECT count(*) FROM page_visit").pluck();
  const deleteEnded = db.prepare(`
    DELETE FROM page_visit
    WHERE coalesce(${endOf("booking")}, ${endOf("reservation")}, ${END_OF_EVENT}, 0) < ?`);

  return {
    findKeyId: (businessId: string) => selectKey.get(businessId) as string | undefined,
    listKeyIds: () => selectKeys.all() as string[],
    insertKey: (businessId: string, keyId: string) => void insertKey.run({ businessId, keyId }),
    setRefused: (keyId: string, at: number) => void setRefused.run({ keyId, at }),
    listPages: () => selectPages.all() as PageKeyRow[],
    insert: (row: PageVisitRow, tokenHash: Buffer) =>
      void insert.run({ ...row, unconfirmed: row.unconfirmed ? 1 : 0, tokenHash }),
    findByToken(tokenHash: Buffer): PageVisitRow | undefined {
      const row = selectByToken.get(tokenHash) as RawRow | undefined;
      return row && { ...row, unconfirmed: row.unconfirmed === 1 };
    },
    findByVisit(visitId: string): PageVisitRow | undefined {
      const row = selectByVisit.get(visitId) as RawRow | undefined;
      return row && { ...row, unconfirmed: row.unconfirmed === 1 };
    },
    /** Returns the IDs of the visits that nobody has confirmed. */
    listUnconfirmed: (businessId: string) => selectUnconfirmed.all(businessId) as string[],
    count: () => count.get() as number,
    /** Deletes the links to visits that ended before a time, and to those that are gone. */
    deleteEndedBefore: (time: number) => void deleteEnded.run(time),
  };
}
