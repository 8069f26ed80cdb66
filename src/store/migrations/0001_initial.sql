-- Times are epoch milliseconds. JSON columns hold documents whose types are in src/domain.

CREATE TABLE business (
  id              TEXT PRIMARY KEY,
  slug            TEXT NOT NULL UNIQUE,
  doc             TEXT NOT NULL CHECK (json_valid(doc)),
  schedule        TEXT NOT NULL CHECK (json_valid(schedule)),
  catalog_version INTEGER NOT NULL,
  last_sequence   INTEGER NOT NULL,
  created_at      INTEGER NOT NULL,
  updated_at      INTEGER NOT NULL
) STRICT;

-- The catalog as its author wrote it, one row per top-level object of a section.
CREATE TABLE catalog_object (
  id          TEXT PRIMARY KEY,
  business_id TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
  kind        TEXT NOT NULL,
  key         TEXT NOT NULL,
  position    INTEGER NOT NULL,
  doc         TEXT NOT NULL CHECK (json_valid(doc)),
  UNIQUE (business_id, kind, key)
) STRICT;

-- When the public representation of an object last changed, embedded objects included.
CREATE TABLE representation (
  business_id TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
  object_id   TEXT NOT NULL,
  version     INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  PRIMARY KEY (business_id, object_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE api_key (
  id           TEXT PRIMARY KEY,
  business_id  TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
  kind         TEXT NOT NULL CHECK (kind IN ('SECRET', 'RESTRICTED')),
  name         TEXT NOT NULL,
  scopes       TEXT NOT NULL CHECK (json_valid(scopes)),
  cidrs        TEXT NOT NULL CHECK (json_valid(cidrs)),
  limit_minute INTEGER NOT NULL CHECK (limit_minute > 0),
  limit_hour   INTEGER NOT NULL CHECK (limit_hour > 0),
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER,
  expires_at   INTEGER,
  revoked_at   INTEGER
) STRICT;
CREATE INDEX api_key_business ON api_key (business_id);

-- The secrets of a key, as hashes: one, or two during the overlap of a rotation.
CREATE TABLE api_key_secret (
  hash       BLOB PRIMARY KEY,
  key_id     TEXT NOT NULL REFERENCES api_key (id) ON DELETE CASCADE,
  prefix     TEXT NOT NULL,
  last4      TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX api_key_secret_key ON api_key_secret (key_id);

CREATE TABLE endpoint (
  id              TEXT PRIMARY KEY,
  business_id     TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
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
  deleted_at      INTEGER
) STRICT;
CREATE INDEX endpoint_business ON endpoint (business_id) WHERE deleted_at IS NULL;

-- Encrypted with the master key, which is stored outside this file.
CREATE TABLE endpoint_secret (
  id          TEXT PRIMARY KEY,
  endpoint_id TEXT NOT NULL REFERENCES endpoint (id) ON DELETE CASCADE,
  sealed      BLOB NOT NULL,
  created_at  INTEGER NOT NULL,
  expires_at  INTEGER
) STRICT;
CREATE INDEX endpoint_secret_endpoint ON endpoint_secret (endpoint_id);

-- An event with its envelope. The bytes never change; the hash is checked before they are signed.
CREATE TABLE event (
  id          TEXT PRIMARY KEY,
  business_id TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
  sequence    INTEGER NOT NULL,
  type        TEXT NOT NULL,
  body        BLOB NOT NULL,
  sha256      BLOB NOT NULL,
  created_at  INTEGER NOT NULL,
  UNIQUE (business_id, sequence)
) STRICT;

-- One event for one endpoint. PENDING until an outcome is written: only the delivery worker knows
-- which rows are in flight, so after a crash each of them is due again.
CREATE TABLE delivery (
  -- Rises with each insert, so the delivery worker finds new rows above the last number it has
  -- seen.
  number           INTEGER PRIMARY KEY,
  id               TEXT NOT NULL UNIQUE,
  business_id      TEXT NOT NULL REFERENCES business (id) ON DELETE CASCADE,
  endpoint_id      TEXT NOT NULL REFERENCES endpoint (id) ON DELETE CASCADE,
  event_id         TEXT NOT NULL REFERENCES event (id) ON DELETE CASCADE,
  event_type       TEXT NOT NULL,
  sequence         INTEGER NOT NULL,
  status           TEXT NOT NULL
    CHECK (status IN ('PENDING', 'DELIVERED', 'EXHAUSTED', 'PARKED', 'CANCELLED', 'CORRUPT')),
  attempt_count    INTEGER NOT NULL,
  next_attempt_at  INTEGER,
  last_status_code INTEGER,
  last_error       TEXT,
  created_at       INTEGER NOT NULL,
  delivered_at     INTEGER,
  UNIQUE (event_id, endpoint_id),
  CHECK ((status = 'PENDING') = (next_attempt_at IS NOT NULL)),
  CHECK ((status = 'DELIVERED') = (delivered_at IS NOT NULL))
) STRICT;
-- Due rows of one endpoint, oldest first; only pending rows, so it stays as small as the backlog.
CREATE INDEX delivery_due ON delivery (endpoint_id, next_attempt_at) WHERE status = 'PENDING';
-- Deliveries that ended without success.
CREATE INDEX delivery_undelivered ON delivery (status, id) WHERE status NOT IN ('PENDING', 'DELIVERED');
CREATE INDEX delivery_endpoint ON delivery (endpoint_id, id);
CREATE INDEX delivery_business ON delivery (business_id, id);

CREATE TABLE attempt (
  delivery      INTEGER NOT NULL REFERENCES delivery (number) ON DELETE CASCADE,
  n             INTEGER NOT NULL,
  at            INTEGER NOT NULL,
  duration_ms   INTEGER NOT NULL,
  outcome       TEXT NOT NULL,
  status_code   INTEGER,
  error         TEXT,
  response_text TEXT,
  PRIMARY KEY (delivery, n)
) STRICT, WITHOUT ROWID;
