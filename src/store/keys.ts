import type { EndpointsAtEnd, KeyKind, Scope } from "../domain/api-key.ts";
import type { EventGroup } from "../domain/event-types.ts";
import { columns, type Db, insertInto, parseOptional } from "./database/db.ts";
import { parseJson } from "./database/storage-error.ts";

export type KeyRow = {
  id: string;
  businessId: string;
  kind: KeyKind;
  name: string;
  scopes: Scope[];
  eventGroups: EventGroup[];
  /** Address ranges that may use the key; empty for any address. */
  cidrs: string[];
  limitMinute: number;
  limitHour: number;
  /** Maximum number of webhook endpoints at a time. */
  maxEndpoints: number;
  /** Maximum number of open holds and pending ticket orders together. */
  maxHolds: number;
  /** Maximum number of bookings and reservations in 24 hours. */
  maxBookingsDay: number;
  createdAt: number;
  lastUsedAt: number | null;
  expiresAt: number | null;
  revokedAt: number | null;
  endpointsAtEnd: EndpointsAtEnd;
  /**
   * What the upgrade from 0.1 did to the scopes that version 0.2 added to secret keys. Null for
   * other keys, and after the operator has decided.
   */
  gainedScopes: "KEPT" | "REMOVED" | null;
  /** Whether the key may rotate itself over HTTP. */
  selfRotation: boolean;
  /** Whether guests get mails about visits that the key makes. */
  guestMail: boolean;
};

/** The fields of a key that can be changed. */
export type KeySettings = Pick<
  KeyRow,
  | "limitMinute"
  | "limitHour"
  | "maxEndpoints"
  | "maxHolds"
  | "maxBookingsDay"
  | "expiresAt"
  | "endpointsAtEnd"
  | "gainedScopes"
  | "selfRotation"
  | "guestMail"
> & { eventGroups: readonly EventGroup[]; scopes: readonly Scope[] };

/** A key with the visible parts of its newest secret. */
export type ListedKey = KeyRow & { prefix: string; last4: string };

/** Everything that authorization needs to know of a key, in one row. */
export type Credential = KeyRow & {
  /** When the secret of the request ends; null for the newest secret. */
  secretExpiresAt: number | null;
  /** Until when this secret may repeat the request with which it rotated the key. */
  secretRepeatsUntil: number | null;
  businessSlug: string;
  catalogVersion: number;
  businessRevision: number;
  stockRevision: number;
  lastSequence: number;
};

/** The fields that are stored as JSON. */
type Lists = Pick<KeyRow, "scopes" | "eventGroups" | "cidrs">;
type Raw<Row extends KeyRow> = Omit<Row, keyof Lists | "selfRotation" | "guestMail"> &
  Record<keyof Lists, string> & { selfRotation: number; guestMail: number };

const COLUMNS = columns(`key.id, key.business_id, key.kind, key.name, key.scopes, key.event_groups,
  key.cidrs, key.limit_minute, key.limit_hour, key.max_endpoints, key.max_holds, key.max_bookings_day, key.created_at, key.last_used_at, key.expires_at, key.revoked_at,
  key.endpoints_at_end, key.gained_scopes, key.self_rotation, key.guest_mail`);

export function createKeyStore(db: Db) {
  const parse = <Row extends KeyRow>(raw: unknown): Row => {
    const row = raw as Raw<Row>;
    return {
      ...row,
      scopes: parseJson(row.scopes, "api_key.scopes"),
      eventGroups: parseJson(row.eventGroups, "api_key.event_groups"),
      cidrs: parseJson(row.cidrs, "api_key.cidrs"),
      selfRotation: row.selfRotation === 1,
      guestMail: row.guestMail === 1,
    } as unknown as Row;
  };

  const selectCredential = db.prepare(`
    SELECT ${COLUMNS}, secret.expires_at AS secretExpiresAt,
      secret.repeats_until AS secretRepeatsUntil, business.slug AS businessSlug,
      business.catalog_version AS catalogVersion, business.revision AS businessRevision,
      business.stock_revision AS stockRevision, business.last_sequence AS lastSequence
    FROM api_key_secret secret
    JOIN api_key key ON key.id = secret.key_id
    JOIN business ON business.id = key.business_id
    WHERE secret.hash = ?`);
  // The newest secret of a key is the one without an expiry.
  const listed = `SELECT ${COLUMNS}, secret.prefix, secret.last4
    FROM api_key key JOIN api_key_secret secret ON secret.key_id = key.id AND secret.expires_at IS NULL`;
  const selectById = db.prepare(`${listed} WHERE key.id = ?`);
  const all = db.prepare(`${listed} ORDER BY key.id`);
  const ofBusiness = db.prepare(`${listed} WHERE key.business_id = ? ORDER BY key.id`);
  const insert = db.prepare(
    insertInto(
      "api_key",
      `id, business_id, kind, name, scopes, event_groups, cidrs, limit_minute, limit_hour, max_endpoints, max_holds, max_bookings_day, created_at,
      last_used_at, expires_at, revoked_at, endpoints_at_end, gained_scopes, self_rotation, guest_mail`,
    ),
  );
  const revoke = db.prepare(
    "UPDATE api_key SET revoked_at = :at WHERE id = :id AND revoked_at IS NULL",
  );
  const markEnded = db.prepare("UPDATE api_key SET ended_at = :at WHERE id = :id");
  const selectExpired = db
    .prepare(
      "SELECT id FROM api_key WHERE expires_at IS NOT NULL AND ended_at IS NULL AND expires_at <= ?",
    )
    .pluck();
  const selectExpiring = db.prepare(`${listed}
    WHERE key.expires_at IS NOT NULL AND key.ended_at IS NULL AND key.expires_at > :now AND key.expires_at <= :until
    ORDER BY key.expires_at, key.id`);
  const selectUndecided = db.prepare(
    `${listed} WHERE key.endpoints_at_end = 'UNDECIDED' ORDER BY key.id`,
  );
  const update = db.prepare(`
    UPDATE api_key SET event_groups = :eventGroups, limit_minute = :limitMinute,
      limit_hour = :limitHour, max_endpoints = :maxEndpoints, max_holds = :maxHolds,
      max_bookings_day = :maxBookingsDay, expires_at = :expiresAt, endpoints_at_end = :endpointsAtEnd, scopes = :scopes, gained_scopes = :gainedScopes,
      self_rotation = :selfRotation, guest_mail = :guestMail
    WHERE id = :id`);
  const markSeenInBrowser = db.prepare("UPDATE api_key SET browser_seen_at = :at WHERE id = :id");
  // A key is listed only if a web page has sent its newest secret.
  const selectSeenInBrowser = db.prepare(`${listed}
    WHERE key.browser_seen_at > secret.created_at AND key.revoked_at IS NULL AND (key.expires_at IS NULL OR key.expires_at > ?)
    ORDER BY key.id`);
  const markUsed = db.prepare(
    "UPDATE api_key SET last_used_at = max(coalesce(last_used_at, 0), :at) WHERE id = :id",
  );

  return {
    /** Finds the credential of a secret, even of one that is no longer valid. */
    findCredential: (hash: Buffer) => parseOptional(selectCredential.get(hash), parse<Credential>),
    findById: (id: string) => parseOptional(selectById.get(id), parse<ListedKey>),
    list: (businessId?: string) =>
      (businessId === undefined ? all.all() : ofBusiness.all(businessId)).map(parse<ListedKey>),
    insert: (row: KeyRow) =>
      void insert.run({
        ...row,
        scopes: JSON.stringify(row.scopes),
        eventGroups: JSON.stringify(row.eventGroups),
        cidrs: JSON.stringify(row.cidrs),
        selfRotation: row.selfRotation ? 1 : 0,
        guestMail: row.guestMail ? 1 : 0,
      }),

    update: (id: string, settings: KeySettings) =>
      void update.run({
        ...settings,
        id,
        eventGroups: JSON.stringify(settings.eventGroups),
        scopes: JSON.stringify(settings.scopes),
        selfRotation: settings.selfRotation ? 1 : 0,
        guestMail: settings.guestMail ? 1 : 0,
      }),
    revoke: (id: string, at: number) => void revoke.run({ id, at }),
    /** Records that the endpoints and holds of an ended key were stopped. */
    markEnded: (id: string, at: number) => void markEnded.run({ id, at }),
    /** Returns the IDs of expired keys whose endpoints and holds were not stopped yet. */
    listExpired: (now: number) => selectExpired.all(now) as string[],
    /** Returns the keys that expire after `now`, at `until` or earlier. */
    listExpiring: (now: number, until: number) =>
      selectExpiring.all({ now, until }).map(parse<ListedKey>),
    /** Returns keys that ended under 0.2: the operator must decide about their endpoints. */
    listUndecided: () => selectUndecided.all().map(parse<ListedKey>),
    markSeenInBrowser: (id: string, at: number) => void markSeenInBrowser.run({ id, at }),
    /** Returns the valid keys whose newest secret was sent by a web page. */
    listSeenInBrowser: (now: number) => selectSeenInBrowser.all(now).map(parse<ListedKey>),
    markUsed: (id: string, at: number) => void markUsed.run({ id, at }),
  };
}
