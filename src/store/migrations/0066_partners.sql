-- A partner has keys and endpoints for several businesses. Its access to one of them is an API key of
-- that business without a secret, so that everything that is limited, stored or found by key stays
-- within the business.
CREATE TABLE partner (
  id               TEXT PRIMARY KEY,
  name             TEXT NOT NULL,
  -- Whether it was created for all businesses, and whether businesses that are created later join.
  covers_all       INTEGER NOT NULL CHECK (covers_all IN (0, 1)),
  covers_future    INTEGER NOT NULL CHECK (covers_future IN (0, 1)),
  -- JSON arrays, as in the keys that have copies of them.
  scopes           TEXT NOT NULL,
  event_groups     TEXT NOT NULL,
  cidrs            TEXT NOT NULL,
  -- The limits at one business.
  limit_minute     INTEGER NOT NULL CHECK (limit_minute > 0),
  limit_hour       INTEGER NOT NULL CHECK (limit_hour > 0),
  max_holds        INTEGER NOT NULL,
  max_bookings_day INTEGER NOT NULL CHECK (max_bookings_day > 0),
  -- The limits of all of its requests and endpoints.
  total_minute     INTEGER NOT NULL CHECK (total_minute > 0),
  total_hour       INTEGER NOT NULL CHECK (total_hour > 0),
  max_endpoints    INTEGER NOT NULL CHECK (max_endpoints > 0),
  created_at       INTEGER NOT NULL,
  deleted_at       INTEGER
) STRICT;
CREATE UNIQUE INDEX partner_name ON partner (name) WHERE deleted_at IS NULL;

-- The businesses whose owner has excluded a partner. An exclusion outlives the access that it ended.
CREATE TABLE partner_exclusion (
  partner_id  TEXT NOT NULL REFERENCES partner (id) ON DELETE CASCADE,
  business_id TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
  excluded_at INTEGER NOT NULL,
  PRIMARY KEY (partner_id, business_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX partner_exclusion_business ON partner_exclusion (business_id);

-- Keys and endpoints of a partner belong to no business. Only NOT NULL is dropped and `partner_id` is
-- added, but this requires recreating the tables.
CREATE TABLE api_key_of_any (
  id           TEXT PRIMARY KEY,
  -- NULL for a key of a partner.
  business_id  TEXT REFERENCES business (id) ON DELETE CASCADE,
  -- With `business_id`, the access of a partner to the business.
  partner_id   TEXT REFERENCES partner (id) ON DELETE CASCADE,
  kind         TEXT NOT NULL CHECK (kind IN ('SECRET', 'RESTRICTED')),
  name         TEXT NOT NULL,
  scopes       TEXT NOT NULL CHECK (json_valid(scopes)),
  event_groups TEXT NOT NULL DEFAULT '["catalog","bookings","tickets"]' CHECK (json_valid(event_groups)),
  cidrs        TEXT NOT NULL CHECK (json_valid(cidrs)),
  limit_minute INTEGER NOT NULL CHECK (limit_minute > 0),
  limit_hour   INTEGER NOT NULL CHECK (limit_hour > 0),
  max_endpoints INTEGER NOT NULL DEFAULT 10 CHECK (max_endpoints > 0),
  max_holds    INTEGER NOT NULL DEFAULT 20,
  max_bookings_day INTEGER NOT NULL DEFAULT 200 CHECK (max_bookings_day > 0),
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER,
  expires_at   INTEGER,
  revoked_at   INTEGER,
  browser_seen_at INTEGER,
  endpoints_at_end TEXT NOT NULL DEFAULT 'STOP'
    CHECK (endpoints_at_end = 'STOP' OR endpoints_at_end = 'KEEP' OR endpoints_at_end = 'UNDECIDED'),
  ended_at     INTEGER,
  gained_scopes TEXT CHECK (gained_scopes = 'KEPT' OR gained_scopes = 'REMOVED'),
  self_rotation INTEGER NOT NULL DEFAULT 0,
  guest_mail   INTEGER NOT NULL DEFAULT 0,
  CHECK (business_id IS NOT NULL OR partner_id IS NOT NULL)
) STRICT;
INSERT INTO api_key_of_any (id, business_id, kind, name, scopes, event_groups, cidrs, limit_minute, limit_hour,
    max_endpoints, max_holds, max_bookings_day, created_at, last_used_at, expires_at, revoked_at, browser_seen_at,
    endpoints_at_end, ended_at, gained_scopes, self_rotation, guest_mail)
  SELECT id, business_id, kind, name, scopes, event_groups, cidrs, limit_minute, limit_hour,
    max_endpoints, max_holds, max_bookings_day, created_at, last_used_at, expires_at, revoked_at, browser_seen_at,
    endpoints_at_end, ended_at, gained_scopes, self_rotation, guest_mail
  FROM api_key ORDER BY rowid;
DROP TABLE api_key;
ALTER TABLE api_key_of_any RENAME TO api_key;
CREATE INDEX api_key_business ON api_key (business_id);
CREATE INDEX api_key_expiry ON api_key (expires_at) WHERE expires_at IS NOT NULL AND ended_at IS NULL;
CREATE INDEX api_key_undecided ON api_key (id) WHERE endpoints_at_end = 'UNDECIDED';
CREATE INDEX api_key_partner ON api_key (partner_id, business_id) WHERE partner_id IS NOT NULL;
-- Every event is preceded by a look-up of the partners of its business: without partners, the index is empty.
CREATE UNIQUE INDEX api_key_access ON api_key (business_id, partner_id)
  WHERE partner_id IS NOT NULL AND business_id IS NOT NULL AND revoked_at IS NULL;

CREATE TABLE endpoint_of_any (
  id              TEXT PRIMARY KEY,
  -- NULL for an endpoint of a partner, which gets the events of all of its businesses.
  business_id     TEXT REFERENCES business (id) ON DELETE CASCADE,
  partner_id      TEXT REFERENCES partner (id) ON DELETE CASCADE,
  key_id          TEXT REFERENCES api_key (id) ON DELETE SET NULL,
  name            TEXT NOT NULL,
  url             TEXT NOT NULL,
  events          TEXT NOT NULL CHECK (json_valid(events)),
  allow_private   INTEGER NOT NULL CHECK (allow_private IN (0, 1)),
  status          TEXT NOT NULL CHECK (status IN ('ACTIVE', 'DISABLED')),
  disabled_reason TEXT,
  failing_since   INTEGER,
  created_at      INTEGER NOT NULL,
  updated_at      INTEGER NOT NULL,
  deleted_at      INTEGER,
  timeout_ms      INTEGER NOT NULL DEFAULT 10000 CHECK (timeout_ms BETWEEN 1000 AND 30000),
  max_in_flight   INTEGER NOT NULL DEFAULT 4 CHECK (max_in_flight BETWEEN 1 AND 32),
  failure_count   INTEGER NOT NULL DEFAULT 0,
  failed_event_id TEXT,
  failed_events   INTEGER NOT NULL DEFAULT 0 CHECK (failed_events BETWEEN 0 AND 2),
  warned_at       INTEGER,
  disable_at      INTEGER,
  backlog_move    TEXT CHECK (backlog_move <> ''),
  recover_since   INTEGER,
  version         INTEGER NOT NULL DEFAULT 1,
  last_error      TEXT,
  held_until      INTEGER,
  held_reason     TEXT,
  holds_ended     INTEGER NOT NULL DEFAULT 0,
  status_since    INTEGER,
  last_delivered_at INTEGER,
  CHECK ((business_id IS NULL) = (partner_id IS NOT NULL))
) STRICT;
INSERT INTO endpoint_of_any (id, business_id, key_id, name, url, events, allow_private, status, disabled_reason,
    failing_since, created_at, updated_at, deleted_at, timeout_ms, max_in_flight, failure_count, failed_event_id,
    failed_events, warned_at, disable_at, backlog_move, recover_since, version, last_error, held_until, held_reason,
    holds_ended, status_since, last_delivered_at)
  SELECT id, business_id, key_id, name, url, events, allow_private, status, disabled_reason,
    failing_since, created_at, updated_at, deleted_at, timeout_ms, max_in_flight, failure_count, failed_event_id,
    failed_events, warned_at, disable_at, backlog_move, recover_since, version, last_error, held_until, held_reason,
    holds_ended, status_since, last_delivered_at
  FROM endpoint ORDER BY rowid;
DROP TABLE endpoint;
ALTER TABLE endpoint_of_any RENAME TO endpoint;
CREATE INDEX endpoint_business ON endpoint (business_id) WHERE deleted_at IS NULL;
CREATE INDEX endpoint_partner ON endpoint (partner_id) WHERE partner_id IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX endpoint_failing ON endpoint (failing_since) WHERE failing_since IS NOT NULL;
CREATE INDEX endpoint_backlog_move ON endpoint (id) WHERE backlog_move IS NOT NULL;

-- The place of an event among those of all businesses that a partner reaches, in the order of their
-- transactions. An event of another business has none.
ALTER TABLE event ADD COLUMN position INTEGER;
CREATE INDEX event_position ON event (position, type, business_id) WHERE position IS NOT NULL;
ALTER TABLE server ADD COLUMN last_position INTEGER NOT NULL DEFAULT 0;
ALTER TABLE server ADD COLUMN forgotten_position INTEGER NOT NULL DEFAULT 0;
-- The events of a deleted business are not missed: its row is deleted before them.
CREATE TRIGGER event_position_forgotten AFTER DELETE ON event
WHEN OLD.position IS NOT NULL AND EXISTS (SELECT 1 FROM business WHERE id = OLD.business_id) BEGIN
  UPDATE server SET forgotten_position = OLD.position WHERE forgotten_position < OLD.position;
END;
