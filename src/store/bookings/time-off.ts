import { columns, insertInto, type Db } from "../database/db.ts";

export type TimeOffRow = {
  id: string;
  staffId: string;
  startsAt: number;
  endsAt: number;
  /** The reason is internal: no API response and no event contains it. */
  reason: string | null;
  createdAt: number;
};

const COLUMNS = columns("id, staff_id, starts_at, ends_at, reason, created_at");

export function createTimeOffStore(db: Db) {
  const insert = db.prepare(
    insertInto("time_off", "id, business_id, staff_id, starts_at, ends_at, reason, created_at"),
  );
  const deleteById = db.prepare("DELETE FROM time_off WHERE id = ?");
  const deleteByStaff = db.prepare(
    "DELETE FROM time_off WHERE business_id = :businessId AND staff_id = :staffId",
  );
  const eraseReasons = db.prepare(
    "UPDATE time_off SET reason = NULL WHERE business_id = :businessId AND staff_id = :staffId",
  );
  const deleteEnded = db.prepare("DELETE FROM time_off WHERE ends_at < ?");
  const selectById = db.prepare(
    `SELECT ${COLUMNS} FROM time_off WHERE business_id = :businessId AND id = :id`,
  );
  const selectEndingAfter = db.prepare(`
    SELECT ${COLUMNS} FROM time_off WHERE business_id = :businessId AND ends_at > :after ORDER BY starts_at, id`);

  return {
    insert: (businessId: string, row: TimeOffRow) => void insert.run({ ...row, businessId }),
    delete: (id: string) => void deleteById.run(id),
    deleteOf: (businessId: string, staffId: string) =>
      void deleteByStaff.run({ businessId, staffId }),
    eraseReasonsOf: (businessId: string, staffId: string) =>
      void eraseReasons.run({ businessId, staffId }),
    deleteEndedBefore: (before: number) => void deleteEnded.run(before),
    findById: (businessId: string, id: string) =>
      selectById.get({ businessId, id }) as TimeOffRow | undefined,
    /** Lists time off in order of its start. */
    listEndingAfter: (businessId: string, after: number) =>
      selectEndingAfter.all({ businessId, after }) as TimeOffRow[],
  };
}
