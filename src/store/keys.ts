import type { EndpointsAtEnd, KeyKind, Scope } from "../domain/api-key.ts";
import type { EventGroup } from "../domain/events/event-types.ts";
import { columns, type Db, insertInto, parseOptional } from "./database/db.ts";
import { parseJson } from "./database/storage-error.ts";

export type KeyRow = {
  id: string;
  /** Null for a key of a partner, which is valid at several businesses. */
  businessId: string | null;
  /**
   * The partner of a key for several businesses. A key with both a business and a partner is the
   * access of the partner to the business. It has no secret of its own: requests to the business
   * have the secret of one of the partner's keys.
   */
  partnerId: string | null;
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

/**
 * A key with the visible parts of its newest secret. Both parts are null for the access of a
 * partner to a business, and for a key whose secret was ended during a restore. `last4` is empty if
 * the server got only the hash of the secret.
 */
export type ListedKey = KeyRow & { prefix: string | null; last4: string | null };

type Secret = {
  /** The key that the secret belongs to. */
  secretKeyId: string;
  /** When the secret of the request ends; null for the newest secret. */
  secretExpiresAt: number | null;
  /** Until when this secret may repeat the request with which it rotated the key. */
  secretRepeatsUntil: number | null;
};

/** A key of a partner, which becomes a `Credential` at each business of the partner. */
export type PartnerCredential = KeyRow & Secret & { businessId: null; partnerId: string };

/** Everything that authorization needs to know of a key at a business, in one row. */
export type Credential = KeyRow & Secret & KeyBusiness;

/**
 * The key of a request to a route of one business, or of a partner's request to a route whose path
 * names no business.
 */
export type AnyCredential = Credential | PartnerCredential;

/** What authorization needs to know of the business of a key. */
export type KeyBusiness = {
  businessId: string;
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

export const KEY_COLUMNS =
  columns(`key.id, key.business_id, key.partner_id, key.kind, key.name, key.scopes, key.event_groups,
  key.cidrs, key.limit_minute, key.limit_hour, key.max_endpoints, key.max_holds, key.max_bookings_day, key.created_at, key.last_used_at, key.expires_at, key.revoked_at,
  key.endpoints_at_end, key.gained_scopes, key.self_rotation, key.guest_mail`);

export const SECRET_COLUMNS = `secret.key_id AS secretKeyId, secret.expires_at AS secretExpiresAt,
  secret.repeats_until AS secretRepeatsUntil`;
export const BUSINESS_COLUMNS = `business.slug AS businessSlug,
  business.catalog_version AS catalogVersion, business.revision AS businessRevision,
  business.stock_revision AS stockRevision, business.last_sequence AS lastSequence`;
/** Selects keys. The newest secret of a key is the one without an expiry. */
export const LISTED_KEY = `SELECT ${KEY_COLUMNS}, secret.prefix, secret.last4
  FROM api_key key LEFT JOIN api_key_secret secret ON secret.key_id = key.id AND secret.expires_at IS NULL`;

export function parseKey<Row extends KeyRow>(raw: unknown): Row {
  const row = raw as Raw<Row>;
  return {
    ...row,
    scopes: parseJson(row.scopes, "api_key.scopes"),
    eventGroups: parseJson(row.eventGroups, "api_key.event_groups"),
    cidrs: parseJson(row.cidrs, "api_key.cidrs"),
    selfRotation: row.selfRotation === 1,
    guestMail: row.guestMail === 1,
  } as unknown as Row;
}

export function createKeyStore(db: Db) {
  const selectCredential = db.prepare(`
    SELECT ${KEY_COLUMNS}, ${SECRET_COLUMNS}, ${BUSINESS_COLUMNS}
    FROM api_key_secret secret
    JOIN api_key key ON key.id = secret.key_id
    JOIN business ON business.id = key.business_id
    WHERE secret.hash = ?`);
  const selectById = db.prepare(`${LISTED_KEY} WHERE key.id = ?`);
  const all = db.prepare(
    `${LISTED_KEY} WHERE key.partner_id IS NULL OR key.business_id IS NULL ORDER BY key.id`,
  );
  const ofBusiness = db.prepare(`${LISTED_KEY} WHERE key.business_id = ? ORDER BY key.id`);
  const insert = db.prepare(
    insertInto(
      "api_key",
      `id, business_id, partner_id, kind, name, scopes, event_groups, cidrs, limit_minute, limit_hour, max_endpoints, max_holds, max_bookings_day, created_at,
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
  const endedEarly =
    "ended_at IS NOT NULL AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)";
  const selectHasEndedEarly = db
    .prepare(`SELECT EXISTS (SELECT 1 FROM api_key WHERE ${endedEarly})`)
    .pluck();
  const reopen = db.prepare(`UPDATE api_key SET ended_at = NULL WHERE ${endedEarly}`);
  const selectExpiring = db.prepare(`${LISTED_KEY}
    WHERE key.expires_at IS NOT NULL AND key.ended_at IS NULL AND key.expires_at > :now AND key.expires_at <= :until
    ORDER BY key.expires_at, key.id`);
  const selectUndecided = db.prepare(
    `${LISTED_KEY} WHERE key.endpoints_at_end = 'UNDECIDED' ORDER BY key.id`,
  );
  const update = db.prepare(`
    UPDATE api_key SET event_groups = :eventGroups, limit_minute = :limitMinute,
      limit_hour = :limitHour, max_endpoints = :maxEndpoints, max_holds = :maxHolds,
      max_bookings_day = :maxBookingsDay, expires_at = :expiresAt, endpoints_at_end = :endpointsAtEnd, scopes = :scopes, gained_scopes = :gainedScopes,
      self_rotation = :selfRotation, guest_mail = :guestMail
    WHERE id = :id`);
  const markSeenInBrowser = db.prepare("UPDATE api_key SET browser_seen_at = :at WHERE id = :id");
  // The access of a partner to a business never has a secret of its own.
  const selectWithoutSecret = db.prepare(`${LISTED_KEY}
    WHERE secret.key_id IS NULL AND (key.partner_id IS NULL OR key.business_id IS NULL)
      AND key.revoked_at IS NULL AND (key.expires_at IS NULL OR key.expires_at > ?)
    ORDER BY key.id`);
  // A key is listed only if a web page has sent its newest secret.
  const selectSeenInBrowser = db.prepare(`${LISTED_KEY}
    WHERE key.browser_seen_at > secret.created_at AND key.revoked_at IS NULL AND (key.expires_at IS NULL OR key.expires_at > ?)
    ORDER BY key.id`);
  const markUsed = db.prepare(
    "UPDATE api_key SET last_used_at = max(coalesce(last_used_at, 0), :at) WHERE id = :id",
  );

  return {
    /** Finds the credential of a secret, even of one that is no longer valid. */
    findCredential: (hash: Buffer) =>
      parseOptional(selectCredential.get(hash), parseKey<Credential>),
    findById: (id: string) => parseOptional(selectById.get(id), parseKey<ListedKey>),
    /**
     * Lists the keys of a business and the access of partners to it. If no business is given, lists
     * all keys, but no access of partners.
     */
    list: (businessId?: string) =>
      (businessId === undefined ? all.all() : ofBusiness.all(businessId)).map(parseKey<ListedKey>),
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
    /** Returns whether a key is still valid although its end was carried out. */
    hasEndedEarly: (now: number): boolean => selectHasEndedEarly.get(now) === 1,
    /** Forgets the end of keys that are still valid, so that they end when they expire. */
    reopen: (now: number) => void reopen.run(now),
    /** Returns the keys that expire after `now`, at `until` or earlier. */
    listExpiring: (now: number, until: number) =>
      selectExpiring.all({ now, until }).map(parseKey<ListedKey>),
    /** Lists keys that ended under version 0.2. The operator must decide about their endpoints. */
    listUndecided: () => selectUndecided.all().map(parseKey<ListedKey>),
    /** Lists the keys that have not ended and have no secret. */
    listWithoutSecret: (now: number) => selectWithoutSecret.all(now).map(parseKey<ListedKey>),
    markSeenInBrowser: (id: string, at: number) => void markSeenInBrowser.run({ id, at }),
    /** Returns the valid keys whose newest secret was sent by a web page. */
    listSeenInBrowser: (now: number) => selectSeenInBrowser.all(now).map(parseKey<ListedKey>),
    markUsed: (id: string, at: number) => void markUsed.run({ id, at }),
  };
}
