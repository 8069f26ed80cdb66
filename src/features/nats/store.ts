import type { EventType } from "../../domain/events/event-types.ts";
import { columns, type Db, insertInto, parseOptional } from "../../store/database/db.ts";
import { parseJson } from "../../store/database/storage-error.ts";

export const AUTH_KINDS = ["none", "user", "token", "nkey"] as const;

export type DestinationRow = {
  id: string;
  name: string;
  /** A URL with the scheme `nats:` or `tls:`, without credentials. */
  url: string;
  stream: string;
  /** The first tokens of each subject. */
  prefix: string;
  /** The only business whose events are published; null for all businesses. */
  businessId: string | null;
  events: EventType[];
  auth: (typeof AUTH_KINDS)[number];
  /** A certificate (PEM); null to trust the certificate authorities of Node. */
  ca: string | null;
  sealed: Buffer;
  version: number;
  createdAt: number;
  updatedAt: number;
  /** Since when the oldest waiting event waits; null if no event has waited for a minute. */
  behindSince: number | null;
  lastError: string | null;
  /** The highest number that the stream gave to an event; null before the first publish. */
  streamSequence: number | null;
  /**
   * When a sequence number that did not rise showed that the stream was recreated; null if none
   * did. A redelivery of all businesses, or a change to another server or stream, sets it to null.
   */
  recreatedAt: number | null;
};

export type DestinationSettings = Pick<
  DestinationRow,
  "name" | "url" | "stream" | "prefix" | "events" | "auth" | "ca" | "sealed"
>;

type DestinationState = Pick<DestinationRow, "behindSince" | "lastError" | "streamSequence">;

type Version = Pick<DestinationRow, "id" | "version">;

const COLUMNS = `id, name, url, stream, prefix, business_id, events, auth, ca, sealed, version,
  created_at, updated_at, behind_since, last_error, stream_sequence, recreated_at`;

export function createDestinationStore(db: Db) {
  const parse = (raw: unknown): DestinationRow => {
    const row = raw as Omit<DestinationRow, "events"> & { events: string };
    return { ...row, events: parseJson(row.events, "destination.events") };
  };
  const selectAll = db.prepare(`SELECT ${columns(COLUMNS)} FROM destination ORDER BY id`);
  const selectVersions = db.prepare("SELECT id, version FROM destination").raw();
  const selectById = db.prepare(`SELECT ${columns(COLUMNS)} FROM destination WHERE id = ?`);
  const insertRow = db.prepare(insertInto("destination", COLUMNS));
  // Another server or stream counts from the start, so a change of `url` or `stream` resets
  // `stream_sequence` and `recreated_at`.
  const updateRow = db.prepare(`
    UPDATE destination SET name = :name, url = :url, stream = :stream, prefix = :prefix,
      events = :events, auth = :auth, ca = :ca, sealed = :sealed, version = version + 1,
      updated_at = :at, behind_since = NULL, last_error = NULL,
      stream_sequence = CASE WHEN url = :url AND stream = :stream THEN stream_sequence END,
      recreated_at = CASE WHEN url = :url AND stream = :stream THEN recreated_at END
    WHERE id = :id`);
  const raiseVersion = db.prepare("UPDATE destination SET version = version + 1 WHERE id = ?");
  // The version keeps a publisher that is stopping from overwriting the state after a change.
  const updateState = db.prepare(`
    UPDATE destination SET behind_since = :behindSince, last_error = :lastError,
      stream_sequence = :streamSequence
    WHERE id = :id AND version = :version`);
  const markRecreated = db.prepare(`
    UPDATE destination SET recreated_at = :at, stream_sequence = :streamSequence
    WHERE id = :id AND version = :version`);
  const clearRecreatedAt = db.prepare("UPDATE destination SET recreated_at = NULL WHERE id = ?");
  const deleteById = db.prepare("DELETE FROM destination WHERE id = ?");

  // A new destination begins with future events: its cursors are at the last event.
  const startCursors = db.prepare(`
    INSERT INTO destination_cursor
      (destination_id, business_id, sequence, redelivery, redeliver_until)
    SELECT :id, business.id, last_sequence, 0, 0 FROM business
    WHERE :businessId IS NULL OR business.id = :businessId`);
  return {
    list: () => selectAll.all().map(parse),
    /**
     * Lists the version of each destination by ID. An index makes this query cheap enough to run
     * after each commit.
     */
    listVersions: () => selectVersions.all() as [id: string, version: number][],
    findById: (id: string) => parseOptional(selectById.get(id), parse),
    /** Inserts a destination. Existing events count as published. */
    insert(row: DestinationRow): void {
      insertRow.run({ ...row, events: JSON.stringify(row.events) });
      startCursors.run({ id: row.id, businessId: row.businessId });
    },
    update: (id: string, settings: DestinationSettings, at: number) =>
      void updateRow.run({ ...settings, events: JSON.stringify(settings.events), id, at }),
    raiseVersion: (id: string) => void raiseVersion.run(id),
    updateState: ({ id, version }: Version, state: DestinationState) =>
      void updateState.run({ id, version, ...state }),
    /** @param streamSequence the number that the recreated stream gave to an event */
    markRecreated: ({ id, version }: Version, streamSequence: number, at: number) =>
      void markRecreated.run({ id, version, streamSequence, at }),
    clearRecreatedAt: (id: string) => void clearRecreatedAt.run(id),
    delete: (id: string) => void deleteById.run(id),
  };
}

export type CursorRow = {
  businessId: string;
  slug: string;
  /** The number of the last event that the stream has acknowledged; 0 if there is none. */
  sequence: number;
  /** The number of the last redelivery; 0 before the first. */
  redelivery: number;
  /**
   * The sequence number of the last event to redeliver. Message IDs up to this event contain
   * `redelivery`.
   */
  redeliverUntil: number;
};

export type SkipRow = {
  destinationId: string;
  businessId: string;
  sequence: number;
  /** The skipped event; null for several events that have left the history. */
  eventId: string | null;
  reason: string;
  at: number;
};

/** The sequence number of the first event of a business in a range, and the count of its events. */
export type FirstEvent = { businessId: string; sequence: number; events: number };

const CURSOR = `
  SELECT business.id AS businessId, slug, coalesce(sequence, 0) AS sequence,
    coalesce(redelivery, 0) AS redelivery, coalesce(redeliver_until, 0) AS redeliverUntil
  FROM business LEFT JOIN destination_cursor
    ON destination_id = :destinationId AND business_id = business.id`;

/**
 * Stores for each destination and business a cursor at the last event that the stream has, and the
 * events that the destination will not get.
 */
export function createCursorStore(db: Db) {
  const selectCursor = db.prepare(`${CURSOR} WHERE business.id = :businessId`);
  const selectBehind = db.prepare(`
    ${CURSOR} WHERE last_sequence > coalesce(sequence, 0)
      AND (:businessId IS NULL OR business.id = :businessId)`);
  // Nothing is written if the business or destination was deleted meanwhile, or the cursor was set
  // back.
  const upsert = db.prepare(`
    INSERT INTO destination_cursor
      (destination_id, business_id, sequence, redelivery, redeliver_until)
    SELECT destination.id, business.id, :sequence, :redelivery, :redeliverUntil
    FROM destination, business
    WHERE destination.id = :destinationId AND business.id = :businessId
    ON CONFLICT DO UPDATE SET sequence = excluded.sequence
      WHERE redelivery = excluded.redelivery`);
  const rewind = db.prepare(`
    INSERT INTO destination_cursor
      (destination_id, business_id, sequence, redelivery, redeliver_until)
    SELECT :destinationId, business.id, :sequence, 1, last_sequence
    FROM business WHERE id = :businessId
    ON CONFLICT DO UPDATE SET sequence = excluded.sequence, redelivery = redelivery + 1,
      redeliver_until = excluded.redeliver_until`);

  const selectLastEvent = db.prepare("SELECT coalesce(max(rowid), 0) FROM event").pluck();
  const selectBusinessesOf = db
    .prepare("SELECT DISTINCT business_id FROM event WHERE rowid > :after AND rowid <= :upTo")
    .pluck();
  // IDs rise with time: a range of IDs avoids reading the whole table.
  const selectFirstSince = db.prepare(`
    SELECT business_id AS businessId, min(sequence) AS sequence, count(*) AS events FROM event
    WHERE id >= :minId AND (:businessId IS NULL OR business_id = :businessId) GROUP BY business_id`);
  const selectNextCreatedAt = db
    .prepare(`
      SELECT created_at FROM event WHERE business_id = :businessId AND sequence > :after
      ORDER BY sequence LIMIT 1`)
    .pluck();
  const insertSkip = db.prepare(`
    INSERT OR REPLACE INTO destination_skip
      (destination_id, business_id, sequence, event_id, reason, at)
    SELECT destination.id, business.id, :sequence, :eventId, :reason, :at
    FROM destination, business
    WHERE destination.id = :destinationId AND business.id = :businessId`);
  const selectSkips = db.prepare(`
    SELECT ${columns("destination_id, business_id, sequence, event_id, reason, at")}
    FROM destination_skip WHERE destination_id = :id AND at >= :since
    ORDER BY at, business_id, sequence`);
  const deleteSkips = db.prepare(`
    DELETE FROM destination_skip
    WHERE destination_id = :destinationId AND business_id = :businessId AND sequence > :after`);

  return {
    find: (destinationId: string, businessId: string) =>
      selectCursor.get({ destinationId, businessId }) as CursorRow | undefined,
    /** Lists the cursors of businesses with events to publish. */
    listBehind: (destinationId: string, businessId: string | null) =>
      selectBehind.all({ destinationId, businessId }) as CursorRow[],
    save: (destinationId: string, { slug: _, ...cursor }: CursorRow) =>
      void upsert.run({ destinationId, ...cursor }),
    /** Sets the cursor back, so that the later events are published once more. */
    rewind: (destinationId: string, businessId: string, sequence: number) =>
      void rewind.run({ destinationId, businessId, sequence }),

    /** Returns the row number of the newest event. SQLite may reuse numbers of deleted events. */
    getLastEvent: () => selectLastEvent.get() as number,
    /** Lists the businesses of the events in a range of row numbers. */
    listBusinessesWithEvents: (after: number, upTo: number) =>
      selectBusinessesOf.all({ after, upTo }) as string[],
    /**
     * Lists, for each business or only the given one, the first event whose ID is at least `minId`,
     * and the number of events from there on.
     */
    listFirstSince: (minId: string, businessId: string | null) =>
      selectFirstSince.all({ minId, businessId }) as FirstEvent[],
    /** Returns when the next event was created; undefined if there is none. */
    findNextCreatedAt: (businessId: string, after: number) =>
      selectNextCreatedAt.get({ businessId, after }) as number | undefined,

    insertSkip: (row: SkipRow) => void insertSkip.run(row),
    /** Lists skipped events, the oldest first. */
    listSkips: (id: string, since: number) => selectSkips.all({ id, since }) as SkipRow[],
    deleteSkips: (destinationId: string, businessId: string, after: number) =>
      void deleteSkips.run({ destinationId, businessId, after }),
  };
}
