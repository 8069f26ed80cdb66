import type { OpeningException } from "../../domain/catalog/catalog.ts";
import { columns, type Db, insertInto, parseOptional } from "../../store/database/db.ts";
import { parseJson } from "../../store/database/storage-error.ts";
import type { DeskOutcome, DeskRight } from "./rules.ts";

/** Times are epoch milliseconds. */
export type DeskRow = {
  id: string;
  businessId: string;
  name: string;
  /** The staff member of a desk of one person; null for a desk of the whole business. */
  staffId: string | null;
  allow: DeskRight[];
  createdAt: number;
  revokedAt: number | null;
};

/** Times are epoch milliseconds. */
export type DeviceRow = {
  id: string;
  deskId: string;
  /** The kind of the device, such as `iPhone` (see `deviceKindOf`). */
  kind: string;
  pairedAt: number;
  /** When the device last showed the desk, accurate to an hour. */
  usedAt: number;
  expiresAt: number;
};

/** A link of an alert to a visit that waits for a decision. Times are epoch milliseconds. */
export type AlertLinkRow = { id: string; businessId: string; visitId: string; expiresAt: number };

const DESK = "id, business_id, name, staff_id, allow, created_at, revoked_at";
const DEVICE = "id, desk_id, kind, paired_at, used_at, expires_at";
const ALERT_LINK = "id, business_id, visit_id, expires_at";

export function createDeskStore(db: Db) {
  const parse = (raw: unknown): DeskRow => {
    const row = raw as Omit<DeskRow, "allow"> & { allow: string };
    return { ...row, allow: JSON.parse(row.allow) as DeskRight[] };
  };
  const insert = db.prepare(insertInto("desk", DESK));
  const selectById = db.prepare(
    `SELECT ${columns(DESK)} FROM desk WHERE id = ? AND revoked_at IS NULL`,
  );
  const selectByName = db.prepare(
    `SELECT ${columns(DESK)} FROM desk WHERE business_id = ? AND (name = ? OR id = ?) AND revoked_at IS NULL`,
  );
  const selectOfBusiness = db.prepare(
    `SELECT ${columns(DESK)} FROM desk WHERE business_id = ? AND revoked_at IS NULL ORDER BY id`,
  );
  const revoke = db.prepare("UPDATE desk SET revoked_at = :at WHERE id = :id");

  const replaceLink = db.prepare(`
    INSERT INTO desk_link (desk_id, token_hash, expires_at) VALUES (:deskId, :tokenHash, :expiresAt)
    ON CONFLICT (desk_id) DO UPDATE SET token_hash = excluded.token_hash, expires_at = excluded.expires_at`);
  const selectLink = db
    .prepare("SELECT desk_id FROM desk_link WHERE token_hash = :tokenHash AND expires_at > :now")
    .pluck();
  const selectLinkEnd = db
    .prepare("SELECT expires_at FROM desk_link WHERE desk_id = :deskId AND expires_at > :now")
    .pluck();
  const deleteLink = db.prepare("DELETE FROM desk_link WHERE desk_id = ?");

  const insertDevice = db.prepare(insertInto("desk_device", `${DEVICE}, token_hash`));
  const selectDevice = db.prepare(
    `SELECT ${columns(DEVICE)} FROM desk_device WHERE token_hash = :tokenHash AND expires_at > :now`,
  );
  const selectDevices = db.prepare(
    `SELECT ${columns(DEVICE)} FROM desk_device WHERE desk_id = :deskId AND expires_at > :now ORDER BY id`,
  );
  const setUsedAt = db.prepare("UPDATE desk_device SET used_at = :at WHERE id = :id");
  const deleteDevice = db.prepare("DELETE FROM desk_device WHERE id = ?");
  const deleteDevices = db.prepare("DELETE FROM desk_device WHERE desk_id = ?");
  const selectCounts = db.prepare(`
    SELECT (SELECT count(*) FROM desk WHERE revoked_at IS NULL) AS desks,
      (SELECT count(*) FROM desk_device WHERE expires_at > ?) AS devices`);

  const selectOutcome = db
    .prepare("SELECT outcome FROM desk_action WHERE device_id = :deviceId AND token = :token")
    .pluck();
  const saveOutcome = db.prepare(`
    INSERT INTO desk_action (device_id, token, at, outcome) VALUES (:deviceId, :token, :at, :outcome)
    ON CONFLICT DO UPDATE SET at = excluded.at, outcome = excluded.outcome`);
  const selectChangedVisits = db
    .prepare(`
    SELECT json_extract(outcome, '$.visitId') AS visit_id FROM desk_action
    WHERE device_id = :deviceId AND at > :after AND visit_id IS NOT NULL
    GROUP BY visit_id ORDER BY max(at) DESC LIMIT :limit`)
    .pluck();
  const deleteActions = db.prepare("DELETE FROM desk_action WHERE at < ?");
  const deleteExpiredLinks = db.prepare("DELETE FROM desk_link WHERE expires_at <= ?");
  const deleteExpiredDevices = db.prepare("DELETE FROM desk_device WHERE expires_at <= ?");

  return {
    insert: (row: DeskRow) => void insert.run({ ...row, allow: JSON.stringify(row.allow) }),
    /** Returns undefined for a revoked desk, as `findByName` does. */
    findById: (id: string) => parseOptional(selectById.get(id), parse),
    findByName: (businessId: string, nameOrId: string) =>
      parseOptional(selectByName.get(businessId, nameOrId, nameOrId), parse),
    list: (businessId: string) => selectOfBusiness.all(businessId).map(parse),
    /** Revokes a desk, and ends its link and its devices. */
    revoke(id: string, at: number): void {
      revoke.run({ id, at });
      deleteLink.run(id);
      deleteDevices.run(id);
    },

    saveLink: (deskId: string, tokenHash: Buffer, expiresAt: number) =>
      void replaceLink.run({ deskId, tokenHash, expiresAt }),
    /** Returns the ID of the desk to which a link leads; undefined if the link has ended. */
    findDeskOfLink: (tokenHash: Buffer, now: number) =>
      selectLink.get({ tokenHash, now }) as string | undefined,
    /** Returns when the desk's link ends (epoch ms); undefined if it has none. */
    findLinkEnd: (deskId: string, now: number) =>
      selectLinkEnd.get({ deskId, now }) as number | undefined,
    deleteLink: (deskId: string) => void deleteLink.run(deskId),

    insertDevice: (row: DeviceRow, tokenHash: Buffer) =>
      void insertDevice.run({ ...row, tokenHash }),
    findDevice: (tokenHash: Buffer, now: number) =>
      selectDevice.get({ tokenHash, now }) as DeviceRow | undefined,
    listDevices: (deskId: string, now: number) => selectDevices.all({ deskId, now }) as DeviceRow[],
    setUsedAt: (id: string, at: number) => void setUsedAt.run({ id, at }),
    deleteDevice: (id: string) => void deleteDevice.run(id),
    /** Returns the numbers of desks and of paired devices of all businesses. */
    count: (now: number) => selectCounts.get(now) as { desks: number; devices: number },

    findOutcome: (deviceId: string, token: string): DeskOutcome | undefined => {
      const outcome = selectOutcome.get({ deviceId, token }) as string | undefined;
      return outcome === undefined ? undefined : (JSON.parse(outcome) as DeskOutcome);
    },
    saveOutcome: (deviceId: string, token: string, at: number, outcome: DeskOutcome) =>
      void saveOutcome.run({ deviceId, token, at, outcome: JSON.stringify(outcome) }),
    /** Returns the IDs of the visits that a device has changed since a time, the newest first. */
    listChangedVisits: (deviceId: string, after: number, limit: number) =>
      selectChangedVisits.all({ deviceId, after, limit }) as string[],
    /** Deletes outcomes from before a time, and links and devices that have ended. */
    prune(now: number, actionsBefore: number): void {
      deleteActions.run(actionsBefore);
      deleteExpiredLinks.run(now);
      deleteExpiredDevices.run(now);
    },
  };
}

/**
 * A closing of the business on a date. `before` are the exceptions to the opening hours of that
 * date before the closing, and `closed` the exceptions that the closing has set.
 */
export type ClosingRow = {
  businessId: string;
  date: string;
  before: OpeningException[];
  closed: OpeningException[];
};

export function createClosingStore(db: Db) {
  const parse = (raw: unknown): ClosingRow => {
    const row = raw as Record<keyof ClosingRow, string>;
    return {
      ...row,
      before: parseJson(row.before, "desk_closing.before") as OpeningException[],
      closed: parseJson(row.closed, "desk_closing.closed") as OpeningException[],
    };
  };
  const save = db.prepare(`
    INSERT INTO desk_closing (business_id, date, before, closed) VALUES (:businessId, :date, :before, :closed)
    ON CONFLICT DO UPDATE SET before = excluded.before, closed = excluded.closed`);
  const select = db.prepare(`
    SELECT ${columns("business_id, date, before, closed")} FROM desk_closing
    WHERE business_id = ? AND date = ?`);
  const deleteOld = db.prepare("DELETE FROM desk_closing WHERE date < ?");

  return {
    save: (row: ClosingRow) =>
      void save.run({
        ...row,
        before: JSON.stringify(row.before),
        closed: JSON.stringify(row.closed),
      }),
    find: (businessId: string, date: string) => parseOptional(select.get(businessId, date), parse),
    /** Deletes the closings before a date. */
    prune: (date: string) => void deleteOld.run(date),
  };
}

/** The links of alerts. A link that has ended stays until `prune` deletes it. */
export function createAlertLinkStore(db: Db) {
  const insert = db.prepare(insertInto("alert_link", `${ALERT_LINK}, token_hash`));
  const selectByToken = db.prepare(
    `SELECT ${columns(ALERT_LINK)} FROM alert_link WHERE token_hash = :tokenHash AND expires_at > :now`,
  );
  const deleteOldest = db.prepare(`
    DELETE FROM alert_link WHERE visit_id = :visitId AND id NOT IN
      (SELECT id FROM alert_link WHERE visit_id = :visitId ORDER BY id DESC LIMIT :kept)`);
  const deleteOfVisit = db.prepare("DELETE FROM alert_link WHERE visit_id = ?");
  const deleteExpired = db.prepare("DELETE FROM alert_link WHERE expires_at <= ?");
  const selectCount = db.prepare("SELECT count(*) FROM alert_link WHERE expires_at > ?").pluck();

  return {
    /** Adds a link, and deletes the oldest ones of the visit so that at most `kept` are left. */
    insert(row: AlertLinkRow, tokenHash: Buffer, kept: number): void {
      insert.run({ ...row, tokenHash });
      deleteOldest.run({ visitId: row.visitId, kept });
    },
    find: (tokenHash: Buffer, now: number) =>
      selectByToken.get({ tokenHash, now }) as AlertLinkRow | undefined,
    deleteOfVisit: (visitId: string) => void deleteOfVisit.run(visitId),
    count: (now: number) => selectCount.get(now) as number,
    prune: (now: number) => void deleteExpired.run(now),
  };
}
