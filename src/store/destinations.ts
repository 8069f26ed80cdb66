import type { EventType } from "../domain/event-types.ts";
import { columns, type Db, insertInto, optional } from "./db.ts";
import { parseJson } from "./json.ts";

export const AUTH_KINDS = ["none", "user", "token", "nkey"] as const;

export type DestinationRow = {
  id: string;
  name: string;
  /** `nats:` or `tls:`, without credentials. */
  url: string;
  stream: string;
  /** The first tokens of each subject. */
  prefix: string;
  /** null: all businesses. */
  businessId: string | null;
  events: EventType[];
  auth: (typeof AUTH_KINDS)[number];
  /** A certificate (PEM); null: the certificate authorities that Node trusts. */
  ca: string | null;
  sealed: Buffer;
  version: number;
  createdAt: number;
  updatedAt: number;
  /** When the oldest event that waits was created; null while nothing has waited for long. */
  behindSince: number | null;
  lastError: string | null;
  /** The highest number that the stream gave to an event; null: nothing was published to it yet. */
  streamSequence: number | null;
  /** When a lower number showed that the stream had begun anew; null once it is redelivered to. */
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
  const updateRow = db.prepare(`
    UPDATE destination SET name = :name, url = :url, stream = :stream, prefix = :prefix,
      events = :events, auth = :auth, ca = :ca, sealed = :sealed, version = version + 1,
      updated_at = :at, behind_since = NULL, last_error = NULL,
      stream_sequence = CASE WHEN url = :url AND stream = :stream THEN stream_sequence END,
      recreated_at = CASE WHEN url = :url AND stream = :stream THEN recreated_at END
    WHERE id = :id`);
  const updateSealed = db.prepare("UPDATE destination SET sealed = :sealed WHERE id = :id");
  const raiseVersion = db.prepare("UPDATE destination SET version = version + 1 WHERE id = ?");
  // A publisher that ends must not save the state of the stream before a change.
  const updateState = db.prepare(`
    UPDATE destination SET behind_since = :behindSince, last_error = :lastError,
      stream_sequence = :streamSequence
    WHERE id = :id AND version = :version`);
  const markRecreated = db.prepare(`
    UPDATE destination SET recreated_at = :at, stream_sequence = :streamSequence
    WHERE id = :id AND version = :version`);
  const clearRecreatedAt = db.prepare("UPDATE destination SET recreated_at = NULL WHERE id = ?");
  const deleteById = db.prepare("DELETE FROM destination WHERE id = ?");

  // From now on: every event that exists counts as published.
  const startCursors = db.prepare(`
    INSERT INTO destination_cursor
      (destination_id, business_id, sequence, redelivery, redeliver_until)
    SELECT :id, business.id, last_sequence, 0, 0 FROM business
    WHERE :businessId IS NULL OR business.id = :businessId`);
  return {
    list: () => selectAll.all().map(parse),
    /** Lists the versions by ID. They are read after every commit, with one look at an index. */
    listVersions: () => selectVersions.all() as [id: string, version: number][],
    findById: (id: string) => optional(selectById.get(id), parse),
    /** The events that exist already count as published. */
    insert(row: DestinationRow): void {
      insertRow.run({ ...row, events: JSON.stringify(row.events) });
      startCursors.run({ id: row.id, businessId: row.businessId });
    },
    update: (id: string, settings: DestinationSettings, at: number) =>
      void updateRow.run({ ...settings, events: JSON.stringify(settings.events), id, at }),
    updateSealed: (id: string, sealed: Buffer) => void updateSealed.run({ id, sealed }),
    raiseVersion: (id: string) => void raiseVersion.run(id),
    updateState: ({ id, version }: Version, state: DestinationState) =>
      void updateState.run({ id, version, ...state }),
    /** @param streamSequence the number that the new stream gave to an event */
    markRecreated: ({ id, version }: Version, streamSequence: number, at: number) =>
      void markRecreated.run({ id, version, streamSequence, at }),
    clearRecreatedAt: (id: string) => void clearRecreatedAt.run(id),
    delete: (id: string) => void deleteById.run(id),
  };
}
