import { columns, type Db } from "./database/db.ts";

export type DaemonRow = {
  url: string;
  /** The URL at which others reach the daemon; empty if it is not configured. */
  publicUrl?: string;
  startedAt: number;
  /** Whether the daemon mails guests about their visits. */
  mailsGuests?: boolean;
  /** Whether the daemon sends alerts. */
  hasAlertUrl?: boolean;
  /** The most files that the daemon may have open; null if unknown. */
  openFiles?: number | null;
  /** The time between backups; null if the daemon makes none. */
  backupEveryMs?: number | null;
  /** Whether backups are copied to another place. */
  copiesBackups?: boolean;
  /** The address that all clients seem to have, if a proxy seems to hide their own addresses. */
  sharedAddress?: string | null;
  /**
   * The network with the most connections when all connections were in use; empty for this machine
   * and trusted proxies.
   */
  connectionsFull?: string | null;
  /** The path that a program on this machine asked for without the metrics token. */
  metricsRefused?: string | null;
  /** The name of the monotonic clock. */
  clockSource?: string | null;
  /** How many milliseconds the wall clock is ahead of the monotonic clock. */
  clockOffsetMs?: number | null;
  /** When the TLS certificate expires; null without HTTPS. */
  certificateExpiresAt?: number | null;
};

/** Stores what the daemon that was started last says about itself. */
export function createDaemonStore(db: Db) {
  const select = db.prepare(
    `SELECT ${columns("url, public_url, started_at, has_alert_url, mails_guests, open_files, backup_every_ms, copies_backups, shared_address, connections_full, metrics_refused, certificate_expires_at, clock_source, clock_offset_ms")} FROM daemon`,
  );
  const insert = db.prepare(`
    INSERT OR REPLACE INTO daemon (id, url, public_url, started_at, has_alert_url, mails_guests, open_files, backup_every_ms, copies_backups, clock_source, clock_offset_ms)
    VALUES (1, :url, :publicUrl, :startedAt, :hasAlertUrl, :mailsGuests, :openFiles, :backupEveryMs, :copiesBackups, :clockSource, :clockOffsetMs)`);

  const updateClockOffset = db.prepare("UPDATE daemon SET clock_offset_ms = ?");
  const updateCertificateExpiry = db.prepare("UPDATE daemon SET certificate_expires_at = ?");
  const updateSharedAddress = db.prepare("UPDATE daemon SET shared_address = ?");
  const updateMetricsRefused = db.prepare("UPDATE daemon SET metrics_refused = ?");
  const updateConnectionsFull = db.prepare("UPDATE daemon SET connections_full = ?");

  return {
    /** Returns the daemon that was started last, whether or not it still runs. */
    find(): DaemonRow | undefined {
      const row = select.get() as DaemonRow | undefined;
      return (
        row && {
          ...row,
          hasAlertUrl: Boolean(row.hasAlertUrl),
          mailsGuests: Boolean(row.mailsGuests),
          copiesBackups: Boolean(row.copiesBackups),
        }
      );
    },
    save: ({
      publicUrl = "",
      hasAlertUrl = false,
      mailsGuests = false,
      openFiles = null,
      backupEveryMs = null,
      copiesBackups = false,
      clockSource = null,
      clockOffsetMs = null,
      ...row
    }: DaemonRow) =>
      void insert.run({
        ...row,
        publicUrl,
        hasAlertUrl: hasAlertUrl ? 1 : 0,
        mailsGuests: mailsGuests ? 1 : 0,
        openFiles,
        backupEveryMs,
        copiesBackups: copiesBackups ? 1 : 0,
        clockSource,
        clockOffsetMs,
      }),
    saveClockOffset: (offsetMs: number) => void updateClockOffset.run(offsetMs),
    saveCertificateExpiry: (at: number | null) => void updateCertificateExpiry.run(at),
    saveSharedAddress: (address: string | null) => void updateSharedAddress.run(address),
    saveMetricsRefused: (path: string | null) => void updateMetricsRefused.run(path),
    saveConnectionsFull: (client: string | null) => void updateConnectionsFull.run(client),
  };
}

/** A count of requests; `second` is a time of the wall clock, in seconds since 1970. */
export type RateCountRow = {
  client: string;
  second: number;
  /** A random number of the process that has counted: two processes may count the same second. */
  process: number;
  count: number;
};

export function createRateCountStore(db: Db) {
  const upsertCount = db.prepare(`
    INSERT INTO rate_count (second, client, process, count) VALUES (:second, :client, :process, :count)
    ON CONFLICT (second, client, process) DO UPDATE SET count = excluded.count`);
  const selectAll = db.prepare(
    "SELECT client, second, process, count FROM rate_count ORDER BY second",
  );
  const deleteOld = db.prepare("DELETE FROM rate_count WHERE second < ?");
  const deleteEverything = db.prepare("DELETE FROM rate_count");

  return {
    list: () => selectAll.all() as RateCountRow[],
    upsert: (row: RateCountRow) => void upsertCount.run(row),
    deleteBefore: (before: number) => void deleteOld.run(before),
    deleteAll: () => void deleteEverything.run(),
  };
}

/** Stores notices until the feature that sends them takes them. */
export function createNoticeStore(db: Db) {
  const upsert = db.prepare(
    "INSERT OR REPLACE INTO alert_state (kind, key, value) VALUES ('notice', ?, ?)",
  );

  return {
    put: (key: string, notice: unknown): void => void upsert.run(key, JSON.stringify(notice)),
  };
}
