import { columns, insertInto, optional, type Db } from "./db.ts";

export type CalendarRow = {
  id: string;
  businessId: string;
  /** null: the whole business. */
  staffId: string | null;
  withGuests: boolean;
  createdAt: number;
  revokedAt: number | null;
  /** When the first visit begins that the feed lacks, because it has too many; null if it has all. */
  cutAt: number | null;
};

const STORED = "id, business_id, staff_id, with_guests, created_at, revoked_at, cut_at";

export function createCalendarStore(db: Db) {
  const parse = (raw: unknown): CalendarRow => {
    const row = raw as Omit<CalendarRow, "withGuests"> & { withGuests: number };
    return { ...row, withGuests: row.withGuests === 1 };
  };
  const insert = db.prepare(insertInto("calendar", `${STORED}, token_hash`));
  const selectById = db.prepare(`SELECT ${columns(STORED)} FROM calendar WHERE id = ?`);
  const selectByToken = db.prepare(
    `SELECT ${columns(STORED)} FROM calendar WHERE token_hash = ? AND revoked_at IS NULL`,
  );
  const selectOfBusiness = db.prepare(
    `SELECT ${columns(STORED)} FROM calendar WHERE business_id = ? ORDER BY id`,
  );
  const selectCut = db.prepare(
    `SELECT ${columns(STORED)} FROM calendar WHERE cut_at IS NOT NULL AND revoked_at IS NULL`,
  );
  const setCutAt = db.prepare("UPDATE calendar SET cut_at = :cutAt WHERE id = :id");
  const revoke = db.prepare(
    "UPDATE calendar SET revoked_at = :at WHERE id = :id AND revoked_at IS NULL",
  );

  return {
    insert: (row: CalendarRow, tokenHash: Buffer) =>
      void insert.run({ ...row, withGuests: row.withGuests ? 1 : 0, tokenHash }),
    findById: (id: string) => optional(selectById.get(id), parse),
    /** Ignores a calendar that was revoked. */
    findByToken: (tokenHash: Buffer) => optional(selectByToken.get(tokenHash), parse),
    list: (businessId: string) => selectOfBusiness.all(businessId).map(parse),
    /** Returns the calendars of all businesses whose feed lacks visits. */
    listCut: () => selectCut.all().map(parse),
    setCutAt: (id: string, cutAt: number | null) => void setCutAt.run({ id, cutAt }),
    revoke: (id: string, at: number) => void revoke.run({ id, at }),
  };
}
